"""The hierarchy of a sensitive column, read anew from the policy: which values meet at which level.

Only equality of nodes matters here, so nodes are any keys. The levels are those of the policy with a single root on
top; a missing value is a branch of its own below the root.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Hashable, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.values import UnreadableError
from shoal.errors import ParameterError
from shoal.policy import Column, Hierarchy, Period

Ints = npt.NDArray[np.int64]
Key = Hashable
T = TypeVar("T")

_PERIOD: dict[Period, Callable[[str], Key]] = {
    "day": lambda text: text[:10],
    "week": lambda text: date.fromisoformat(text[:10]).isocalendar()[:2],
    "month": lambda text: text[:7],
    "quarter": lambda text: (text[:4], (int(text[5:7]) - 1) // 3),
    "year": lambda text: text[:4],
    "decade": lambda text: text[:3],
}


def levels_of(name: str, texts: Sequence[str | None], column: Column, *, missing: bool) -> list[Ints]:
    """For every level from the values up to the root, the node above each of the distinct `texts`.

    `missing` says whether the column has missing values; None is among the texts in any case.
    """
    if column.hierarchy is None:
        raise ParameterError(
            f'closeness.distance = "hierarchical" needs a hierarchy of the values of {name}.',
            f"give columns.{name}.hierarchy.",
        )
    present = [text for text in texts if text is not None]
    levels = _keys(name, present, column.hierarchy)
    top = set(levels[-1])
    # A node such as 2024-W05 above all values says something that is not true of a missing one.
    if len(levels) == 1 or len(top) != 1 or (missing and not top <= {"*", ()}):
        levels.append([()] * len(present))
    nodes = []
    for h, keys in enumerate(levels):
        above = dict(zip(present, keys, strict=True))
        is_root = h == len(levels) - 1
        codes: dict[Key, int] = {}
        of_text = [("root",) if is_root else ("null",) if t is None else ("node", above[t]) for t in texts]
        nodes.append(np.array([codes.setdefault(key, len(codes)) for key in of_text], dtype=np.int64))
    return nodes


def _keys(name: str, texts: list[str], source: Hierarchy) -> list[list[Key]]:
    values: list[Key] = list(texts)
    above: list[list[Key]]
    if source.file is not None:
        return _from_file(name, texts, source.file)
    if source.widths is not None:
        # In fractions, as numbers are written: in binary 0.3 lies below three times 0.1.
        numbers = _each(texts, lambda text: Fraction(text.replace(",", ".")), "a number")
        above = [[math.floor(x / Fraction(str(width))) for x in numbers] for width in source.widths]
    elif source.periods is not None:
        above = [_each(texts, _PERIOD[period], "a date") for period in source.periods]
    else:
        longest = max(map(len, texts), default=0)
        above = [[(text[:kept], len(text) > kept) for text in texts] for kept in range(longest - 1, 0, -1)]
    return [values, *above]


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
    try:
        lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError):
        raise ParameterError(
            f"the hierarchy {path.name} of {name} cannot be read, so t cannot be re-checked.",
            "put the file beside the certificate, or give the policy that names it.",
        ) from None
    separator = max(";,\t|", key=lines[0].count) if lines else ";"
    above = {row[0]: row for row in csv.reader(lines, delimiter=separator)}
    absent = [text for text in texts if text not in above]
    if absent:
        raise UnreadableError(pl.Series(absent), f"in its hierarchy {path.name}")
    top = {row[-1] for row in above.values()}
    height = len(next(iter(above.values()), [""]))
    levels: list[list[Key]] = [[above[text][h] for text in texts] for h in range(height)]
    # The file's own top decides whether it has a root, whichever of its values were released.
    return levels if len(top) == 1 and height > 1 else [*levels, [()] * len(texts)]
