"""Every example runs; the command reference is the program's own help."""

from __future__ import annotations

import runpy
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = sorted((ROOT / "docs" / "snippets").glob("*.py"))


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda file: file.stem)
def test_every_snippet_runs(snippet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if snippet.stem == "recheck_k":  # takes a file and is run by tests/certify
        return
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(snippet), run_name="__main__")


@pytest.mark.pinned
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
