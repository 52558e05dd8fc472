"""The page on roles: its policies load, its code runs, and what it shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from shoal.policy import Policy

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "roles.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("text", blocks("toml"))
def test_every_policy_on_the_page_is_one(text: str) -> None:
    policy = Policy.loads(text)
    assert policy.person == "patient_id" or policy.sensitive_quasi == ["route"]


def test_the_code_on_the_page_runs_and_says_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for code in blocks("python"):
        exec(compile(code, "roles.md", "exec"), names)
    told = [line.split(" ", 2)[:2] for line in capsys.readouterr().out.splitlines()]
    assert told == [
        ["patient_id", "person"],
        ["e-mail", "identifier"],
        ["birth_date", "quasi"],
        ["zip", "quasi"],
        ["diagnosis", "sensitive"],
    ]
    assert names["profile"].risk.unique_rows == 60


def test_every_role_is_explained() -> None:
    for role in ("identifier", "quasi", "sensitive", "person", "other"):
        assert f"| `{role}` |" in PAGE
