"""The container file: what it names is there, and its commands are those that start the web app."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPE = (ROOT / "Containerfile").read_text(encoding="utf-8")


def test_it_installs_extras_that_there_are_with_pinned_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = re.search(r"-c /tmp/shoal/(\S+) '/tmp/shoal\[([\w,]+)\]'", RECIPE)
    assert found is not None
    assert (ROOT / found[1]).is_file()
    extras = found[2].split(",")
    assert {"web", "files", "postgres", "duckdb"} <= set(extras) <= set(project["optional-dependencies"])
    base = re.search(r"^FROM \S+/python:(3\.\d+)-slim$", RECIPE, re.MULTILINE)
    assert base is not None
    assert tuple(map(int, base[1].split("."))) >= (3, 11)


def test_it_runs_as_a_user_without_rights_and_starts_what_there_is() -> None:
    assert RECIPE.index("USER steward") < RECIPE.index("shoal.precompile") < RECIPE.index("ENTRYPOINT")
    assert re.search(r'^ENTRYPOINT \["shoal"\]$', RECIPE, re.MULTILINE)
    assert re.search(r'^CMD \["serve", "--no-browser"\]$', RECIPE, re.MULTILINE)
    assert "EXPOSE" not in RECIPE  # it listens to the loopback address alone
    helped = subprocess.run([sys.executable, "-m", "shoal", "serve", "--help"], capture_output=True, text=True)
    assert helped.returncode == 0
    assert "--no-browser" in helped.stdout


def test_what_is_copied_leaves_out_environments_results_and_history() -> None:
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8")
    assert ignored == (ROOT / ".dockerignore").read_text(encoding="utf-8")
    assert {".git", ".venv", "demo.private"} <= set(ignored.splitlines())
