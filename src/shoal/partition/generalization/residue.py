"""Groups in which no value has more than 1/l of the rows: equal records stay together, the others form a residue.

Problem     split n records into groups of at least k in which no sensitive value has more than 1/l of the rows,
            minimizing the sum over records and columns of what the group's common value costs.
Guarantee   cost <= l x H / d x optimum for k <= l, where H is the cost of a record that says nothing and d the least
            cost of two different values of a column; for k > l with (1 + (k + l - 1)(l - 1)^2) / l in the place of
            the first l: theorem RESIDUE-1, docs/proofs/residue.md. H / d is rounded up, and up to a power of two if
            it depends on the records, so that the ratio tells nothing about them.
Complexity  that of `residue_rows`, of one nearest record of every different record, and of Mondrian on the residue.
            Deterministic, and it does not depend on the order of rows.

References
----------
.. [1] X. Xiao, K. Yi and Y. Tao (2010). "The hardness and approximation algorithms for l-diversity." EDBT 2010,
   135-146.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError, ParameterError, whole_number
from shoal.partition.generalization.forest import added_up, generalization_cost, rounded_down
from shoal.partition.generalization.mondrian import mondrian
from shoal.partition.generalization.residue_rows import Residue, residue_rows, tuple_ratio
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import MOST_RATIO, Floats, Labels, Partition
from shoal.requirements import LDiversity, Records
from shoal.requirements.frequencies import fewest_dropped
from shoal.space.neighbors import Neighbors
from shoal.space.space import TREE, Axis, Space


@guarantee(objective="generalization", ratio=None, theorem="RESIDUE-1")
@checked
def residue(
    points: npt.ArrayLike | Space,
    values: npt.ArrayLike,
    l: int,  # noqa: E741 (the field's own name)
    *,
    k: int = 1,
) -> Partition:
    """Return groups in which no value has more than 1/l of the rows, at a cost within a proved ratio of the optimum.

    As many equal records as can stay together do, and cost nothing; the other records are cut into groups while all
    parts meet l and `k`. The ratio depends on the columns: theorem RESIDUE-1, docs/proofs/residue.md.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records. Of an array every entry is a label: it is published where the whole group agrees, and
        suppressed at a cost of 1 elsewhere. Of a Space the costs of the columns are added, whatever its norm.
    values : array of shape (n,)
        The sensitive value of every record, of any type.
    l : int
        No value has more than 1 in `l` of the rows of a group; at least 1.
    k : int, default 1
        The least number of records in a group.

    Returns
    -------
    Partition
        `cost` is the sum over records and columns of what the group's common value costs; `lower_bound` holds for
        every grouping that meets `l` and `k`. `theorem_cost` is the cost of the residue as one group.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not finite numbers.
    InfeasibleError
        If there are fewer than `k` records, or a value has more than 1 in `l` of them.

    Examples
    --------
    >>> from shoal.partition import residue
    >>> found = residue([["a", "x"]] * 2 + [["b", "x"]] * 2, ["flu", "asthma", "flu", "flu"], l=1)
    >>> found.cost
    0.0
    >>> answers = [["a", "x"]] * 3 + [["b", "x"], ["c", "y"], ["c", "y"]]
    >>> found = residue(answers, ["flu", "asthma", "flu", "asthma", "flu", "asthma"], l=2)
    >>> found.labels.tolist(), found.cost, int(found.ratio_proved)
    ([0, 0, 1, 1, 2, 2], 2.0, 4)
    """
    l, k = whole_number("l", l, 1), whole_number("k", k, 1)  # noqa: E741 (the field's own name)
    space = added_up(points, max(k, l))
    codes = codes_of(values, len(space))
    check_eligible(codes, l)
    different, _, point_of = space.distinct()
    near = Neighbors(different).kth_distance(2) if len(different) > 1 else np.ones(1)
    found = residue_rows(point_of, codes, l, k)
    labels = np.where(found.rows, len(different), point_of)
    of_theorem = generalization_cost(space, labels)
    rest = np.flatnonzero(found.rows)
    if len(rest):
        asked = LDiversity("value", float(l), "frequency")
        records = Records(len(rest), None, {"value": codes[rest]})
        cut = mondrian(space.take(rest), k, requirements=[asked], about=records, bound=False)
        labels[rest] = len(different) + cut.labels
    ratio = tuple_ratio(k, l) * spread(space)
    # Where different records may form a group that costs nothing, nothing is proved.
    proved = bool(near.min() > 0) and ratio <= MOST_RATIO
    return Partition(
        labels=number_groups(labels),
        method="residue",
        objective="generalization",
        cost=generalization_cost(space, labels),
        lower_bound=_bound(near, found, len(space.axes)),
        ratio_proved=ratio if proved else None,
        theorem="RESIDUE-1" if proved else None,
        theorem_cost=of_theorem,
    )


def codes_of(values: npt.ArrayLike, n: int) -> Labels:
    """Return values of any type as codes 0, 1, ... in their order; mixed types are ordered by their `repr`."""
    given = np.asarray(values)
    if given.shape != (n,):
        raise ParameterError(f"values must be one label for each of {n} records; their shape is {given.shape}.")
    named = np.array([repr(value) for value in given], dtype=str) if given.dtype == object else given
    return np.unique(named, return_inverse=True)[1].astype(np.int64)


def check_eligible(codes: Labels, l: int) -> None:  # noqa: E741 (the field's own name)
    """Raise an `InfeasibleError` if a value has more than 1 in `l` of the rows, so that no grouping will do."""
    counts = np.bincount(codes)
    if l * int(counts.max()) > len(codes):
        groups, dropped = fewest_dropped(counts, l)
        if not groups:
            raise InfeasibleError.too_few_colors(len(counts), l)
        raise InfeasibleError.too_frequent(len(codes), int(counts.max()), l, dropped)


def _bound(near: Floats, found: Residue, n_axes: int) -> float:
    """Return a lower bound on the cost of every grouping: each row outside a group of equal records costs at least
    the distance to its nearest different record.
    """
    further = found.at_least - int(found.forced.sum())
    return rounded_down(math.fsum(found.forced * near) + max(0, further) * float(near.min()), n_axes)


def spread(space: Space) -> Fraction:
    """Return how many times the least cost of two different records a record costs at most, rounded up; at least 1.

    It is rounded to thousandths where it depends on hierarchies and weights alone, and to a power of two where it
    depends on the records: the least gap between two numbers must not be read from a certificate.
    """
    least = min((found for j, axis in enumerate(space.axes) if (found := _least(axis, space, j))), default=0.0)
    if not least:
        return Fraction(1)
    exact = max(Fraction(space.hidden_cost()) / Fraction(least), Fraction(1))
    if all(axis.kind == TREE and axis.by_count is None and axis.node_cost is None for axis in space.axes):
        return Fraction(math.ceil(exact * 1000), 1000)
    return Fraction(2 ** max(0, (math.ceil(exact) - 1).bit_length()))


def _least(axis: Axis, space: Space, j: int) -> float:
    """Return the least positive cost of two different values on an axis; 0 if there is none."""
    if axis.by_count is not None:
        costs = axis.by_count
    elif axis.kind == TREE:
        costs = axis.node_costs()
    else:
        costs = np.diff(np.unique(space.coordinates[:, j]))
    return float(np.min(costs[costs > 0], initial=np.inf)) if (costs > 0).any() else 0.0
