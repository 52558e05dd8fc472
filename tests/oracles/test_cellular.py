from __future__ import annotations

import numpy as np

from tests.oracles.cellular import best_cellular_cost, best_cellular_cost_anywhere, cell_cost, cellular_program
from tests.oracles.test_radius import line, random_table


def test_cost_of_one_group_by_hand():
    table = line(0, 1, 5)
    assert cell_cost(table, [0, 0, 0], [0, 1, 2], 1) == 3 * 4
    assert cell_cost(table, [0, 7, 0], [0, 2], 1) == 2 * 4 + 7  # the center is not a member


def test_groups_of_two_on_a_line_by_hand():
    assert best_cellular_cost(line(0, 1, 10, 13), [0] * 4, 2) == 2 * 1 + 2 * 3
    assert best_cellular_cost_anywhere(line(0, 1, 10, 13), 2) == 1 + 3
    assert best_cellular_cost(line(0, 1, 2, 9), [0] * 4, 2) == 2 * 1 + 2 * 7
    assert best_cellular_cost(line(0, 1, 2, 9), [0] * 4, 3) == 4 * 7


def test_opening_costs_by_hand():
    assert best_cellular_cost(line(0, 1, 10), [0, 0, 0]) == 0
    assert best_cellular_cost(line(0, 1, 10), [5, 5, 5]) == 2 * 1 + 5 + 5
    assert best_cellular_cost(line(0, 1, 10), [50, 4, 50]) == 2 * 1 + 4 + 9 + 4  # 10 alone, around the record at 1
    assert best_cellular_cost(line(0, 1, 10), [50, 1, 50]) == 1 + 0 + 1 + 1 + 9 + 1


def test_dropped_records_by_hand():
    assert best_cellular_cost(line(0, 1, 2, 9), [0] * 4, 2, max_dropped=1) == 3 * 1
    assert best_cellular_cost(line(0, 1, 2, 9), [0] * 4, 2, max_dropped=2) == 2 * 1
    assert best_cellular_cost_anywhere(line(0, 1, 2, 9), 2, max_dropped=1) == 3 * 1
    assert best_cellular_cost_anywhere(line(0, 1, 2, 9), 2, max_dropped=2) == 1


def test_the_integer_program_finds_the_optimum_of_brute_force():
    rng = np.random.default_rng(11)
    for trial in range(24):
        r = 1 + trial % 3
        n = int(rng.integers(max(r, 2), 7))
        table, opening = random_table(rng, n), rng.integers(0, int(rng.choice([1, 9])), n).tolist()
        assert cellular_program(table, opening, r) == best_cellular_cost(table, opening, r)
