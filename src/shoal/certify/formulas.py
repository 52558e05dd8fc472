"""Formulas of l-diversity and t-closeness on a table of pairs with the columns `class`, `value` and `held`.

`held` is the number of people of the equivalence class who have the value. Every function returns a frame with the
columns `class` and `measure`. The formulas are implemented here a second time, and in another form than in the
modules that enforce the requirements, so that one mistake cannot be in both places.

References
----------
.. [1] Machanavajjhala et al. (2007). "l-diversity: privacy beyond k-anonymity." ACM TKDD 1(1).
.. [2] Li, Li, Venkatasubramanian (2007). "t-closeness: privacy beyond k-anonymity and l-diversity." ICDE.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.findings import TOLERANCE

Ints = npt.NDArray[np.int64]

_HELD = pl.col("held")


def diversity(
    pairs: pl.DataFrame, people: pl.DataFrame, kind: str, c: float | None, *, missing: int | None = None
) -> pl.DataFrame:
    """Return the largest l for which each class is l-diverse by the definition `kind`.

    `people` has the number of people of each class; `c` is the constant of recursive (c, l)-diversity. The value
    `missing` does not count, and neither do people who hold it; a class that holds no other value has the measure 0.
    """
    if missing is not None:
        silent = pairs.filter(pl.col("value") == missing).select("class", silent=_HELD)
        known = people.join(silent, on="class", how="left").select(
            "class", people=pl.col("people") - pl.col("silent").fill_null(0)
        )
        counted = diversity(pairs.filter(pl.col("value") != missing), known, kind, c)
        return (
            people.select("class")
            .join(counted, on="class", how="left")
            .with_columns(pl.col("measure").fill_null(0.0))
        )
    by_class = pairs.group_by("class")
    if kind == "distinct":
        return by_class.agg(measure=pl.len().cast(pl.Float64))
    if kind == "frequency":
        most = by_class.agg(most=_HELD.max()).join(people, on="class")
        return most.select("class", measure=pl.col("people") / pl.col("most"))
    if kind == "entropy":
        # The entropy of counts c with the sum N is log N - (1 / N) sum of c log c; its exponential is l.
        return by_class.agg(measure=(_HELD.sum().log() - (_HELD * _HELD.log()).sum() / _HELD.sum()).exp())
    falling = pairs.sort("class", "held", descending=[False, True]).select(
        "class",
        largest=_HELD.first().over("class"),
        tail=_HELD.cum_sum(reverse=True).over("class"),
    )
    # For each l in turn, `tail` is the count of the l-th most frequent value and of all rarer ones.
    met = pl.col("largest") + TOLERANCE < (c or 0.0) * pl.col("tail")
    return falling.group_by("class").agg(measure=met.sum().cast(pl.Float64))


def equal_distance(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the total variation distance of each class: half the sum over all values of |p - q|.

    `p` is a value's share in the class and `q` its share in the whole table; values absent from the class add `q`.
    """
    off = (
        _with_shares(pairs)
        .group_by("class")
        .agg(near=(pl.col("p") - pl.col("q")).abs().sum(), absent=1.0 - pl.col("q").sum())
    )
    return off.select("class", measure=(pl.col("near") + pl.col("absent")) / 2)


def ordered_distance(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the earth mover's distance of each class to the whole table, for m ordered values 1 / (m - 1) apart.

    It is computed as the integral of the distance between the two quantile functions, divided by m - 1. The quantile
    function of a class is constant over the share (a, b) of one value, at that value's rank. The integral of
    |rank - quantile of the table| over (a, b) is split at the point where the table's quantile reaches the rank; each
    part follows from the integral of the table's quantile function, which is piecewise linear.
    """
    table = pairs.group_by("value").agg(held=_HELD.sum()).sort("value")
    m = table.height
    if m <= 1:
        return pairs.select(pl.col("class").unique(), measure=pl.lit(0.0))
    mass = table["held"].to_numpy() / table["held"].sum()
    reached = np.concatenate(([0.0], np.cumsum(mass)))
    integral = np.concatenate(([0.0], np.cumsum(mass * np.arange(m))))
    ranks = table.select("value", rank=pl.int_range(pl.len()))
    steps = (
        pairs.join(ranks, on="value")
        .sort("class", "rank")
        .select("class", "rank", b=_HELD.cum_sum().over("class") / _HELD.sum().over("class"))
        .with_columns(a=pl.col("b").shift(1, fill_value=0.0).over("class"))
    )
    rank, a, b = (steps[name].to_numpy() for name in ("rank", "a", "b"))
    split = np.clip(reached[rank], a, b)
    at_a, at_split, at_b = (np.interp(u, reached, integral) for u in (a, split, b))
    area = rank * (split - a) - (at_split - at_a) + (at_b - at_split) - rank * (b - split)
    return steps.select("class", area=pl.Series(area)).group_by("class").agg(measure=pl.col("area").sum() / (m - 1))


def hierarchical_distance(pairs: pl.DataFrame, values: pl.DataFrame, levels: Sequence[Ints]) -> pl.DataFrame:
    """Return the earth mover's distance of each class to the whole table over a hierarchy of height H.

    It is the sum over all inner nodes of (height of the node) / H times the smaller of two totals: by how much the
    class's shares of the node's children exceed those of the table, and by how much they fall short. `levels[h]` has
    the node at level h above each row of `values`; the last level is the root. Nodes without a person of the class
    below them have no excess and are skipped.
    """
    height = len(levels) - 1
    shares = _with_shares(pairs).select("class", "value", "p", "q")
    table = pairs.group_by("value").agg(held=_HELD.sum()).select("value", q=_HELD / _HELD.sum())
    cost = []
    for h in range(1, height + 1):
        tree = values.select("value", node=pl.Series(levels[h]), child=pl.Series(levels[h - 1])).unique("value")
        whole = table.join(tree, on="value").group_by("node", "child").agg(q=pl.col("q").sum())
        of_node = whole.group_by("node").agg(q_node=pl.col("q").sum())
        extra = (
            shares.join(tree, on="value")
            .group_by("class", "node", "child")
            .agg(p=pl.col("p").sum())
            .join(whole, on=["node", "child"])
            .group_by("class", "node")
            .agg(
                much=(pl.col("p") - pl.col("q")).clip(lower_bound=0).sum(),
                little=(pl.col("q") - pl.col("p")).clip(lower_bound=0).sum(),
                seen=pl.col("q").sum(),
            )
            .join(of_node, on="node")
        )
        lacking = pl.col("little") + pl.col("q_node") - pl.col("seen")
        cost.append(extra.select("class", measure=pl.min_horizontal("much", lacking) * h / height))
    return pl.concat(cost).group_by("class").agg(measure=pl.col("measure").sum())


def _with_shares(pairs: pl.DataFrame) -> pl.DataFrame:
    """Add to every pair the share `p` of its value in its class and the share `q` of its value in the whole table."""
    return pairs.with_columns(
        p=_HELD / _HELD.sum().over("class"), q=_HELD.sum().over("value") / pl.lit(pairs["held"].sum())
    )
