"""Every page with an example: its blocks are run in the order of the page, and what it shows is what happens.

Pages are run in a copy of the folder that the tutorial leaves behind (hospital.csv, policy.toml, release/).

python   run in one namespace per page
text     after python: exactly what it printed
console  `$ shoal ...` is run and must succeed; the other lines are its output, `...` for any lines left out
toml     a policy, or a preset with its lines
Other languages (py, sh, bash) are only shown.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.datasets import hospital
from shoal.policy import Policy
from shoal.policy.linked import LinkedPolicy
from shoal.policy.preset import load_preset

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
        elif language == "toml" and "[[lines]]" in block:
            Path("own-preset.toml").write_text(block, encoding="utf-8")
            load_preset(Path("own-preset.toml"))
        elif language == "toml" and "[tables." in block:
            LinkedPolicy.parse(tomllib.loads(block))
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


TUTORIAL = ROOT / "docs" / "tutorial" / "first-release.md"
ELSEWHERE = {"docs/proofs/privacy.md": "tests/certify/test_recheck_snippet.py"}
"""Pages whose examples need more than a folder, and the test that runs them."""


def with_examples() -> list[Path]:
    return [
        page
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        if re.search(r"^```(?:python|console|toml)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ]


@pytest.fixture(scope="module")
def after_the_tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a reader who has done the tutorial, with the tables that other pages speak of beside it."""
    folder = tmp_path_factory.mktemp("tutorial")
    with contextlib.chdir(folder):
        assert run_page(TUTORIAL.read_text(encoding="utf-8")) >= 5
        for name in ("your.csv", "visits.csv"):
            hospital(300).write_csv(name)
    return folder


@pytest.mark.parametrize("page", with_examples(), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_is_what_happens(page: Path, after_the_tutorial: Path, tmp_path: Path) -> None:
    name = str(page.relative_to(ROOT))
    text = page.read_text(encoding="utf-8")
    if page == TUTORIAL:
        return  # was run to set up
    if name in ELSEWHERE:
        assert page.name in (ROOT / ELSEWHERE[name]).read_text(encoding="utf-8")
        return
    folder = tmp_path / "folder"
    shutil.copytree(after_the_tutorial, folder)
    if "--write policy.toml" in text:  # its reader has none yet
        (folder / "policy.toml").unlink()
    with contextlib.chdir(folder):
        assert run_page(text) > 0
