"""What Shoal says it runs on: the same in pyproject.toml, in the workflow and in the script that tries it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.repo.script import ROOT, script

ONLY_WHERE_IT_IS = {"IPython"}
"""Asked for only inside a notebook, which brings it."""
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


matrix = script("matrix")


def plain(name: str) -> str:
    """A name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def workflow() -> dict[str, Any]:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["jobs"]["matrix"]["strategy"]["matrix"]


def test_the_workflow_tries_every_python_that_is_promised() -> None:
    promised = PROJECT["requires-python"]
    least, most = (int(n) for n in re.fullmatch(r">=3\.(\d+),<3\.(\d+)", promised).groups())
    allowed = [f"3.{minor}" for minor in range(least, most)]
    assert matrix.supported() == allowed
    assert workflow()["python"] == allowed


def test_the_workflow_tries_old_and_new_dependencies_on_three_systems() -> None:
    assert workflow()["dependencies"] == list(matrix.KINDS)
    assert [name.partition("-")[0] for name in workflow()["os"]] == ["ubuntu", "macos", "windows"]


def imported() -> dict[str, set[str]]:
    """Every module from outside that src/ imports, at the top or inside a function, with the files that do."""
    found: dict[str, set[str]] = {}
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            for name in names:
                found.setdefault(name.partition(".")[0], set()).add(str(file.relative_to(ROOT)))
    return {name: files for name, files in found.items() if name not in {*sys.stdlib_module_names, "shoal"}}


def test_what_is_imported_is_declared() -> None:
    """A package that comes only because another one brings it may stay away tomorrow."""
    declared = {plain(re.match(r"[\w.-]+", need)[0]) for need in matrix.promised()}
    homes = packages_distributions()
    found = imported()
    assert {"numpy", "polars"} <= set(found)
    missing = {
        module: sorted(files)
        for module, files in found.items()
        if not {plain(name) for name in homes.get(module, [module])} & declared
    }
    assert set(missing) == set(ONLY_WHERE_IT_IS), f"pyproject.toml does not declare: {missing}"


def test_every_dependency_of_users_has_a_lower_bound_to_try() -> None:
    pins = matrix.lowest()
    assert len(pins) == len(matrix.promised()) >= 17
    assert all(re.match(r"[\w.-]+==\d", pin) for pin in pins)


def test_no_tool_of_developers_is_taken_for_a_dependency_of_users() -> None:
    """An extra is for users, and its lower bounds are tried, unless it is listed as one of tools."""
    audit = script("audit")
    users = {name for name in PROJECT["optional-dependencies"] if name not in matrix.FOR_DEVELOPERS}
    assert users == {name for name in audit.EXTRAS if name}


def test_a_python_that_is_not_here_is_said_not_to_be_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(matrix, "places", lambda version: iter([["python-that-is-not-here"], [sys.executable]]))
    assert matrix.find("{}.{}".format(*sys.version_info)) == [sys.executable]
    assert matrix.find("3.99") is None
    assert matrix.run("3.99", "oldest", tmp_path / "env", []).startswith("NOT RUN")
    assert not (tmp_path / "env").exists()
