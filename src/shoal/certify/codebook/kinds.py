"""What a codebook states about a quasi-identifier and the certificate does not: its kind and the levels of nodes.

The publisher states them; they cannot be counted. A kind is refused if the cells or the policy show another one, and
a level is refused if no cell has the node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import polars as pl

from shoal.policy import Column, Kind

HIDDEN, OR_MISSING = "*", " or missing"
INTERVALS = ("number", "date", "place")
"""The kinds whose cells are numbers, dates or coordinates, or ranges of them."""
KINDS: tuple[str, ...] = get_args(Kind)
MOST_LEVELS = 1000
RANGE = re.compile(r"\[(.+?)[,;] (.+)([\])])", re.DOTALL)
NUMBER = re.compile(r"-?[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?", re.ASCII)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.+-]*)?", re.ASCII)
PERIOD = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])|\d{4}-W\d\d|\d{4}-Q[1-4]|\d{1,4}|\d{1,3}0s", re.ASCII)


@dataclass(frozen=True, slots=True)
class Stated:
    """The kind of a quasi-identifier, and the level of every node above the values themselves, which have level 0.

    `levels` is None for a column without a hierarchy.
    """

    kind: Kind
    levels: Mapping[str, int] | None = None

    def level(self, cell: str) -> int:
        """Return the level of the node in a cell."""
        return (self.levels or {}).get(cell.removesuffix(OR_MISSING), 0)


def misfit(stated: Stated, column: Column, cells: pl.Series, plain: pl.Series) -> str | None:
    """Return why the cells of a quasi-identifier do not fit its stated kind or levels; None if they do.

    `plain` are the same cells with plain numbers and ISO dates.
    """
    if (known := _known(column)) is not None and stated.kind != known:
        return "its policy says another kind"
    bare = {text.removesuffix(OR_MISSING) for text in cells.unique().drop_nulls().to_list()}
    levels = stated.levels or {}
    if stated.kind == "set" and (not column.is_set or stated.levels is not None):
        return "its policy says another kind"
    if any(not 1 <= level <= MOST_LEVELS for level in levels.values()) or not bare >= levels.keys():
        return "it has levels of nodes that no cell has"
    if stated.kind not in INTERVALS:
        return None
    read = {text.removesuffix(OR_MISSING) for text in plain.unique().drop_nulls().to_list()}
    wrong = sum(not _fits(text, dates=stated.kind == "date") for text in read - {HIDDEN})
    return f"{wrong} of its values are not {stated.kind}s" if wrong else None


def _known(column: Column) -> Kind | None:
    """Return the kind that follows from the public policy; None if none does."""
    if column.is_set:
        return "set"
    if column.longitude is not None:
        return "place"
    if column.map is not None:
        return "region"
    return "label" if column.classes is not None else None


def _fits(text: str, *, dates: bool) -> bool:
    """Return whether a cell is a value, a range of values or, for dates, a period."""
    one = DATE if dates else NUMBER
    found = RANGE.fullmatch(text)
    if found is not None:
        return all(one.fullmatch(end) for end in found.groups()[:2])
    return one.fullmatch(text) is not None or (dates and PERIOD.fullmatch(text) is not None)
