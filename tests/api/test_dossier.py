"""The dossier of a release: nothing claimed that was not computed, nothing of it in the public folder."""

from __future__ import annotations

import json
import stat
from datetime import date
from html import unescape
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.datasets import hospital
from shoal.errors import TableError
from shoal.report.dossier_sources import SOURCES
from shoal.report.pdf import pdf_browser
from tests.cli.running import shoal as run

WORDS = {"purpose": "a study of stays", "approved_by": "the officer <b>", "review": date(2027, 6, 1)}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return hospital(150).select("name", "birth_date", "sex", "zip", "admitted", "diagnosis")


@pytest.fixture
def folder(table: pl.DataFrame, tmp_path: Path) -> Path:
    policy = {
        "k": 4,
        "dossier": WORDS,
        "columns": {
            "name": {"role": "identifier"},
            "birth_date": {"role": "quasi", "round": "year"},
            "sex": {"role": "quasi"},
            "zip": {"role": "quasi"},
            "admitted": {"role": "quasi"},
            "diagnosis": {"role": "sensitive"},
        },
    }
    shoal.anonymize(table, policy).write(tmp_path / "release")
    return tmp_path / "release"


def test_the_page_says_what_people_said_and_what_was_found(folder: Path, table: pl.DataFrame) -> None:
    page = shoal.dossier(folder, original=table)
    told = unescape(page)
    assert "a study of stays" in told
    assert "2027-06-01" in told
    assert "<b>" not in page  # what people say is text, never markup
    assert "The released file meets every requirement." in told
    assert "No attack succeeds more often than guaranteed (k = 4)." in told
    assert told.count("to be filled in by a person") == 10  # of thirteen lines three were said
    certificate = json.loads((folder / "certificate.json").read_text())
    assert certificate["published_sha256"] in told


def test_nothing_of_it_is_in_the_public_folder(folder: Path) -> None:
    for file in folder.iterdir():
        assert b"study of stays" not in file.read_bytes()
    assert "study of stays" in (folder.parent / "release.private" / "policy.toml").read_text()


def test_a_forged_release_is_refused_on_its_first_line(folder: Path) -> None:
    released = folder / "release.csv"
    released.write_text(released.read_text().replace("\n", "\n", 1) + released.read_text().splitlines()[1] + "\n")
    told = shoal.dossier(folder)
    assert "do not publish it" in told


def test_without_the_original_nothing_is_claimed_that_needs_it(folder: Path) -> None:
    told = shoal.dossier(folder)
    assert "not run: the original was not given" in told
    assert "Reasons are given when the dossier is made with the original table." in told


def test_safe_harbor_is_read_from_the_released_cells_and_does_not_change_the_verdict(folder: Path) -> None:
    told = unescape(shoal.dossier(folder))
    n_rows = pl.read_csv(folder / "release.csv").height
    assert "HIPAA Safe Harbor: 2 of 20 lines not met" in told
    assert f"admitted: {n_rows} cells with more of a date than its year" in told
    assert "an age over 89" in told  # years of birth, rounded, and not pooled
    assert "more than three digits of a ZIP code" in told
    assert "The released file meets every requirement." in told


def test_safe_harbor_of_a_forged_policy_is_still_read_from_the_cells(folder: Path) -> None:
    """What the private policy says changes nothing: the released cells have days and five digits."""
    policy = folder.parent / "release.private" / "policy.toml"
    policy.write_text(
        policy.read_text().replace('[columns.admitted]\nrole = "quasi"', '[columns.admitted]\nrole = "identifier"')
    )
    assert "cells with more of a date than its year" in unescape(shoal.dossier(folder))


def test_a_release_of_a_sequence_says_which_one_it_is(table: pl.DataFrame, tmp_path: Path) -> None:
    asked = {"k": 4, "identifier": "name", "quasi": ["birth_date", "sex"], "sensitive": "diagnosis", "link": "name"}
    rows = table.select("name", "birth_date", "sex", "diagnosis").unique("name")
    for number, after in ((1, None), (2, tmp_path / "1.private")):
        shoal.anonymize(rows, after=after, **asked).write(tmp_path / str(number))
        assert f"This is release {number} of a sequence" in shoal.dossier(tmp_path / str(number))


def test_every_item_of_the_dossier_is_mapped_to_what_it_answers(folder: Path) -> None:
    told = unescape(shoal.dossier(folder))
    said = [title for title, _, _, _, _ in SOURCES]
    assert len(set(said)) == len(said)
    assert all(title in told for title in said)


def test_the_file_is_private_and_an_existing_one_stays(folder: Path, tmp_path: Path) -> None:
    ran = run("dossier", folder, "-o", tmp_path / "page.html")
    assert ran.code == 0, ran.err
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o600
    again = run("dossier", folder, "-o", tmp_path / "page.html")
    assert again.code == 2
    assert "exists already" in again.err


@pytest.mark.parametrize("name", ["measures.json", "certificate.json", "policy.toml"])
def test_a_folder_without_its_private_half_is_one_sentence(folder: Path, name: str) -> None:
    (folder.parent / "release.private" / name).unlink()
    with pytest.raises(TableError, match=f"there is no {name} in release.private"):
        shoal.dossier(folder)


def test_a_damaged_private_file_is_one_sentence(folder: Path) -> None:
    (folder.parent / "release.private" / "measures.json").write_text("{")
    with pytest.raises(TableError, match="is damaged"):
        shoal.dossier(folder)


def test_it_is_written_as_pdf_if_the_file_is_called_so(folder: Path, tmp_path: Path) -> None:
    if pdf_browser() is None:
        pytest.skip("no browser is installed")
    shoal.dossier(folder, tmp_path / "dossier.PDF")
    assert (tmp_path / "dossier.PDF").read_bytes().startswith(b"%PDF-")
    assert stat.S_IMODE((tmp_path / "dossier.PDF").stat().st_mode) == 0o600
    with pytest.raises(TableError, match="exists already"):
        shoal.dossier(folder, tmp_path / "dossier.PDF")
