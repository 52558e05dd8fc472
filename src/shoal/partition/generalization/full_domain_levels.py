"""The result of one choice of levels in full-domain generalization: its groups, suppressed records and loss.

Also the lower bounds on the loss of all finer choices, by which the search skips most of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from shoal.errors import ParameterError
from shoal.partition.generalization.full_domain_groups import COMPARED, keep_groups
from shoal.partition.result import Floats, Labels
from shoal.requirements import KAnonymity, LDiversity, Records, Requirement, Tally, TCloseness
from shoal.requirements.counts import Counts
from shoal.space.cell_costs import information_costs
from shoal.space.space import Axis, Space

LOSSES = ("ncp", "information", "levels", "entropy")
Chosen = tuple[int, ...]
MARGIN = 1e-9
"""Distances are rounded sums: only groups that miss t by more than this rule out finer choices."""
WORK_EACH, WORK_IN_ALL, WORK_LEAST = 2_000_000, 8_000_000, 50_000
"""Work for the sets of groups of one choice of levels: WORK_EACH, and WORK_LEAST once there was WORK_IN_ALL, which
takes about 3 s. On Adult with t = 0.2 and 5 % of the rows, one to three sets settle each choice."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result of one choice of levels: the group of each different record (-1 if suppressed) and the loss."""

    levels: Chosen
    labels: Labels
    loss: float
    n_suppressed: int
    """Number of suppressed records, copies counted."""
    too_few: npt.NDArray[np.bool_]
    """For each different record: whether its group misses a requirement that would need more records."""
    n_too_few: int
    """Number of records, copies counted, for which `too_few` is True."""
    hopeless: bool = False
    """Whether this choice, and every finer one, would have to suppress more records than may be."""


