"""The figures of Laszlo and Mukherjee (2005), table 5 and 6, and their pseudocode in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.partition.microaggregation.fixed_size import centroid, diameter
from shoal.partition.microaggregation.microaggregate import microaggregate, standardize
from shoal.partition.microaggregation.mst import spanning_tree

TABLE_5 = {
    "Tarragona": {
        "diameter": (15.60, 19.27, 22.67, 36.99),
        "mst": (17.14, 20.92, 24.57, 38.83),
        "mst-d": (16.63, 19.66, 24.50, 38.58),
        "mst-c": (16.69, 19.67, 24.52, 38.65),
    },
    "Census": {
        "diameter": (5.42, 7.22, 8.81, 14.55),
        "centroid": (5.35, 7.17, 8.69, 14.34),
        "mst": (6.51, 8.78, 10.70, 17.58),
        "mst-d": (6.11, 8.24, 10.30, 17.17),
        "mst-c": (6.12, 8.24, 10.33, 17.16),
    },
}
TABLE_6 = {
    "Tarragona": ((10.23, 6.27), (8.75, 8.57), (8.13, 11.10), (9.84, 21.50)),
    "Census": ((9.42, 6.46), (6.22, 8.38), (10.19, 12.00), (6.02, 20.60)),
}


READ = {("Tarragona", "mst-c", 10): 38.58}
"""What a direct reading of the procedure gives where ties leave it more than 0.05 from the printed figure, 38.65."""


@pytest.fixture(params=["Tarragona", "Census"])
def table(request, shared_data):
    return request.param, standardize(np.loadtxt(shared_data / f"{request.param}.csv", delimiter=",", skiprows=1))


@pytest.mark.shared_data
def test_table_5_is_met(table):
    name, points = table
    for method, printed in TABLE_5[name].items():
        for k, loss in zip((3, 4, 5, 10), printed, strict=True):
            found = microaggregate(points, k, method=method, bound=False, keep_order=True).details.loss
            if method in ("mst", "diameter"):
                assert round(found, 2) == loss, (method, k)
            elif (name, method, k) in READ:
                assert round(found, 2) == READ[name, method, k]
            else:
                assert abs(found - loss) <= 0.05, (method, k)  # ties: which of equally near points joins first


@pytest.mark.shared_data
def test_the_order_of_rows_costs_at_most_a_few_hundredths(table):
    name, points = table
    for k, loss in zip((3, 4, 5, 10), TABLE_5[name]["diameter"], strict=True):
        assert abs(microaggregate(points, k, method="diameter", bound=False).details.loss - loss) < 0.03


@pytest.mark.shared_data
def test_the_centroid_row_of_tarragona_is_below_the_printed_one(shared_data):
    """The paper prints 20.74, 27.80, 32.47 and 44.90; its own pseudocode gives far less."""
    points = standardize(np.loadtxt(shared_data / "Tarragona.csv", delimiter=",", skiprows=1))
    found = [microaggregate(points, k, method="centroid", bound=False).details.loss for k in (3, 5, 10)]
    assert np.round(found, 2).tolist() == [15.62, 22.61, 37.10]


@pytest.mark.shared_data
def test_table_6_is_met_by_one_tree_for_all_k(table):
    name, points = table
    tree = spanning_tree(points)
    for k, (share, mean) in zip((3, 4, 5, 10), TABLE_6[name], strict=True):
        sizes = np.bincount(tree.groups(k))
        assert round(100 * np.mean(sizes >= 2 * k), 2) == share
        assert round(sizes[sizes >= 2 * k].mean(), 2) == mean


def plain_fixed_size(points, k, by_diameter):
    """Section 4.2 of the paper, read aloud."""
    left, groups = list(range(len(points))), []

    def square(i, center):
        return float(((points[i] - center) ** 2).sum())

    def gather(p):
        group = [p]
        left.remove(p)
        for _ in range(k - 1):
            center = points[group].mean(axis=0)
            group.append(min(left, key=lambda i: square(i, center)))
            left.remove(group[-1])
        groups.append(group)

    if by_diameter:
        while len(left) >= 2 * k:
            a, b = max(((i, j) for i in left for j in left if i < j), key=lambda e: square(e[0], points[e[1]]))
            gather(a)
            gather(b)
        if len(left) >= k:
            groups.append(left)
            left = []
    else:
        while len(left) >= k:
            center = points[left].mean(axis=0)
            gather(max(left, key=lambda i: square(i, center)))
    for p in left:
        min(groups, key=lambda g: square(p, points[g].mean(axis=0))).append(p)
    return {frozenset(g) for g in groups}


@pytest.mark.parametrize("n", [4, 9, 23, 40])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_fixed_size_groups_are_those_of_the_pseudocode(n, k):
    points = np.random.default_rng(n * k).normal(size=(n, 3))
    for method, by_diameter in ((diameter, True), (centroid, False)):
        labels = method(points, k)
        found = {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)}
        assert found == plain_fixed_size(points, k, by_diameter)
