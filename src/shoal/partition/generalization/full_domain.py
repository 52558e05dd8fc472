"""Full-domain generalization: one level per column for the whole table, found by an exact search.

Problem     choose a level of every column's hierarchy. Records with equal nodes form a group. Groups are suppressed
            as a whole, with at most a given number of records, so that all others meet every requirement. Minimize
            the loss: the sum over records and columns of the loss of their nodes; a suppressed record has the loss of
            the roots.
Guarantee   the least loss of all choices of levels and of groups to suppress: theorem LATTICE-1,
            docs/proofs/lattice.md. That is the optimum among full-domain recodings. Local recoding of each group may
            lose far less, so no ratio is claimed against all partitions. Where it matters for a group which others
            are suppressed (t-closeness) and there are too many sets of groups to look at, nothing is claimed.
            `datafly` is the greedy walk through the same lattice, without a guarantee.
Complexity  O(d n log n) per choice that is evaluated (n different records), O(number of choices) memory. The loss
            grows with the levels, and fewer groups are too small, so most choices are never evaluated.

References
----------
.. [1] P. Samarati (2001). "Protecting respondents' identities in microdata release." IEEE TKDE 13(6), 1010-1027.
.. [2] K. LeFevre, D. J. DeWitt, R. Ramakrishnan (2005). "Incognito: efficient full-domain k-anonymity." SIGMOD.
.. [3] K. El Emam et al. (2009). "A globally optimal k-anonymity method for the de-identification of health data."
   JAMIA 16(5), 670-682.
.. [4] F. Kohlmayer, F. Prasser et al. (2012). "Flash: efficient, stable and optimal k-anonymity." PASSAT.
.. [5] L. Sweeney (1998). "Datafly: a system for providing anonymity in medical data." IFIP DBSec.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import InfeasibleError, ParameterError, check_share, whole_number
from shoal.partition.generalization.full_domain_levels import LOSSES, Levels, Outcome
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee, heuristic
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Partition, share_of
from shoal.requirements import Records, Requirement
from shoal.space.space import Space

MOST = 20_000_000
"""Largest number of choices of levels for the exact search; their bounds take 8 bytes each, 160 MB in all."""

EXACT = "the least loss of all full-domain recodings of this table (LATTICE-1)"
NOT_EXACT = "there were too many sets of groups that could be left out to look at all, so LATTICE-1 is not claimed"
EQUAL = 1e-9
"""Losses are sums of rounded numbers: a loss that is larger by no more than this is looked at, and then compared."""


@guarantee(objective="full-domain", ratio=Fraction(1), theorem="LATTICE-1")
@checked
def full_domain(
    points: npt.ArrayLike | Space,
    k: int,
    *,
    loss: Literal["ncp", "information", "levels", "entropy"] = "ncp",
    max_suppressed: float | Fraction = 0.0,
    requirements: Sequence[Requirement] = (),
    about: Records | None = None,
) -> Partition:
    """Return the groups of one level per column for the whole table, at the least loss of all choices of levels.

    That is the optimum among full-domain recodings: theorem LATTICE-1, docs/proofs/lattice.md. Groups that are
    recoded one by one may lose far less, so no ratio is claimed against all groupings.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label; of a Space numbers are published as they are or not at all,
        and labels by their hierarchies.
    k : int
        The least number of records in a group, at least 1.
    loss : {"ncp", "information", "levels", "entropy"}, default "ncp"
        What a node of a hierarchy loses: its leaves over all leaves, the logarithm of its leaves over that of all
        leaves, its level over all levels, or bits.
    max_suppressed : float or Fraction, default 0.0
        The share of the records that may be left out, from 0 up to but not including 1. It counts as it is
        written: 0.29 of 100 records are 29 of them. Records left out have the label -1.
    requirements : sequence of Requirement, default ()
        What every group must meet besides `k`, such as l-diversity.
    about : Records, optional
        The people and sensitive values on which `requirements` are counted.

    Returns
    -------
    Partition
        ``levels`` has the level of every column, 0 for values as they are.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or there are too many choices of levels for an exact search.
    InfeasibleError
        If there are fewer than `k` records, or no choice of levels meets the requirements.

    Examples
    --------
    >>> from shoal.partition import full_domain
    >>> found = full_domain([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], k=2)
    >>> found.sizes.tolist(), sorted(found.levels.values())
    ([2, 2], [0, 1])
    """
    task = _Search.of(points, k, loss, max_suppressed, requirements, about)
    best = _best(task)
    assert best is not None  # the coarsest levels are a choice
    proved = task.levels.exact  # `_finest` asks for nothing that the theorem rests on
    return task.partition(_finest(task, best), "full-domain", "LATTICE-1" if proved else None)


@heuristic()
@checked
def datafly(
    points: npt.ArrayLike | Space,
    k: int,
    *,
    loss: Literal["ncp", "information", "levels", "entropy"] = "ncp",
    max_suppressed: float | Fraction = 0.0,
    requirements: Sequence[Requirement] = (),
    about: Records | None = None,
) -> Partition:
    """Return groups found by raising the column with the most different values until few records are left out.

    The greedy walk through the same choices of levels as `full_domain`; it proves nothing.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label; of a Space numbers are published as they are or not at all,
        and labels by their hierarchies.
    k : int
        The least number of records in a group, at least 1.
    loss : {"ncp", "information", "levels", "entropy"}, default "ncp"
        What a node of a hierarchy loses: its leaves over all leaves, the logarithm of its leaves over that of all
        leaves, its level over all levels, or bits.
    max_suppressed : float or Fraction, default 0.0
        The share of the records that may be left out, from 0 up to but not including 1. It counts as it is
        written: 0.29 of 100 records are 29 of them. Records left out have the label -1.
    requirements : sequence of Requirement, default ()
        What every group must meet besides `k`, such as l-diversity.
    about : Records, optional
        The people and sensitive values on which `requirements` are counted.

    Returns
    -------
    Partition
        ``levels`` has the level of every column, 0 for values as they are.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    InfeasibleError
        If there are fewer than `k` records, or no choice of levels meets the requirements.

    Examples
    --------
    >>> from shoal.partition import datafly
    >>> found = datafly([["a", "x"], ["a", "y"], ["a", "z"], ["b", "x"]], k=2, max_suppressed=0.25)
    >>> found.sizes.tolist(), found.n_suppressed
    ([3], 1)
    """
    task = _Search.of(points, k, loss, max_suppressed, requirements, about)
    levels = [0] * len(task.levels.shape)
    while (found := task.levels.outcome(tuple(levels), task.budget)).n_suppressed > task.budget:
        different = [task.levels.n_values(j, h) for j, h in enumerate(levels)]
        below = [j for j, h in enumerate(levels) if h + 1 < task.levels.shape[j]]
        if not below:
            raise _impossible()
        levels[max(below, key=lambda j: (different[j], -j))] += 1
    return task.partition(found, "datafly", None)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The records, the loss and the requirements of one run."""

    levels: Levels
    loss: str
    budget: int
    """Number of records that may be suppressed."""

    @classmethod
    def of(
        cls,
        points: npt.ArrayLike | Space,
        k: int,
        loss: str,
        max_suppressed: float | Fraction,
        requirements: Sequence[Requirement],
        about: Records | None,
    ) -> _Search:
        k = whole_number("k", k, 1)
        check_share("max_suppressed", max_suppressed)
        if loss not in LOSSES:
            raise ParameterError(f"loss={loss} is not known.", f"choose one of {', '.join(LOSSES)}.")
        space = points if isinstance(points, Space) else Space.from_labels(points)
        if len(space) < k:
            raise InfeasibleError.too_few_rows(len(space), k)
        levels = Levels.of(space, loss, k, tuple(requirements), about)
        return cls(levels, loss, share_of(max_suppressed, len(space)))

    def partition(self, found: Outcome, method: str, theorem: str | None) -> Partition:
        """Return the Partition of an outcome; with a `theorem`, its notes say that the loss is the least."""
        levels = {axis.column: h for axis, h in zip(self.levels.axes, found.levels, strict=True)}
        tops = [top - 1 for top in self.levels.shape]
        # a column with missing numbers has two axes of one name
        each = zip(self.levels.axes, found.levels, tops, strict=True)
        chosen = ", ".join(f"{axis.column} {h} of {top}" for axis, h, top in each)
        said = [EXACT] if theorem else [] if self.levels.exact else [NOT_EXACT]
        return Partition(
            labels=number_groups(found.labels[self.levels.point_of]),
            method=method,
            objective=f"full-domain {self.loss}",
            cost=found.loss,
            theorem=theorem,
            notes=(f"levels: {chosen}", *said),
            levels=levels,
            details=Details(n_looked_at=self.levels.n_outcomes),
        )


