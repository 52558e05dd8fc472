"""Groups made for l and t from the start, as an alternative to repairing groups that were made for k alone.

A repair merges neighbors, whose sensitive values are unbalanced in the same way, so a tight t ends in groups of
hundreds of records. Balanced cuts (`partition.balance`) go the other way: they begin with the whole table, which
meets any t.
"""

from __future__ import annotations

import time
from dataclasses import replace

from shoal.effort import BALANCED_CUTS, GENERALIZATION_UNIT
from shoal.errors import InfeasibleError
from shoal.partition.balance.search import balanced
from shoal.partition.generalization.full_domain import full_domain_below
from shoal.partition.generalization.mondrian import mondrian
from shoal.partition.methods.balancing import balances, share_failing
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.repair.merge import repair
from shoal.partition.result import Partition
from shoal.partition.rules import Regrouped
from shoal.requirements import ShareLimit, Tally, TCloseness

FEWEST_FAILING = 0.2
"""Without t, balanced cuts are tried only if groups with more than this share of the records fail: the search by
exchanges already keeps most kinds of l, and its groups are smaller than those of cuts."""
AGAIN = 2
"""The kernels count rows, and take neighboring values of a long order together. Where the requirements themselves are
then missed by some groups, cuts are made again up to this many times with a t that is lowered by what was missed."""


def worth_balancing(failing: float, problem: Problem) -> bool:
    """Return whether balanced cuts are tried if groups with the share `failing` of the records miss a requirement."""
    close = any(isinstance(one, TCloseness | ShareLimit) for one in problem.requirements)
    return failing > (0.0 if close else FEWEST_FAILING)


def balanced_groups(usual: Partition, problem: Problem, budget: Budget) -> Partition:
    """Return groups that meet every requirement, made by balanced cuts of the whole table.

    They have the lower bound of `usual` and no ratio. No record is suppressed.
    """
    labels, timed_out = _balanced(problem, budget)
    return usual.without_claim(
        "groups were made by cuts of the whole table that keep every requirement",
        labels=labels,
        cost=problem.cost(labels),
        centers=None,
        radii=None,
        theorem_cost=None,
        repair=None,
        timed_out=timed_out,
    )


def or_simpler(found: Partition, problem: Problem, *, suppress: bool = True) -> Partition:
    """Return `found`, or the groups of Mondrian or of one level per column if those cost less.

    All meet every requirement. So the default method never costs more than `mondrian`, `mondrian-relaxed` and
    `full-domain` with requirements on values. Nothing is compared without them. Records are left out only with
    `suppress`, and no more than `problem.max_suppressed`.
    """
    if not balances(problem):
        return found
    for relaxed in (False, True):
        other = mondrian(
            problem.space,
            problem.k,
            relaxed=relaxed,
            requirements=problem.requirements,
            about=problem.records,
            bound=False,
        )
        cost = problem.cost(other.labels)
        if cost < found.cost and not share_failing(other.labels, problem):  # it counts rows; people may fall short
            found = with_groups_of(other, found, cost)
    return _or_levels(found, problem, suppress=suppress)


def _or_levels(found: Partition, problem: Problem, *, suppress: bool) -> Partition:
    """Return `found`, or the groups of one level per column if those cost less."""
    try:
        other = full_domain_below(
            problem.space,
            problem.k,
            found.cost,
            loss=problem.choice.loss,
            max_suppressed=problem.max_suppressed if suppress else 0.0,
            requirements=problem.requirements,
            about=problem.records,
        )
    except InfeasibleError:
        return found
    if other is None or share_failing(other.labels, problem):
        return found
    cost = problem.cost(other.labels)
    return with_groups_of(other, found, cost) if cost < found.cost else found


def with_groups_of(other: Partition, found: Partition, cost: float) -> Partition:
    """Return `found` with the groups of another method, which cost less: a ratio of `found` holds for them too."""
    why = f"the groups are those of {other.method}, which cost less than others that were tried"
    notes = (*(note for note in found.notes if found.theorem and found.theorem in note), why)
    return replace(found, labels=other.labels, cost=cost, centers=None, radii=None, repair=None, notes=notes)


def _balanced(problem: Problem, budget: Budget) -> Regrouped:
    """Return the groups of balanced cuts; the few that miss a requirement as it is really counted are merged."""
    n = len(problem.space)
    rounds = BALANCED_CUTS.for_records(n)
    if budget.effort is not None:
        rounds = BALANCED_CUTS.usual * budget.effort / GENERALIZATION_UNIT
    left = budget.seconds_left
    deadline = None if left is None else time.monotonic() + left
    stricter = 0.0
    for attempt in range(AGAIN + 1):
        labels, timed_out = balanced(
            problem.space,
            problem.k,
            problem.requirements,
            problem.records,
            rounds=int(rounds),
            seed=budget.seed,
            stricter=stricter,
            deadline=deadline,
        )
        counts = Tally.of(labels, problem.records).counts()
        asked = [one for one in problem.requirements if isinstance(one, TCloseness)]
        missed = max((float(one.shortfall(counts).max()) for one in asked), default=0.0)
        if attempt == AGAIN or missed == 0.0:
            break
        stricter += missed
    start = Partition(labels=labels, method="forest", objective="generalization", cost=problem.cost(labels))
    ready = repair(start, problem.space, problem.requirements, problem.records, cost=problem.cost)
    return Regrouped(ready.labels, timed_out)
