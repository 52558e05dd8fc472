"""A second run replaces what the first wrote and nothing else: what a user put there, or changed, is the user's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import shoal
from shoal import api
from shoal.errors import TableError
from shoal.results.release import Release
from shoal.tables import write_text
from tests.api.test_failed_runs import contents
from tests.api.test_rules import policy, visits


@pytest.fixture(scope="module")
def release() -> Release:
    return shoal.anonymize(visits(), policy())


@pytest.fixture(scope="module")
def later() -> Release:
    return shoal.anonymize(visits(60), policy())


def refused(release: Release, out: Path, words: str) -> None:
    """The run stops in one sentence with a way out, and every file around it stays byte for byte."""
    before = contents(out.parent)
    with pytest.raises(TableError, match=words) as caught:
        release.write(out)
    assert caught.value.hint
    assert contents(out.parent) == before


@pytest.mark.parametrize("folder", ["out", "out.private"])
@pytest.mark.parametrize("name", [".git/config", ".env", "rows", "k", "plots/a.png", "release.csv.bak", "raw.csv"])
def test_what_no_release_wrote_stops_a_second_run(
    tmp_path: Path, release: Release, later: Release, folder: str, name: str
) -> None:
    release.write(tmp_path / "out")
    stranger = tmp_path / folder / name
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text("the only copy", encoding="utf-8")
    refused(later, tmp_path / "out", f"holds files that no release wrote: {Path(name).parts[0]}")


@pytest.mark.parametrize("folder", ["out", "out.private"])
def test_an_empty_folder_or_a_link_in_a_release_is_no_part_of_it(
    tmp_path: Path, release: Release, later: Release, folder: str
) -> None:
    release.write(tmp_path / "out")
    (tmp_path / folder / "notes").mkdir()
    refused(later, tmp_path / "out", "holds files that no release wrote: notes")
    (tmp_path / folder / "notes").rmdir()
    table = tmp_path / folder / ("release.csv" if folder == "out" else "report.html")
    table.rename(tmp_path / "elsewhere")
    table.symlink_to(tmp_path / "elsewhere")
    refused(later, tmp_path / "out", f"holds files that no release wrote: {table.name}")


@pytest.mark.parametrize("name", ["out/release.csv", "out.private/report.html", "out.private/policy.toml"])
def test_a_file_that_the_user_changed_is_the_users(
    tmp_path: Path, release: Release, later: Release, name: str
) -> None:
    release.write(tmp_path / "out")
    with (tmp_path / name).open("a", encoding="utf-8") as file:
        file.write("a remark of mine\n")
    refused(later, tmp_path / "out", f"files that were changed since the release: {Path(name).name}")


@pytest.mark.parametrize("folder", ["out", "out.private"])
@pytest.mark.parametrize(
    "certificate",
    [
        {"certificates.json": "{}"},
        {"certificate-of-birth.json": "{}", "thesis.tex": "years of work"},
        {"certificate.json": "{}"},
        {"certificate.json": "not even JSON"},
        {"certificate.json": "[" * 100_000},
        {"certificate.json": '{"files": {}}'},
        {"certificate.json": '{"format": 1, "shoal": "0.1", "claims": []}', "thesis.tex": "years of work"},
    ],
)
def test_a_folder_with_another_certificate_is_no_release(
    tmp_path: Path, release: Release, folder: str, certificate: dict[str, str]
) -> None:
    (tmp_path / folder).mkdir()
    for name, text in certificate.items():
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
    refused(release, tmp_path / "out", "neither empty nor an earlier release")


def test_a_private_folder_is_never_taken_for_an_output_folder(
    tmp_path: Path, release: Release, later: Release
) -> None:
    release.write(tmp_path / "out")
    refused(later, tmp_path / "out.private", "private")
    refused(later, tmp_path / "new.private", "private")


def test_halves_of_releases_that_do_not_belong_together_are_not_replaced(
    tmp_path: Path, release: Release, later: Release
) -> None:
    release.write(tmp_path / "out")
    later.write(tmp_path / "other")
    (tmp_path / "out.private").rename(tmp_path / "kept")
    (tmp_path / "other.private").rename(tmp_path / "out.private")
    refused(release, tmp_path / "out", "belongs to another release")
    (tmp_path / "out").rename(tmp_path / "moved")
    (tmp_path / "kept").rename(tmp_path / "out")
    refused(release, tmp_path / "out", "private part")


def test_a_planted_link_under_a_name_that_can_be_guessed_is_not_followed(tmp_path: Path, release: Release) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "thesis.tex").write_text("years of work", encoding="utf-8")
    parent = tmp_path / "here"
    parent.mkdir()
    (parent / ".out.shoal").symlink_to(victim)
    (parent / ".policy.toml.part").symlink_to(victim / "thesis.tex")
    release.write(parent / "out")
    write_text(parent / "policy.toml", "k = 5\n")
    assert contents(victim).keys() == {"thesis.tex"}
    assert (victim / "thesis.tex").read_text(encoding="utf-8") == "years of work"
    assert (parent / ".out.shoal").is_symlink()
    assert (parent / ".policy.toml.part").is_symlink()
    assert (parent / "policy.toml").read_text(encoding="utf-8") == "k = 5\n"


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path, release: Release) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    (tmp_path / ".out.shoal-lock").symlink_to(tmp_path / "thesis.tex")
    refused(release, tmp_path / "out", "cannot be written")
    (tmp_path / ".out.shoal-lock").unlink()
    os.link(tmp_path / "thesis.tex", tmp_path / ".out.shoal-lock")
    refused(release, tmp_path / "out", "lock")
    assert (tmp_path / ".out.shoal-lock").read_text(encoding="utf-8") == "years of work"


def test_a_text_keeps_the_mode_of_the_file_it_replaces_and_is_private_on_request(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_text(tmp_path / "page.html", "x", private=True)
        write_text(tmp_path / "policy.toml", "x")
        (tmp_path / "closed").touch(mode=0o600)
        write_text(tmp_path / "closed", "x")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"page.html": 0o600, "policy.toml": 0o666, "closed": 0o600}


def test_the_raw_table_of_a_demo_is_closed_to_others_and_part_of_what_the_next_demo_replaces(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        api.demo(tmp_path / "demo", people=60)
        api.demo(tmp_path / "demo", people=50)
    finally:
        os.umask(before)
    raw = tmp_path / "demo.private" / "hospital.csv"
    assert stat.S_IMODE(raw.stat().st_mode) == 0o600
    assert len(raw.read_text(encoding="utf-8").splitlines()) == 51
    raw.write_text("my own hospital\n", encoding="utf-8")
    kept = contents(tmp_path)
    with pytest.raises(TableError, match=r"hospital\.csv"):
        api.demo(tmp_path / "demo", people=50)
    assert contents(tmp_path) == kept
