"""A version is the same everywhere, every change is in the changelog, and a release notices where that is not so."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.repo.script import ROOT, script

ready = script("release_check")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What is released of this tree, as far as versions and changes go, without the changes that wait."""
    for name in ("src/shoal/_version.py", "CITATION.cff", "CHANGELOG.md", "pyproject.toml", "changes/template.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_the_version_agrees_everywhere() -> None:
    ready.check_version()


@pytest.mark.parametrize("file", ["CITATION.cff", "src/shoal/_version.py", "CHANGELOG.md"])
def test_a_version_that_differs_is_noticed(tree: Path, file: str) -> None:
    ready.check_version(tree)
    change(tree / file, ready.version(), "9.8.7")
    with pytest.raises(ready.NotReadyError, match=r"9\.8\.7"):
        ready.check_version(tree)


def test_two_entries_for_one_version_are_noticed(tree: Path) -> None:
    with (tree / "CHANGELOG.md").open("a", encoding="utf-8") as log:
        log.write(f"\n## {ready.version()} (again)\n")
    with pytest.raises(ready.NotReadyError, match="2 entries"):
        ready.check_version(tree)


def test_licenses_are_looked_at_without_a_network() -> None:
    ready.check_licenses()


def test_every_change_that_waits_is_of_a_kind_that_the_changelog_has() -> None:
    """Of another kind it would be left out of the changelog."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    kinds = {kind["directory"] for kind in settings["type"]}
    for file in ready.fragments():
        assert len(kinds & set(file.name.split("."))) == 1, f"changes/README.md says how {file.name} is called"
        assert file.read_text(encoding="utf-8").strip()


def towncrier(tree: Path, *wishes: str) -> str:
    command = [sys.executable, "-m", "towncrier", "build", "--version", "9.8.7", "--date", "2030-01-02", *wishes]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_changes_become_the_newest_entry_in_the_order_of_their_kinds(tree: Path) -> None:
    (tree / "changes" / "41.dates.fix.md").write_text("Dates are read\nto their last digit.\n", encoding="utf-8")
    (tree / "changes" / "41.leap.fix.md").write_text("Leap seconds, too.\n", encoding="utf-8")
    (tree / "changes" / "+less.privacy.md").write_text("Less is given away.\n", encoding="utf-8")
    with pytest.raises(ready.NotReadyError, match=r"changes/ has 3"):
        ready.check_fragments(tree)
    entry = towncrier(tree, "--draft")
    assert "### What a release gives away\n\n- Less is given away.\n" in entry
    assert "### Repaired\n\n- Dates are read\n  to their last digit.\n- Leap seconds, too.\n" in entry
    assert entry.index("gives away") < entry.index("Repaired")
    subprocess.run(["git", "init", "-q", tree], check=True)  # towncrier removes fragments from a repository
    subprocess.run(["git", "-C", tree, "add", "changes"], check=True)
    towncrier(tree, "--yes")
    ready.check_fragments(tree)
    change(tree / "CITATION.cff", ready.version(), "9.8.7")
    change(tree / "src/shoal/_version.py", ready.version(), "9.8.7")
    ready.check_version(tree)
    assert f"## {ready.version()} " in (tree / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_names_the_five_papers_and_nobody_else() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["authors"] == [{"name": "The Shoal authors"}]
    assert cited["license"] == "Apache-2.0"
    proofs = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "proofs").rglob("*.md"))
    plain = " ".join(proofs.lower().split())
    assert len(cited["references"]) == 5
    for paper in cited["references"]:
        assert paper["title"].lower() in plain, f"no proof names {paper['title']}"
        assert all(author["family-names"].lower() in plain for author in paper["authors"])
