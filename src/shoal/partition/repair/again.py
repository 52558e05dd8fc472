"""Search groups again that meet every requirement, beginning with what they are.

Guarantee   the groups that are returned meet every requirement of the problem, or are those that were given; they
            never cost more than these.
"""

from __future__ import annotations

from dataclasses import replace

from shoal.effort import GENERALIZATION
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.balancing import balances
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.methods.run import least_records, rules_of
from shoal.partition.methods.search import searched_on
from shoal.partition.repair.balanced import balanced_groups
from shoal.partition.repair.meet import met
from shoal.partition.result import Partition
from shoal.requirements import TCloseness


def searched_again(present: Partition, problem: Problem, budget: Budget) -> Partition:
    """Return groups of lower cost that meet every requirement, or `present` if none were found.

    Exchanges of records would break t in most groups, so with t other groups are made by balanced cuts.
    """
    if any(isinstance(asked, TCloseness) for asked in problem.requirements):
        found = balanced_groups(present, problem, budget) if balances(problem) else present
    else:
        rules = rules_of(problem.requirements, problem.records)
        k = least_records(problem)
        labels, timed_out = searched_on(problem, present.labels, k, rules, budget, GENERALIZATION.usual)
        moved = replace(present, labels=number_groups(labels), cost=problem.cost(labels), timed_out=timed_out)
        found = met(moved, problem, budget)
    return found if found.cost < present.cost else present
