"""The README and the guide: every block is run in the order of the page, and what it shows is what happens.

python   run in one namespace per page
text     after python: exactly what it printed
console  `$ shoal ...` is run and must succeed; the other lines are its output, `...` for any lines left out
toml     a policy
Other languages are only shown.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.demo import hospital
from shoal.policy import Policy

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def run_page(text: str) -> int:
    """Run the blocks of a page in the present folder; returns how many were run."""
    names: dict[str, Any] = {}
    printed, n_run = "", 0
    for language, block in FENCE.findall(text):
        if language == "python":
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                exec(compile(block, "page", "exec"), names)
            printed = told.getvalue()
        elif language == "text":
            assert block == printed
        elif language == "console":
            run_commands(block)
        elif language == "toml":
            Policy.loads(block)
        n_run += language in ("python", "text", "console", "toml")
    return n_run


def run_commands(block: str) -> None:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "shoal"
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, f"{command}: {done.output}"
        told = "\n".join(line.rstrip() for line in done.output.splitlines())
        wanted = re.escape(shown.strip("\n")).replace(re.escape("..."), ".*")
        assert re.search(wanted, told, flags=re.DOTALL), f"{command}:\n{told}"


def test_the_guide_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page((ROOT / "docs" / "guide.md").read_text(encoding="utf-8")) > 10


def test_the_readme_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hospital(300).write_csv("your.csv")
    assert run_page((ROOT / "README.md").read_text(encoding="utf-8")) >= 3
