"""Hold the groups of a release against groups for l-diversity whose cost is proved, and release the cheaper ones.

Guarantee   the groups that are returned meet every requirement and cost no more than those of `residue` and `cycles`,
            so the ratio of theorem RESIDUE-1 or CYCLES-1 (docs/proofs/residue.md) holds for them. It is claimed where
            the policy asks for k and for one column in which no value has more than 1/l of a group, l a whole number,
            and for nothing else: not with missing values that do not count, with people of several rows, or where
            rows may be left out. With l different values (kind "distinct") the optimum is lower, and nothing is
            claimed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.partition.generalization.cycles import MOST_ROWS, cycles
from shoal.partition.generalization.residue import residue
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.repair.meet import polished
from shoal.partition.result import Partition
from shoal.requirements import KAnonymity, LDiversity, values_counted

OF_SHARES = ("RESIDUE-1", "CYCLES-1")
"""The theorems whose groups are tried here."""
MOST_RESIDUE = 1_000_000
"""With more records, no residue is looked for: it takes seconds for so many."""
ASSIGNING = 2e-3
"""Seconds per record that cycles take at most; they are not looked for if the time limit leaves less."""


def or_proved(found: Partition, problem: Problem, budget: Budget) -> Partition:
    """Return `found`, or groups of `residue` or `cycles` if those cost less, with the smallest ratio proved of them.

    A lower bound of theirs is reported if it is higher. Where their theorems do not apply, `found` is returned.
    """
    asked = asked_of_shares(problem)
    if asked is None or found.n_suppressed:
        return found
    for other in _proved(problem, asked, budget):
        bound = min(other.lower_bound, found.cost)
        if bound > found.lower_bound:
            found = replace(found, lower_bound=bound, details=replace(found.details, bound=other.method))
        cost = problem.cost(other.labels)
        if cost < found.cost:
            taken = replace(found, labels=other.labels, cost=cost, centers=None, radii=None, repair=None)
            why = (
                f"the search for the groups began with those of theorem {other.theorem}, which cost less than others"
            )
            found = replace(polished(taken, problem, budget), repair=None, notes=(*found.notes, why))
        # A certificate of groups grown of different values names no theorem on the groups that they replaced.
        named = None if found.method == "diverse" and found.theorem not in OF_SHARES else found.ratio_proved
        if other.ratio_proved is not None and (named or other.ratio_proved) >= other.ratio_proved:
            found = replace(found, ratio_proved=other.ratio_proved, theorem=other.theorem, theorem_cost=cost)
    return found


def asked_of_shares(problem: Problem) -> LDiversity | None:
    """Return what is asked of sensitive values if theorems on shares of values apply to the problem, else None."""
    choice = problem.choice
    usual = choice.objective == "generalization" and choice.record.stands_for_objective
    if not usual or problem.max_suppressed or problem.apart is not None or problem.is_block:
        return None
    if problem.records.people is not None or len(problem.requirements) != 2:
        return None
    first, asked = problem.requirements
    if not isinstance(first, KAnonymity) or not isinstance(asked, LDiversity) or asked.kind != "frequency":
        return None
    if asked.l < 2 or asked.l != int(asked.l) or (values_counted(asked, problem.records) < 0).any():
        return None
    return asked


def _proved(problem: Problem, asked: LDiversity, budget: Budget) -> Iterator[Partition]:
    """Return the groups of the theorems that apply: each meets the requirements."""
    values, n = np.asarray(values_counted(asked, problem.records)), len(problem.space)
    if n <= MOST_RESIDUE:
        yield residue(problem.space, values, int(asked.l), k=problem.k)
    left = budget.seconds_left
    if asked.l == 2 and problem.k <= 2 and n <= MOST_ROWS and (left is None or left >= ASSIGNING * n):
        yield cycles(problem.space, values)
