"""The hierarchy of a sensitive column, read anew from the policy: which values meet at which level.

Only equality of nodes matters here, so nodes are any keys. The levels are those of the policy that tell some released
values apart, with a single root on top; a missing value is a branch of its own below the root.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Hashable, Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.files import MOST_BESIDE, UnsafeError, read_regular
from shoal.certify.findings import Failure
from shoal.certify.multiset import parse
from shoal.certify.sensitive_values import UnreadableError
from shoal.errors import ParameterError
from shoal.policy import Column, Hierarchy, Period, Policy

Ints = npt.NDArray[np.int64]
Key = Hashable
T = TypeVar("T")

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,400}(?:[.,][0-9]{0,400})?|[.,][0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")

_PERIOD: dict[Period, Callable[[str], Key]] = {
    "day": lambda text: text[:10],
    "week": lambda text: date.fromisoformat(text[:10]).isocalendar()[:2],
    "month": lambda text: text[:7],
    "quarter": lambda text: (text[:4], (int(text[5:7]) - 1) // 3),
    "year": lambda text: text[:4],
    "decade": lambda text: text[:3],
}


def check_cut(frame: pl.DataFrame, policy: Policy, form: str) -> list[Failure]:
    """Hierarchies as they are published have the values of the release alone: a line more would tell another."""
    failures = []
    for name in policy.sensitive:
        asked, source = policy.closeness_of(name), policy.columns[name].hierarchy
        hierarchical = asked is not None and asked.distance == "hierarchical"
        if not hierarchical or source is None or source.file is None or name not in frame.columns:
            continue
        cells = set(frame[name].unique().to_list())
        if form == "centers":
            cells = {label for cell in cells for label in parse(cell) or ()}
        if more := sum(row[0] not in cells for row in read_rows(name, source.file)):
            message = f"the hierarchy {source.file.name} of {name} has {more} values that the release does not have"
            failures.append(Failure(check="folder", column=name, message=message))
    return failures


def levels_of(name: str, texts: Sequence[str | None], column: Column) -> list[Ints]:
    """For every level that counts, from the values up to the root, the node above each of the distinct `texts`.

    A level counts where it joins some of these values that the level below keeps apart: one that repeats another, or
    that lies above all values, would only make every distance look smaller. None is among the texts in any case.
    """
    if column.hierarchy is None:
        raise ParameterError(
            f'closeness.distance = "hierarchical" needs a hierarchy of the values of {name}.',
            f"give columns.{name}.hierarchy.",
        )
    present = [text for text in texts if text is not None]
    counting = _counting(name, _keys(name, present, column.hierarchy))
    nodes = []
    for keys in counting:
        above = dict(zip(present, keys, strict=True))
        codes: dict[Key, int] = {}
        of_text = [("null",) if text is None else ("node", above[text]) for text in texts]
        nodes.append(np.array([codes.setdefault(key, len(codes)) for key in of_text], dtype=np.int64))
    return [*nodes, np.zeros(len(texts), dtype=np.int64)]


def _counting(name: str, levels: list[list[Key]]) -> list[list[Key]]:
    """The values, and every level below the root that joins what the one before keeps apart."""
    kept = [levels[0]]
    for below, keys in pairwise(levels):
        above: dict[Key, Key] = {}
        if any(above.setdefault(node, key) != key for node, key in zip(below, keys, strict=True)):
            raise ParameterError(
                f"the hierarchy of {name} is not a tree.", "values that share a node must share all levels above it."
            )
        if 1 < len(set(keys)) < len(above):
            kept.append(keys)
    return kept


def _keys(name: str, texts: list[str], source: Hierarchy) -> list[list[Key]]:
    values: list[Key] = list(texts)
    above: list[list[Key]]
    if source.file is not None:
        return _from_file(name, texts, source.file)
    if source.widths is not None:
        # In fractions, as numbers are written: in binary 0.3 lies below three times 0.1.
        numbers = _each(texts, _fraction, "a number")
        above = [[math.floor(x / Fraction(str(width))) for x in numbers] for width in source.widths]
    elif source.periods is not None:
        _each(texts, _date, "a date")
        above = [[_PERIOD[period](text) for text in texts] for period in source.periods]
    else:
        longest = max(map(len, texts), default=0)
        above = [[(text[:kept], len(text) > kept) for text in texts] for kept in range(longest - 1, 0, -1)]
    return [values, *above]


def _fraction(text: str) -> Fraction:
    number = text.replace(",", ".")
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(number)):
        raise ValueError
    return Fraction(number)


def _date(text: str) -> date:
    if not _DATE.fullmatch(text):
        raise ValueError
    return date.fromisoformat(text[:10])


def _each(texts: list[str], read: Callable[[str], T], expected: str) -> list[T]:
    found, unread = [], []
    for text in texts:
        try:
            found.append(read(text))
        except ValueError:
            unread.append(text)
    if unread:
        raise UnreadableError(pl.Series(unread), expected)
    return found


def _from_file(name: str, texts: list[str], path: Path) -> list[list[Key]]:
    rows = read_rows(name, path)
    above = {row[0]: row for row in rows}
    absent = [text for text in texts if text not in above]
    if absent:
        raise UnreadableError(pl.Series(absent), f"in its hierarchy {path.name}")
    height = len(rows[0]) if rows else 1
    return [[above[text][h] for text in texts] for h in range(height)]


def read_rows(name: str, path: Path) -> list[list[str]]:
    """The lines of a hierarchy's file: a value and the nodes above it, every value once, all lines of one width.

    A release in which all values are missing has none.
    """
    try:
        text = read_regular(path, MOST_BESIDE, follow=True).decode("utf-8-sig")
    except (UnsafeError, UnicodeDecodeError):
        raise ParameterError(
            f"the hierarchy {path.name} of {name} cannot be read, so t cannot be re-checked.",
            "put the file beside the certificate, or give the policy that names it.",
        ) from None
    separator = max(";,\t|", key=text.lstrip().partition("\n")[0].count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
        sound = len({len(row) for row in rows}) <= 1 and len({row[0] for row in rows}) == len(rows)
    except csv.Error:
        sound = False
    if not sound:
        raise ParameterError(
            f"the hierarchy {path.name} of {name} is no table with one line per value.",
            "give every value one line, and all lines as many cells.",
        )
    return rows
