"""The hierarchy of a sensitive column, for t-closeness by hierarchical distance: which values share which nodes.

It is read from the policy again and shares no code with the modules that make a release. A node can be any hashable
key, since only equality of nodes matters. Levels that do not distinguish any released values are dropped, and a
single root is put on top; a missing value is a branch of its own directly below the root.
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
from shoal.certify.preset.zip_codes import zip_area
from shoal.certify.sensitive_values import UnreadableError
from shoal.errors import ParameterError
from shoal.policy import Column, Hierarchy, Period, Policy

Ints = npt.NDArray[np.int64]
Key = Hashable
T = TypeVar("T")

_LONGEST_CELL = 131_072
"""Characters in a cell of a hierarchy file at most. The limit of `csv` is one for the whole process, and any library
can change it: what a verifier accepts must not depend on that.
"""
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
    """Return a failure for every published hierarchy file that lists values which the released table does not have.

    Such a line would reveal that the original table may hold a value that was suppressed.
    """
    failures = []
    for name in policy.sensitive:
        source = policy.columns[name].hierarchy
        hierarchical = policy.distance_of(name) == "hierarchical"
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
    """Return, for every level that counts, the node above each of the distinct `texts`, from the values to the root.

    A level counts if it merges some values that the level below distinguishes, and is not the root. Levels that merge
    nothing are dropped, because they would add to the height of the tree and so make every distance smaller: a policy
    with many empty levels could pass any t. `texts` includes None for missing values.
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
    """Return the lowest level, and every level below the root that merges nodes of the level before.

    A ParameterError is raised if the levels are not a tree.
    """
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
    """Return the node above each text on every level that the policy states: by file, widths, periods or prefixes."""
    values: list[Key] = list(texts)
    above: list[list[Key]]
    if source.file is not None:
        return _from_file(name, texts, source.file)
    if source.widths is not None:
        # Exact fractions: as a binary float, 0.3 is less than three times 0.1 and would fall into the interval below.
        numbers = _each(texts, _fraction, "a number")
        above = [[math.floor(x / Fraction(str(width))) for x in numbers] for width in source.widths]
    elif source.periods is not None:
        _each(texts, _date, "a date")
        above = [[_PERIOD[period](text) for text in texts] for period in source.periods]
    elif source.areas is not None:
        areas = [zip_area(text) for text in texts]
        above = [[area if area is None else area[:kept] for area in areas] for kept in (3, 2, 1)]
    else:
        longest = max(map(len, texts), default=0)
        if source.cuts is None:
            above = [[(text[:kept], len(text) > kept) for text in texts] for kept in range(longest - 1, 0, -1)]
        else:  # a code that ends at a cut belongs to the unit that the cut names
            ends = [cut for cut in source.cuts[::-1] if cut < longest]
            above = [[(text[:kept], len(text) >= kept) for text in texts] for kept in ends]
    return [values, *above]


def _fraction(text: str) -> Fraction:
    """Return the exact number that a text states; a ValueError if it states none."""
    number = text.replace(",", ".")
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(number)):
        raise ValueError
    return Fraction(number)


def _date(text: str) -> date:
    """Return the date at the beginning of an ISO text; a ValueError if there is none."""
    if not _DATE.fullmatch(text):
        raise ValueError
    return date.fromisoformat(text[:10])


def _each(texts: list[str], read: Callable[[str], T], expected: str) -> list[T]:
    """Return every text as `read` converts it; an UnreadableError with all texts for which it fails."""
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
    """Return the node above each text on every level of a hierarchy file; an UnreadableError for absent texts."""
    rows = read_rows(name, path)
    above = {row[0]: row for row in rows}
    absent = [text for text in texts if text not in above]
    if absent:
        raise UnreadableError(pl.Series(absent), f"in its hierarchy {path.name}")
    height = len(rows[0]) if rows else 1
    return [[above[text][h] for text in texts] for h in range(height)]


def read_rows(name: str, path: Path) -> list[list[str]]:
    """Return the lines of a hierarchy file, each with a value and the nodes above it.

    A ParameterError is raised if the file cannot be read, if a value has two lines, or if lines differ in their
    number of cells. The file may be empty, as it is for a release in which all values are missing.
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
        sound = sound and all(len(cell) <= _LONGEST_CELL for row in rows for cell in row)
    except csv.Error:
        sound = False
    if not sound:
        raise ParameterError(
            f"the hierarchy {path.name} of {name} is no table with one line per value.",
            "give every value one line, and all lines as many cells.",
        )
    return rows
