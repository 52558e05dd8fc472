"""Run the chosen method, by the same call for every method."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.effort import (
    GENERALIZATION,
    GENERALIZATION_THEN_RECOMBINED,
    GENERALIZATION_UNIT,
    GENERALIZATION_WITH_RULES,
)
from shoal.errors import ParameterError
from shoal.method_table import Fact, usual_method
from shoal.partition.generalization.forest import added_up, forest, forest_of
from shoal.partition.generalization.lower_bound import searches_groups, with_sharper_bound
from shoal.partition.generalization.set_partitioning import SMALL
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.balancing import MOST_REPAIRED, balances, share_failing
from shoal.partition.methods.cost import loaded
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.methods.search import Found, in_blocks, searched, searched_in_blocks, searched_part
from shoal.partition.microaggregation.group_loss import mixed_bound
from shoal.partition.result import Partition, share_of
from shoal.partition.rules import Rule
from shoal.requirements import (
    KAnonymity,
    LDiversity,
    Records,
    Requirement,
    TCloseness,
    least_size,
    least_values,
    values_counted,
)
from shoal.space.space import Space

BOUND_SHARE, MOST_BOUND = 0.25, 10.0
"""The share of a time limit that is left for the lower bound, and the largest effort for it; 1 is the usual one."""

MOST_BOUNDED_BY_T = 200_000
"""With more records, the bound does not use that t needs larger groups than k: it would take a second forest."""


def solve(problem: Problem, budget: Budget) -> Partition:
    """Run the chosen method and return groups of at least k records, improved if the method is followed by a search.

    The search takes requirements beyond k into account; those that the groups still miss are enforced later by
    `met`. A group with l different values has at least l records, so groups have at least max(k, l) records: the
    lower bound then holds for every grouping that meets both requirements.
    """
    choice, space, requirements, records = problem.choice, problem.space, problem.requirements, problem.records
    effort, time_limit = budget.effort, budget.time_limit
    k = least_records(problem)
    record = choice.record
    if record.only_k not in (None, k):
        raise ParameterError(
            f"method={record.name} makes groups of at least {record.only_k}; the policy asks for {k}.",
            f"take method={usual_method(record.objective).name}, which takes any number.",
        )
    rules = rules_of(requirements, records) if record.searched else []
    close = any(isinstance(asked, TCloseness) for asked in requirements)
    usual, begun = _usual_effort(problem, k, bool(rules) or close, budget), time.monotonic()
    work = effort
    if work is None and record.effort is not None:
        work = record.effort.for_records(len(space))
    facts: dict[Fact, Any] = {
        "k": k,
        "requirements": requirements,
        "records": records,
        "loss": choice.loss,
        "max_suppressed": problem.max_suppressed,
        "max_groups": choice.max_groups,
        "opening_cost": choice.opening_cost or None,
        "seed": budget.seed,
        "effort": work,
        "time_limit": time_limit,
    }
    given = {keyword: facts[fact] for keyword, fact in record.takes.items()}
    if problem.apart is not None and record.name == "forest" and not close:
        return searched_part(problem, problem.apart, k, rules, budget, usual)
    early = None
    if record.name == "forest" and not close and time_limit is None and in_blocks(problem, k, rules, budget):
        # The search in blocks comes first, because it finds most of the neighbors that the method needs. With a time
        # limit it comes last: the method has to end, and the search takes what is left.
        early = searched_in_blocks(problem, k, rules, budget, usual)
    found: Partition = (
        loaded(record.function)(space, **given, **record.options)
        if early is None or early.known is None
        else forest_of(added_up(space, k), k, known=early.known)
    )
    if record.objective == "generalization" and not record.whole_columns:
        found = replace(found, objective=choice.minimizes)
    n_may_go = 0 if record.suppresses else share_of(problem.max_suppressed, len(space))
    if n_may_go and not record.bounds_suppression:
        found = _bounded_with_suppression(found, space, k, n_may_go)
    if not record.searched:
        return found
    if not close or not balances(problem) or share_failing(found.labels, problem) <= MOST_REPAIRED:
        left = None if time_limit is None else max(0.0, (1 - BOUND_SHARE) * time_limit - (time.monotonic() - begun))
        found = _improved(found, problem, k, rules, replace(budget, time_limit=left), usual, early)
    # else `met` makes other groups: exchanges for k alone would be of no use
    if problem.apart is not None:
        return found.without_claim("these are groups of a part of the table", lower_bound=0.0, theorem_cost=None)
    work = 1.0 if effort is None else min(effort / GENERALIZATION_UNIT, MOST_BOUND)
    least, values = _implied_by_closeness(problem, k, n_may_go)

    def sharper(groups: Partition, size: int) -> Partition:
        """Return groups of at least `size` records with the sharpest bound on all groups of so many records."""
        return with_sharper_bound(
            groups,
            space,
            size,
            rules=rules,
            close=values,
            effort=work,
            time_limit=time_limit,
            max_suppressed=n_may_go,
            cost=None if rules or close else problem.cost,
        )

    if least == k or len(space) > MOST_BOUNDED_BY_T:
        return sharper(found, k)
    larger = sharper(forest(space, least), least)
    if larger.details.bound != "groups":  # the bound by groups may be out of reach for so large ones
        found = sharper(found, k)
    if larger.lower_bound <= found.lower_bound:
        return found
    return replace(found, lower_bound=larger.lower_bound, details=replace(found.details, bound=larger.details.bound))


def _usual_effort(problem: Problem, k: int, more_than_k: bool, budget: Budget) -> float:
    """Return the effort of the search for less generalization if the policy gives none."""
    if more_than_k:
        return GENERALIZATION_WITH_RULES
    space = problem.space
    recombined = problem.apart is None and searches_groups(space, k, 1.0, budget.time_limit)
    if recombined and len(space.distinct()[1]) > SMALL:
        return GENERALIZATION_THEN_RECOMBINED
    return GENERALIZATION.usual


def _implied_by_closeness(problem: Problem, k: int, n_may_go: int) -> tuple[int, list[Rule]]:
    """Return the least size of groups that are t-close, at least `k`, and how many different values they have.

    Theorem CLOSE-1, docs/proofs/cells.md. This is for the lower bound: groups that fail are made larger by `met`.
    """
    records, least = problem.records, k
    rules: list[Rule] = []
    for asked in problem.requirements:
        if isinstance(asked, TCloseness) and not problem.is_block:
            least = least_size(asked, records, least, n_may_go)
            values = least_values(asked, records, n_may_go)
            if values > 1:
                rules.append(Rule(records.sensitive[asked.column], float(values)))
    return least, rules


def least_records(problem: Problem) -> int:
    """Return how many records a group has at least: k, or l if that is more."""
    return max(problem.k, *(math.ceil(asked.l) for asked in problem.requirements if isinstance(asked, LDiversity)), 1)


def _bounded_with_suppression(found: Partition, space: Space, k: int, n_may_go: int) -> Partition:
    """Return the partition with a bound on releases that leave out up to `n_may_go` records, and without a ratio.

    For a method whose own bound and ratio are about groupings of all records: docs/proofs/microaggregation.md for
    squared error, docs/proofs/forest.md for generalization.
    """
    if found.objective in ("sse", "loss"):
        bound = min(mixed_bound(space, k, max_suppressed=n_may_go), found.cost)
        kind = "neighbors"
    else:
        bound, kind = forest(space, k).lower_bound, None
    found = replace(found, lower_bound=bound, details=replace(found.details, bound=kind))
    if found.theorem is None:
        return found
    return found.without_claim(
        f"{found.theorem} is about releases of all rows, and rows may be left out here, so its ratio is not claimed",
        theorem_cost=None,
    )


def _improved(
    proved: Partition,
    problem: Problem,
    k: int,
    rules: list[Rule],
    budget: Budget,
    usual: float,
    early: Found | None,
) -> Partition:
    """Return the groups after a search by exchanges that starts from the groups of the method, or of an early search.

    If they cost no more, the ratio proved of the method's groups holds for them too and is kept. Meeting `rules` may
    raise the cost; then the ratio is dropped.
    """
    labels, timed_out = early[:2] if early else searched(problem, proved.labels, k, rules, budget, usual)
    cost = problem.cost(labels)
    if cost > proved.cost and not rules:  # blocks do not begin with the groups of the method
        labels, cost = proved.labels, proved.cost
    better = replace(
        proved,
        labels=number_groups(labels),
        cost=cost,
        theorem_cost=proved.cost,
        timed_out=timed_out,
    )
    if cost <= proved.cost:
        return better
    # Meeting the rules raised the cost, so the ratio of the theorem need not hold.
    return better.without_claim("groups were changed to meet requirements beyond k", theorem_cost=None)


def rules_of(requirements: Sequence[Requirement], records: Records) -> list[Rule]:
    """Return the requirements as rules of the search: least number of people or values, or largest share of a value.

    Frequency and entropy l-diversity become a largest share of 1 / l, which implies both. Distinct and recursive
    l-diversity become l different values, which recursive l-diversity implies but exceeds. t-closeness has no rule.
    A missing value that does not count has the code -1.
    """
    rules = []
    for asked in requirements:
        if isinstance(asked, KAnonymity) and records.people is not None:
            rules.append(Rule(records.people, float(asked.k)))
        elif isinstance(asked, LDiversity):
            share = asked.kind in ("frequency", "entropy")
            rules.append(Rule(values_counted(asked, records), float(asked.l), share=share))
    return rules
