"""Groups that meet every requirement at the lowest loss found.

Two ways lead there for groups that miss something: merge them with their neighbors (`repair`), or first exchange
records (`swap`) and merge what is left. The cheaper result is kept and polished. A policy that asks for diversity
has a third: groups grown of records with different values (`diverse`), which meet it from the start.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from shoal.effort import GENERALIZATION_AFTER_REPAIR, GROWN_GROUPS
from shoal.partition.diversity.diverse import diverse
from shoal.partition.generalization.annealing import regroup
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.methods.run import rules_of
from shoal.partition.microaggregation.annealing_with_rules import regroup_squared
from shoal.partition.microaggregation.group_loss import as_points, is_squared_error
from shoal.partition.repair.exchange import exchange_records
from shoal.partition.repair.merge import repair
from shoal.partition.result import Details, Labels, Partition, Repair, number_groups
from shoal.requirements import LDiversity, TCloseness
from shoal.requirements.frequencies import fewest_dropped

MOST_GROWN = 50_000
"""Records beyond which growing groups takes longer than a release should."""
GROWING = 5e-4
"""Seconds per record that growing groups may take: where a time limit leaves less, it is not tried."""
FIRST_LOOK, HOPEFUL = 0.1, 1.25
"""Grown groups get this share of the effort at first, and all if they then cost at most HOPEFUL times the others."""


def met(partition: Partition, problem: Problem, budget: Budget) -> Partition:
    """`partition` itself where it meets everything; else its groups merged or exchanged until they do, polished."""
    restored = _restored(partition, problem)
    return _centered(partition if restored is partition else polished(restored, problem, budget), problem)


def _centered(partition: Partition, problem: Problem) -> Partition:
    """Groups around records have centers and radii, also after a change."""
    if not problem.choice.minimized.around_records or partition.centers is not None:
        return partition
    from shoal.partition.radius.gather import best_centers

    centers, radii = best_centers(problem.space, partition.labels)
    return replace(partition, centers=centers, radii=radii)


def _restored(partition: Partition, problem: Problem) -> Partition:
    """All requirements met, by merges alone or after exchanges: whichever loses less."""
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
    return min(merged, after, key=lambda one: (one.n_suppressed, one.cost))


def exchangeable(problem: Problem) -> bool:
    """Whether exchanging records may be tried before merging, as the table of methods says."""
    if problem.choice.record.exchanges == "for t":
        return any(isinstance(one, TCloseness) for one in problem.requirements)
    return problem.choice.record.exchanges == "always"


def _merged(partition: Partition, problem: Problem) -> Partition:
    return repair(
        partition,
        problem.space,
        problem.requirements,
        problem.records,
        cost=problem.cost,
        max_suppressed=problem.max_suppressed,
    )


def _changed(partition: Partition, labels: Labels, problem: Problem, n_moved: int) -> Partition:
    cost = problem.cost(labels)
    told = Repair(
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
        repair=told,
    )


def polished(repaired: Partition, problem: Problem, budget: Budget) -> Partition:
    """Records exchanged between repaired groups for less loss; requirements that this breaks are repaired again.

    Never dearer than `repaired`. Only what was exchanged before is polished: a method asked for by name stays itself.
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
        labels, timed_out = regroup(
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
    told = repaired.repair
    if told is not None:
        told = replace(told, cost_after=again.cost, groups_after=again.n_groups)
    return replace(again, notes=repaired.notes, repair=told, timed_out=timed_out)


def or_grown(usual: Partition, problem: Problem, budget: Budget) -> Partition:
    """`usual`, or groups grown of different values where those cost less; the loss of both is told.

    Only for a policy that asks for diversity. What a theorem promises of `usual` is true of cheaper groups too.
    """
    asked = _tightest(problem)
    if asked is None or not problem.choice.record.stands_for_objective:
        return usual
    counts = np.bincount(problem.records.sensitive[asked.column])
    column, least = asked.column, math.ceil(asked.l)
    hindered = ""
    if fewest_dropped(counts, least).dropped:
        hindered = f"its most frequent value is held by more than one in {least} of the rows"
    elif usual.n_suppressed:
        hindered = "rows were suppressed"
    elif len(problem.space) > MOST_GROWN:
        hindered = f"there are more than {MOST_GROWN} rows"
    elif budget.seconds_left is not None and budget.seconds_left < GROWING * len(problem.space):
        hindered = "the time limit leaves too little time"
    if hindered:
        told = f"groups in which all values of {column} differ were not tried: {hindered}"
        return replace(usual, notes=(*usual.notes, told))
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


def _tightest(problem: Problem) -> LDiversity | None:
    """The diversity that leaves the least room."""
    asked = [one for one in problem.requirements if isinstance(one, LDiversity) and one.l > 1]
    return max(
        asked,
        key=lambda one: one.l * np.bincount(problem.records.sensitive[one.column]).max(),
        default=None,
    )


def _grown(problem: Problem, budget: Budget, asked: LDiversity, least: int, usual: Partition) -> Partition:
    """Groups of different values, merged until they meet the rest, and improved where that looks hopeful."""
    codes = problem.records.sensitive[asked.column]
    found = diverse(problem.space, codes, least, improve=problem.choice.objective == "radius")
    start = replace(
        found,
        objective=usual.objective,
        cost=problem.cost(found.labels),
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
