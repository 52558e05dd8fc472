"""Every example runs; the command reference is the program's own help."""

from __future__ import annotations

import runpy
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from shoal.demo import hospital
from tests.repo.test_guide import run_page

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = sorted((ROOT / "docs" / "snippets").glob("*.py"))


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda file: file.stem)
def test_every_snippet_runs(snippet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if snippet.stem == "recheck_k":  # takes a file and is run by tests/certify
        return
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(snippet), run_name="__main__")


RUN_BY = {
    "README.md": "tests/repo/test_guide.py",
    "docs/guide.md": "tests/repo/test_guide.py",
    "docs/choosing-roles.md": "tests/repo/test_docs.py",
    "docs/policy.md": "tests/repo/test_policy_docs.py",
    "docs/proofs/privacy.md": "tests/certify/test_recheck_snippet.py",
}
"""A block that is called python, console or toml is run; one that is only shown says py, sh or text."""


def test_no_example_on_any_page_goes_unrun() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {page: page.read_text(encoding="utf-8") for page in pages}
    with_examples = {
        str(page.relative_to(ROOT))
        for page, text in shown.items()
        if any(f"\n```{language}\n" in text for language in ("python", "console", "toml"))
    }
    assert with_examples == set(RUN_BY)
    for page, test in RUN_BY.items():
        name = Path(page).name
        assert name in (ROOT / test).read_text(encoding="utf-8"), f"{test} does not read {name}"


def test_the_page_on_roles_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hospital(300).write_csv("visits.csv")
    assert run_page((ROOT / "docs" / "choosing-roles.md").read_text(encoding="utf-8")) >= 4


def test_the_command_reference_is_the_programs_own_help() -> None:
    pinned = dict(
        line.split(" ;")[0].split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    )
    assert version("typer") == pinned["typer"], "help looks different in every version of typer: use the pinned one"
    done = subprocess.run(
        [sys.executable, "scripts/command_reference.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
