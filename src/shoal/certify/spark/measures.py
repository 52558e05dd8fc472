"""The criteria in Spark SQL, on pairs of a class and a value with the number of people who hold it.

Every function returns a frame with the columns `class` and `measure`. The forms differ from those of
`shoal.certify.formulas`: total variation is the sum of what a class has too much, the hierarchical distance is the
mean of the total variation over the levels of the tree, and the ordered one the sum of the distances between the two
cumulative distributions.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from shoal.certify.findings import TOLERANCE
from shoal.certify.share_formulas import NEVER
from shoal.certify.spark.rows import CLASS, Batches, Rows

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """How many people of each class hold each value of a sensitive column: class, value, held."""

    rows: Rows
    held: Any
    people: Any
    """The classes: class, people and records."""
    totals: pl.DataFrame
    """The values of the whole table, ascending: value and held."""

    @property
    def all_held(self) -> int:
        return int(self.totals["held"].sum())


def pairs_of(rows: Rows, texts: Any, person: str | None, people: Any, values: pl.DataFrame) -> Pairs:
    """Return the pairs of a sensitive column.

    `texts` has the columns class, text and, with a person column, person; `values` the value of every text, null
    included. A person with two texts of one value counts once.
    """
    from pyspark.sql import functions as sql

    numbered = rows.small(values.select(spelled="text", value=pl.col("value").cast(pl.Int64)))
    found = texts.join(numbered, texts["text"].eqNullSafe(numbered["spelled"]))
    if person is not None:
        found = found.select(CLASS, "person", "value").distinct()
    held = rows.keep(found.groupBy(CLASS, "value").agg(sql.count(sql.lit(1)).alias("held")))
    totals = rows.collected(held.groupBy("value").agg(sql.sum("held").alias("held"))).sort("value")
    return Pairs(rows, held, people, totals)


def diversity(pairs: Pairs, kind: str, c: float | None, *, missing: int | None) -> Any:
    """Return the largest l for which each class is l-diverse; 0 for a class that holds no value but `missing`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    counted = pairs.held if missing is None else pairs.held.filter(sql.col("value") != missing)
    by_class = counted.groupBy(CLASS)
    if kind == "distinct":
        found = by_class.agg(sql.count(sql.lit(1)).cast("double").alias("measure"))
    elif kind == "frequency":
        silent = sql.when(sql.col("value") == sql.lit(missing), sql.col("held")).otherwise(0)
        known = sql.when(sql.col("value").eqNullSafe(sql.lit(missing)), 0).otherwise(sql.col("held"))
        both = pairs.held.groupBy(CLASS).agg(sql.sum(silent).alias("silent"), sql.max(known).alias("most"))
        joined = pairs.people.join(both, CLASS)
        share = (sql.col("people") - sql.coalesce("silent", sql.lit(0))) / sql.col("most")
        found = joined.filter(sql.col("most") > 0).select(CLASS, share.alias("measure"))
    elif kind == "entropy":
        total, held = sql.sum("held"), sql.col("held")
        # -sum of p log p, with p = held / total in each class
        both = by_class.agg(total.alias("n"), sql.sum(held * sql.log(held.cast("double"))).alias("terms"))
        found = both.select(CLASS, (sql.col("n") * sql.exp(-sql.col("terms") / sql.col("n"))).alias("measure"))
    else:
        own = Window.partitionBy(CLASS)
        rarer = own.orderBy("held", "value").rowsBetween(Window.unboundedPreceding, Window.currentRow)
        # the sum of a value's count and of all that are rarer is the tail that begins with it
        met = sql.max("held").over(own) + TOLERANCE < sql.lit(c or 0.0) * sql.sum("held").over(rarer)
        each = counted.select(CLASS, met.cast("double").alias("met"))
        found = each.groupBy(CLASS).agg(sql.sum("met").alias("measure"))
    whole = pairs.people.select(CLASS).join(found, CLASS, "left")
    return whole.select(CLASS, sql.coalesce("measure", sql.lit(0.0)).alias("measure"))


def level_distance(pairs: Pairs, levels: Sequence[pl.DataFrame]) -> Any:
    """Return the mean, over the levels of a tree below its root, of the total variation distance of each class.

    Each of `levels` has for every value the node that is above it, `value` and `node`; the values themselves are one
    level, and all there is for the equal distance. Moving a person from a leaf to another costs h / H where the two
    meet at height h of H, that is 1 / H for every level on which their nodes differ: so the least total cost is the
    sum of the costs on each level, which are reached together (proofs/privacy.md).
    """
    from pyspark.sql import functions as sql

    costs = None
    for level in levels:
        shares = (
            pairs.totals.join(level, on="value")
            .group_by("node")
            .agg(share=pl.col("held").sum() / pairs.all_held)
            .with_columns(pl.col("node").cast(pl.Int64))
        )
        above = pairs.rows.small(level.select("value", pl.col("node").cast(pl.Int64)))
        found = pairs.held.join(above, "value").groupBy(CLASS, "node").agg(sql.sum("held").alias("held"))
        found = found.join(pairs.rows.small(shares), "node")
        each = found.groupBy(CLASS).agg(
            sql.sum("held").alias("n"), sql.collect_list(sql.struct("held", "share")).alias("nodes")
        )
        much = "aggregate(nodes, 0D, (a, x) -> a + greatest(x.held / n - x.share, 0D))"
        cost = each.select(CLASS, sql.expr(much).alias("measure"))
        costs = cost if costs is None else costs.unionAll(cost)
    assert costs is not None
    return costs.groupBy(CLASS).agg((sql.sum("measure") / len(levels)).alias("measure"))


