"""Strips and pieces of RECTANGLES-2: crosses, pairs of them in one column, and the bound where all are bad."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from shoal.partition.single_attribute import rectangle_strips
from shoal.partition.single_attribute.rectangle_strips import row_strips
from shoal.partition.single_attribute.rectangles import WEIGHT, cut, rectangles
from tests.oracles.maps import best_largest_rectangle


def listed(people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of an array of people, and how many are at each."""
    return np.argwhere(people > 0).astype(float), people[people > 0]


def by_strips(people: np.ndarray, k: int) -> tuple[int, int]:
    """The fullest rectangle by strips alone, and the bound, after checking the theorem and the strips."""
    points, held = listed(people)
    kappa = max(k, int(held.max()))
    strips, bound = row_strips(points, held, k, kappa)
    assert sorted(np.concatenate([piece for strip in strips for piece in strip])) == list(range(len(points)))
    assert min(held[piece].sum() for strip in strips for piece in strip) >= k
    for axis, parts in ((0, [np.concatenate(strip) for strip in strips]), *((1, strip) for strip in strips)):
        for before, after in pairwise(parts):
            assert points[before, axis].max() < points[after, axis].min()
    tree = cut(points, held, k, strips=strips)
    weights = tree.nodes[tree.leaves, WEIGHT]
    assert weights.min() >= k
    assert np.bincount(tree.groups(), weights=held).tolist() == weights.tolist()
    assert weights.max() <= max(kappa, bound) + 3 * (k - 1)
    return int(weights.max()), bound


def crosses(rng: np.random.Generator, k: int, n: int) -> np.ndarray:
    """An array with n piles of k people and nearly k in several directions of each, and some others."""
    shape = rng.integers(2 + n, 5 + 2 * n, 2)
    people = np.zeros(shape, dtype=np.int64)
    columns = rng.choice(shape[1], n, replace=bool(rng.random() < 0.4))
    for row, column in zip(rng.choice(shape[0], n, replace=False), columns, strict=True):
        people[row, column] += k
        for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            beside = np.array([row, column]) + np.array(step) * rng.integers(1, 3)
            if (beside >= 0).all() and (beside < shape).all():
                people[tuple(beside)] += rng.integers(max(0, k - 3), k) if rng.random() < 0.7 else rng.integers(0, k)
    if rng.random() < 0.5:
        people += (rng.random(shape) < 0.1) * rng.integers(0, max(2, k // 2), shape)
    if rng.random() < 0.1:
        people.flat[rng.integers(people.size)] += 3 * k
    return people


@pytest.mark.parametrize("seed", range(150))
def test_no_rectangle_is_fuller_than_the_theorem_says(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 12))
    people = crosses(rng, k, int(rng.integers(1, 5)))
    _, bound = by_strips(people, k)
    points, held = listed(people)
    found = rectangles(points, k, weights=held)
    assert found.theorem == "RECTANGLES-2"
    assert found.ratio_proved < 4
    assert found.cost <= found.lower_bound + 3 * (k - 1)
    if len(points) <= 7:
        best = best_largest_rectangle([(int(x), int(y)) for x, y in points], held.tolist(), k)
        assert max(bound, found.lower_bound) <= best <= found.cost


def test_one_cross_is_the_optimum_and_says_so():
    people = np.array([[0, 9, 0], [9, 10, 9], [0, 9, 0]])
    assert by_strips(people, 10) == (46, 46)
    points, held = listed(people)
    found = rectangles(points, 10, weights=held)
    assert found.cost == found.lower_bound == 46
    assert found.ratio_proved == 1 + Fraction(27, 46)


TWO = np.array(
    [
        [0, 99, 0, 0, 0],
        [99, 100, 45, 40, 0],
        [0, 10, 0, 10, 0],
        [0, 40, 45, 100, 99],
        [0, 0, 0, 98, 0],
    ]
)
"""Two crosses that share arms: whoever cuts between them leaves one with four arms."""


def test_two_bad_crosses_raise_the_bound_by_their_outer_arms():
    """The light rows between them stay with the lower cross, which is the lighter."""
    assert by_strips(TWO, 100) == (402, 199)


@pytest.mark.parametrize("seed", range(12))
def test_two_crosses_that_are_just_bad_or_just_not_keep_the_theorem(seed):
    rng = np.random.default_rng(seed)
    people = np.maximum(TWO - rng.integers(0, int(rng.choice([2, 2, 4])), TWO.shape), 0)
    fullest, bound = by_strips(people, 100)
    points, held = listed(people)
    best = best_largest_rectangle([(int(x), int(y)) for x, y in points], held.tolist(), 100)
    assert bound <= best <= fullest


def test_two_bad_crosses_in_one_column_are_cut_along_it(monkeypatch):
    """The upper and the lower cross have the arm between them in common, and no strip of rows is good."""
    people = np.array([[0, 9, 0], [9, 10, 9], [0, 8, 0], [9, 10, 9], [0, 9, 0]])
    made = []
    three = rectangle_strips._three

    def watched(*given):
        made.append(three(*given))
        return made[-1]

    monkeypatch.setattr(rectangle_strips, "_three", watched)
    fullest, bound = by_strips(people, 10)
    assert len(made[0]) == 3
    assert bound == 0
    assert fullest <= 10 + 3 * 9


def test_a_fat_strip_whose_last_column_is_heavy_is_cut_before_it():
    people = np.array([[0, 0, 0, 8, 0], [0, 10, 9, 10, 9], [0, 0, 0, 9, 0]])
    points, held = listed(people)
    strips, _ = row_strips(points, held, 10, 10)
    assert [held[piece].sum() for piece in strips[0]] == [19, 36]
    assert by_strips(people, 10)[0] <= 37


def test_on_the_earth_four_is_claimed_only_where_the_bound_shows_it():
    points, held = listed(np.array([[0, 9, 0], [9, 10, 9], [0, 9, 0]]))
    cross = rectangles(points, 10, weights=held, geographic=True)
    assert (cross.cost, cross.lower_bound, cross.theorem) == (46, 12, "RECTANGLES-1")
    points, held = listed(np.full((6, 6), 3))
    assert rectangles(points, 10, weights=held, geographic=True).theorem == "RECTANGLES-2"


def test_rows_without_people_after_the_last_strip_are_in_a_rectangle():
    points = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
    strips, bound = row_strips(points, np.array([5, 5, 0]), 5, 5)
    assert ([[piece.tolist() for piece in strip] for strip in strips], bound) == ([[[0]], [[1, 2]]], 0)
