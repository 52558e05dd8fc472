"""Linked tables at the edges of what is counted: people without a pseudonym, tables without people, near measures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.certify.against import CLOSE
from shoal.certify.linked.certificate import read_linked
from shoal.certify.linked.counting import LinkedFindings, inspect_tables
from shoal.certify.linked.verifier import _against, verify_tables
from shoal.policy.linked import LinkedPolicy
from tests.certify.test_linked_certificates import FRAMES, POLICIES, SETTINGS, written
from tests.certify.test_linked_counts import SOUND, WHO, inspected, visits

PERSON, QUASI = {"role": "person"}, {"role": "quasi"}


def counted(frames: dict[str, dict[str, list[Any]]], tables: dict[str, Any]) -> LinkedFindings:
    policies = LinkedPolicy.parse({"k": 2, "tables": tables}).tables
    made = {name: pl.DataFrame(one, schema=dict.fromkeys(one, pl.String)) for name, one in frames.items()}
    return inspect_tables(made, policies)


# -- counting ----------------------------------------------------------------------------------------------------


def test_people_without_a_pseudonym_are_one_person_in_all_tables() -> None:
    tables = {name: {"columns": {"who": PERSON, "q": QUASI}} for name in "ab"}
    rows: dict[str, list[Any]] = {"who": [WHO[0], WHO[1], None], "q": ["1", "1", "2"]}
    found = counted({"a": rows, "b": rows}, tables)
    assert (found.people, found.classes) == (3, 2)


def test_values_of_people_without_a_pseudonym_count_in_their_class() -> None:
    """One of two people with equal profiles has no pseudonym; together they have two illnesses."""
    columns = {"who": PERSON, "q": QUASI}
    ill = {"ill": {"role": "sensitive", "diversity": {"l": 2}}}
    who: list[Any] = [WHO[0], None]
    frames: dict[str, dict[str, list[Any]]] = {
        "a": {"who": who, "q": ["1", "1"]},
        "b": {"who": who, "q": ["2", "2"], "ill": ["f", "g"]},
    }
    found = counted(frames, {"a": {"columns": columns}, "b": {"columns": columns | ill}})
    assert [(one.of, one.measured) for one in found.claims] == [("people", 2), ("people", 2), ("rows", 2)]
    assert {one.check for one in found.failures} == {"person"}


def test_shares_are_of_the_people_of_a_class_and_not_of_their_rows() -> None:
    """Of two people in a class one has three visits: each illness is held by one of the two."""
    found = inspected(visits("000123", "xxxyyy", "fgffgf"), "aabb", diversity={"l": 2, "kind": "frequency"})
    assert [one.measured for one in found.claims[1:]] == [1, 1]
    found = inspected(SOUND, diversity={"l": 1, "kind": "frequency"})
    assert [one.measured for one in found.claims[1:]] == [1, 1]


def test_a_column_that_cannot_be_read_does_not_hide_the_next_one() -> None:
    close = {"role": "sensitive", "closeness": {"t": 0.9, "distance": "ordered"}}
    sensitive = {"pay": close | {"kind": "number"}, "ill": {"role": "sensitive", "diversity": {"l": 2}}}
    columns = {"who": PERSON, "q": QUASI}
    frames = {
        "a": {"who": WHO[:2], "q": ["1", "1"]},
        "b": {"who": WHO[:2], "q": ["1", "1"], "pay": ["much", "little"], "ill": ["f", "g"]},
    }
    found = counted(frames, {"a": {"columns": columns}, "b": {"columns": columns | sensitive}})
    assert [(one.criterion, one.column, one.measured) for one in found.claims[1:]] == [("l-diversity", "ill", 2)] * 2
    assert not found.holds


@pytest.mark.parametrize("there", [True, False])
def test_cells_of_every_table_are_read_as_ranges_even_where_people_are_absent(there: bool) -> None:
    tables = {name: {"columns": {"who": PERSON, "q": QUASI}} for name in "ab"}
    rows = {"who": WHO[:2], "q": ["* or missing"] * 2}
    found = counted({"a": rows, "b": rows if there else {"q": rows["q"]}}, tables)
    assert [(one.check, one.message) for one in found.failures if one.check == "missing"] == [
        ("missing", f"table {name}: column q: 2 cells do not say clearly whether a value is missing") for name in "ab"
    ]
    assert (found.people == 2) == there
    assert list(found.tables) == ["a", "b"]


# -- certificates ------------------------------------------------------------------------------------------------


def test_the_version_that_wrote_a_certificate_is_read_from_it(tmp_path: Path) -> None:
    text = json.dumps(json.loads(written(tmp_path).to_public_json()) | {"shoal": "0.0.1"})
    assert read_linked(text).shoal == "0.0.1"


def test_measures_may_differ_by_what_rounding_allows_and_no_more(tmp_path: Path) -> None:
    certificate = written(tmp_path)
    found = inspect_tables(FRAMES, POLICIES)
    for said, n_wrong in ((0.0, 0), (CLOSE, 0), (1.5 * CLOSE, 1)):
        claims = (replace(found.claims[0], measured=said), *found.claims[1:])
        zero = (replace(found.claims[0], measured=0.0), *found.claims[1:])
        assert len(_against(replace(certificate, claims=claims), replace(found, claims=zero))) == n_wrong
    assert _against(replace(certificate, claims=found.claims[:2]), found)


def test_a_policy_of_ones_own_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    written(tmp_path / "out")
    assert verify_tables(tmp_path / "out", SETTINGS).holds
    more = tmp_path / "policy.toml"
    tables = [f'[tables.{name}.columns]\nwho = {{role = "person"}}\n"âge" = {{role = "quasi"}}\n' for name in FRAMES]
    tables[1] += 'ill = {role = "sensitive"}\n'
    for k, holds in ((2, True), (3, False)):
        more.write_text(f"k = {k}\n" + "".join(tables), encoding="utf-8")
        found = verify_tables(tmp_path / "out", more)
        assert (found.holds, found.claims[0].claimed) == (holds, k)
        assert verify_tables(tmp_path / "out", str(more)) == found
