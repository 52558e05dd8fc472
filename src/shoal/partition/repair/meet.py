"""Return groups that meet every requirement, at the lowest loss found.

If groups miss a requirement, two ways are tried: merging them with their neighbors (`repair`), and exchanging
records first (`exchange_records`) and merging the groups that still fail. The cheaper result is kept and then
improved (`polished`). For a policy that requires l-diversity, groups built from records with different sensitive
values (`diverse`), which are l-diverse from the start, are a third candidate.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from shoal.effort import GENERALIZATION_AFTER_REPAIR, GROWN_GROUPS
from shoal.partition.diversity.diverse import diverse
from shoal.partition.generalization.forest import forest
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.balancing import MOST_REPAIRED, balances, share_failing
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.methods.run import rules_of
from shoal.partition.methods.search import improved
from shoal.partition.microaggregation.annealing_with_rules import regroup_squared
from shoal.partition.microaggregation.group_loss import as_points, is_squared_error
from shoal.partition.repair.balanced import balanced_groups, worth_balancing
from shoal.partition.repair.exchange import exchange_records
from shoal.partition.repair.merge import repair
from shoal.partition.result import Details, Labels, Partition, Repair
from shoal.requirements import LDiversity, ShareLimit, TCloseness, values_counted
from shoal.requirements.frequencies import fewest_dropped
from shoal.space.neighbors import Neighbors

MOST_GROWN = 50_000
"""With more records than this, groups of different values are not tried, because building them takes too long."""
MOST_ALWAYS_GROWN, LITTLE = 5_000, 1.5
"""With more records than this, groups of different values are not tried if meeting l has cost little: the groups that
do cost at most LITTLE times those of `forest` for k alone, which no search has improved yet."""
GROWING = 5e-4
"""Seconds per record needed to build groups of different values; not tried if the time limit leaves less."""
FIRST_LOOK, HOPEFUL = 0.1, 1.25
"""Groups of different values are first improved with the share FIRST_LOOK of the effort. They get the full effort
only if they then cost at most HOPEFUL times as much as the groups of the chosen method."""


def met(partition: Partition, problem: Problem, budget: Budget) -> Partition:
    """Return a partition whose groups meet every requirement, with centers if the objective needs them.

    The groups are unchanged if they meet everything. Otherwise they are merged, or exchange records and are then
    merged, whichever costs less, and the result is improved by `polished`. Under generalization, groups that are made
    by cuts which keep the requirements are another way, and the only one if most records are in groups that fail.
    """
    failing = share_failing(partition.labels, problem) if balances(problem) else 0.0
    cut = balanced_groups(partition, problem, budget) if worth_balancing(failing, problem) else None
    if cut is not None and failing > MOST_REPAIRED:
        return cut
    restored = _restored(partition, problem)
    usual = _centered(partition if restored is partition else polished(restored, problem, budget), problem)
    return usual if cut is None or usual.cost <= cut.cost else cut


def _centered(partition: Partition, problem: Problem) -> Partition:
    """Return the partition with new centers and radii if its objective needs them and a change dropped them."""
    if not problem.choice.minimized.around_records or partition.centers is not None:
        return partition
    from shoal.partition.radius.gather import best_centers

    centers, radii = best_centers(problem.space, partition.labels)
    return replace(partition, centers=centers, radii=radii)


def _restored(partition: Partition, problem: Problem) -> Partition:
    """Return a partition that meets every requirement, by merging alone or by exchanging records before merging.

    Of the two, the cheaper one is returned. Where suppressed records cost nothing, it is the one that suppresses
    fewer records, and of two that suppress equally many the cheaper one.
    """
    merged = _merged(partition, problem)
    if merged is partition or not exchangeable(problem):
        return merged
    squared = problem.choice.objective == "sse" and is_squared_error(problem.space)
    labels = exchange_records(partition.labels, problem.space, problem.requirements, problem.records, squared=squared)
    n_moved = int(np.count_nonzero(labels != partition.labels))
    if not n_moved:
        return merged
    exchanged = _changed(partition, labels, problem, n_moved)
    after = _merged(exchanged, problem)
    if after is not exchanged and after.repair is not None:
        after = replace(after, repair=replace(after.repair, exchanged=n_moved, cost_before=partition.cost))
    free = problem.choice.minimized.around_records
    return min(merged, after, key=lambda one: (one.n_suppressed if free else 0, one.cost, one.n_suppressed))


def exchangeable(problem: Problem) -> bool:
    """Return whether exchanging records may be tried before merging.

    The table of methods says so for each method: always, never, or only if the policy compares groups with the table.
    """
    if problem.choice.record.exchanges == "for t":
        return any(isinstance(one, TCloseness | ShareLimit) for one in problem.requirements)
    return problem.choice.record.exchanges == "always"


def _merged(partition: Partition, problem: Problem) -> Partition:
    """Return the partition after `repair`; unchanged if it meets every requirement."""
    return repair(
        partition,
        problem.space,
        problem.requirements,
        problem.records,
        cost=problem.cost,
        max_suppressed=problem.max_suppressed,
    )


def _changed(partition: Partition, labels: Labels, problem: Problem, n_moved: int) -> Partition:
    """Return the partition with the labels after exchanges, which moved `n_moved` records, and without a ratio."""
    cost = problem.cost(labels)
    reported = Repair(
        groups_before=partition.n_groups,
        groups_after=partition.n_groups,
        suppressed=0,
        exchanged=n_moved,
        cost_before=partition.cost,
        cost_after=cost,
    )
    return partition.without_claim(
        f"{n_moved} records were exchanged between groups to meet the requirements",
        labels=number_groups(labels),
        cost=cost,
        centers=None,
        radii=None,
        theorem_cost=None,
        repair=reported,
    )


def polished(repaired: Partition, problem: Problem, budget: Budget) -> Partition:
    """Return groups of lower cost that still meet every requirement, or `repaired` if none were found.

    Records are exchanged between the groups to lower the cost; requirements that this breaks are repaired again.
    Nothing is tried for methods whose record in the table does not have `polished`, and if records were suppressed.
    """
    if not problem.choice.record.polished or repaired.n_suppressed:
        return repaired
    if budget.seconds_left == 0.0:
        return replace(repaired, timed_out=True)
    rules = rules_of(problem.requirements, problem.records)
    if problem.choice.objective == "sse":
        points = problem.space.coordinates if is_squared_error(problem.space) else as_points(problem.space)
        labels, timed_out = regroup_squared(
            points,
            repaired.labels,
            problem.k,
            rules,
            seed=budget.seed,
            effort=budget.effort,
            time_limit=budget.seconds_left,
        )
    else:
        labels, timed_out = improved(
            problem.space,
            repaired.labels,
            problem.k,
            rules=rules,
            keep=True,
            effort=budget.effort,
            usual=GENERALIZATION_AFTER_REPAIR,
            time_limit=budget.seconds_left,
            seed=budget.seed,
        )
    moved = replace(repaired, labels=number_groups(labels), cost=problem.cost(labels))
    again = _restored(replace(moved, repair=None), replace(problem, max_suppressed=0.0))
    timed_out = timed_out or repaired.timed_out
    if again.cost >= repaired.cost:
        return replace(repaired, timed_out=timed_out)
    reported = repaired.repair
    if reported is not None:
        reported = replace(reported, cost_after=again.cost, groups_after=again.n_groups)
    return replace(again, notes=repaired.notes, repair=reported, timed_out=timed_out)


def or_grown(usual: Partition, problem: Problem, budget: Budget) -> Partition:
    """Return `usual`, or groups built from records with different sensitive values if those cost less.

    The second are tried only if the policy requires l-diversity and the method is the default of its objective. Both
    costs are then reported in `candidates`; if they could not be tried, a note says why. A ratio that is proved of
    `usual` also holds for cheaper groups.
    """
    asked = _tightest(problem)
    if asked is None or not problem.choice.record.stands_for_objective:
        return usual
    counts = _held(asked, problem)
    column, least = asked.column, math.ceil(asked.l)
    hindered = ""
    if fewest_dropped(counts, least).dropped:
        hindered = f"its most frequent value is held by more than one in {least} of the rows that have one"
    elif usual.n_suppressed and problem.choice.minimized.around_records:  # where they cost nothing
        hindered = "rows were suppressed"
    elif problem.choice.max_groups is not None:
        hindered = f"they may be more than {problem.choice.max_groups} groups"
    elif len(problem.space) > MOST_GROWN:
        hindered = f"there are more than {MOST_GROWN} rows"
    elif budget.seconds_left is not None and budget.seconds_left < GROWING * len(problem.space):
        hindered = "the time limit leaves too little time"
    elif len(problem.space) > MOST_ALWAYS_GROWN and _costs_little(usual, problem):
        hindered = "the groups that were found cost little more than groups for k alone"
    if hindered:
        reported = f"groups in which all values of {column} differ were not tried: {hindered}"
        return replace(usual, notes=(*usual.notes, reported))
    grown = _grown(problem, budget, asked, least, usual)
    cheaper = grown.cost < usual.cost
    words = (
        f"two ways were tried: grouping records whose values of {column} differ costs {grown.cost:.4g}, making the "
        f"groups of {usual.method} meet the requirements costs {usual.cost:.4g}; the cheaper groups are released"
    )
    candidates = {"grown": grown.cost, usual.method: usual.cost}
    kept = usual
    if cheaper:
        kept = replace(usual, labels=grown.labels, method="diverse", cost=grown.cost, centers=None, radii=None)
        kept = _centered(replace(kept, notes=(), repair=None), problem)
    return replace(kept, notes=(*kept.notes, words), candidates=candidates)


def _costs_little(usual: Partition, problem: Problem) -> bool:
    """Return whether groups that meet l cost hardly more than those of `forest` for k alone.

    Records of different values are far from one another where values follow the columns, so groups made of them then
    cost several times as much.
    """
    if problem.choice.objective != "generalization":
        return False
    return usual.cost <= LITTLE * forest(problem.space, problem.k).cost


def _tightest(problem: Problem) -> LDiversity | None:
    """Return the l-diversity requirement that is hardest to meet, or None if the policy has none with l > 1.

    It is the one with the largest product of l and the count of the most frequent value of its column.
    """
    asked = [one for one in problem.requirements if isinstance(one, LDiversity) and one.l > 1]
    return max(
        asked,
        key=lambda one: one.l * _held(one, problem).max(initial=0),
        default=None,
    )


def _held(asked: LDiversity, problem: Problem) -> Labels:
    """Return how many records have each value that counts towards l."""
    codes = values_counted(asked, problem.records)
    return np.bincount(codes[codes >= 0])


def _grown(problem: Problem, budget: Budget, asked: LDiversity, least: int, usual: Partition) -> Partition:
    """Return groups of at least `least` different values, merged until they meet the other requirements.

    They are improved with a part of the effort first, and with all of it only if their cost is then at most HOPEFUL
    times that of `usual`.
    """
    codes = values_counted(asked, problem.records)
    known, improve = np.flatnonzero(codes >= 0), problem.choice.objective == "radius"
    found = diverse(problem.space.take(known), codes[known], least, improve=improve)
    labels = found.labels
    if len(known) < len(codes):  # records without a value that counts go where their nearest record with one is
        unknown = np.flatnonzero(codes < 0)
        nearest = Neighbors(problem.space.take(known)).nearest(1, problem.space.coordinates[unknown])[1][:, 0]
        labels = np.empty(len(codes), dtype=np.int64)
        labels[known], labels[unknown] = found.labels, found.labels[nearest]
        labels = number_groups(labels)
    start = replace(
        found,
        labels=labels,
        objective=usual.objective,
        centers=None,
        radii=None,
        cost=problem.cost(labels),
        lower_bound=0.0,
        ratio_proved=None,
        theorem=None,
        theorem_cost=None,
        details=Details(),
    )
    ready = _merged(start, replace(problem, max_suppressed=0.0))
    full = budget.effort if budget.effort is not None else GROWN_GROUPS
    ready = polished(ready, problem, replace(budget, effort=FIRST_LOOK * full))
    return polished(ready, problem, budget) if ready.cost <= HOPEFUL * usual.cost else ready
