"""TOML as text: reading a file of it, writing it, and finding the line of a key."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, is_text

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STEP = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_PATH = rf"{_STEP}(?:\s*\.\s*{_STEP})*"
_SECTION = re.compile(rf"\s*\[\s*({_PATH})\s*\]\s*(?:#.*)?")
_ASSIGNMENT = re.compile(rf"\s*({_PATH})\s*=")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def dump_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else dump_value(name)


def dump_comment(text: str) -> str:
    """Return the lines of `text` as comments; characters that TOML does not allow in one become spaces."""
    return "".join(f"# {_CONTROL.sub(' ', line)}\n" for line in text.splitlines())


def dump_value(value: Any) -> str:
    """Return a value on one line; mappings become inline tables."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{dump_key(str(k))} = {dump_value(v)}" for k, v in value.items())
        return "{ " + inside + " }" if inside else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(dump_value(v) for v in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    # strings, finite numbers and booleans of JSON are valid TOML, except that DEL must be escaped
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def dump_table(settings: Mapping[str, Any], path: Sequence[str] = ()) -> str:
    """Return plain keys first, then one `[section]` per mapping (inline below the top level)."""
    lines = []
    if path:
        lines.append("[" + ".".join(dump_key(step) for step in path) + "]")
    sections = [] if path else [name for name, v in settings.items() if isinstance(v, Mapping)]
    lines += [f"{dump_key(name)} = {dump_value(v)}" for name, v in settings.items() if name not in sections]
    text = "\n".join(lines) + "\n"
    for name in sections:
        text += "\n" + dump_table(settings[name], path=(name,))
    return text


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """Return the line of the longest part of `keys` that is in `text`; None if no part is."""
    best: tuple[int, int] | None = None
    section: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _SECTION.fullmatch(line.rstrip("\r")):
            here = section = _split_path(match.group(1))
        elif match := _ASSIGNMENT.match(line):
            here = section + _split_path(match.group(1))
        else:
            continue
        if list(keys[: len(here)]) == here and (best is None or len(here) > best[0]):
            best = (len(here), number)
    return best[1] if best else None


def _split_path(path: str) -> list[str]:
    """Return the steps of a path such as `columns."Zip code".role`."""
    try:
        parsed = tomllib.loads(f"[{path}]")
    except tomllib.TOMLDecodeError:
        return [path]  # a line inside a longer text that only looks like a key; it matches no setting
    steps = []
    while parsed:
        ((step, parsed),) = parsed.items()
        steps.append(step)
    return steps


def read_toml(path: Path, what: str = "policy") -> str:
    """Return the text of a policy or preset file; raise a ParameterError if it cannot be read."""
    if is_text(path):
        raise ParameterError(
            f"the {what} is a text, not the path of a file.",
            "shoal.Policy.loads(text) reads a policy from TOML text.",
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as failed:
        raise ParameterError(
            f"the {what} {path.name} cannot be read ({failed.strerror}).",
            "give the path of a TOML file; `shoal profile data.csv --write policy.toml` starts one."
            if what == "policy"
            else "give the path of a TOML file; see docs/how-to/presets.md.",
        ) from None
    except UnicodeDecodeError:
        raise ParameterError(f"the {what} {path.name} is not UTF-8 text.", "save it in UTF-8.") from None
