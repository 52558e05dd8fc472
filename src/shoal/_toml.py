"""The little of TOML that the standard library lacks: writing, and the line on which a key stands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ASSIGNMENT = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)((?:\s*\.\s*[^=\s]+)*)\s*=""")


def dump_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def dump_value(value: Any) -> str:
    """A value on one line; mappings become inline tables."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{dump_key(str(k))} = {dump_value(v)}" for k, v in value.items())
        return "{ " + inside + " }" if inside else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(dump_value(v) for v in value) + "]"
    # JSON's strings, numbers and booleans are TOML's too; DEL must be escaped in TOML.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def dump_table(settings: Mapping[str, Any], path: Sequence[str] = ()) -> str:
    """Plain keys first, then one `[section]` per mapping (inline below the top level)."""
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
    """The line of the longest part of `keys` that stands in `text`; None where nothing does."""
    best: tuple[int, int] | None = None
    section: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("[") and not stripped.startswith("[["):
            section = _split_path(stripped.strip("[]"))
            here = section
        elif match := _ASSIGNMENT.match(line):
            here = section + _split_path(match.group(1) + match.group(2))
        else:
            continue
        if list(keys[: len(here)]) == here and (best is None or len(here) > best[0]):
            best = (len(here), number)
    return best[1] if best else None


def _split_path(text: str) -> list[str]:
    """`columns."Zip code".role` as its steps."""
    steps = re.findall(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[^.\s]+', text)
    return [json.loads(s) if s.startswith('"') else s.strip("'") for s in steps]
