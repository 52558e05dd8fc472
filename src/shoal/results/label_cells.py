"""Converting released cells of labels to lists, of ordered values to two ends, and of hierarchies to nodes."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from shoal.certify.codebook.kinds import HIDDEN, OR_MISSING, Stated
from shoal.certify.legend import SET, Classes
from shoal.certify.multiset import parse as read_multiset
from shoal.measure.notation import read_range, read_set

Labels = tuple[list[str] | None, bool | None]
"""The labels that a cell may stand for, and whether the value may be missing; each is None if a cell is hidden."""


def label_columns(name: str, cells: pl.Series, classes: Classes | None) -> list[pl.Series]:
    """Return a column of labels or regions as lists, and whether a value may be missing."""
    known = dict(classes or ())
    read = {text: _labels(text, known) for text in cells.unique().to_list()}
    found = [read[text] for text in cells.to_list()]
    return [
        pl.Series(name, [labels for labels, _ in found], dtype=pl.List(pl.String)),
        pl.Series(f"{name}_missing", [missing for _, missing in found], dtype=pl.Boolean),
    ]


def _labels(text: str | None, classes: Mapping[str | None, tuple[str | None, ...]]) -> Labels:
    """Return the labels that one cell may stand for; a class stands for all of its labels."""
    if text == HIDDEN:
        return None, None
    if text is None and None not in classes:
        return [], True
    listed: list[str | None] = [text]
    if text is not None and text not in classes and SET.fullmatch(text) is not None:
        listed = read_set(text)
    members = [label for one in listed for label in classes.get(one, (one,))]
    return [label for label in members if label is not None], None in members


def order_columns(name: str, cells: pl.Series) -> list[pl.Series]:
    """Return the lowest and the highest value of a column with an order, and whether a value may be missing."""
    read = {text: _order(text) for text in cells.unique().to_list()}
    found = [read[text] for text in cells.to_list()]
    return [
        pl.Series(f"{name}_min", [low for low, _, _ in found], dtype=pl.String),
        pl.Series(f"{name}_max", [high for _, high, _ in found], dtype=pl.String),
        pl.Series(f"{name}_missing", [missing for _, _, missing in found], dtype=pl.Boolean),
    ]


def _order(text: str | None) -> tuple[str | None, str | None, bool | None]:
    if text is None or text == HIDDEN:
        return None, None, True if text is None else None
    if SET.fullmatch(text) is not None:
        only, *missing = read_set(text)
        return only, only, bool(missing)
    ends = read_range(text.removesuffix(OR_MISSING))
    if ends is None:
        return text, text, False
    return ends[0], ends[1], text.endswith(OR_MISSING)


def node_columns(name: str, cells: pl.Series) -> list[pl.Series]:
    """Return the node of each cell and whether a value may be missing."""
    texts = cells.to_list()
    nodes = [None if text is None else text.removesuffix(OR_MISSING) for text in texts]
    missing = [True if text is None else None if text == HIDDEN else text.endswith(OR_MISSING) for text in texts]
    return [pl.Series(name, nodes, dtype=pl.String), pl.Series(f"{name}_missing", missing, dtype=pl.Boolean)]


def level_column(name: str, cells: pl.Series, stated: Stated) -> pl.Series:
    """Return the level of each node in its hierarchy: 0 for a value itself, null if all values are missing."""
    levels = [None if text is None else stated.level(text) for text in cells.to_list()]
    return pl.Series(f"{name}_level", levels, dtype=pl.Int64)


def multiset_column(cells: pl.Series) -> pl.Series:
    """Return multisets as lists of a value and the number of people who have it."""
    kind = pl.List(pl.Struct({"value": pl.String, "people": pl.Int64}))
    read = [read_multiset(text) for text in cells.to_list()]
    found = [None if one is None else [{"value": value, "people": n} for value, n in one.items()] for one in read]
    return pl.Series(cells.name, found, dtype=kind)