def full_domain_below(
    space: Space,
    k: int,
    most: float,
    *,
    loss: str,
    max_suppressed: float | Fraction,
    requirements: Sequence[Requirement],
    about: Records,
) -> Partition | None:
    """Return the groups of `full_domain` if its loss is below `most`; else None, also with too many choices."""
    task = _Search.of(space, k, loss, max_suppressed, requirements, about)
    if math.prod(task.levels.shape) > MOST:
        return None
    best = _best(task, most)
    return None if best is None else task.partition(best, "full-domain", None)


def _best(task: _Search, most: float = math.inf) -> Outcome | None:
    """Return the choice of levels with the least loss, by evaluating choices until no other can have a smaller one.

    None if no choice has a loss below `most`. `bound` is a lower bound on the loss of every choice. If too many
    records are in too small groups at one choice, or in groups too far from the table, all choices that are finer on
    every axis are excluded too: there the same records are in too small groups, or as many in groups too far away.
    """
    levels, shape = task.levels, task.levels.shape
    if math.prod(shape) > MOST:
        raise ParameterError(
            f"there are {math.prod(shape):.2g} choices of levels; an exact search takes up to {MOST:.2g}.",
            "take method=datafly, fewer quasi-identifiers or hierarchies with fewer levels.",
        )
    bound = levels.bounds()
    best: Outcome | None = None
    if most == math.inf:
        best = levels.outcome(tuple(h - 1 for h in shape), task.budget)
        if best.n_suppressed > task.budget:
            raise _impossible()
        most = best.loss
    open_ = np.flatnonzero(bound.ravel() < most)
    with progress.step("levels", total=len(open_)) as advance:
        while len(open_):
            before = len(open_)
            # Evaluate the open choice with the median bound: if it meets the requirements, coarser ones lose more; if
            # it does not, finer ones do not either. Both ways about half of the open choices can be excluded.
            order = np.argpartition(bound.ravel()[open_], len(open_) // 2)
            chosen = np.unravel_index(open_[order[len(open_) // 2]], shape)
            found = levels.outcome(tuple(int(h) for h in chosen), task.budget, most)
            below = tuple(slice(0, h + 1) for h in found.levels)
            if found.hopeless:
                bound[below] = np.inf
            else:
                if found.n_suppressed <= task.budget and found.loss < most:
                    best, most = found, found.loss
                if found.n_too_few:
                    np.maximum(bound[below], levels.bounds(found), out=bound[below])
                bound[found.levels] = np.inf
            open_ = open_[bound.ravel()[open_] < most]
            advance(before - len(open_))
    return best


def _finest(task: _Search, best: Outcome) -> Outcome:
    """Return a choice with the same loss in which no column can be finer.

    Nodes with a single leaf lose as little as the leaf, so a lower level may have the same loss and say more.
    """
    for j in range(len(best.levels)):
        while best.levels[j]:
            lower = (*best.levels[:j], best.levels[j] - 1, *best.levels[j + 1 :])
            found = task.levels.outcome(lower, task.budget, best.loss * (1 + EQUAL) + EQUAL)
            if found.n_suppressed > task.budget or found.loss > best.loss:
                break
            best = found
    return best


def _impossible() -> InfeasibleError:
    """Return the error for requirements that not even the coarsest levels meet."""
    return InfeasibleError(
        "the records that are not suppressed do not meet the requirements even as one group.",
        "ask for a smaller k or l, or a larger t.",
    )
