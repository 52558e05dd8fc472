"""Groups of at least l records, all of different colors (sensitive values), with the smallest maximum radius.

Problem     split n colored points of a metric space into groups of at least l in which no color occurs twice,
            minimizing the largest distance between a record and the center of its group. If some color is too
            frequent for that, and if asked for, suppress the fewest records that make it possible.
Guarantee   radius <= 2 x optimum (DIVERSE-1); exact for two colors and l = 2 (DIVERSE-2); with `max_suppressed`
            exactly the fewest records are suppressed and radius <= 36 x optimum (DIVERSE-3). docs/proofs/diverse.md.
            The ratios 2 and 36 hold even against an optimum whose centers may be anywhere; the groups returned have
            records as centers. No ratio below 2 is possible unless P = NP.
Complexity  O(log n) tests of a threshold, each a few matchings and at most two flows on neighbor lists, which grow
            only if a test needs more neighbors. No matrix of distances is needed. Deterministic; does not depend on
            the order of rows (for a matrix of distances: if no distances are equal).

References
----------
.. [1] J. Li, K. Yi and Q. Zhang (2010). "Clustering with diversity." ICALP, LNCS 6198, 188-200.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.errors import CertificateError, InfeasibleError, ParameterError, check_share, whole_number
from shoal.partition.diversity.colored_points import Among, Colored, Reach, reach_of
from shoal.partition.diversity.improve import improved
from shoal.partition.diversity.independent_set import Stars, stars_at
from shoal.partition.diversity.outliers import Dropped, with_outliers
from shoal.partition.diversity.star_tests import check_stars
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.radius.points import Sorted, sorted_points
from shoal.partition.result import Details, Labels, Partition, share_of
from shoal.requirements.frequencies import fewest_dropped

RATIOS = {"DIVERSE-1": Fraction(2), "DIVERSE-2": Fraction(1), "DIVERSE-3": Fraction(36)}
ROUNDING = 1 + 1e-9
"""Factor by which a distance of the groups may exceed the same one in the search, which is computed otherwise."""
LISTED, MOST_LISTED = 4, 64
"""Length of each record's first neighbor list: LISTED times l, at least 16 and at most MOST_LISTED."""


@guarantee(objective="radius", ratio=RATIOS["DIVERSE-1"], theorem="DIVERSE-1")
@guarantee(objective="radius", ratio=RATIOS["DIVERSE-2"], theorem="DIVERSE-2")
@guarantee(objective="radius", ratio=RATIOS["DIVERSE-3"], theorem="DIVERSE-3")
@checked
def diverse(
    points: Any,
    colors: npt.ArrayLike,
    l: int,  # noqa: E741 (the field's own name)
    *,
    max_suppressed: float | Fraction = 0.0,
    metric: Literal["precomputed", "graph"] | None = None,
    improve: bool = True,
    n_threads: int | None = None,
) -> Partition:
    """Return groups of at least `l` records, all of different colors, of at most 2 times the smallest radius.

    The ratio is proved (DIVERSE-1); two colors with ``l=2`` are solved exactly (DIVERSE-2). Where some color is too
    frequent, exactly the fewest records that make it possible are left out, if `max_suppressed` allows so many, and
    the ratio is 36 (DIVERSE-3). See docs/proofs/diverse.md.

    Parameters
    ----------
    points : array of shape (n, d), or Space
        The records as points. With ``metric="precomputed"`` a symmetric matrix of distances, with
        ``metric="graph"`` a graph: a sparse matrix of lengths, or edges as rows (vertex, vertex, length).
    colors : array of shape (n,)
        The sensitive value of every record, of any type.
    l : int
        The least number of records, and so of colors, in a group; at least 1.
    max_suppressed : float or Fraction, default 0.0
        The share of the records that may be left out, from 0 up to but not including 1. Never more records are left
        out than must be. Records left out have the label -1.
    metric : {"precomputed", "graph"}, optional
        What `points` is, where it is neither an array of points nor a Space.
    improve : bool, default True
        Whether groups are improved after the theorem's algorithm; never for the worse.
    n_threads : int, optional
        Threads to use; all cores where not given. The result does not depend on it.

    Returns
    -------
    Partition
        `centers` are rows, `cost` is the largest of `radii`. `lower_bound` holds for every grouping around members
        of the groups, ``details.lower_bound_any_center`` also for centers anywhere. Only where records are left
        out may a center lie outside its group; ``details.lower_bound_centers`` says so.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not finite numbers.
    InfeasibleError
        If there are fewer than `l` records or colors, or a color is so frequent that more records would have to be
        left out than `max_suppressed` allows.

    Examples
    --------
    >>> from shoal.partition import diverse
    >>> found = diverse([[0.0], [1.0], [10.0], [11.0]], ["flu", "asthma", "flu", "asthma"], l=2)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 1, 1], 1.0)
    >>> found = diverse([[0.0], [1.0], [2.0]], ["flu", "asthma", "flu"], l=2, max_suppressed=0.4)
    >>> found.n_suppressed
    1
    """
    l = whole_number("l", l, 1)  # noqa: E741 (the field's own name)
    check_share("max_suppressed", max_suppressed)
    color = _codes(colors)
    counts = np.bincount(color, minlength=1)
    dropped = _fewest(counts, int(l), max_suppressed)
    records = sorted_points(points, metric, color, n_threads=n_threads)
    colored = Colored(records.metric, color[records.order])
    whole = Among(colored, np.arange(len(colored)))
    reach = reach_of(whole, int(l), min(max(LISTED * int(l), 16), MOST_LISTED))
    if dropped:
        return _without(with_outliers(whole, reach, int(l), improve=improve), records, colored, int(l), dropped)
    stars, diameter = _by_theorem(whole, reach, int(l))
    paired = l == 2 and len(counts) == 2
    # Around one of its two records, a pair has its diameter for a radius.
    bound = diameter if paired else max(diameter / 2, float(reach.need.max()))
    started = _longest(colored, stars)
    if improve:
        stars = improved(whole, reach, stars, int(l), bound)
    check_stars(colored, stars.owner, len(stars.centers), int(l))
    theorem = "DIVERSE-2" if paired else "DIVERSE-1"
    return _partition(
        records,
        colored,
        stars,
        lower_bound=bound * records.scale,
        ratio_proved=RATIOS[theorem],
        theorem=theorem,
        theorem_cost=started * records.scale,
        details=Details(
            lower_bound_centers="members",
            lower_bound_any_center=diameter / 2 * records.scale,
            n_outliers=0,
        ),
    )


