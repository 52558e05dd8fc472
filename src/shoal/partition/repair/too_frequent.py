"""Find the records to suppress if sensitive values are too frequent for the l-diversity that is required.

Problem     given records of which even one group of all of them is not l-diverse, and a number of records that may be
            suppressed, choose records so that the others can be grouped.
Guarantee   under frequency l-diversity with a whole l, exactly the fewest records are suppressed, all of values that
            are too frequent (DIVERSE-3, docs/proofs/diverse.md). Frequency l-diversity implies entropy l-diversity,
            for which fewer might do.
Complexity  that of `diverse` for up to MOST_GROWN records; for more, one search for nearest neighbors per value.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.partition.diversity.diverse import diverse
from shoal.partition.generalization.forest import forest
from shoal.partition.methods.cost import suppression_costs
from shoal.partition.methods.problem import Problem
from shoal.partition.result import Labels, Partition, share_of
from shoal.requirements import LDiversity, count, values_counted
from shoal.requirements.frequencies import fewest_dropped
from shoal.space.neighbors import Neighbors

MOST_GROWN = 50_000
"""With more records than this, groups of different values are not built, because that takes too long."""


def rows_to_keep(problem: Problem) -> Labels | None:
    """Return the rows that can be grouped after the fewest others are suppressed.

    None if all rows can be grouped, or if the share that may be suppressed does not suffice.
    """
    asked = [one for one in problem.requirements if isinstance(one, LDiversity)]
    kept = np.arange(len(problem.space))
    room = share_of(problem.max_suppressed, len(kept))
    if not room or not _unmet(asked, problem, kept):
        return None
    while unmet := _unmet(asked, problem, kept):
        fewer = _without_most_frequent(unmet[0], problem, kept)
        if fewer is None or len(kept) - len(fewer) > room:
            return None
        room -= len(kept) - len(fewer)
        kept = fewer
    return kept


def with_suppressed(found: Partition, kept: Labels, problem: Problem, why: str) -> Partition:
    """Return groups of the rows `kept` as a partition of all rows, of which the others are suppressed.

    What is proved of the groups of those rows is not claimed of the others. Under generalization the lower bound of
    `forest` holds whatever rows are left out (FOREST-1).
    """
    labels = np.full(len(problem.space), -1, dtype=np.int64)
    labels[kept] = found.labels
    around = found.centers is not None and found.centers.ndim == 1
    choice = problem.choice
    cost, bound = problem.cost(labels), 0.0
    if choice.minimized.around_records or choice.whole_columns:
        cost = found.cost + math.fsum(
            suppression_costs(choice, problem.space)[np.delete(np.arange(len(labels)), kept)]
        )
    elif choice.objective == "generalization":
        bound = forest(problem.space, problem.k).lower_bound
    return found.without_claim(
        why,
        labels=labels,
        cost=cost,
        lower_bound=bound,
        theorem_cost=None,
        centers=kept[np.asarray(found.centers, dtype=np.int64)] if around else None,
        outlier_curve=(),
    )


def _unmet(asked: list[LDiversity], problem: Problem, rows: Labels) -> list[LDiversity]:
    """Return the requirements that the rows miss as one group."""
    whole = count(np.zeros(len(rows), dtype=np.int64), problem.records.take(rows))
    return [one for one in asked if not one.holds(whole).all()]


def _without_most_frequent(asked: LDiversity, problem: Problem, rows: Labels) -> Labels | None:
    """Return the rows without the fewest that make the values of one column too frequent; None if that is no help."""
    codes = values_counted(asked, problem.records)[rows]
    known, least = np.flatnonzero(codes >= 0), math.ceil(asked.l)
    groups, dropped = fewest_dropped(np.bincount(codes[known]), least)
    if not groups or not dropped:
        return None
    space = problem.space.take(rows[known])
    if len(known) <= MOST_GROWN:
        most = 1 - 1 / (len(known) + 1)
        suppressed = diverse(space, codes[known], least, max_suppressed=most, improve=False).labels < 0
    else:
        suppressed = _farthest(problem, rows[known], codes[known], groups)
    return np.delete(rows, known[suppressed])


def _farthest(problem: Problem, rows: Labels, codes: Labels, groups: int) -> np.ndarray:
    """Return which records are the farthest from other values, so many of each value that `groups` are left of it."""
    suppressed = np.zeros(len(rows), dtype=bool)
    for value in np.flatnonzero(np.bincount(codes) > groups):
        own, others = np.flatnonzero(codes == value), np.flatnonzero(codes != value)
        apart = Neighbors(problem.space.take(rows[others])).nearest(1, problem.space.coordinates[rows[own]])[0][:, 0]
        suppressed[own[np.argsort(-apart, kind="stable")[: len(own) - groups]]] = True
    return suppressed