def ordered_distance(pairs: Pairs) -> Any:
    """Return the earth mover's distance of each class, for values 1 / (m - 1) apart: the sum of |F - G| over them."""
    from pyspark.sql import functions as sql

    m = pairs.totals.height
    if m <= 1:
        return pairs.people.select(CLASS, sql.lit(0.0).alias("measure"))
    ranks = pairs.rows.small(pairs.totals.select("value", rank=pl.int_range(pl.len(), dtype=pl.Int64)))
    steps = pairs.held.join(ranks, "value").groupBy(CLASS)
    each = steps.agg(sql.sort_array(sql.collect_list(sql.struct("rank", "held"))).alias("steps"))
    plain = each.select(CLASS, sql.col("steps.rank").alias("ranks"), sql.col("steps.held").alias("held"))
    reached = np.cumsum(pairs.totals["held"].to_numpy()) / pairs.all_held
    return pairs.rows.mapped(plain, functools.partial(_ordered_batches, reached), f"{CLASS} binary, measure double")


def _ordered_batches(reached: Floats, batches: Batches) -> Iterator[pa.RecordBatch]:
    fields: list[tuple[str, pa.DataType]] = [(CLASS, pa.binary()), ("measure", pa.float64())]
    schema = pa.schema(fields)
    for batch in batches:
        if batch.num_rows:
            columns: list[Any] = batch.columns
            ranks, held = columns[1:]
            ends = np.cumsum(np.asarray(ranks.value_lengths()))
            found = cumulative_distance(reached, np.asarray(ranks.flatten()), np.asarray(held.flatten()), ends)
            yield pa.RecordBatch.from_arrays([batch.column(0), pa.array(found)], schema=schema)


def cumulative_distance(reached: Floats, ranks: Ints, held: Ints, ends: Ints) -> Floats:
    """Return, for each class, the sum over all ranks of |F - G|, divided by their number less one.

    G is `reached`. The steps of class i, at ascending `ranks` with so many `held`, end before `ends[i]`. Between two
    steps F does not change and G rises, so the sum is split where G passes F.
    """
    m = len(reached)
    sums = np.concatenate(([0.0], np.cumsum(reached)))  # sums[i] is the sum of G over the ranks below i
    starts = np.concatenate(([0], ends[:-1]))
    of_class = np.repeat(np.arange(len(ends)), ends - starts)
    running = np.cumsum(held)
    before = np.concatenate(([0], running))[starts]
    share = (running - before[of_class]) / (running[ends - 1] - before)[of_class]
    a = ranks
    b = np.append(ranks[1:], m - 1)
    b[ends - 1] = m - 1
    a, b = np.minimum(a, m - 1), np.minimum(b, m - 1)
    split = np.clip(np.searchsorted(reached, share, side="right"), a, b)
    area = share * (split - a) - (sums[split] - sums[a]) + (sums[b] - sums[split]) - share * (b - split)
    total = np.add.reduceat(area, starts) + sums[ranks[starts]]  # F is 0 below the first step
    return np.asarray(total / (m - 1))


def largest_share(pairs: Pairs, *, missing: int, limited: Sequence[int] | None) -> Any:
    """Return for each class the largest share of a limited value among its people whose value is not missing."""
    from pyspark.sql import functions as sql

    counted = sql.col("value") != missing
    if limited is not None:
        counted = counted & sql.col("value").isin(list(limited))
    most = sql.max(sql.when(counted, sql.col("held")).otherwise(0))
    silent = sql.sum(sql.when(sql.col("value") == missing, sql.col("held")).otherwise(0))
    both = pairs.people.join(pairs.held.groupBy(CLASS).agg(most.alias("most"), silent.alias("silent")), CLASS)
    known = sql.col("people") - sql.col("silent")
    share = sql.when(sql.col("most") >= known, 1.0).otherwise(sql.col("most") / known)
    return both.select(CLASS, sql.when(sql.col("most") == 0, 0.0).otherwise(share).alias("measure"))


def largest_gain(pairs: Pairs, beta: float, kind: str) -> Any:
    """Return for each class the largest growth of a value's share, as a multiple of its share in the whole table."""
    from pyspark.sql import functions as sql

    both = _beside_totals(pairs)
    growth = sql.col("held") / sql.col("n") / sql.col("share") - 1.0
    if kind == "enhanced":
        own = -sql.log(sql.col("share"))
        factor = sql.when(own < beta, sql.lit(beta) / own).otherwise(1.0)
        growth = sql.when(sql.col("share") < 1.0, growth * factor).otherwise(0.0)
    return both.groupBy(CLASS).agg(sql.greatest(sql.max(growth), sql.lit(0.0)).alias("measure"))


def largest_change(pairs: Pairs) -> Any:
    """Return for each class how many times, at most, a value's share doubles or halves; NEVER if it lacks a value."""
    from pyspark.sql import functions as sql

    change = sql.abs(sql.log2(sql.col("held") / sql.col("n") / sql.col("share")))
    each = (
        _beside_totals(pairs).groupBy(CLASS).agg(sql.max(change).alias("change"), sql.count("value").alias("values"))
    )
    absent = sql.col("values") < pairs.totals.height
    return each.select(CLASS, sql.when(absent, NEVER).otherwise(sql.col("change")).alias("measure"))


def _beside_totals(pairs: Pairs) -> Any:
    """Return the pairs with the number of people of the class, `n`, and the value's share of the table, `share`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    shares = pairs.totals.select("value", share=pl.col("held") / pairs.all_held)
    joined = pairs.held.join(pairs.rows.small(shares), "value")
    return joined.withColumn("n", sql.sum("held").over(Window.partitionBy(CLASS)))
