"""The pages for those who work on Shoal name what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "CONTRIBUTING.md",
    "RELEASING.md",
    "SECURITY.md",
    "README.md",
    "changes/README.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
)


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_folder_named_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|scripts|changes|\.github)/[\w./-]*)`", text)
    linked = [str((ROOT / page).parent / link) for link in re.findall(r"\]\(([\w./-]+\.md|LICENSE)\)", text)]
    missing = [name for name in [*named, *linked] if not (ROOT / name).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_make_named_is_there(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (ROOT / page).read_text(encoding="utf-8")
    assert set(re.findall(r"(?:`make |^make (?=\S+ +#))([a-z-]+)", text, re.MULTILINE)) <= targets


def test_hooks_before_a_commit_run_what_make_runs_and_fetch_nothing() -> None:
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [repository["repo"] for repository in settings["repos"]] == ["local"]
    hooks = {hook["id"]: hook for hook in settings["repos"][0]["hooks"]}
    assert all(hook["language"] == "system" for hook in hooks.values())
    linted = re.search(r"ruff check (.*)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert linted is not None
    for name in ("ruff-check", "ruff-format"):
        assert set(re.search(r"\((.*)\)", hooks[name]["files"])[1].split("|")) == set(linted[1].split())
    assert hooks["mypy"]["entry"] == ".venv/bin/mypy"


@pytest.mark.parametrize("form", ["bug", "missing"])
def test_a_form_for_issues_asks_for_no_table_of_real_people(form: str) -> None:
    asked = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{form}.yml").read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(asked)
    assert "real" in str(asked["body"])
    assert all(part["type"] == "markdown" or part["attributes"].get("label") for part in asked["body"])
