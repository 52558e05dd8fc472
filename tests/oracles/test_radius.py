from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.oracles.programs import diameter_program, record_radius_program
from tests.oracles.radius import best_diameter, best_record_radius, diameter, record_radius


def line(*values):
    return [[abs(x - y) for y in values] for x in values]


def test_radius_of_one_group_by_hand():
    table = line(0, 1, 5)
    assert record_radius(table, [0, 1, 2]) == 4  # from the record at 1
    assert record_radius(table, [0, 2]) == 4  # its best center, 1, is not a member
    assert diameter(table, [0, 1, 2]) == 5


def test_two_pairs_on_a_line_by_hand():
    table = line(0, 1, 10, 13)
    assert best_record_radius(table, 2) == 3
    assert best_diameter(table, 2) == 3
    assert best_record_radius(table, 3) == 10  # one group of four around 10
    assert best_diameter(table, 3) == 13


def test_few_groups_and_dropped_records_by_hand():
    table = line(0, 1, 10, 11, 100)
    assert best_record_radius(table, 2) == 89
    assert best_record_radius(table, 2, max_dropped=1) == 1
    assert best_record_radius(table, 2, max_groups=1, max_dropped=1) == 10
    assert best_diameter(table, 2, max_groups=1, max_dropped=1) == 11
    assert best_record_radius(table, 2, max_groups=1, max_dropped=3) == 1
    assert best_record_radius(table, 6) is None
    assert best_record_radius(table, 6, max_dropped=5) == 0


def test_equilateral_points_cost_their_side_with_record_centers_and_half_of_it_anywhere():
    table = [[int(i != j) for j in range(6)] for i in range(6)]
    assert best_record_radius(table, 3) == 1
    assert best_diameter(table, 3) == 1


def random_table(rng, n):
    kind = rng.integers(3)
    if kind == 0:
        return line(*rng.integers(0, 12, n).tolist())
    points = rng.integers(0, 5, (n, 2))
    difference = points[:, None] - points[None]
    return (np.abs(difference).sum(2) if kind == 1 else (difference**2).sum(2)).tolist()


@pytest.mark.parametrize(
    ("program", "brute"), [(record_radius_program, best_record_radius), (diameter_program, best_diameter)]
)
def test_integer_programs_find_the_optimum_of_brute_force(program, brute):
    rng = np.random.default_rng(7)
    for r, groups, dropped in product([2, 3], [None, 1, 2], [0, 2]):
        table = random_table(rng, int(rng.integers(r, 8)))
        assert program(table, r, max_groups=groups, max_dropped=dropped) == brute(
            table, r, max_groups=groups, max_dropped=dropped
        )


@pytest.mark.parametrize("program", [record_radius_program, diameter_program])
def test_integer_programs_say_when_nothing_is_feasible(program):
    assert program(line(0, 1, 2), 4) is None


def test_the_two_kinds_of_centers_are_at_most_a_factor_of_two_apart():
    rng = np.random.default_rng(3)
    for _ in range(50):
        table = line(*rng.integers(0, 30, 7).tolist())
        records, anywhere = best_record_radius(table, 2), best_diameter(table, 2) * Fraction(1, 2)
        assert anywhere <= records <= 2 * anywhere
