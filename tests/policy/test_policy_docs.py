"""The page on the policy: every setting is there with its default, every choice is named, every example is one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from shoal.policy import Closeness, Column, Diversity, Following, Hierarchy, Map, Policy, Source
from shoal.policy.linked import LinkedPolicy
from shoal.policy.metadata import Metadata

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "policy.md").read_text(encoding="utf-8")
MODELS: dict[str, type[BaseModel]] = {
    "Top level": Policy,
    "Columns": Column,
    "Hierarchy": Hierarchy,
    "Map": Map,
    "Diversity": Diversity,
    "Closeness": Closeness,
    "Metadata": Metadata,
    "Sequence": Following,
    "Source": Source,
}
LEVELS = ("least_level", "greatest_level")
OF_QUASI = ("classes", "round_ranges", "publish_rare", "relative_to", "origin", *LEVELS)
SETTINGS = [(heading, name) for heading, model in MODELS.items() for name in model.model_fields]


def rows(heading: str) -> dict[str, list[str]]:
    """The table of settings below a heading: key to its other cells."""
    section = re.split(r"^##+ ", PAGE.split(f"\n## {heading}\n")[1], flags=re.MULTILINE)[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {key.strip("`"): rest for key, *rest in cells}


def choices(kind: Any) -> list[str]:
    """The words that a setting may be."""
    if get_origin(kind) is Literal:
        return [word for word in get_args(kind) if isinstance(word, str)]
    return [word for part in get_args(kind) for word in choices(part)]


@pytest.mark.parametrize("heading", MODELS)
def test_the_page_has_exactly_the_settings_that_exist(heading: str) -> None:
    assert list(rows(heading)) == list(MODELS[heading].model_fields)


@pytest.mark.parametrize(("heading", "name"), SETTINGS)
def test_the_default_on_the_page_is_the_default(heading: str, name: str) -> None:
    told, default = rows(heading)[name][0], MODELS[heading].model_fields[name].default
    if default is PydanticUndefined:
        assert told == ("none" if name in ("columns", "keys") else "required")
    elif default is None or isinstance(default, BaseModel):
        assert "`" not in told
    else:
        written = list(default) if isinstance(default, tuple) else default
        assert tomllib.loads(f"x = {told.strip('`')}")["x"] == written


@pytest.mark.parametrize(("heading", "name"), SETTINGS)
def test_every_choice_of_a_setting_is_named(heading: str, name: str) -> None:
    told = " ".join(rows(heading)[name]) + PAGE.split("### Methods")[1].split("\n## ")[0] * (name == "method")
    words = choices(MODELS[heading].model_fields[name].annotation)
    assert [word for word in words if f"`{word}`" not in told and f'"{word}"' not in told] == []


@pytest.mark.parametrize(("heading", "name"), SETTINGS)
def test_the_example_of_a_setting_is_accepted(heading: str, name: str) -> None:
    example = rows(heading)[name][-1].strip("`")
    if example.startswith("["):
        example += '\nrole = "quasi"'
    elif heading not in ("Top level", "Metadata", "Sequence", "Source"):
        asked = (
            "quasi"
            if name in ("classes", "round_ranges", "publish_rare", *LEVELS, "relative_to", "origin")
            else "person"
            if name in ("consistent", "pseudonym")
            else "sensitive"
        )
        role = "" if name == "role" else f'role = "{asked}"\n'
        area = 'longitude = "lon"\n'
        more = {
            "order": 'kind = "ordered"\n',
            "separator": 'kind = "set"\n',
            **dict.fromkeys(LEVELS, "hierarchy = { prefix = true }\n"),
            "shape": area,
            "grid": area,
            "language": 'format = "%d %b %Y"\n',
            "unreadable": 'format = "%Y-%m"\n',
            "pseudonym": "consistent = true\n",
            "origin": 'relative_to = "month"\n',
            "first_year": 'format = "%d.%m.%y"\n',
        }.get(name, "")
        after = f"\n[columns.lon]\n{role}" if name in ("longitude", "shape", "grid") else ""
        example = f"[columns.a]\n{role}{more}{example}{after}"
    assert Policy.loads(example) is not None


def test_the_policies_on_the_page_are_accepted() -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert blocks
    for text in blocks:
        if "[tables." in text:
            LinkedPolicy.parse(tomllib.loads(text))
        else:
            Policy.loads(text)
