"""The dossier of a release: nothing claimed that was not computed, nothing of it in the public folder."""

from __future__ import annotations

import json
import re
import stat
from datetime import date
from hashlib import sha256
from html import unescape
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.datasets import hospital
from shoal.errors import ParameterError, TableError
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


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("k = 4", "k = 40"),
        ('[columns.admitted]\nrole = "quasi"', '[columns.admitted]\nrole = "identifier"'),
        ('role = "sensitive"', 'role = "sensitive"\ndiversity = { l = 2 }'),
    ],
)
def test_a_policy_that_is_not_the_one_of_the_release_is_refused(folder: Path, was: str, becomes: str) -> None:
    """Otherwise the page would state a k that nobody counted, or that a published column was removed."""
    policy = folder.parent / "release.private" / "policy.toml"
    assert was in policy.read_text()
    policy.write_text(policy.read_text().replace(was, becomes))
    with pytest.raises(TableError, match=r"policy\.toml of release\.private was changed after the release was made"):
        shoal.dossier(folder)


def test_statements_can_be_added_to_the_policy_afterwards(folder: Path) -> None:
    policy = folder.parent / "release.private" / "policy.toml"
    policy.write_text(policy.read_text().replace("a study of stays", "another study"))
    told = unescape(shoal.dossier(folder))
    assert "another study" in told
    assert "Its file was changed after the release was made" in told


def told_of(table: pl.DataFrame, tmp_path: Path, **settings: object) -> str:
    """Return the text of the dossier of a release of `table`."""
    shoal.anonymize(table, **settings).write(tmp_path / "other")
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", shoal.dossier(tmp_path / "other"))).split())


ASKED = {"k": 4, "identifier": ["name", "admitted", "zip"], "quasi": ["birth_date", "sex"], "sensitive": "diagnosis"}


@pytest.mark.parametrize(
    ("settings", "said", "not_said"),
    [
        (
            {"publication": "aggregate"},
            ["sex quasi the mean, median or most frequent value of its group", "was not computed for this form"],
            ["No value was found to follow", "generalized in groups", "By quasi-identifiers no"],
        ),
        (
            {"publication": "suppress"},
            ["sex quasi hidden where a group differs"],
            ["generalized in groups", "was not computed"],
        ),
        (
            {"publication": "centers", "quasi": "birth_date", "identifier": ["name", "admitted", "zip", "sex"]},
            ["diagnosis sensitive its values counted in every group", "was not computed for this form"],
            [
                "0 of 0 rows",
                "No value was found to follow",
                "published as it is",
                "can be linked with any other list",
            ],
        ),
        (
            {"perturb": {"diagnosis": {"method": "pram", "keep": 0.8}}, "round": {"birth_date": "year"}},
            [
                "diagnosis sensitive changed by chance, so not true values (pram: keep = 0.8)",
                "birth_date quasi rounded to year; then generalized in groups",
            ],
            ["published as it is", "can be linked with any other list"],
        ),
        (
            {"where": "sex = 'f'", "sample": 0.9, "method": "mondrian"},
            ["The release is about the rows with sex = 'f'.", "a random sample of 90%", "Method mondrian"],
            [],
        ),
        ({"synthetic": "marginals"}, ["rows drawn from the groups of the release (marginals)"], []),
        (
            {"keys": {"insurer": {"columns": ["sex"], "k": 9}}},
            ["Key set insurer somebody who knows sex, asked to fit at least 9."],
            [],
        ),
        (
            {"person": "name", "identifier": ["admitted", "zip"], "consistent": True},
            ["name person replaced by one number per person", "Rows of one person. They have a common number."],
            ["within its group"],
        ),
    ],
    ids=["aggregate", "suppress", "centers", "perturbed", "some rows", "synthetic", "key set", "consistent person"],
)
def test_it_says_what_became_of_the_columns_and_rows(
    table: pl.DataFrame, tmp_path: Path, settings: dict[str, object], said: list[str], not_said: list[str]
) -> None:
    told = told_of(table, tmp_path, **(ASKED | settings))
    for words in said:
        assert words in told
    for words in not_said:
        assert words not in told


