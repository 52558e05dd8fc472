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
from shoal.report.pdf import pdf_browser
from shoal.report.safe_harbor_text import IDENTIFIERS, harbor_lines
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
    assert told.count("to be filled in by a person") == 8  # of eleven lines three were said
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
    assert "Safe Harbor, line by line" not in told


def test_safe_harbor_counts_as_met_only_what_the_policy_makes_sure_of(table: pl.DataFrame) -> None:
    profile = shoal.profile(table)
    columns = {
        "name": shoal.Column(role="identifier"),
        "birth_date": shoal.Column(role="quasi", round="year"),
        "sex": shoal.Column(role="quasi"),
        "zip": shoal.Column(role="quasi"),
        "admitted": shoal.Column(role="quasi"),
        "diagnosis": shoal.Column(role="sensitive"),
    }

    def met(**changed: shoal.Column) -> dict[str, bool | None]:
        policy = shoal.Policy(columns=columns | changed)
        return {line.letter: line.met for line in harbor_lines(policy, profile)}

    assert list(met()) == list(IDENTIFIERS)
    assert met()["A"] is True
    assert met()["B"] is False  # ZIP codes in groups may have five digits
    assert met()["C"] is False  # dates of admission in groups may be days
    assert met(admitted=shoal.Column(role="quasi", round="year"))["C"] is None  # ages over 89 are for a person
    assert met(name=shoal.Column(role="other"))["A"] is False
    assert met()["F"] is None


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
