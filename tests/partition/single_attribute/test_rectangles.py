"""`rectangles`: cuts between coordinates, places that stay together, the date line and the poles."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.single_attribute.rectangles import rectangles, unwrapped


def assert_disjoint_cover(points, partition):
    """Every point in the box of its group, boxes apart, areas that add up to the box around all points."""
    boxes = partition.details.rectangles
    own = boxes[partition.labels]
    assert (points >= own[:, [0, 2]]).all()
    assert (points <= own[:, [1, 3]]).all()
    for a, b in combinations(boxes, 2):
        assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
    area = ((boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2])).sum()
    assert np.isclose(area, np.ptp(points, axis=0).prod())


def can_be_cut(points, held, k):
    """Whether some line between two coordinates leaves k on both sides."""
    return any(
        k <= held[points[:, axis] < value].sum() <= held.sum() - k for axis in (0, 1) for value in points[:, axis]
    )


@pytest.mark.parametrize("seed", range(12))
def test_no_rectangle_can_be_cut_and_all_are_disjoint(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, int(rng.choice([3, 10, 1000])), (int(rng.integers(1, 300)), 2)).astype(float)
    held = rng.integers(0, 5, len(points))
    k = int(rng.integers(1, 20))
    held[0] += max(0, k - held.sum())
    found = rectangles(points, k, weights=held)
    assert_disjoint_cover(points, found)
    for group in range(found.n_groups):
        inside = found.labels == group
        assert held[inside].sum() >= k
        assert not can_be_cut(points[inside], held[inside], k)
        assert held[inside].sum() == found.details.class_weights[group]
    place = np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)
    kappa = max(k, np.bincount(place, weights=held).max())
    assert found.cost <= kappa + 4 * (k - 1)


def test_four_piles_around_one_are_the_worst_case():
    k = 7
    points = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
    found = rectangles(points, k, weights=[k, k - 1, k - 1, k - 1, k - 1])
    assert found.cost == 5 * k - 4
    assert found.cost <= float(found.ratio_proved) * found.lower_bound


def test_points_at_one_place_stay_together_and_bound_the_optimum():
    found = rectangles([(0, 0)] * 40 + [(1, 1)] * 3, 3)
    assert found.labels.tolist() == [0] * 40 + [1] * 3
    assert found.cost == found.lower_bound == 40


def test_the_order_of_points_changes_nothing():
    rng = np.random.default_rng(1)
    points, held = rng.integers(0, 30, (400, 2)), rng.integers(0, 4, 400)
    order = rng.permutation(400)
    once, again = rectangles(points, 9, weights=held), rectangles(points[order], 9, weights=held[order])
    assert (once.details.rectangles[once.labels][order] == again.details.rectangles[again.labels]).all()


def test_sides_stay_in_proportion():
    points = np.random.default_rng(2).random((4000, 2)) * [1, 4]
    boxes = rectangles(points, 10).details.rectangles
    tall, wide = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]
    assert np.median(np.maximum(tall, wide) / np.minimum(tall, wide)) < 3


def test_a_rectangle_may_cross_the_date_line():
    """Fiji: islands on both sides of 180 degrees are neighbors, not a world apart."""
    east, west = [(-17.0, 178.0 + i / 10) for i in range(5)], [(-17.0, -179.9 + i / 10) for i in range(3)]
    found = rectangles(east + west, 8, geographic=True)
    south, north, left, right = found.details.rectangles[0]
    assert found.n_groups == 1
    assert (south, north) == (-17, -17)
    assert left == 178.0
    assert np.isclose(right, -179.7)


def test_the_two_ways_to_write_the_date_line_are_one_place():
    found = rectangles([(0, 180.0), (0, -180.0), (0, 10.0), (0, 10.0)], 2, geographic=True)
    assert found.labels.tolist() == [0, 0, 1, 1]


def test_all_longitudes_of_a_pole_are_one_place():
    poles = [(90, -120.0), (90, 0.0), (90, 77.0), (10, 20.0), (10, 20.5), (10, 21.0)]
    found = rectangles(poles, 3, geographic=True)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert len(np.unique(unwrapped(np.array(poles))[:3], axis=0)) == 1
    assert rectangles([(90, 1.0), (90, 2.0)], 2, geographic=True).n_groups == 1


def test_longitudes_count_less_near_the_pole():
    """At 80 degrees north a degree of longitude is short, so the cut goes between latitudes."""
    points = [(80 + i, 3.0 * j) for i in range(2) for j in range(2)]
    found = rectangles(points, 2, geographic=True)
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert rectangles(points, 2).labels.tolist() == [0, 1, 0, 1]


def test_latitudes_beyond_the_poles_are_refused():
    with pytest.raises(ParameterError, match="-90 to 90"):
        rectangles([(91.0, 0.0), (0.0, 0.0)], 2, geographic=True)


def test_missing_places_and_too_few_people_are_refused():
    with pytest.raises(ParameterError, match="finite"):
        rectangles([(np.nan, 0.0), (0.0, 0.0)], 2)
    with pytest.raises(InfeasibleError, match="k=5"):
        rectangles([(1.0, 0.0), (0.0, 0.0)], 5)


@pytest.mark.shared_data
def test_zip_areas_with_weights(shared_data):
    table = pl.read_csv(shared_data / "geo" / "Gaz_zcta_national.txt", separator="\t").drop_nulls("INTPTLAT")
    places = table.select("INTPTLAT", "INTPTLONG").to_numpy()
    held = np.random.default_rng(0).integers(1, 20_000, len(places))
    found = rectangles(places, 50_000, weights=held, geographic=True)
    assert np.bincount(found.labels, weights=held).min() >= 50_000
    assert found.ratio_seen <= float(found.ratio_proved) <= 5