def _codes(colors: npt.ArrayLike) -> Labels:
    """Return colors of any type as codes in the order of the values; mixed types are ordered by their `repr`."""
    given = np.asarray(colors)
    if given.ndim != 1:
        raise ParameterError(f"colors must be one label per point; they have {given.ndim} dimensions.")
    named = np.array([repr(value) for value in given], dtype=str) if given.dtype == object else given
    return np.unique(named, return_inverse=True)[1].astype(np.int64)


def _fewest(counts: Labels, l: int, max_suppressed: float | Fraction) -> int:  # noqa: E741
    """Return how many records must be suppressed.

    Raises an InfeasibleError if suppression is needed but not allowed, or if no group is possible.
    """
    n = int(counts.sum())
    if n < l:
        raise InfeasibleError.too_few_rows(n, l)
    groups, dropped = fewest_dropped(counts, l)
    if not groups:
        raise InfeasibleError.too_few_colors(int(np.count_nonzero(counts)), l)
    if dropped > share_of(max_suppressed, n):
        raise InfeasibleError.too_frequent(n, int(counts.max()), l, dropped)
    return dropped


def _by_theorem(whole: Among, reach: Reach, l: int) -> tuple[Stars, float]:  # noqa: E741
    """Return the groups at the smallest threshold that passes, and a lower bound on the largest diameter.

    The largest spread is a first lower bound. Every threshold that fails raises the bound above itself; every
    threshold that passes lowers the upper end to the longest distance used. The search ends when the two meet.

    It always ends: a threshold lies below the upper end. If it passes, the upper end falls to it or below; if it
    fails, the bound rises above it, by one unit in the last place or more. There are finitely many numbers between
    the two. That the distances of the search and those of the groups agree is checked up to rounding.
    """
    bound = float(reach.spread.max())
    guess, best, longest = bound, None, np.inf
    with progress.step("trying radii") as advance:
        while bound < longest:
            advance(1)
            found = stars_at(whole, reach.near, guess, l)
            if isinstance(found, Stars):
                used = _longest(whole.records, found)
                if used > guess * ROUNDING or guess >= longest:
                    raise CertificateError(
                        "internal check failed: a group is wider than the radius that it was found for; "
                        "please report this."
                    )
                best, longest = found, min(used, guess)
            elif found > guess:
                bound = max(bound, found)
            else:
                raise CertificateError(
                    "internal check failed: a radius was refuted without a larger one; please report this."
                )
            guess = bound + (longest - bound) / 2 if best is not None else max(bound, 2 * guess)
            if guess >= longest:
                guess = bound
    assert best is not None
    return best, bound


def _longest(records: Colored, stars: Stars) -> float:
    """Return the largest distance between a record and its center."""
    return float(records.metric.distance(np.arange(len(records)), stars.centers[stars.owner]).max(initial=0.0))


def _partition(points: Sorted, records: Colored, stars: Stars, **facts: Any) -> Partition:
    """Return the groups of sorted records as a Partition of the input rows."""
    kept = np.flatnonzero(stars.owner >= 0)
    gap = records.metric.distance(kept, stars.centers[stars.owner[kept]])
    radii = np.zeros(len(stars.centers))
    np.maximum.at(radii, stars.owner[kept], gap)
    raw = np.empty(len(records), dtype=np.int64)
    raw[points.order] = stars.owner
    labels = number_groups(raw)
    group = np.empty(len(stars.centers), dtype=np.int64)
    group[raw[raw >= 0]] = labels[raw >= 0]
    by_group = np.argsort(group)
    return Partition(
        labels=labels,
        method="diverse",
        objective="radius",
        cost=float(radii.max(initial=0.0)) * points.scale,
        centers=points.order[stars.centers][by_group],
        radii=radii[by_group] * points.scale,
        **facts,
    )


def _without(found: Dropped, points: Sorted, records: Colored, l: int, dropped: int) -> Partition:  # noqa: E741
    """Return the Partition in which `dropped` records are suppressed, after checking its groups."""
    check_stars(records, found.stars.owner, len(found.stars.centers), l)
    if np.count_nonzero(found.stars.owner < 0) != dropped:
        raise CertificateError(
            f"internal check failed: {np.count_nonzero(found.stars.owner < 0)} records suppressed "
            f"(needs exactly {dropped}, the fewest possible); please report this."
        )
    return _partition(
        points,
        records,
        found.stars,
        lower_bound=found.bound * points.scale,
        ratio_proved=RATIOS["DIVERSE-3"],
        theorem="DIVERSE-3",
        theorem_cost=found.theorem_cost * points.scale,
        details=Details(
            lower_bound_centers="members" if found.members else "records",
            lower_bound_any_center=found.diameter / 2 * points.scale,
            n_outliers=dropped,
        ),
    )
