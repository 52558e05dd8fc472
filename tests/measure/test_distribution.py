"""Distances of distributions against sums over every value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.measure.correlation import pearson
from shoal.measure.distribution import Spread, kolmogorov, label_bars, number_bars, total_variation

values = st.lists(st.integers(-6, 6), min_size=1, max_size=12)
ranges = st.lists(
    st.tuples(st.integers(-6, 6), st.integers(0, 7), st.integers(1, 5)).map(lambda r: (r[0], r[0] + r[1], r[2])),
    min_size=1,
    max_size=6,
)


def exact_whole_distance(numbers: list[int], cells: list[tuple[int, int, int]]) -> Fraction:
    """Every whole number of a range has the same mass."""
    total = sum(mass for _, _, mass in cells)
    low, high = min([*numbers, *(a for a, _, _ in cells)]), max([*numbers, *(b for _, b, _ in cells)])
    differences = []
    for x in range(low, high + 1):
        before = Fraction(sum(v <= x for v in numbers), len(numbers))
        after = sum(Fraction(mass * max(0, min(x, b) - a + 1), (b - a + 1) * total) for a, b, mass in cells)
        differences.append(abs(before - after))
    return max(differences)


def exact_even_distance(numbers: list[int], cells: list[tuple[int, int, int]]) -> Fraction:
    """Ranges are even over all numbers; whole ends, so looking at whole numbers from both sides is enough."""
    total = sum(mass for _, _, mass in cells)
    differences = []
    for x in range(-7, 15):
        for closed in (True, False):
            before = Fraction(sum(v <= x if closed else v < x for v in numbers), len(numbers))
            after = Fraction(0)
            for a, b, mass in cells:
                if a == b:
                    after += Fraction(mass * (a <= x if closed else a < x), total)
                else:
                    after += Fraction(mass * max(0, min(x, b) - a), (b - a) * total)
            differences.append(abs(before - after))
    return max(differences)


def distinct(numbers: list[int]) -> tuple[np.ndarray, np.ndarray]:
    return np.unique(np.array(numbers, dtype=float), return_counts=True)


def spread(cells: list[tuple[int, int, int]], half: float) -> Spread:
    low, high, mass = (np.array(part, dtype=float) for part in zip(*cells, strict=True))
    return Spread(low - half, high + half, mass)


@given(values, ranges)
def test_distance_of_whole_numbers_is_the_largest_difference_over_all_of_them(numbers, cells):
    found = kolmogorov(*distinct(numbers), spread(cells, 0.5), half=0.5)
    assert found == pytest.approx(float(exact_whole_distance(numbers, cells)), abs=1e-12)


@given(values, ranges)
def test_distance_of_numbers_is_the_largest_difference_at_and_before_every_end(numbers, cells):
    found = kolmogorov(*distinct(numbers), spread(cells, 0.0), half=0.0)
    assert found == pytest.approx(float(exact_even_distance(numbers, cells)), abs=1e-12)


def test_a_far_offset_costs_few_digits():
    low = 1e9 + np.arange(5.0)
    after = Spread(low, low + 1e-3, np.ones(5))
    assert kolmogorov(low, np.ones(5, dtype=int), after, half=0.0) == pytest.approx(0.2, abs=1e-6)


@given(values, ranges)
def test_bars_add_up_to_the_mass_inside_their_edges(numbers, cells):
    cells = [(max(a, min(numbers)), min(b, max(numbers)), m) for a, b, m in cells]
    cells = [(a, b, m) for a, b, m in cells if a <= b] or [(min(numbers), max(numbers), 1)]
    bars = number_bars(*distinct(numbers), spread(cells, 0.5), whole=True, missing=(0.25, 0.5))
    assert sum(bars.before) == pytest.approx(0.75)
    assert sum(bars.after) == pytest.approx(0.5)
    assert len(bars.before) == len(bars.after) == len(bars.edges) - 1 <= 30
    counts = np.histogram(numbers, bars.edges)[0]
    assert bars.before == pytest.approx(counts / len(numbers) * 0.75)


def test_bars_of_decimals_hold_both_ends():
    numbers = np.array([0.0, 0.5, 1.0])
    bars = number_bars(
        numbers, np.ones(3, dtype=int), Spread(numbers, numbers, np.ones(3)), whole=False, missing=(0, 0)
    )
    assert len(bars.before) == 30
    assert (bars.before[0], bars.before[15], bars.before[29]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert bars.after == pytest.approx(bars.before)


def test_nothing_before_or_after():
    nothing, one = np.zeros(0), np.ones(1)
    empty = Spread(nothing, nothing, nothing)
    assert kolmogorov(nothing, nothing.astype(int), empty, half=0.0) == 0
    assert kolmogorov(one, one.astype(int), empty, half=0.0) == 1
    assert total_variation(np.zeros(2), np.zeros(2)) == 0
    assert total_variation(np.ones(2), np.zeros(2)) == 1
    assert number_bars(nothing, nothing.astype(int), empty, whole=True, missing=(1.0, 0.0)).edges == ()


def test_total_variation_is_half_the_differences():
    assert total_variation(np.array([1.0, 1, 2]), np.array([3.0, 1, 0])) == pytest.approx(0.5)


def test_label_bars_come_by_frequency_and_ties_by_place():
    bars = label_bars(("a", "b", None), np.array([1.0, 2, 2]), np.array([4.0, 0, 1]))
    assert (bars.labels, bars.before, bars.after) == (("b", None, "a"), (0.4, 0.4, 0.2), (0.0, 0.2, 0.8))


@given(st.integers(0, 10**6))
def test_correlations_agree_with_numpy(seed):
    chance = np.random.default_rng(seed)
    table = chance.normal(size=(20, 3)) @ chance.normal(size=(3, 3)) + chance.normal(size=3) * 1000
    times = chance.integers(1, 4, 20)
    assert pearson(table, times.astype(float)) == pytest.approx(
        np.corrcoef(np.repeat(table, times, axis=0).T), abs=1e-9
    )


def test_correlations_are_over_rows_that_have_both():
    table = np.array([[1.0, 2, np.nan], [2, 1, 5], [3, 3, 1], [np.nan, 9, 2], [4, 5, 4]])
    found = pearson(table, np.ones(5))
    assert found[0, 1] == pytest.approx(np.corrcoef(table[[0, 1, 2, 4], :2].T)[0, 1])
    assert found[0, 2] == pytest.approx(np.corrcoef(table[[1, 2, 4]][:, [0, 2]].T)[0, 1])