def test_it_says_what_the_release_does_not_protect_against(folder: Path) -> None:
    told = unescape(shoal.dossier(folder))
    assert "Nothing was required of diagnosis." in told
    assert "This is not differential privacy" in told


def test_a_requirement_on_true_values_is_among_the_criteria(table: pl.DataFrame, tmp_path: Path) -> None:
    asked = {"k": 4, "columns": {"sex": {"role": "quasi", "diversity": {"l": 2}}, "birth_date": {"role": "quasi"}}}
    shoal.anonymize(table.select("sex", "birth_date"), asked).write(tmp_path / "other")
    assert "l-diversity of sex" in unescape(shoal.dossier(tmp_path / "other"))


def test_a_broken_release_is_not_said_to_single_out_nobody(folder: Path) -> None:
    released = folder / "release.csv"
    released.write_text(released.read_text() + released.read_text().splitlines()[1] + "\n")
    told = unescape(shoal.dossier(folder))
    assert "By quasi-identifiers no" not in told
    assert "A link by quasi-identifiers is right in at most" not in told


def test_the_original_is_recognized_by_its_digest(table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_csv(tmp_path / "people.csv")
    table.head(100).write_csv(tmp_path / "others.csv")
    (tmp_path / "linked.csv").symlink_to("people.csv")
    shoal.anonymize(tmp_path / "linked.csv", **ASKED).write(tmp_path / "release")
    told = unescape(shoal.dossier(tmp_path / "release", original=tmp_path / "people.csv"))
    digest = sha256((tmp_path / "people.csv").read_bytes()).hexdigest()
    assert "yes, its file has the same SHA-256" in told
    assert digest in told
    assert "NO: the file that was given is another one" in shoal.dossier(
        tmp_path / "release", original=tmp_path / "others.csv"
    )
    assert "is the one of the release" not in shoal.dossier(tmp_path / "release", original=table)
    for file in (tmp_path / "release").iterdir():
        assert digest.encode() not in file.read_bytes()


def test_the_digest_of_the_certificate_and_of_the_policy_are_stated(folder: Path) -> None:
    told = shoal.dossier(folder)
    for file in (folder / "certificate.json", folder.parent / "release.private" / "policy.toml"):
        assert sha256(file.read_bytes()).hexdigest() in told


def test_a_release_in_blocks_has_none_and_says_so(folder: Path) -> None:
    """Such a release has no measures of risk (`shoal.engines.folder`); it ended in an internal error."""
    (folder.parent / "release.private" / "measures.json").write_text('{"loss": {"columns": {}, "gcp": 0.1}}')
    with pytest.raises(ParameterError, match="made in blocks, for which no risk is measured"):
        shoal.dossier(folder)


def test_linked_tables_have_none_and_say_so(table: pl.DataFrame, tmp_path: Path) -> None:
    people = table.select("name", "sex").unique("name").head(40)
    role = {"name": {"role": "person"}, "sex": {"role": "quasi"}}
    asked = {"k": 4, "tables": {"people": {"columns": role}, "again": {"columns": role}}}
    shoal.anonymize_tables({"people": people, "again": people}, asked).write(tmp_path / "linked")
    with pytest.raises(ParameterError, match="a dossier is about one table"):
        shoal.dossier(tmp_path / "linked")


def test_what_is_no_release_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no release nothing"):
        shoal.dossier(tmp_path / "nothing")


def test_a_release_of_a_sequence_says_which_one_it_is(table: pl.DataFrame, tmp_path: Path) -> None:
    asked = {"k": 4, "identifier": "name", "quasi": ["birth_date", "sex"], "sensitive": "diagnosis", "link": "name"}
    rows = table.select("name", "birth_date", "sex", "diagnosis").unique("name")
    for number, after in ((1, None), (2, tmp_path / "1.private")):
        release = shoal.anonymize(rows, after=after, **asked).write(tmp_path / str(number))
        assert "Releases outside this sequence" in release.to_html()
        assert "Other releases of the same people" not in release.to_html()
        told = unescape(shoal.dossier(tmp_path / str(number)))
        assert f"This is release {number} of a sequence" in told
        assert "or holds other releases of the same people" not in told  # they were taken into account
        assert "Releases outside this sequence" in told


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
