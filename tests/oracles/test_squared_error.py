from __future__ import annotations

from fractions import Fraction

import numpy as np

from tests.oracles.programs import cheapest_blocks
from tests.oracles.squared_error import best_squared_error, squared_error


def test_squared_error_by_hand():
    assert squared_error([[0], [1], [5]], [[0, 1, 2]]) == 14  # mean 2: 4 + 1 + 9
    assert squared_error([[0], [1]], [[0, 1]]) == Fraction(1, 2)
    assert squared_error([[0, 0], [2, 4]], [[0, 1]]) == 2 + 8


def test_best_grouping_by_hand():
    points = [[0], [1], [10], [12]]
    assert best_squared_error(points, 2) == Fraction(1, 2) + 2
    assert best_squared_error(points, 3) == squared_error(points, [[0, 1, 2, 3]])
    assert best_squared_error([[7], [7], [7]], 2) == 0


def test_the_integer_program_finds_the_optimum_of_brute_force():
    rng = np.random.default_rng(1)
    for k in [2, 3]:
        points = rng.integers(-5, 6, (8, 2)).tolist()
        program = cheapest_blocks(lambda block, p=points: squared_error(p, [block]), 8, k, largest=2 * k - 1)
        assert program == best_squared_error(points, k)
