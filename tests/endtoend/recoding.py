"""Recoding in generated cases: what is asked for, and what becomes of the cells. Shares no code with Shoal."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from tests.endtoend import values as v
from tests.endtoend.cases import Case, Column
from tests.endtoend.released import Released, must

WHOLE = ("i8", "i16", "i32", "i64", "u8", "u16", "u32")
SETTLED = ("hierarchy", "order", "bins", "kind", "classes", "scale")
"""Settings beside which a column is not recoded here."""
MERGED = "merged label"
_MARK = re.compile(r'(>=|<=)(?=["\d-])')
_NUMBER = re.compile(r'(>=|<=)"?(-?[\dTeE:.Z+-]+)')


def add_recoding(rng: Random, case: Case) -> None:
    """Ask for recoding of some columns that can be recoded."""
    for column in case.columns:
        if column.name == "mark" or column.role not in ("quasi", "sensitive", "other") or rng.random() < 0.4:
            continue
        plain = column.tree is None and column.edges is None and not set(SETTLED) & set(column.settings)
        present = [cell for cell in column.cells if cell is not None]
        if plain and present and "longitude" not in column.settings and column.name != "lon":
            _limits(rng, column, present)
        elif column.role == "quasi" and case.settings["publication"] == "generalize":
            _levels(rng, case, column)


def _limits(rng: Random, column: Column, present: list[v.Value]) -> None:
    asked = column.settings
    if column.kind in ("str", "cat", "enum"):
        labels = sorted(set(present))
        if len(labels) > 2 and MERGED not in labels and column.kind != "enum":
            asked["merge"] = {MERGED: rng.sample(labels, 2)}
        return
    if column.kind not in (*WHOLE, "dec2", "f64", "date"):
        return
    if rng.random() < 0.5:
        steps: dict[str, tuple[Any, ...]] = {"dec2": (0.5, 5), "f64": (0.5,), "date": ("month", "year", "week")}
        asked["round"] = rng.choice(steps.get(column.kind, (5, 10)))
    for end in ("top", "bottom"):
        if rng.random() < 0.6:
            limit = _rounded(rng.choice(present), column)
            asked[end] = v.shown(limit, column.kind) if column.kind == "date" else float(limit)
    if asked.get("top") == asked.get("bottom") or _crossed(asked):
        asked.pop("bottom", None)


def _crossed(asked: dict[str, Any]) -> bool:
    return "top" in asked and "bottom" in asked and asked["bottom"] > asked["top"]


def _levels(rng: Random, case: Case, column: Column) -> None:
    if column.tree is None and "hierarchy" not in column.settings:
        return
    if rng.random() < 0.6:
        column.settings["least_level"] = 1
    asks_for_t = any("closeness" in one.settings for one in case.columns)
    whole = case.settings["method"] in ("full-domain", "datafly")
    if column.tree is not None and rng.random() < 0.5 and not asks_for_t and not whole:
        column.settings["greatest_level"] = 2


def recoded(case: Case) -> Case:
    """The table that all claims are about."""
    columns = [replace(column, cells=[_recoded(cell, column) for cell in column.cells]) for column in case.columns]
    return replace(case, columns=columns)


def _recoded(cell: v.Value, column: Column) -> v.Value:
    asked = column.settings
    if cell is None or column.role not in ("quasi", "sensitive", "other"):
        return cell
    if "merge" in asked:
        return next((new for new, old in asked["merge"].items() if v.shown(cell, column.kind) in old), cell)
    if not {"top", "bottom", "round"} & asked.keys():
        return cell
    cell = _rounded(cell, column)
    limits = {end: _limit(asked[end], column) for end in ("top", "bottom") if end in asked}
    if "top" in limits and Fraction(cell) >= Fraction(limits["top"]):
        return limits["top"]
    if "bottom" in limits and Fraction(cell) <= Fraction(limits["bottom"]):
        return limits["bottom"]
    return cell


def _limit(stated: Any, column: Column) -> v.Value:
    if column.kind == "date":
        return v.read(stated, "date")
    if column.kind == "dec2":
        return Decimal(repr(stated))
    return int(stated) if column.kind in WHOLE else stated


def _rounded(cell: v.Value, column: Column) -> v.Value:
    step = column.settings.get("round")
    if step is None:
        return cell
    if column.kind == "date":
        day = dt.date(1970, 1, 1) + dt.timedelta(days=cell)
        first = {"month": day.replace(day=1), "year": day.replace(month=1, day=1)}
        first["week"] = day - dt.timedelta(days=day.weekday())
        return (first[step] - dt.date(1970, 1, 1)).days
    times = math.floor(Fraction(cell) / Fraction(step) + Fraction(1, 2))
    if column.kind == "dec2":
        return times * Decimal(repr(step))
    return float(times * Fraction(step)) if column.kind == "f64" else int(times * step)


def unmarked(case: Case, released: Released) -> Released:
    """The cells without the marks of limits, each of which stands at the limit that was asked for."""
    cells = dict(released.cells)
    for column in case.columns:
        limits = {end: column.settings[end] for end in ("top", "bottom") if end in column.settings}
        if column.name not in cells or not limits:
            continue
        for cell in cells[column.name]:
            for sign, number in _NUMBER.findall(cell) if isinstance(cell, str) else ():
                end = {">=": "top", "<=": "bottom"}[sign]
                must(end in limits, f"{column.name}: {cell!r} without a {end}")
                stated, shown = _limit(limits[end], column), v.read(_shortened(number), _read_as(column))
                must(_days(shown, column) == stated, f"{column.name}: {cell!r}, and the {end} is {stated}")
        cells[column.name] = [_MARK.sub("", one) if isinstance(one, str) else one for one in cells[column.name]]
    return replace(released, cells=cells)


def _shortened(number: str) -> str:
    return number.removesuffix(":")


def _read_as(column: Column) -> str:
    return "dt:ns" if column.kind == "date" else column.kind


def _days(value: v.Value, column: Column) -> v.Value:
    return value // (86_400 * 10**9) if column.kind == "date" else value


def check_level(cell: Any, value: v.Value, column: Column) -> None:
    """A cell is neither finer nor coarser than asked."""
    least, greatest = column.settings.get("least_level", 0), column.settings.get("greatest_level")
    if value is None or column.tree is None or cell is None:
        return
    path = column.tree[value]
    shown = cell.removesuffix(" or missing")
    told = f"{column.name}: {cell!r} is published for {value!r}, whose levels are {path}"
    must(not least or shown not in path[:least] or shown in path[least:], told)
    must(greatest is None or shown in path[: greatest + 1], told)
