"""A release with everything beside it that one can have, and certificates made from its own by changing one thing."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from shoal.policy import Policy
from tests.certify import releases

Where = tuple[str | int, ...]

LEVELS = "flu;lung;*\ncold;skin;*\n"
MAP = "region,neighbor\nnorth,south\nsouth,east\n"
LEGEND = {
    "city": [{"class": "A", "labels": ["A"]}, {"class": "B", "labels": ["B"]}, {"class": None, "labels": [None]}]
}


def table() -> pl.DataFrame:
    """The usual release, with a region."""
    return releases.release().with_columns(region=pl.lit("{north, south}"))


def policy(folder: Path) -> Policy:
    """t by a hierarchy, regions of a map, and cities in classes."""
    diagnosis = {
        "role": "sensitive",
        "hierarchy": str(folder / "levels.csv"),
        "closeness": {"t": 0.6, "distance": "hierarchical"},
    }
    columns = releases.ROLES | {
        "diagnosis": diagnosis,
        "city": {"role": "quasi", "classes": "k"},
        "region": {"role": "quasi", "map": {"edges": str(folder / "region.map.csv")}},
    }
    return releases.policy(columns=columns, closeness=None)


def written(folder: Path) -> Path:
    """The folder of an honest release; its table is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "levels.csv").write_text(LEVELS, encoding="utf-8")
    (folder / "region.map.csv").write_text(MAP, encoding="utf-8")
    (folder / "legend.json").write_text(json.dumps(LEGEND), encoding="utf-8")
    return releases.written(folder, table(), policy(folder))[0]


def leaves(found: Any, where: Where = ()) -> Iterator[tuple[Where, Any]]:
    """Every value of a JSON text, objects and lists among them."""
    if where:
        yield where, found
    items: Any = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, value in items:
        yield from leaves(value, (*where, key))


def others(value: Any) -> list[Any]:
    """Values that stand where another one stood: another kind, another size, another sign."""
    if value is None:
        return [0, "", "x", False, [], {}, "null"]
    if isinstance(value, bool):
        return [not value, int(value), str(value).lower(), None, [value]]
    if isinstance(value, int | float):
        return [
            value + 1, -value - 1, value * 1000 + 7, value / 2 + 0.25, str(value), None, True, [value],
            1e300, 2**80, float("nan"), float("inf"), "NaN", "Infinity", value + 1e-6,
        ]  # fmt: skip
    if isinstance(value, str):
        return [
            f"{value}x", f" {value}", value.upper() if value.upper() != value else value.lower(), "", None, 0, True,
            [value], {"x": value}, f"../{value}", f"/etc/{value}", f"{value}\x00", "NaN", "\ud800", "9" * 400,
        ]  # fmt: skip
    if isinstance(value, list):
        return [[], [*value, *value], [*value, None], value[::-1] if value[::-1] != value else [value], None, {}, "x"]
    return [{}, value | {"x": 1}, value | {"k": 50}, [value], None, "x"]


def changed(found: Any, where: Where, value: Any) -> Any:
    """A copy with another value in one place."""
    fresh = copy.deepcopy(found)
    inside = fresh
    for key in where[:-1]:
        inside = inside[key]
    inside[where[-1]] = value
    return fresh


def without(found: Any, where: Where) -> Any:
    """A copy without one place."""
    fresh = copy.deepcopy(found)
    inside = fresh
    for key in where[:-1]:
        inside = inside[key]
    del inside[where[-1]]
    return fresh


def forged(text: str) -> Iterator[tuple[str, Where, str]]:
    """What was done, where, and the certificate that came of it."""
    found = json.loads(text)
    for where, value in leaves(found):
        yield "removed", where, json.dumps(without(found, where))
        for other in others(value):
            yield "replaced", where, json.dumps(changed(found, where, other))
        if isinstance(where[-1], str):
            mark = "twice-this-key"
            doubled = json.dumps(changed(found, where, {mark: value}))
            inner = json.dumps({mark: value})
            key = json.dumps(where[-1])
            yield "key twice", where, doubled.replace(inner, f"{json.dumps(value)}, {key}: {json.dumps(value)}", 1)
