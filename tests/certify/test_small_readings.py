"""What the verifier reads, one character or one byte away from what it must tell apart."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from shoal.certify import Certificate, hidden, reading
from shoal.certify.equivalence_classes import class_ids
from shoal.certify.files import UnsafeError
from shoal.certify.hierarchies import check_cut, levels_of, read_rows
from shoal.certify.legend import used_classes
from shoal.certify.public_policy import public_part
from shoal.certify.rounded import check_rounded
from shoal.certify.signature import new_key, private_key, signed_by
from shoal.certify.spelling import meanings
from shoal.certify.stated import certified_policy
from shoal.certify.strict_json import NotStrictError, loads
from shoal.errors import EngineError, ParameterError, TableError
from shoal.policy import Column, Diversity, Policy
from tests.certify import releases

SENSITIVE = {"s": {"role": "sensitive"}}


# -- cells -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "other"), [("X5", "5"), ("5X", "5"), ("\t1e3", "1e3"), ("X1e3", "1e3")])
def test_only_blanks_around_a_number_are_no_part_of_it(one, other):
    keys = meanings(pl.Series([one, other]))["key"].to_list()
    assert keys[0] != keys[1]


def test_an_hour_that_clocks_show_twice_is_two_instants(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        keys = meanings(pl.Series(["2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z"]))["key"].to_list()
    finally:
        monkeypatch.undo()
        time.tzset()
    assert keys[0] != keys[1]


@pytest.mark.parametrize("name", ["cells", "cell", "count", "counts"])
def test_a_column_may_have_any_name_where_ends_are_rounded(name):
    columns = {name: {"role": "quasi", "round_ranges": 5}} | SENSITIVE
    policy = Policy.parse({"k": 2, "columns": columns})
    found = check_rounded(pl.DataFrame({name: ["[5, 10]", "[6, 10]"]}), policy)
    assert [(one.column, one.records) for one in found] == [(name, 1)]


def test_a_blank_and_a_missing_value_are_one():
    frame = pl.DataFrame({"q": ["a"] * 4, "s": ["", None, "", None]})
    policy = Policy.parse({"k": 2, "diversity": {"l": 2}, "columns": {"q": {"role": "quasi"}} | SENSITIVE})
    found = releases.inspect(frame, policy, form="generalize")
    assert found.l == {"s": 0.0}
    assert not found.holds
    counted = policy.model_copy(update={"diversity": Diversity(l=2, count_missing=True)})
    assert releases.inspect(frame, counted, form="generalize").l == {"s": 1.0}


def test_classes_are_whole_numbers():
    assert class_ids(pl.DataFrame(), 2).dtype == np.int64
    column = Column.model_validate({"role": "sensitive", "hierarchy": {"prefix": True}})
    assert {nodes.dtype for nodes in levels_of("s", ["a", None], column)} == {np.dtype(np.int64)}


# -- JSON and certificates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['[["\\ud800"], {"a": 1}]', '[[1e300], {"a": 1}]', '{"a": ["\\ud800"], "b": {}}'])
def test_every_part_of_a_text_is_looked_at(text):
    with pytest.raises(NotStrictError):
        loads(text)


def test_a_ratio_for_groups_of_two_is_read_back(tmp_path):
    given = releases.written(tmp_path, releases.release(), releases.policy(k=2))[1]
    pairs = replace(given, method="pairs", objective="generalization", theorem="PAIRS-1", ratio_proved=Fraction(3, 2))
    assert Certificate.from_json(pairs.to_public_json()).theorem == "PAIRS-1"


def test_the_private_half_lists_the_files_of_its_own_folder(tmp_path):
    given = releases.written(tmp_path, releases.release(), releases.policy())[1]
    private = replace(given, files={"report.html": "0" * 64})
    assert Certificate.from_json(private.to_private_json()).files == {"report.html": "0" * 64}


def test_the_policy_of_a_certificate_is_read_from_its_path(tmp_path):
    releases.written(tmp_path, releases.release(), releases.policy())
    assert certified_policy(str(tmp_path / "certificate.json")).k == releases.K


def test_the_public_part_has_the_shape_of_places_and_no_file_of_what_is_no_sensitive_column(tmp_path):
    (tmp_path / "h.csv").write_text("a;*\n")
    columns = {
        "lat": {"role": "quasi", "longitude": "lon", "shape": "circle"},
        "lon": {"role": "quasi"},
        "city": {"role": "quasi", "hierarchy": str(tmp_path / "h.csv")},
        "s": {"role": "sensitive", "hierarchy": {"prefix": True}},
    }
    close = {"t": 0.5, "distance": "hierarchical"}
    found = public_part(Policy.parse({"k": 2, "closeness": close, "columns": columns}), "generalize")["columns"]
    assert found["lat"] == {"role": "quasi", "longitude": "lon", "shape": "circle"}
    assert found["city"] == {"role": "quasi"}
    assert found["s"]["hierarchy"] == {"prefix": True}


def test_a_bare_name_of_a_class_is_read_as_it_stands():
    assert used_classes(pl.Series(["{true, 1e5}"]), ["true", "1e5", "True", "100000.0"]) == {"true", "1e5"}


# -- hierarchies -------------------------------------------------------------------------------------------------


def test_lines_may_end_as_they_did_on_old_machines(tmp_path):
    (tmp_path / "h.csv").write_bytes(b"a;x\rb;x\r")
    assert read_rows("s", tmp_path / "h.csv") == [["a", "x"], ["b", "x"]]


def test_a_hierarchy_that_is_not_there_is_told_with_its_column(tmp_path):
    close = {"t": 0.5, "distance": "hierarchical"}
    column = {"role": "sensitive", "hierarchy": str(tmp_path / "none.csv"), "closeness": close}
    policy = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi"}, "s": column}})
    with pytest.raises(ParameterError, match=r"^the hierarchy none\.csv of s cannot be read"):
        check_cut(pl.DataFrame({"q": ["1"], "s": ["a"]}), policy, "generalize")


# -- files -------------------------------------------------------------------------------------------------------


def test_a_list_of_values_in_a_column_of_plain_texts_is_looked_at(tmp_path):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["x", "Anna"]))
    parquet.write_table(pa.table({"a": codes}), tmp_path / "r.parquet", store_schema=False)
    told = [one.message for one in hidden.check_hidden(tmp_path / "r.parquet", ours=False)]
    assert "the file holds more than its cells: a list of values that no row has" in told


def test_notes_at_the_end_of_an_arrow_file_are_found(tmp_path):
    table = pa.table({"a": ["x"]})
    with ipc.new_file(tmp_path / "r.arrow", table.schema, metadata={"who": "Anna"}) as file:
        file.write_table(table)
    told = [one.message for one in hidden.check_hidden(tmp_path / "r.arrow", ours=False)]
    assert told == ["the file holds more than its cells: notes in its metadata"]


def test_a_hidden_text_is_not_outweighed_by_short_ones():
    hides = pa.array(["thirteen byte", "twelve bytes", "twelve bytes"], type=pa.string_view())[1:]
    assert not hidden._only_shown(hides)


def test_why_a_release_cannot_be_opened_is_told(tmp_path, monkeypatch):
    with pytest.raises(TableError, match=r"gone\.csv"):
        reading.open_release(tmp_path / "gone.csv")
    (tmp_path / "r.parquet").write_bytes(b"no table")
    found = reading.open_release(tmp_path / "r.parquet").failures
    assert [one.check for one in found] == ["file"]
    assert found[0].message.startswith("the file cannot be read: ")
    assert "r.parquet" in found[0].message
    assert not found[0].message.endswith(".")

    def closed(*_: object, **__: object) -> str:
        raise UnsafeError("cannot be read (Permission denied)")

    monkeypatch.setattr(reading, "sha256_of", closed)
    with pytest.raises(TableError) as raised:
        reading.open_release(tmp_path / "r.parquet")
    assert raised.value.message == "the file r.parquet cannot be read (Permission denied)."
    assert raised.value.hint == "check the path and its permissions."


# -- signatures --------------------------------------------------------------------------------------------------


def test_what_is_no_signature_signs_nothing(tmp_path):
    public = new_key(tmp_path / "a.key")
    assert not signed_by(b"", b"no signature", public)


def test_what_signing_needs_is_told(tmp_path, monkeypatch):
    with pytest.raises(ParameterError) as raised:
        private_key(tmp_path / "none.key")
    assert raised.value.message == "the key none.key is not there."
    assert raised.value.hint == "`shoal keygen KEY` writes KEY and KEY.pub; a private key is needed here."
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    with pytest.raises(EngineError) as absent:
        private_key(tmp_path / "none.key")
    assert absent.value.message == "signing needs the package cryptography."
    assert absent.value.hint == "pip install 'shoal[sign]'."
