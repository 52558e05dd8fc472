"""The method of a choice, run: one call for every method, and the cost of any grouping in the method's objective."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from shoal.errors import ParameterError
from shoal.partition.generalization.annealing import BEFORE_REPAIR, regroup
from shoal.partition.generalization.annealing_schedule import USUAL
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Labels, Partition, number_groups
from shoal.partition.rules import Rule
from shoal.requirements import KAnonymity, LDiversity, Records, Requirement
from shoal.space.space import Space

EFFORT, LARGE = 1000, 30_000
"""Proposals per record in the search for the least squared error, where the policy gives none; fewer per record for
more records than LARGE."""


BOUND_SECONDS, MOST_BOUND = 10, 10.0
"""Time limit that the usual effort for the bound by cells fits in, as less than half of it; and the most effort."""

FACTORS = {"pairs": 2, "triples": 3}
"""Methods for one k alone."""


def solve(
    choice: Choice,
    space: Space,
    k: int,
    *,
    requirements: Sequence[Requirement] = (),
    records: Records | None = None,
    seed: int = 0,
    effort: float | None = None,
    time_limit: float | None = None,
    max_suppressed: float = 0.0,
) -> Partition:
    """Groups of at least `k` records of `space` by the chosen method, improved where that can be done.

    Requirements beyond k steer the improvement; meeting them in every group is left to `repair`. A group with l
    different values has at least l records, so groups are made of max(k, l): what is proved of them is proved of
    every grouping that meets both.
    """
    k = max(k, *(math.ceil(asked.l) for asked in requirements if isinstance(asked, LDiversity)), 1)
    if choice.objective == "radius":
        from shoal.partition.radius.gather import gather

        return gather(space, k, max_outliers=max_suppressed)
    if choice.objective == "cellular":
        from shoal.partition.cellular_cost.cellular import cellular

        return cellular(space, r=k, max_outliers=max_suppressed)
    if choice.whole_columns:
        from shoal.partition.generalization.full_domain import datafly, full_domain

        recode = full_domain if choice.method == "full-domain" else datafly
        limits = {"loss": choice.loss, "max_suppressed": max_suppressed}
        return recode(space, k, requirements=requirements, about=records, **limits)  # type: ignore[arg-type]
    if choice.method.startswith("mondrian"):
        from shoal.partition.generalization.mondrian import mondrian

        relaxed = choice.method == "mondrian-relaxed"
        return mondrian(space, k, relaxed=relaxed, requirements=requirements, about=records)
    if choice.objective == "generalization":
        rules = rules_of(requirements, records) if records is not None else []
        usual, begun = BEFORE_REPAIR if rules else USUAL, time.monotonic()
        proved = _proved(choice.method, space, k)
        if not rules:  # with rules far more is lost than the bound knows of, however sharp it is
            proved = _bounded(proved, space, k, usual if effort is None else effort, time_limit)
        left = None if time_limit is None else max(0.0, time_limit - (time.monotonic() - begun))
        return _improved(proved, choice, space, k, rules, seed=seed, effort=effort, usual=usual, time_limit=left)
    from shoal.partition.microaggregation.group_loss import is_squared_error
    from shoal.partition.microaggregation.microaggregate import microaggregate

    # One column can be cut at best, and exactly.
    alone = choice.method == "best" and space.coordinates.shape[1] == 1 and is_squared_error(space)
    method = "optimal" if alone else choice.method
    work = math.ceil(effort if effort is not None else EFFORT * min(1.0, LARGE / max(len(space), 1)))
    return microaggregate(space, k, method=method, seed=seed, effort=work, time_limit=time_limit)


def _proved(method: str, space: Space, k: int) -> Partition:
    """Groups that a theorem on generalization speaks of."""
    from shoal.partition.generalization.forest import forest
    from shoal.partition.generalization.pairs import pairs
    from shoal.partition.generalization.triples import triples

    if method == "forest":
        return forest(space, k)
    if k != FACTORS[method]:
        raise ParameterError(
            f"method={method} makes groups of at least {FACTORS[method]}; the policy asks for {k}.",
            "take method=forest, which takes any number.",
        )
    return pairs(space) if method == "pairs" else triples(space)


def _bounded(found: Partition, space: Space, k: int, effort: float, time_limit: float | None) -> Partition:
    """With the sharper bound by cells, which takes seconds: a part of what the search may take."""
    from shoal.partition.generalization.cell_bound import cell_bound

    if found.lower_bound == 0:
        return found
    work = min(effort / USUAL, MOST_BOUND)
    bound = cell_bound(space, k, effort=work if time_limit is None else min(work, time_limit / BOUND_SECONDS))
    if bound <= found.lower_bound:
        return found
    return replace(found, lower_bound=bound, details={**found.details, "bound": "cells"})


def _improved(
    proved: Partition,
    choice: Choice,
    space: Space,
    k: int,
    rules: list[Rule],
    *,
    seed: int,
    effort: float | None,
    usual: float,
    time_limit: float | None,
) -> Partition:
    """Cheaper groups than those a theorem speaks of: what it promises of them is then true of these."""
    labels, timed_out = regroup(
        space, proved.labels, k, rules=rules, effort=effort, time_limit=time_limit, seed=seed, usual=usual
    )
    cost = cost_of(choice, space)(labels)
    better = replace(
        proved,
        labels=number_groups(labels),
        cost=cost,
        theorem_cost=proved.cost,
        details={**proved.details, "timed_out": timed_out},
    )
    if cost <= proved.cost:
        return better
    # Rules were met at a price that the theorem does not know of.
    return better.without_claim("groups were changed to meet requirements beyond k", theorem_cost=None)


def rules_of(requirements: Sequence[Requirement], records: Records) -> list[Rule]:
    """Requirements as the search knows them: different people, different values, or a largest share.

    A largest share of 1 / l implies entropy l; recursive diversity begins with l different values.
    """
    rules = []
    for asked in requirements:
        if isinstance(asked, KAnonymity) and records.people is not None:
            rules.append(Rule(records.people, float(asked.k)))
        elif isinstance(asked, LDiversity):
            share = asked.kind in ("frequency", "entropy")
            rules.append(Rule(records.sensitive[asked.column], float(asked.l), share=share))
    return rules


def cost_of(choice: Choice, space: Space) -> Callable[[Labels], float]:
    """The cost of a grouping of `space` in the choice's objective; suppressed records (-1) cost nothing."""
    if choice.objective == "radius":
        from shoal.partition.radius.gather import radius_cost

        return lambda labels: radius_cost(space, labels)
    if choice.objective == "cellular":
        from shoal.partition.radius.gather import cellular_cost

        return lambda labels: cellular_cost(space, labels)
    if choice.objective == "generalization":
        from shoal.partition.generalization.forest import generalization_cost

        return lambda labels: generalization_cost(space, labels)
    from shoal.partition.microaggregation.group_loss import MixedLoss, loss_of

    lost = MixedLoss(space)
    return lambda labels: loss_of(lost, labels)
