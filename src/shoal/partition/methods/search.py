"""The search by exchanges for less generalization: as a whole, or in blocks if the table is large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from shoal.effort import GENERALIZATION
from shoal.partition.blocks.feasible import admissible_cuts
from shoal.partition.blocks.nearest import NearestInBlocks
from shoal.partition.blocks.search import Part, Search, search_in_blocks, worth_cutting
from shoal.partition.generalization.annealing import LOW_PRICE, PRICE, regroup
from shoal.partition.generalization.annealing_schedule import Whole
from shoal.partition.generalization.forest import KnownNearest, rounded_down
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.result import Floats, Labels, Partition
from shoal.partition.rules import Regrouped, Rule
from shoal.requirements import LDiversity
from shoal.space.space import Space

BORDER_EFFORT = 0.3
"""The effort of the search along the borders between blocks, as a share of that in blocks: its groups are good."""


class Found(NamedTuple):
    """The groups of a search in blocks, whether time ran out, and the nearest rows that it came to know."""

    labels: Labels
    timed_out: bool
    known: KnownNearest | None


def in_blocks(problem: Problem, k: int, rules: list[Rule], budget: Budget) -> bool:
    """Return whether the search of a problem divides the table into blocks."""
    return budget.effort != 0 and worth_cutting(problem.space, k, copies_count=bool(rules))


def searched(problem: Problem, labels: Labels, k: int, rules: list[Rule], budget: Budget, usual: float) -> Regrouped:
    """Return groups of at least `k` records after a search by exchanges, in blocks if the table is large.

    Groups found in blocks do not begin with those of `labels` and may cost more.
    """
    if in_blocks(problem, k, rules, budget):
        found = searched_in_blocks(problem, k, rules, budget, usual)
        return Regrouped(found.labels, found.timed_out)
    everything = Part(np.arange(len(problem.space)), labels, False, True, 0, budget.time_limit)
    return _search(problem, k, rules, budget, usual, None)(everything)


def searched_in_blocks(problem: Problem, k: int, rules: list[Rule], budget: Budget, usual: float) -> Found:
    """Return groups of at least `k` records after a search by exchanges in blocks and along their borders."""
    space, people = problem.space, problem.records.people
    nearest = NearestInBlocks(space, k)
    found = search_in_blocks(
        space,
        k,
        _search(problem, k, rules, budget, usual, nearest),
        people=people,
        admissible=admissible_cuts(problem.requirements, problem.records, k),
        copies_count=bool(rules),
        seed=budget.seed,
        time_limit=budget.time_limit,
    )
    # rows of a person are moved to one block, and then other blocks may be nearer than cuts say
    known = nearest.known(found.blocks.apart) if people is None else None
    return Found(found.labels, found.timed_out, known)


def searched_part(
    problem: Problem, apart: Floats, k: int, rules: list[Rule], budget: Budget, usual: float
) -> Partition:
    """Return groups of a part of a table after a search by exchanges, with their bound by BLOCKS-4.

    No method with a theorem makes groups first: it would have seen a part of the table only.
    """
    space, n = problem.space, len(problem.space)
    nearest = NearestInBlocks(space, k)
    together = np.zeros(n, dtype=np.int64)
    found = _search(problem, k, rules, budget, usual, nearest)(
        Part(np.arange(n), together, False, True, 0, budget.time_limit)
    )
    return Partition(
        labels=number_groups(found.labels),
        method=problem.choice.method,
        objective=problem.choice.minimizes,
        cost=problem.cost(found.labels),
        lower_bound=rounded_down(nearest.least_cost(apart), len(space.axes)),
        timed_out=found.timed_out,
    )


def searched_on(
    problem: Problem, labels: Labels, k: int, rules: list[Rule], budget: Budget, usual: float
) -> Regrouped:
    """Return groups after a search that begins with those of `labels`, with the effort of a search along borders."""
    present = Part(np.arange(len(problem.space)), labels, True, False, 0, budget.time_limit)
    return _search(problem, k, rules, budget, usual, None)(present)


def _search(
    problem: Problem, k: int, rules: list[Rule], budget: Budget, usual: float, nearest: NearestInBlocks | None
) -> Search:
    """Return the search for a part of the table; `nearest` gathers the neighbors that are found in blocks."""
    space, n, phases = problem.space, len(problem.space), _phases(problem, rules, usual)
    numbers = problem.whole or (None if nearest is None else Whole.of(space, k))

    def search(part: Part) -> Regrouped:
        """Return the groups of a part after all phases, or after the last one if they were searched before."""
        found, timed_out = part.labels, False
        whole = len(part.rows) == n
        inside = space if whole else space.take(part.rows)
        asked = rules if whole else [replace(rule, codes=rule.codes[part.rows]) for rule in rules]
        near = None if nearest is None or part.continued else nearest.lists_of(inside, part.rows)
        for number, phase in enumerate(phases):
            if part.continued and number < len(phases) - 1:
                continue
            share = BORDER_EFFORT if part.continued else 1.0
            found, late = regroup(
                inside,
                found,
                k,
                rules=asked if phase.price else (),
                price=phase.price,
                continued=part.continued,
                from_cells=part.from_cells,
                near=near,
                whole=numbers,
                effort=None if budget.effort is None else share * phase.share * budget.effort,
                time_limit=None if part.time_limit is None else phase.share * part.time_limit,
                seed=budget.seed + number + len(phases) * part.number,
                usual=share * phase.usual,
                n_threads=None if whole else 1,
            )
            timed_out = timed_out or late
        return Regrouped(found, timed_out)

    return search


def improved(
    space: Space,
    labels: Labels,
    k: int,
    *,
    rules: Sequence[Rule],
    keep: bool,
    effort: float | None,
    usual: float = GENERALIZATION.usual,
    time_limit: float | None,
    seed: int,
) -> Regrouped:
    """Return groups that cost no more than those of `labels`, found by `regroup`; in blocks if the table is large.

    With `keep`, groups that meet the rules still do afterwards: blocks then have whole groups.
    """
    divided = effort != 0 and worth_cutting(space, k, copies_count=bool(rules))
    numbers = Whole.of(space, k) if divided else None

    def search(part: Part) -> Regrouped:
        whole = len(part.rows) == len(space)
        return regroup(
            space if whole else space.take(part.rows),
            part.labels,
            k,
            rules=rules if whole else [replace(rule, codes=rule.codes[part.rows]) for rule in rules],
            keep=keep,
            continued=not whole,
            whole=numbers,
            effort=effort,
            usual=usual,
            time_limit=part.time_limit,
            seed=seed + part.number,
            n_threads=None if whole else 1,
        )

    if not divided:
        return search(Part(np.arange(len(space)), labels, False, True, 0, time_limit))
    found = search_in_blocks(
        space, k, search, labels=labels, copies_count=bool(rules), seed=seed, time_limit=time_limit
    )
    return Regrouped(found.labels, found.timed_out)


class _Phase(NamedTuple):
    """One search: its effort where the policy gives none, its share of that of the policy, and the price of rules."""

    usual: float
    share: float
    price: float | None


def _phases(problem: Problem, rules: list[Rule], usual: float) -> list[_Phase]:
    """Return the searches that follow one another.

    With l, groups are first searched as if k were all, then with a low price for missing values, so that they move to
    places where values differ, and then with a high one: one search with a high price is stuck where it begins.
    """
    if not any(isinstance(one, LDiversity) for one in problem.requirements):
        return [_Phase(usual, 1.0, PRICE if rules else None)]
    shares = ((0.4, None), (0.2, LOW_PRICE), (0.25, PRICE))
    return [_Phase(share * GENERALIZATION.usual, share, price) for share, price in shares]