@dataclass(eq=False)
class Levels:
    """The different records with their hierarchy node, and its loss, at every level of every axis."""

    axes: tuple[Axis, ...]
    counts: Labels
    point_of: Labels
    k: int
    growing: tuple[Requirement, ...]
    """Requirements that stay met when a group grows: k, and l different values."""
    others: tuple[Requirement, ...]
    """All other requirements."""
    about: Records | None
    nodes: list[list[Labels]]
    """nodes[axis][level]: the node of every different record."""
    costs: list[list[Floats]]
    """costs[axis][level]: the loss of every different record."""
    n_outcomes: int = field(default=0)
    """Number of choices of levels that have been evaluated."""
    work: int = field(default=0)
    """How much was spent on sets of groups, where it matters for a group which others are suppressed."""
    exact: bool = field(default=True)
    """Whether for every choice that was evaluated the best set of groups to suppress was found."""

    @classmethod
    def of(
        cls, space: Space, loss: str, k: int, requirements: Sequence[Requirement], about: Records | None
    ) -> Levels:
        points, counts, point_of = space.distinct()
        nodes: list[list[Labels]] = []
        costs: list[list[Floats]] = []
        for j, axis in enumerate(space.axes):
            above, weight, rank = _tree(axis, points.coordinates[:, j])
            nodes.append([np.ascontiguousarray(above[rank, h], dtype=np.int64) for h in range(above.shape[1])])
            costs.append(_costs(above, rank, counts, loss, weight))
        asked = [r for r in requirements if about is not None]
        if about is None or about.people is None:
            asked = [r for r in asked if not isinstance(r, KAnonymity)]  # k is checked on the records themselves
        growing = tuple(r for r in asked if isinstance(r, KAnonymity) or _is_distinct(r))
        others = tuple(r for r in asked if r not in growing)
        made = cls(space.axes, counts, point_of, k, growing, others, about, nodes, costs)
        if not math.isfinite(math.fsum(float(counts @ column[-1]) for column in costs)):
            raise ParameterError(
                "the ranges of these records are beyond floating-point numbers.",
                "divide the largest columns by their range first.",
            )
        return made

    @property
    def shape(self) -> Chosen:
        """The number of levels of each axis, including the values themselves and the root."""
        return tuple(len(column) for column in self.nodes)

    def n_values(self, axis: int, level: int) -> int:
        """Return the number of different nodes that occur on an axis at a level."""
        return len(np.unique(self.nodes[axis][level]))

    def bounds(self, fine: Outcome | None = None) -> Floats:
        """Return a lower bound on the loss of every choice of levels.

        It assumes that no record is suppressed. With `fine`, the bounds are for choices up to its levels only, and
        the records that are in too small groups there count as suppressed, because they are in every finer choice.
        """
        lost = fine.too_few if fine is not None else np.zeros(len(self.counts), dtype=bool)
        kept, suppressed = self.counts * ~lost, self.counts * lost
        total: Floats = np.zeros(())
        for j, column in enumerate(self.costs):
            most = len(column) if fine is None else fine.levels[j] + 1
            here = np.array([_dot(kept, cost) for cost in column[:most]]) + _dot(suppressed, column[-1])
            total = total[..., None] + here
        return np.ascontiguousarray(total)

    def outcome(self, levels: Chosen, budget: int, most: float = math.inf) -> Outcome:
        """Return the groups at a choice of levels; groups that miss a requirement are suppressed as a whole.

        Of the sets of groups that may be suppressed, it is the one with the least loss. If more than `budget` records
        would have to go, or the loss is not below `most`, the evaluation ends there, with an infinite loss.
        """
        self.n_outcomes += 1
        group, n_groups = self._groups(levels)
        size = np.bincount(group, weights=self.counts, minlength=n_groups).astype(np.int64)
        short = size < self.k
        labels = np.where(short[group], -1, group)
        if self.growing and self.counts[labels < 0].sum() <= budget and not short.all():
            labels = self._without_broken(labels, self.growing)
        too_few = labels < 0
        n_too_few = int(self.counts[too_few].sum())
        if n_too_few > budget:
            return Outcome(levels, labels, math.inf, n_too_few, too_few, n_too_few, hopeless=True)
        n_to_go = self._fewest_to_go(labels, budget - n_too_few)
        if n_to_go > budget - n_too_few:
            return Outcome(levels, labels, math.inf, n_too_few + n_to_go, too_few, n_too_few, hopeless=True)
        if self.others and (labels >= 0).any():
            alone = [one for one in self.others if not isinstance(one, COMPARED)]
            labels = self._without_broken(labels, alone) if alone else labels
            compared = [one for one in self.others if isinstance(one, COMPARED)]
            if compared and (labels >= 0).any():
                labels = self._kept(labels, levels, compared, budget, most)
        suppressed = labels < 0
        n_suppressed = int(self.counts[suppressed].sum())
        if n_suppressed > budget:
            return Outcome(levels, labels, math.inf, n_suppressed, too_few, n_too_few)
        return Outcome(levels, labels, self._loss(labels, levels), n_suppressed, too_few, n_too_few)

    def _loss(self, labels: Labels, levels: Chosen) -> float:
        """Return the loss of a choice of levels in which the records with the label -1 are suppressed."""
        suppressed = labels < 0
        return math.fsum(
            _dot(self.counts * ~suppressed, column[h]) + _dot(self.counts * suppressed, column[-1])
            for column, h in zip(self.costs, levels, strict=True)
        )

    def _kept(
        self, labels: Labels, levels: Chosen, compared: Sequence[Requirement], budget: int, most: float
    ) -> Labels:
        """Return the labels with -1 for the groups that are best suppressed, so that the others meet `compared`.

        If there is no set of at most `budget` records with a loss below `most`, all groups have -1.
        """
        assert self.about is not None
        kept, numbered = np.unique(labels[labels >= 0], return_inverse=True)
        here = np.flatnonzero(labels >= 0)
        n_rows = np.bincount(numbered, weights=self.counts[here], minlength=len(kept)).astype(np.int64)
        gains = np.zeros(len(kept))
        for column, h in zip(self.costs, levels, strict=True):
            more = self.counts[here] * (column[-1][here] - column[h][here])
            gains += np.bincount(numbered, weights=more, minlength=len(kept))
        places = np.full(len(labels), -1, dtype=np.int64)
        places[here] = numbered
        found = keep_groups(
            Tally.of(places[self.point_of], self.about),
            compared,
            n_rows,
            gains,
            budget - int(self.counts[labels < 0].sum()),
            most=most - self._loss(labels, levels),
            most_work=WORK_EACH if self.work < WORK_IN_ALL else WORK_LEAST,
        )
        self.work += found.work
        self.exact = self.exact and found.exact
        stays = np.zeros(len(kept), dtype=bool) if found.groups is None else found.groups
        return np.where((places >= 0) & stays[places], labels, -1)

    def _fewest_to_go(self, labels: Labels, budget: int) -> int:
        """Return how many more records go at least, here and in every finer choice, if at most `budget` may go.

        A group of m records at the distance d from the released ones comes within t only if at least m (d - t) of its
        records go, and the distance of the released ones changes by at most the share of records that may go: see
        docs/proofs/lattice.md. Without people counted once, and where the distance does not depend on who goes.
        """
        if self.about is None or self.about.people is not None or not (labels >= 0).any():
            return 0
        close = [r for r in self.others if isinstance(r, TCloseness) and (r.distance == "equal" or budget == 0)]
        if not close:
            return 0
        counts = self._counts(labels)
        kept = np.unique(labels[labels >= 0], return_inverse=True)[1]
        sizes = np.bincount(kept, weights=self.counts[labels >= 0])
        spare = budget / sizes.sum() + MARGIN
        return max(math.ceil(float((sizes * np.maximum(r.shortfall(counts) - spare, 0.0)).sum())) for r in close)

    def _counts(self, labels: Labels) -> Counts:
        """Return the counts of sensitive values in the groups of `labels` that are not suppressed."""
        assert self.about is not None
        kept = np.unique(labels[labels >= 0])
        numbered = np.where(labels < 0, -1, np.searchsorted(kept, labels))
        return Tally.of(numbered[self.point_of], self.about).counts()

    def _without_broken(self, labels: Labels, requirements: Sequence[Requirement]) -> Labels:
        """Return the labels with -1 for the groups that miss one of the requirements."""
        kept = np.unique(labels[labels >= 0])
        numbered = np.where(labels < 0, -1, np.searchsorted(kept, labels))
        counts = self._counts(labels)
        holds = np.logical_and.reduce([requirement.holds(counts) for requirement in requirements])
        return np.where((labels >= 0) & holds[numbered], labels, -1)

    def _groups(self, levels: Chosen) -> tuple[Labels, int]:
        """Return the group of each different record and the number of groups; records with equal nodes share one."""
        columns = [self.nodes[j][h] for j, h in enumerate(levels) if h + 1 < self.shape[j]]
        if not columns:
            return np.zeros(len(self.counts), dtype=np.int64), min(len(self.counts), 1)
        spans = [int(column.max()) + 1 for column in columns]
        if math.prod(spans) < 2**62:
            key = np.zeros(len(self.counts), dtype=np.int64)
            for column, span in zip(columns, spans, strict=True):
                key = key * span + column
        else:
            key = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
        found, group = np.unique(key, return_inverse=True)
        return group.astype(np.int64), len(found)


