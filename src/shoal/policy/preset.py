"""Presets: what a rule such as HIPAA Safe Harbor asks of a table, as data in a TOML file.

A profile reads a preset to propose a policy, and the verifier reads it to check released cells. They share this file
and nothing else: each finds the columns of a line by code of its own.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from shoal.errors import ParameterError
from shoal.policy.problems import first_problem
from shoal.policy.setting_types import Part
from shoal.policy.toml_text import read_toml

PRESETS = ("hipaa-safe-harbor",)
"""The presets that come with Shoal."""
_FOLDER = "presets"


class Line(Part):
    """One line of a rule: which columns it is about, by their headings, and what their cells must not contain."""

    id: Annotated[str, Field(min_length=1, max_length=20)]
    title: str
    safe_harbor: Annotated[str, Field(pattern=r"^[A-R]$")] | None = None
    """The letter of 45 CFR 164.514(b)(2)(i) by which a profile recognizes such columns."""
    headings: tuple[str, ...] = ()
    """Regular expressions of whole headings, as lower-case words: such columns must not have values."""
    cells: tuple[str, ...] = ()
    """Regular expressions: no published cell may contain one."""
    zips: tuple[str, ...] = ()
    """Headings of ZIP codes of the United States: three digits are allowed, of areas of more than 20,000 people."""
    dates: bool = False
    """Whether dates must not be finer than years."""
    ages: tuple[str, ...] = ()
    """Headings of columns with ages in years."""
    years: tuple[str, ...] = ()
    """Headings of columns with years."""
    oldest: Annotated[int, Field(ge=1, le=150)] | None = None
    """The highest age that may be published; higher ones, and years that show them, must be one class."""
    names: bool = False
    """Whether columns whose cells look like names of people are shown to a person."""
    codes: bool = False
    """Whether columns of codes that hardly repeat are shown to a person."""
    text: bool = False
    """Whether columns of free text are shown to a person."""
    judge: str | None = None
    """Why no program can check this line; a person judges it."""

    @field_validator("headings", "cells", "zips", "ages", "years")
    @classmethod
    def _patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error:
                raise ValueError("a pattern is not a regular expression") from None
            if re.search(r"\(\?(?:<?[=!])|\\[1-9]", pattern):
                raise ValueError("patterns cannot look ahead or behind, nor refer to a group")
        return patterns


class Preset(Part):
    """A rule: its title, where it is published, the k that it asks for, and its lines."""

    title: str
    source: str
    k: Annotated[int, Field(ge=2)] | None = None
    why_k: str | None = None
    """Why the rule asks for this k."""
    lines: tuple[Line, ...] = ()

    @model_validator(mode="after")
    def _each_line_once(self) -> Self:
        ids = [line.id for line in self.lines]
        if len(set(ids)) < len(ids):
            raise ValueError("two lines have the same id")
        if not ids and self.k is None:
            raise ValueError("a preset has lines, or a k")
        return self


def load_preset(preset: str | Path) -> Preset:
    """Return the preset with this name, or the one in this TOML file; a ParameterError says what is wrong with it."""
    if isinstance(preset, str) and preset in PRESETS:
        return _parsed(preset_text(f"{preset}.toml"), preset)
    path = Path(preset)
    if path.suffix.lower() != ".toml":
        raise ParameterError(
            f"there is no preset {str(preset)[:40]!r}.",
            f"choose {', '.join(PRESETS)}, or give the path of a .toml file of your own.",
        )
    return _parsed(read_toml(path, what="preset"), path.name)


def preset_text(name: str) -> str:
    """Return the text of a file that comes with the presets."""
    return files("shoal.policy").joinpath(_FOLDER, name).read_text(encoding="utf-8")


def _parsed(text: str, origin: str) -> Preset:
    try:
        return Preset.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as failed:
        raise ParameterError(f"{origin} is not valid TOML: {failed}.", "see docs/how-to/presets.md.") from None
    except RecursionError:
        raise ParameterError(
            f"{origin} is nested too deeply to be a preset.", "see docs/how-to/presets.md."
        ) from None
    except ValidationError as found:
        raise first_problem(found, text, origin, _known) from None


def _known(keys: Any) -> list[str]:
    """Return the keys that exist where a path of keys leads to."""
    return sorted(Line.model_fields if keys and keys[0] == "lines" else Preset.model_fields)
