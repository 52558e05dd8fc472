"""`verify` and its counts, with one small thing changed in what it is given."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import replace

import polars as pl
import pytest

from shoal.certify import Certificate, files, verify
from shoal.certify.hierarchies import levels_of
from shoal.errors import ParameterError
from shoal.policy import Column, Policy
from tests.certify import forgeries, releases

QUASI = {"q": {"role": "quasi"}}


def messages(found) -> list[str]:
    return [one.message for one in found.failures]


# -- certificates and folders ------------------------------------------------------------------------------------


def test_a_certificate_from_elsewhere_is_held_against_the_file_too(tmp_path):
    out, home = tmp_path / "out", tmp_path / "home"
    out.mkdir()
    home.mkdir()
    path, certificate = releases.written(out, releases.release(), releases.policy())
    (home / "certificate.json").write_text(replace(certificate, rows=13).to_public_json(), encoding="utf-8")
    assert "the certificate speaks of 13 rows; the file has 12" in messages(verify(path, home / "certificate.json"))
    (out / "stranger").write_text("")
    told = "the folder holds what its certificate does not list: 'stranger'"
    assert told in messages(verify(path, home / "certificate.json"))


def test_notes_are_read_back(tmp_path):
    certificate = releases.written(tmp_path, releases.release(), releases.policy())[1]
    assert Certificate.from_json(certificate.to_private_json()).notes == ("a note",)


def test_a_frame_has_no_files_beside_it():
    assert verify(releases.release(), releases.policy()).files == {}


def test_a_damaged_file_is_of_the_unit_that_its_policy_counts_in(tmp_path):
    (tmp_path / "r.parquet").write_bytes(b"no table")
    _, people = releases.with_people()
    assert verify(tmp_path / "r.parquet", people).unit == "people"
    assert verify(tmp_path / "r.parquet", releases.policy()).unit == "rows"


def test_a_table_in_the_folder_of_a_release_is_laid_out_as_shoal_writes_it(tmp_path):
    path = tmp_path / "release.parquet"
    releases.release().write_parquet(path, statistics=True)
    certificate = releases.certified(path, releases.release(), releases.policy())
    (tmp_path / "certificate.json").write_text(certificate.to_public_json(), encoding="utf-8")
    assert "the file holds more than its cells: lists or statistics beside a column" in messages(verify(path))
    (tmp_path / "certificate.json").unlink()
    assert verify(path, releases.policy()).holds


def test_either_form_of_numbers_may_be_certified(tmp_path):
    frame = pl.DataFrame({"q": ["1"] * 3 + ["2"] * 3, "s": ["a", "b", "a"] * 2})
    policy = Policy.parse({"k": 3, "columns": QUASI | {"s": {"role": "sensitive"}}})
    path, _ = releases.written(tmp_path, frame, policy, "generalize")
    assert verify(path, policy).form == "aggregate"
    assert verify(path, policy).holds
    assert not verify(path, policy, form="aggregate").holds


def test_a_hierarchy_that_cannot_be_read_is_a_failure_of_a_release_and_an_error_of_a_call(tmp_path):
    release = forgeries.written(tmp_path / "out")
    shutil.copy(release.parent / "region.map.csv", tmp_path / "region.map.csv")
    policy = forgeries.policy(tmp_path)
    for text in ("flu\ncold;skin\n", "flu;lung;*\ncold;skin;*\ngout;limb;*\n"):
        (release.parent / "levels.csv").write_text(text)
        found = verify(release)
        assert (found.form, found.unit) == ("generalize", "rows")
        assert any("the hierarchy levels.csv of diagnosis" in one for one in messages(found))
    (tmp_path / "levels.csv").write_text("flu;lung;*\ncold;skin;*\ngout;limb;*\n")
    assert verify(forgeries.table(), policy).l == {"diagnosis": 2.0}  # one's own may have more values
    (tmp_path / "levels.csv").unlink()
    with pytest.raises(ParameterError, match=r"^the hierarchy levels\.csv of diagnosis cannot be read"):
        verify(forgeries.table(), policy)


def test_one_byte_more_than_allowed_is_read_and_no_other(tmp_path, monkeypatch):
    asked = []

    class File:
        def read(self, size: int | None) -> bytes:
            asked.append(size)
            return b"12"

    @contextmanager
    def opened(_path: object, *, follow: bool):
        yield File()

    monkeypatch.setattr(files, "open_regular", opened)
    assert files.read_regular(tmp_path, 2) == b"12"
    assert asked == [3]


# -- counts ------------------------------------------------------------------------------------------------------


def test_in_an_order_near_values_are_near():
    frame = pl.DataFrame({"q": ["a", "a", "b", "b"], "s": ["1", "3", "2", "2"]})
    for distance, expected in (("equal", 0.5), ("ordered", 0.25)):
        close = {"t": 0.6, "distance": distance}
        policy = Policy.parse({"k": 2, "closeness": close, "columns": QUASI | {"s": {"role": "sensitive"}}})
        assert releases.inspect(frame, policy, form="generalize").t == {"s": expected}


def test_leaves_of_a_hierarchy_are_counted_as_they_are_written(tmp_path):
    (tmp_path / "h.csv").write_text("1;a;*\n1.0;b;*\n")
    close = {"t": 1, "distance": "hierarchical"}
    column = {"role": "sensitive", "hierarchy": str(tmp_path / "h.csv"), "closeness": close}
    policy = Policy.parse({"k": 2, "columns": QUASI | {"s": column}})
    frame = pl.DataFrame({"q": ["a", "a"], "s": ["1", "1.0"]})
    assert releases.inspect(frame, policy, form="generalize").l == {"s": 2.0}
    (tmp_path / "h.csv").write_text("1;a;x\n1.0;a;y\n")
    with pytest.raises(ParameterError, match=r"^the hierarchy of s is not a tree\."):
        releases.inspect(frame, policy, form="generalize")


def test_a_level_that_joins_nothing_does_not_count():
    column = Column.model_validate({"role": "sensitive", "hierarchy": {"widths": [5, 10]}})
    assert [nodes.tolist() for nodes in levels_of("s", ["1", "6"], column)] == [[0, 1], [0, 0]]
