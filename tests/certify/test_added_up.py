"""Faults of several kinds at a time are all told, and what is packed is looked into as what is not."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.certify import criteria, inspect
from shoal.certify.criteria import check_cells
from shoal.certify.hidden import check_hidden
from shoal.certify.stated import LinkedError, given, read_certificate, stated_encoding
from shoal.errors import ParameterError, ShoalError
from shoal.policy import Policy
from tests.certify import releases

QUASI = {"role": "quasi"}
FRAME, POLICY = pl.DataFrame({"age": ["1"]}), Policy.parse({"k": 2, "columns": {"age": QUASI}})
READERS = ("recoded", "dates", "numbers")
CHECKS = {
    "generalize": ("areas", "rounded", "or_missing"),
    "suppress": (),
    "aggregate": ("missing_counts",),
    "centers": ("missing_counts",),
}


@pytest.mark.parametrize("form", CHECKS)
def test_every_check_of_cells_is_added_to_those_before(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def reader(name: str) -> Any:
        def read(frame: pl.DataFrame, policy: Policy, *more: str) -> Any:
            assert policy is POLICY
            assert more == ((form,) if name == "recoded" else ())
            return frame.with_columns(pl.col("age") + name), [name]

        return read

    def check(name: str) -> Any:
        def find(frame: pl.DataFrame, policy: Policy) -> list[str]:
            assert policy is POLICY
            assert frame["age"].to_list() == ["1recodeddatesnumbers"]
            return [name]

        return find

    for name in READERS:
        monkeypatch.setattr(criteria, f"check_{name}", reader(name))
    for name in {name for names in CHECKS.values() for name in names}:
        monkeypatch.setattr(criteria, f"check_{name}", check(name))
    frame, failures = check_cells(FRAME, POLICY, form)
    assert frame["age"].to_list() == ["1recodeddatesnumbers"]
    assert failures == [*READERS, *CHECKS[form]]


def test_a_key_set_of_means_knows_how_many_are_missing() -> None:
    """Two groups have one mean; beside it they say how many values are missing, which tells them apart."""
    frame = pl.DataFrame({"age": ["5"] * 4, "age_missing": ["0"] * 2 + ["1"] * 2})
    asked = Policy.parse({"k": 2, "columns": {"age": QUASI}, "keys": {"first": {"columns": ["age"], "k": 2}}})
    (claim,) = (one for one in inspect(frame, asked, form="aggregate").claims if one.criterion == "key-anonymity")
    assert claim.measured == 2
    alone = frame.drop("age_missing")
    (claim,) = (one for one in inspect(alone, asked, form="aggregate").claims if one.criterion == "key-anonymity")
    assert claim.measured == 4


CELLS = b"a\n1\n"


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), CELLS)
    return packed.getvalue()


def noted(data: bytes) -> bytes:
    """The same gzip file, with a comment behind its head."""
    return data[:3] + bytes([data[3] | 16]) + data[4:10] + b"Ada\0" + data[10:]


@pytest.mark.parametrize("suffix", ["gz", "GZ"])
def test_a_packed_table_is_looked_into(tmp_path: Path, suffix: str) -> None:
    path, plain = tmp_path / f"t.csv.{suffix}", gzip.compress(CELLS, mtime=0)
    path.write_bytes(plain)
    assert check_hidden(path, ours=False) == []
    path.write_bytes(noted(plain))
    (fault,) = check_hidden(path, ours=False)
    assert fault.check == "file"
    assert fault.message.startswith("the file holds more than its cells: ")


def test_the_name_of_what_was_packed_may_be_stated_and_no_other(tmp_path: Path) -> None:
    for name, faults in (("t.csv", 0), ("Ada.csv", 1)):
        packed = io.BytesIO()
        with gzip.GzipFile(name, "wb", fileobj=packed, mtime=0) as file:
            file.write(CELLS)
        (tmp_path / "t.csv.gz").write_bytes(packed.getvalue())
        assert len(check_hidden(tmp_path / "t.csv.gz", ours=False)) == faults


@pytest.mark.parametrize("suffix", ["zip", "ZIP"])
def test_an_archive_of_more_than_its_table_is_told_of(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.csv.{suffix}"
    path.write_bytes(zipped("t.csv"))
    assert check_hidden(path, ours=False) == []
    path.write_bytes(zipped("t.csv", "__MACOSX/._t.csv"))
    assert [one.check for one in check_hidden(path, ours=False)] == ["file"]


def test_what_is_stated_of_a_release_is_read_strictly(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    assert stated_encoding(certificate) is None
    _, made = releases.written(tmp_path, releases.release(), releases.policy())
    assert stated_encoding(certificate) is None
    read, policy = read_certificate(certificate)
    assert read.to_public_json() == made.to_public_json()
    assert policy.k == 3
    text = certificate.read_text(encoding="utf-8")
    certificate.write_text(text.replace('"policy": {', '"policy": {"source": {"encoding": "cp1252"},'), "utf-8")
    assert stated_encoding(certificate) == "cp1252"
    certificate.write_text("{", encoding="utf-8")
    with pytest.raises(ParameterError):
        stated_encoding(certificate)


def test_a_policy_is_read_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('k = 4\n[columns.age]\nrole = "quasi"\n')
    reported, own = given(tmp_path / "policy.toml")
    assert reported == []
    assert own is not None
    assert own.k == 4
    with pytest.raises((ShoalError, TypeError)) as told:
        given(5)
    assert "PathLike" not in str(told.value)


def test_one_of_several_linked_tables_is_not_verified_alone() -> None:
    told = LinkedError.of_one()
    assert told.message == "this is one of several linked tables, which are only safe together."
    assert told.hint == "shoal.verify_tables checks their folder, and so does `shoal verify FOLDER`."
