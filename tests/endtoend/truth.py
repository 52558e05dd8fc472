"""Whether every published cell is true of the row behind it. Shares no code with Shoal.

A released row is known by its `mark`; of the form `centers`, the marks of a row are the members of its group.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import tomllib
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.endtoend import values as v
from tests.endtoend.cases import Case, Column, exact
from tests.endtoend.recoding import check_level
from tests.endtoend.released import OR_MISSING, Released, must, parse_labels, parse_multiset
from tests.endtoend.selection import check_selected, selected
from tests.endtoend.sources import UNTYPED

HIDDEN = "*"
EARTH = 6_371_008.8
_RANGE = re.compile(r"\[(.+), (.+)([\])])", re.DOTALL)


def check_truth(case: Case, released: Released, mapping: Path | None) -> None:
    """Rows are complete up to those left out, and cells are true."""
    form = released.certificate["form"]
    left_out = released.certificate["suppressed"]
    n_rows = len(selected(case))
    must(left_out <= case.settings.get("max_suppressed", 0.0) * n_rows + 1e-9, f"{left_out} rows left out")
    if not any(column.name == "mark" for column in case.columns):
        return
    row_of = {f"m{row}": row for row in range(case.n_rows)}
    if form == "centers":
        groups = [[row_of[str(mark)] for mark in parse_multiset(cell)] for cell in released.cells["mark"]]
        rows = [row for group in groups for row in group]
        _check_centers(case, released, groups)
    else:
        rows = [row_of[mark] for mark in released.cells["mark"]]
        _check_rows(case, released, rows, form)
    must(len(set(rows)) == len(rows), "a row stands twice")
    check_selected(case, rows, left_out)
    if form == "aggregate" and mapping is not None:
        _check_aggregates(case, released, rows, mapping)


def _check_rows(case: Case, released: Released, rows: list[int], form: str) -> None:
    for column in case.named("sensitive", "weight", "other"):
        if "perturb" in column.settings:
            _check_perturbed(column, rows, released.cells[column.name])
            continue
        for row, cell in zip(rows, released.cells[column.name], strict=True):
            must(_same(v.read(cell, column.kind), column.cells[row], column.kind), f"{column.name}: {cell!r}")
    if person := case.named("person"):
        _check_people(case, released, rows, person[0], form)
    if form not in ("generalize", "suppress"):
        return
    placed = _areas(case, released, rows, form)
    for column in case.named("quasi"):
        if column.name in placed:
            continue
        if column.name not in released.names:
            lows, highs = (released.cells[f"{column.name}_{end}"] for end in ("min", "max"))
            told_missing = released.cells.get(f"{column.name}_missing", [False] * len(rows))
            for row, low, high, missing in zip(rows, lows, highs, told_missing, strict=True):
                ends = v.read(low, _kind(column.kind)), v.read(high, _kind(column.kind))
                _check_two(column, column.cells[row], *ends, missing=str(missing).lower() == "true")
            continue
        legend = released.legends.get(column.name)
        must((legend is not None) == ("classes" in column.settings), f"{column.name}: legend {legend is not None}")
        for row, cell in zip(rows, released.cells[column.name], strict=True):
            told = f"{column.name}: {cell!r} is published for {column.cells[row]!r}"
            must(true_of(cell, column.cells[row], column, legend), told)
            check_level(cell, column.cells[row], column)
            must(form != "suppress" or legend is not None or hides_or_tells(cell, column.cells[row], column), told)


def _check_perturbed(column: Column, rows: list[int], cells: list[Any]) -> None:
    """What the method keeps is kept over the released rows, and missing cells are those that were missing."""
    asked, before = column.settings["perturb"], [column.cells[row] for row in rows]
    must([cell is None for cell in cells] == [one is None for one in before], f"{column.name}: other missing cells")
    there = [one for one in before if one is not None]
    if asked["method"] == "noise":
        numbers = [Fraction(exact(v.read(cell, "f64"))) for cell in cells if cell is not None]
        values = [Fraction(exact(float(one) if isinstance(one, str) else one)) for one in there]
        slack = 10.0 ** -asked["decimals"] if "decimals" in asked else 0.0
        for power, factor in ((1, 1.0), (2, 4.0)):
            sums = [sum((one**power for one in own), Fraction(0)) / max(len(own), 1) for own in (values, numbers)]
            largest = float(max((abs(one) for one in (*values, *numbers)), default=Fraction(0)))
            allowed = 1e-9 * largest**power + factor * slack * largest ** (power - 1) + slack**power
            must(abs(float(sums[0] - sums[1])) <= allowed, f"{column.name}: moment {power} is not kept")
        return
    found = [_hashed(v.read(cell, column.kind), column.kind) for cell in cells if cell is not None]
    values = [_hashed(one, column.kind) for one in there]
    kept = Counter(found) == Counter(values) if asked["method"] == "rank-swap" else set(found) <= set(values)
    must(kept, f"{column.name}: perturbed values are others")


def _check_two(column: Column, value: v.Value, low: v.Value, high: v.Value, *, missing: bool) -> None:
    told = f"{column.name}: {low!r} to {high!r} (missing: {missing}) is published for {value!r}"
    must((low is None) == (high is None), told)
    must(missing or (value is not None and low is not None), told)
    if value is not None:
        value = _number(value, _kind(column.kind))
        must(low is not None and exact(low) <= exact(value) <= exact(high), told)


def _same(found: v.Value, value: v.Value, kind: str) -> bool:
    if isinstance(value, float) and isinstance(found, float):
        return found == v.as_float(value, kind)
    return bool(found == value) and (found is None) == (value is None)


def true_of(cell: Any, value: v.Value, column: Column, legend: dict[str | None, list[str | None]] | None) -> bool:
    """Whether a generalized cell may stand for a value."""
    if cell == HIDDEN:
        return True
    if legend is not None:
        text = None if value is None else v.shown(value, column.kind)
        classes = [cell] if cell in legend else parse_labels(cell)
        return sum(text in legend[one] for one in classes) == 1
    if cell is None:
        return value is None
    text = None if value is None else v.shown(value, column.kind)
    if cell == text:
        return True
    if value is None:
        return bool(cell.endswith(OR_MISSING))
    cell = cell.removesuffix(OR_MISSING)
    hierarchy = column.settings.get("hierarchy")
    if column.tree is not None:
        return cell in column.tree[value]
    if hierarchy and "prefix" in hierarchy:
        return _masks(cell, value)
    if hierarchy and "periods" in hierarchy:
        return _in_range(cell, value, column.kind)
    if _is_number(column):
        return _in_range(cell, value, column.kind)
    if column.settings.get("kind") == "ordered" and cell.startswith("["):
        order, (low, high) = list(column.settings["order"]), parse_labels(cell)
        return order.index(str(low)) <= order.index(str(text)) <= order.index(str(high))
    if cell.startswith("{"):
        return text in parse_labels(cell)
    # codes that nobody gave a hierarchy are masked
    return _masks(cell, text)


def hides_or_tells(cell: Any, value: v.Value, column: Column) -> bool:
    """In the form `suppress` a cell is hidden, or the value itself."""
    return cell in (None, HIDDEN) or _tells(cell, value, column)


def _tells(cell: Any, value: v.Value, column: Column) -> bool:
    """A cell is the value itself, whatever its text."""
    if cell is None or value is None:
        return cell is None and value is None
    kind = "f64" if column.settings.get("kind") == "number" else column.kind
    return cell == v.shown(value, column.kind) or _reads_as(cell, _number(value, kind), kind)


def _is_number(column: Column) -> bool:
    if column.settings.get("kind") in ("label", "region", "ordered"):
        return False
    return column.kind in v.NUMBERS + v.DAYS or column.settings.get("kind") in ("number", "place")


def _is_read_as_number(column: Column, case: Case) -> bool:
    """A text file does not say what it holds: digits alone are numbers, and those beyond 64 bits are labels."""
    if case.source not in UNTYPED or "kind" in column.settings:
        return _is_number(column)
    if column.kind == "str":
        return all(cell is None or re.fullmatch(r"[1-9]\d{0,14}", cell) for cell in column.cells)
    return _is_number(column) and (column.kind != "u64" or all(cell is None or cell < 2**63 for cell in column.cells))


def _kind(column_kind: str) -> str:
    return "f64" if column_kind == "str" else column_kind


def _number(value: v.Value, kind: str) -> v.Value:
    return float(value) if kind == "f64" and isinstance(value, str) else value


def _in_range(cell: str, value: v.Value, kind: str) -> bool:
    kind, value = _kind(kind), _number(value, _kind(kind))
    if cell.startswith("{"):  # a text file's column that was read as labels
        return any(label is not None and _reads_as(label, value, kind) for label in parse_labels(cell))
    if kind in v.DAYS and cell in _periods(value, kind):
        return True
    if found := _RANGE.fullmatch(cell):
        low, high = exact(v.read(found[1], kind)), exact(v.read(found[2], kind))
        return bool(low <= exact(value) and (exact(value) < high if found[3] == ")" else exact(value) <= high))
    return _reads_as(cell, value, kind)


def _reads_as(cell: Any, value: v.Value, kind: str) -> bool:
    return bool(exact(v.read(cell, kind)) == exact(value))


def _masks(cell: str, text: str) -> bool:
    kept = cell.rstrip(HIDDEN)
    return cell == text or (len(kept) < len(cell) and text.startswith(kept) and len(text) <= len(cell))


def _periods(value: int, kind: str) -> set[str]:
    """The names of the day, week, month, quarter, year and decade of a moment, where its clocks show it."""
    day = dt.date.fromisoformat(v.shown(value, kind)[:10])
    (iso_year, week, _), year = day.isocalendar(), day.year
    coarse = {f"{year}-Q{(day.month + 2) // 3}", f"{year}", f"{year // 10 * 10}s"}
    return coarse | {day.isoformat(), f"{iso_year:04}-W{week:02}", f"{year:04}-{day.month:02}"}


# -- places ----------------------------------------------------------------------------------------------------


def _areas(case: Case, released: Released, rows: list[int], form: str) -> set[str]:
    """Places are in their rectangle or circle; the columns that this settles."""
    latitude = next((column for column in case.columns if "longitude" in column.settings), None)
    if latitude is None or form != "generalize":
        return set()
    longitude = next(column for column in case.columns if column.name == latitude.settings["longitude"])
    circle = latitude.settings.get("shape") == "circle"
    radius = f"{latitude.name}_radius_m"
    for place, row in enumerate(rows):
        where = (latitude.cells[row], longitude.cells[row])
        shown = [released.cells[name][place] for name in (latitude.name, longitude.name)]
        told = f"{shown!r} is published for the place {where!r}"
        if HIDDEN in shown:
            must(shown == [HIDDEN, HIDDEN], told)
        elif None in where:
            must(shown == [None, None], told)
        elif circle:
            must(None not in shown, told)
            meters = float(released.cells[radius][place])
            must(_meters(float(shown[0]), float(shown[1]), *where) <= meters + 1, told)
        else:
            must(None not in shown, told)
            south, north = _ends(shown[0])
            west, east = _ends(shown[1])
            inside = west <= where[1] <= east if west <= east else (where[1] >= west or where[1] <= east)
            must(south <= where[0] <= north and inside, told)
    return {latitude.name, longitude.name}


def _ends(cell: str) -> tuple[float, float]:
    found = _RANGE.fullmatch(cell)
    return (float(found[1]), float(found[2])) if found else (float(cell), float(cell))


def _meters(a: float, b: float, c: float, d: float) -> float:
    phi, psi, aside = math.radians(a), math.radians(c), math.radians(d - b)
    half = math.sin((psi - phi) / 2) ** 2 + math.cos(phi) * math.cos(psi) * math.sin(aside / 2) ** 2
    return 2 * math.asin(math.sqrt(min(1.0, half))) * EARTH


# -- people, centers and aggregates ----------------------------------------------------------------------------


def _check_people(case: Case, released: Released, rows: list[int], person: Column, form: str) -> None:
    """In a class equal numbers are one person, different numbers are two."""
    published = [name for name in released.names if _quasi_behind(name, case)]
    keys = list(zip(*(map(repr, released.cells[name]) for name in published), strict=True))
    numbers = released.cells[person.name]
    pairs = {((key, number), (key, person.cells[row])) for key, number, row in zip(keys, numbers, rows, strict=True)}
    must(
        len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}), "numbers of people are not one to one"
    )
    if person.settings.get("consistent"):
        named = {(number, person.cells[row]) for number, row in zip(numbers, rows, strict=True)}
        must(len(named) == len({a for a, _ in named}) == len({b for _, b in named}), "a person has two names")
        must(len({a for a, _ in pairs}) == len(named), "the rows of a person are not published alike")
        whole = {row for row in selected(case) if person.cells[row] in {one for _, one in named}}
        must(whole == set(rows), "a person lost some of their rows")


def _quasi_behind(name: str, case: Case) -> bool:
    quasi = {column.name for column in case.named("quasi")}
    if name in {column.name for column in case.columns} - quasi:
        return False  # a sensitive column may be called x_min
    return name in quasi or any(
        name in (f"{one}_min", f"{one}_max", f"{one}_missing", f"{one}_radius_m") for one in quasi
    )


def _check_centers(case: Case, released: Released, groups: list[list[int]]) -> None:
    person = next(iter(case.named("person")), None)
    for place, group in enumerate(groups):
        people = {person.cells[row] for row in group} if person else set(group)
        must(int(released.cells["people"][place]) == len(people), "the number of people of a center is not true")
        for column in case.named("sensitive", "weight", "other"):
            if "perturb" in column.settings:
                continue
            pairs = {(person.cells[row] if person else row, _hashed(column.cells[row], column.kind)) for row in group}
            truth = Counter(value for _, value in pairs)
            found: Counter[v.Value] = Counter()
            for label, n in parse_multiset(released.cells[column.name][place]).items():
                found[_hashed(v.read(label, column.kind), column.kind)] += n
            must(found == truth, f"{column.name}: the values of a center are not true")
        if any(_stands_for(case, released, place, row) for own in groups for row in own):
            continue  # a real record, and none that was left out
        for column in case.named("quasi"):
            if _is_number(column) and "hierarchy" not in column.settings:
                cells = [column.cells[row] for row in group]
                _between(column, cells, v.read(released.cells[column.name][place], _kind(column.kind)))


def _stands_for(case: Case, released: Released, place: int, row: int) -> bool:
    """A center has the quasi-identifiers of a record."""
    return all(_tells(released.cells[c.name][place], c.cells[row], c) for c in case.named("quasi"))


def _hashed(value: v.Value, kind: str) -> v.Value:
    return v.as_float(value, kind) if isinstance(value, float) else value


def _between(column: Column, cells: list[v.Value], found: v.Value) -> None:
    """A center or an aggregate lies among the values it stands for."""
    present = [exact(float(cell) if isinstance(cell, str) else cell) for cell in cells if cell is not None]
    if found is None:
        must(len(present) < len(cells), f"{column.name}: missing, and no cell of the group is")
        return
    slack = Decimal("1e-6") * (1 + max(abs(Decimal(cell)) for cell in present)) if present else Decimal(0)
    inside = bool(present) and min(present) - slack <= exact(found) <= max(present) + slack
    must(inside, f"{column.name}: {found!r} stands for {cells!r}")


def _check_aggregates(case: Case, released: Released, rows: list[int], mapping: Path) -> None:
    """Means, medians and modes are those of the group that the private mapping tells."""
    lines = mapping.read_text(encoding="utf-8").splitlines()[1:]
    group_of = {int(line.split(",")[0]): int(line.split(",")[1]) for line in lines}
    must(set(rows) <= group_of.keys() <= set(selected(case)), "the mapping does not have every row, or has others")
    members: dict[int, list[int]] = {}
    for row in rows:
        members.setdefault(group_of[row], []).append(row)
    written = tomllib.loads(mapping.with_name("policy.toml").read_text(encoding="utf-8"))["columns"]
    wide = {name for keys in case.settings.get("keys", {}).values() for name in keys["columns"]}
    for column in case.named("quasi"):
        if column.name in wide:  # published by wider groups, which the mapping does not tell
            continue
        # numbers of few values are codes unless the policy gives a kind; the policy beside the mapping says so
        averaged = written[column.name].get("kind", "number") not in ("label", "ordered", "hierarchy")
        for place, row in enumerate(rows):
            cells = [column.cells[one] for one in members[group_of[row]]]
            cell = released.cells[column.name][place]
            if averaged and _is_read_as_number(column, case) and "hierarchy" not in column.settings:
                found = v.read(cell, _kind(column.kind))
                must((found is None) == (cells.count(None) == len(cells)), f"{column.name}: {cell!r} for {cells!r}")
                counts = released.cells.get(f"{column.name}_missing")
                told = 0 if counts is None else int(counts[place])
                must(told == cells.count(None), f"{column.name}: {told} missing in {cells!r}")
                if found is not None:
                    _between(column, [one for one in cells if one is not None], found)
            else:
                # by value: a moment may be written with more digits than it needs
                held = sum(_tells(cell, one, column) for one in cells)
                # texts may be codes, and what has a hierarchy or an order has a median
                mode = column.kind in ("enum", "bool") and column.tree is None
                least = max(Counter(cells).values()) if mode else 1
                must(held >= least, f"{column.name}: {cell!r} stands for {cells!r}")