def _is_distinct(requirement: Requirement) -> bool:
    return isinstance(requirement, LDiversity) and requirement.kind == "distinct"


def _dot(counts: Labels, costs: Floats) -> float:
    """Return the dot product, computed so that it does not depend on the threads of a linear algebra library."""
    return float(np.sum(counts * costs))


def _tree(axis: Axis, values: Floats) -> tuple[npt.NDArray[np.int32], float, Labels]:
    """Return the nodes above every leaf, the weight of the axis, and the leaf of every value.

    A column of numbers is a hierarchy of two levels: the values, and a root.
    """
    if axis.ancestors is not None and axis.level_cost is not None:
        weight = float(axis.level_cost[-1]) if axis.by_count is None else float(axis.by_count[-1])
        return axis.ancestors, weight, values.astype(np.int64)
    found, rank = np.unique(values, return_inverse=True)
    above = np.zeros((len(found), 2), dtype=np.int32)
    above[:, 0] = np.arange(len(found))
    with np.errstate(over="ignore"):
        return above, float(np.ptp(found)) if len(found) else 0.0, rank.astype(np.int64)


def _costs(above: npt.NDArray[np.int32], rank: Labels, counts: Labels, loss: str, weight: float) -> list[Floats]:
    """Return the loss of every record at each level; it never falls from one level to the next."""
    top = above.shape[1] - 1
    if loss == "levels":
        return [np.full(len(rank), weight * h / top) for h in range(top + 1)]
    if loss == "entropy":
        cells = [np.bincount(above[rank, h], weights=counts) for h in range(top + 1)]
        own = cells[0][above[rank, 0]] if len(rank) else np.zeros(0)
        return [weight * np.log2(cells[h][above[rank, h]] / own) for h in range(top + 1)]
    leaves = [np.bincount(above[:, h]) for h in range(top + 1)]
    if loss == "information":
        by_count = information_costs(len(above), weight)
        losses = [by_count[leaves[h][above[rank, h]] - 1] for h in range(top)]
        return [*losses, np.full(len(rank), weight)]
    return [np.zeros(len(rank)), *(weight * leaves[h][above[rank, h]] / len(above) for h in range(1, top + 1))]
