"""Codes of sensitive values and of people. A missing value has a code of its own, after all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.errors import ParameterError, SchemaError
from shoal.policy import Column
from shoal.requirements.counts import Ints, Levels
from shoal.requirements.spelling import one_spelling
from shoal.space.hierarchy_sources import build_tree


def people_codes(persons: pl.Series) -> Ints:
    """Return one code per person, in the order of their first rows, so that the number reveals nothing of the name.

    All rows without a person count as one person, so that people are never overcounted.
    """
    _, first, inverse = np.unique(_ranks(persons).codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int64)[inverse]


class Coded(NamedTuple):
    """A code per row, and the code of a missing value; None where no value is missing."""

    codes: Ints
    missing: int | None


def sensitive_codes(values: pl.Series, column: Column, *, in_order: bool) -> Coded:
    """Return one code per value, per bin, or per position in the column's order; smaller values have smaller codes.

    A cut point belongs to the bin above it. With `in_order` a column whose values have no order is an error.
    """
    if column.bins is not None:
        return _binned(values, column.bins)
    if column.order is not None:
        return _placed(values, column.order)
    if in_order and not (values.dtype.is_numeric() or values.dtype in (pl.Date, pl.Datetime, pl.Time)):
        raise ParameterError(
            f'closeness.distance = "ordered" needs an order of the values of {values.name}, which are labels.',
            f'list them from lowest to highest in columns.{values.name}.order, or use distance = "equal".',
        )
    return _ranks(values)


def hierarchical_codes(values: pl.Series, column: Column) -> tuple[Coded, Levels]:
    """Return codes in depth-first order of the column's hierarchy, a missing value last, and the levels below the
    root.
    """
    if column.hierarchy is None or column.bins is not None:
        raise ParameterError(
            f'closeness.distance = "hierarchical" needs a hierarchy of the values of {values.name}, and no bins.',
            f'give columns.{values.name}.hierarchy, or use distance = "equal".',
        )
    tree = build_tree(values, column.hierarchy)
    below = np.ascontiguousarray(tree.ancestors[:, :-1].T.astype(np.int64))
    ranks, unknown = tree.ranks(values), values.is_null().to_numpy()
    return Coded(ranks, int(ranks[unknown][0]) if unknown.any() else None), Levels(below, missing=bool(unknown.any()))


def codes_of_texts(texts: Sequence[str], values: pl.Series, column: Column, codes: Ints) -> tuple[int, ...]:
    """Return the codes of those values of a column that are listed as texts, in whatever spelling.

    A text that is none of the column's values is not an error: a value that must be limited need not occur.
    """
    if column.bins is not None:
        raise ParameterError(
            f"alpha of {values.name} lists values, and its values are counted in bins.",
            f"leave out columns.{values.name}.disclosure.values, or the bins.",
        )
    spelled = values.cast(pl.String) if column.order is not None else one_spelling(values.cast(pl.String))
    listed = pl.Series(list(texts), dtype=pl.String)
    wanted = listed if column.order is not None else one_spelling(listed)
    return tuple(np.unique(codes[spelled.is_in(wanted.drop_nulls().implode()).fill_null(False).to_numpy()]).tolist())


def _ranks(values: pl.Series) -> Coded:
    """Return ranks of the values; different spellings of one value have the same rank."""
    if not (values.dtype.is_numeric() or values.dtype.is_temporal()):
        values = one_spelling(values.cast(pl.String))
    return _codes(values.rank("dense") - 1)


def _binned(values: pl.Series, cuts: tuple[float, ...]) -> Coded:
    """Return the number of the bin of each value."""
    if not values.dtype.is_numeric() and values.dtype != pl.Null:
        raise SchemaError(f"bins need a column of numbers; {values.name} has type {values.dtype.base_type()}.")
    numbers = values.cast(pl.Float64)
    inside = np.searchsorted(np.asarray(cuts), numbers.fill_null(0.0).to_numpy(), side="right")
    return _codes(pl.select(pl.when(numbers.is_not_null()).then(pl.Series(inside))).to_series())


def _placed(values: pl.Series, order: tuple[str, ...]) -> Coded:
    """Return the position of each value in the order that the policy lists."""
    text = values.cast(pl.String)
    places = text.replace_strict(order, range(len(order)), default=None, return_dtype=pl.Int64)
    unknown = int((places.is_null() & text.is_not_null()).sum())
    if unknown:
        raise SchemaError(
            f"columns.{values.name}.order does not list the values of {unknown} rows.", "list every value once."
        )
    return _codes(places)


def _codes(ranks: pl.Series) -> Coded:
    """Return the ranks as codes; null gets the code after the largest."""
    highest = ranks.max()
    last = (int(highest) if isinstance(highest, int) else -1) + 1
    return Coded(ranks.fill_null(last).to_numpy().astype(np.int64), last if ranks.null_count() else None)
