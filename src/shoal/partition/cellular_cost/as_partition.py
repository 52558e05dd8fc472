"""Clusters of records as a Partition of rows, with the ratio of their theorem."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shoal.errors import CertificateError
from shoal.partition.cellular_cost.groups import Clusters, sum_rounded_down
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Details, Floats, Labels, Partition, share_of

RATIOS = {
    "CELLULAR-1": Fraction(3),
    "CELLULAR-2": Fraction(36),
    "CELLULAR-3": Fraction(60),
    "CELLULAR-4": Fraction(72),
    "CELLULAR-5": Fraction(306, 5),
    "CELLULAR-6": Fraction(225),
    "CELLULAR-7": Fraction(51, 10),
    "CELLULAR-8": Fraction(102),
}


def n_suppressible(max_suppressed: float | Fraction, n: int, at_least: int) -> int:
    """Return how many records may be suppressed; at least `at_least` records stay, because fewer make no group."""
    return min(share_of(max_suppressed, n), n - max(at_least, 1))


def check_sizes(clusters: Clusters, at_least: int, n_kept: int) -> None:
    """Raise a CertificateError unless group sizes and the number of grouped records are as required."""
    if clusters.sizes.min() < max(at_least, 1) or clusters.sizes.sum() < n_kept:
        raise CertificateError(
            f"internal check failed: smallest group {clusters.sizes.min()} (needs {max(at_least, 1)}), "
            f"{clusters.sizes.sum()} records grouped (needs {n_kept}); please report this."
        )


def as_partition(
    found: RowGroups,
    theorem: str,
    *,
    holds: bool,
    cost: float,
    theorem_cost: float,
    bounds: tuple[float, float, float],
    scale: float,
    allowed: int,
    duals: Floats | None,
    plain: Floats | None,
) -> Partition:
    """Return the Partition of the found groups.

    `bounds` are three lower bounds: from the needs of records, from the duals, and for centers anywhere. Without
    `holds`, no ratio is claimed.
    """
    by_need, by_duals, any_center = bounds
    by_plain = 0.0 if plain is None else sum_rounded_down(plain) * scale
    partition = Partition(
        labels=found.labels,
        method="cellular",
        objective="cellular",
        cost=cost,
        lower_bound=max(by_need, by_duals, by_plain),
        ratio_proved=RATIOS[theorem],
        theorem=theorem,
        centers=found.centers,
        radii=found.radii * scale,
        theorem_cost=theorem_cost,
        details=Details(
            lower_bound_centers="records",
            lower_bound_any_center=any_center,
            dual_bound=by_duals,
            n_outliers_allowed=allowed,
            duals=None if duals is None else found.of_rows(duals) * scale,
            plain_duals=None if plain is None else found.of_rows(plain) * scale,
        ),
    )
    if not holds:
        return partition.without_claim("the distances break the triangle inequality, so no ratio is proved.")
    return partition


class RowGroups(NamedTuple):
    """The partition in terms of rows; `order` has the row of each record."""

    labels: Labels
    centers: Labels
    radii: Floats
    order: Labels

    def of_rows(self, values: Floats) -> Floats:
        out = np.empty(len(values))
        out[self.order] = values
        return out


def in_rows(order: Labels, clusters: Clusters, its_radii: Floats) -> RowGroups:
    """Return the groups in terms of rows: the label of each row, and for each group its center's row and radius."""
    raw = np.empty(len(order), dtype=np.int64)
    raw[order] = clusters.labels
    labels = number_groups(raw)
    groups, first = np.unique(raw, return_index=True)
    first = first[groups >= 0]
    centers, radii = np.empty(len(first), dtype=np.int64), np.empty(len(first))
    centers[labels[first]], radii[labels[first]] = order[clusters.centers], its_radii
    return RowGroups(labels, centers, radii, order)
