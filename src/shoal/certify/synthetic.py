"""Check the synthetic rows beside a release: each must be one that can be drawn from the released row at its place.

Row i is drawn from row i of the release. Its quasi-identifiers must lie within the cells there, and every group must
keep the values of each other column and every set of items, as often as it has them. Nothing else can be in the file.
Cells are read by code of the verifier's own, one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path

import polars as pl

from shoal.certify.date_cells import check_dates
from shoal.certify.equivalence_classes import class_ids
from shoal.certify.files import LEGEND, SYNTHETIC
from shoal.certify.findings import Failure
from shoal.certify.legend import SET, Classes, read_legend
from shoal.certify.number_cells import check_numbers
from shoal.certify.reading import open_release
from shoal.certify.recoded import without_marks
from shoal.certify.released_columns import sort_columns
from shoal.policy import Policy

_HIDDEN, _OR_MISSING = "*", " or missing"
_RANGE = re.compile(r"\[(.+?)[,;] (.+)([\])])", re.DOTALL)
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[^,{}"]+')
_PERIOD = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)|-W(?P<week>\d\d)|-Q(?P<quarter>[1-4]))?|(?P<decade>\d{1,3}0)s", re.ASCII
)
_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)
_CLOCK = re.compile(r"[\d:.]*", re.ASCII)
Ends = tuple[Decimal, Decimal, bool]
Fits = Callable[[str | None], bool]
_HALF_TURN = Decimal(180)


def check_synthetic(released: Path, frame: pl.DataFrame, policy: Policy, encoding: str | None) -> list[Failure]:
    """Return a failure for everything in the synthetic table beside a released file that cannot have been drawn."""
    path = released.with_name(SYNTHETIC[released.name])
    opened = open_release(path, ours=True, encoding=encoding)
    failures = list(opened.failures)
    if opened.frame is None:
        return failures
    drawn = opened.frame
    quasi = policy.quasi
    kept = [name for name in frame.columns if name in policy.unchanged or name == policy.set_column]
    if set(drawn.columns) != {*quasi, *kept} or drawn.height != frame.height:
        return [*failures, _failure(f"{path.name} has other columns or another number of rows than were drawn")]
    order = [name for name in _order(frame.columns, policy) if name in drawn.columns]
    if drawn.columns != order:
        failures.append(_failure(f"{path.name} has its columns in another order than the release"))
    groups = class_ids(
        frame.select(sort_columns(frame.columns, policy, "generalize", frame.height).quasi), len(frame)
    )
    for name in kept:
        before, after = (
            pl.DataFrame({"group": groups, "text": table[name]}).group_by("group", "text").len().sort("group", "text")
            for table in (frame, drawn)
        )
        if not before.equals(after):
            failures.append(_failure(f"{path.name}: groups have other values of {name} than in the release", name))
    plain, unread = _plain(frame, policy)
    values, strange = _plain(drawn, policy)
    failures += [_failure(f"{path.name}: {one.message}", one.column) for one in (*unread, *strange)]
    found = (read_legend(released.with_name(LEGEND)) if policy.recoded else {}) or {}
    for name in quasi:
        wrong = _outside(name, plain, values, policy, found.get(name))
        if wrong:
            message = f"{path.name}: {wrong} values of {name} are not in the released cell of their row"
            failures.append(_failure(message, name, wrong))
    return failures


def _order(released: Sequence[str], policy: Policy) -> Iterator[str]:
    """Yield the column that each released one belongs to, in their order; the upper end of a range yields none."""
    for name in released:
        yield name if name in policy.columns else name.removesuffix("_min")


def _plain(frame: pl.DataFrame, policy: Policy) -> tuple[pl.DataFrame, list[Failure]]:
    """Return a table with plain numbers and ISO dates, without marks of top and bottom, and what cannot be read."""
    frame, wrong = check_numbers(without_marks(frame, policy), policy)
    frame, more = check_dates(frame, policy)
    return frame, [*wrong, *more]


def _outside(name: str, plain: pl.DataFrame, values: pl.DataFrame, policy: Policy, classes: Classes | None) -> int:
    """Return how many synthetic values are not in the cell of the same row."""
    parts = [name] if name in plain.columns else [f"{name}_min", f"{name}_max"]
    beside = f"{name}_missing"
    if len(parts) == 2 and beside in plain.columns and beside not in policy.columns:
        parts.append(beside)
    pairs = plain.select(pl.col(part).alias(f"p{i}") for i, part in enumerate(parts)).with_columns(v=values[name])
    known = dict(classes or ())
    order = {label: i for i, label in enumerate(policy.columns[name].order or ())}
    around = any(column.longitude == name for column in policy.columns.values())
    cells = pairs.drop("v").unique()
    judges: dict[tuple[str | None, ...], Fits] = {}
    for cell in cells.rows():
        text = _one_text(cell) if len(parts) > 1 else cell[0]
        judges[cell] = _judge(text, known, order, around=around)
    shown = [judge for cell, judge in judges.items() if cell[0] != _HIDDEN]
    wrong = 0
    for *read, value, times in pairs.group_by(pl.all()).agg(n=pl.len()).rows():
        cell = tuple(read)
        if cell[0] == _HIDDEN:  # it says nothing, so the cell of another row was drawn from
            sound = any(judge(value) for judge in shown) if shown else value is None
        else:
            sound = judges[cell](value)
        wrong += 0 if sound else times
    return wrong


def _one_text(cell: tuple[str | None, ...]) -> str | None:
    """Return two ends of a range, and whether a value may be missing, as one text."""
    if cell[0] is None:
        return None
    return f"[{cell[0]}, {cell[1]}]" + (_OR_MISSING if cell[2:] == ("true",) else "")


def _judge(
    cell: str | None,
    classes: Mapping[str | None, tuple[str | None, ...]],
    order: Mapping[str, int],
    *,
    around: bool = False,
) -> Fits:
    """Return a function that says whether a value can be drawn from a cell; longitudes go `around` the Earth."""
    if cell in classes:
        return lambda value: value in classes[cell]
    if cell is None:
        return lambda value: value is None
    bare = cell.removesuffix(_OR_MISSING)
    or_missing = bare != cell
    if SET.fullmatch(cell) is not None:
        names = [_unquoted(one.strip()) for one in _NAME.findall(bare[1:-1])]
        labels = {label for one in names for label in classes.get(one, (one,))} | ({None} if or_missing else set())
        return lambda value: value in labels or (value is not None and value[:1] == "'" and value[1:] in labels)
    ends, same = _ends(bare, order), _place(bare, order)

    def inside(value: str | None) -> bool:
        if value is None:
            return or_missing
        at = _place(value, order)
        if value in (bare, cell) or (at is not None and at == same):
            return True
        if ends is None or at is None:
            return False
        low, high, opened = ends
        if around and low > high:  # across the date line
            return low <= at <= _HALF_TURN or -_HALF_TURN <= at <= high
        return low <= at and (at < high or (at == high and (not opened or low == high)))

    return inside


def _ends(bare: str, order: Mapping[str, int]) -> Ends | None:
    """Return the ends of a range or period, and whether the upper one is excluded; None for any other cell."""
    found = _RANGE.fullmatch(bare)
    if found is not None:
        low, high = (_place(_unquoted(end), order) for end in found.groups()[:2])
        return None if low is None or high is None else (low, high, found[3] == ")")
    period = _PERIOD.fullmatch(bare)
    return None if period is None else _period(period)


def _place(text: str, order: Mapping[str, int]) -> Decimal | None:
    """Return where a value lies: its place in the order, its number, or the seconds since the year 1 (UTC)."""
    if text in order:
        return Decimal(order[text])
    if (number := _number(text)) is not None:
        return number
    day, _, time = text.replace(" ", "T").partition("T")
    try:
        days = Decimal(date.fromisoformat(day).toordinal())
        clock, sign, offset = next(((a, s, b) for s in "+-" for a, t, b in [time.partition(s)] if t), (time, "", ""))
        clock = clock.removesuffix("Z")
        if not _CLOCK.fullmatch(clock + offset):  # Decimal also reads NaN, and powers of ten that overflow
            return None
        hours = [Decimal(part) for part in clock.split(":")] if clock else []
        ahead = [Decimal(f"{sign}{part}") for part in offset.split(":")] if offset else []
    except (ValueError, InvalidOperation):
        return None
    seconds = sum((part * 3600 / 60**i for i, part in enumerate(hours)), Decimal(0))
    seconds -= sum((part * 3600 / 60**i for i, part in enumerate(ahead)), Decimal(0))
    return days * 86400 + seconds


def _number(text: str) -> Decimal | None:
    """Return the number that a text is in plain digits; None for anything else that Decimal reads, such as NaN."""
    return Decimal(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


def _period(found: re.Match[str]) -> Ends | None:
    """Return the first day of a period and the first day after it, which is excluded."""
    try:
        if found["decade"]:
            first, after = date(int(found["decade"]), 1, 1), date(int(found["decade"]) + 10, 1, 1)
        elif found["week"]:
            first = date.fromisocalendar(int(found["year"]), int(found["week"]), 1)
            after = first + timedelta(days=7)
        else:
            month = 3 * int(found["quarter"]) - 2 if found["quarter"] else int(found["month"] or 1)
            months = 1 if found["month"] else 3 if found["quarter"] else 12
            first = date(int(found["year"]), month, 1)
            after = date(first.year + (month + months > 12), (month + months - 1) % 12 + 1, 1)
    except (ValueError, OverflowError):
        return None
    return Decimal(first.toordinal() * 86400), Decimal(after.toordinal() * 86400), True


def _unquoted(name: str) -> str:
    """Return a label without its JSON quotes, where it has them."""
    try:
        return str(json.loads(name)) if name.startswith('"') else name
    except ValueError:
        return name


def _failure(message: str, column: str | None = None, records: int = 0) -> Failure:
    return Failure(check="synthetic", column=column, message=message, records=records)
