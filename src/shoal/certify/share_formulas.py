"""Formulas of (alpha, k)-anonymity, beta-likeness and delta-disclosure on pairs of class and value.

The tables are those of `shoal.certify.formulas`, and so is the purpose: the formulas are implemented here a second
time, and in another form than in the module that enforces them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from shoal.certify.spelling import meanings
from shoal.policy import Column

NEVER = 1e9
"""The measure of delta-disclosure where a class lacks a value: no delta is large enough."""
_HELD = pl.col("held")


def listed_values(texts: Sequence[str], values: pl.DataFrame, column: Column, *, leaves: bool) -> list[int]:
    """Return the values, as `values_of` numbers them, that have one of the listed texts in whatever spelling."""
    listed, known = pl.Series(list(texts), dtype=pl.String), values.drop_nulls("text")
    if column.order is None and not leaves:
        there = meanings(known["text"])["key"].is_in(meanings(listed)["key"].implode())
    else:
        there = known["text"].is_in(listed.implode())
    return known.filter(there)["value"].unique().to_list()


def largest_share(
    pairs: pl.DataFrame, people: pl.DataFrame, *, missing: int, limited: Sequence[int] | None
) -> pl.DataFrame:
    """Return for each class the largest share of a limited value among its people whose value is not missing."""
    counted = pl.col("value") != missing
    if limited is not None:
        counted &= pl.col("value").is_in(list(limited))
    most = pairs.filter(counted).group_by("class").agg(most=_HELD.max())
    silent = pairs.filter(pl.col("value") == missing).select("class", silent=_HELD)
    both = people.join(most, on="class", how="left").join(silent, on="class", how="left").fill_null(0)
    known = pl.col("people") - pl.col("silent")
    share = pl.when(pl.col("most") >= known).then(pl.lit(1.0)).otherwise(pl.col("most") / known)
    return both.select("class", measure=pl.when(pl.col("most") == 0).then(pl.lit(0.0)).otherwise(share))


def largest_gain(pairs: pl.DataFrame, beta: float, kind: str) -> pl.DataFrame:
    """Return for each class the largest growth of a value's share, as a multiple of its share in the whole table.

    By the enhanced definition a value with the share q must not grow by more than ln(1 / q) times either: where that
    is less than beta, its growth is counted beta / ln(1 / q) times.
    """
    in_class, in_table, all_of = _HELD.sum().over("class"), _HELD.sum().over("value"), float(pairs["held"].sum())
    # p / q - 1 without dividing twice: (held x all - in_class x in_table) / (in_class x in_table)
    expected = in_class * in_table / all_of
    growth = (_HELD - expected) / expected
    if kind == "enhanced":
        own = (all_of / in_table).log()
        factor = pl.when(own < beta).then(beta / own).otherwise(1.0)
        growth = pl.when(in_table < all_of).then(growth * factor).otherwise(0.0)
    grown = pairs.select("class", growth=growth)
    return grown.group_by("class").agg(measure=pl.col("growth").max().clip(lower_bound=0.0))


def largest_change(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return for each class how many times, at most, a value's share doubles or halves against the whole table.

    A class that does not hold every value of the table has the measure NEVER.
    """
    n_values, total = pairs["value"].n_unique(), math.log(float(pairs["held"].sum()))
    change = (
        _HELD.log() - _HELD.sum().over("class").log() - _HELD.sum().over("value").log() + pl.lit(total)
    ).abs() / math.log(2)
    found = pairs.with_columns(change=change).group_by("class").agg(pl.col("change").max(), held_values=pl.len())
    absent = pl.col("held_values") < n_values
    return found.select("class", measure=pl.when(absent).then(pl.lit(NEVER)).otherwise(pl.col("change")))
