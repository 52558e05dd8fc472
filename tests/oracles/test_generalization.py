from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.oracles.generalization import Ranges, Sets, Tree, best_generalization_cost, generalization_cost
from tests.oracles.programs import cheapest_blocks

# Leaves 0 and 1 meet at level 1, 2 and 3 too, all four at level 2.
TREE = Tree([[0, "low", "any"], [1, "low", "any"], [2, "high", "any"], [3, "high", "any"]])


def test_a_hierarchy_costs_the_level_of_the_lowest_common_ancestor():
    assert TREE.cost([0, 0]) == 0
    assert TREE.cost([0, 1]) == Fraction(1, 2)
    assert TREE.cost([1, 2]) == 1
    assert Tree(TREE.paths, weight=3).cost([2, 3, 3]) == Fraction(3, 2)
    assert Tree.labels(3).cost([1, 1]) == 0
    assert Tree.labels(3).cost([1, 2]) == 1


def test_a_set_of_labels_costs_as_many_times_as_it_has_labels():
    assert Sets(Fraction(1, 4)).cost([2, 2, 2]) == 0
    assert Sets(Fraction(1, 4)).cost([2, 0, 2, 1]) == Fraction(3, 4)


def test_a_range_costs_its_share_of_the_columns_width():
    assert Ranges(10).cost([3, 8, 4]) == Fraction(1, 2)
    assert Ranges(10, weight=Fraction(1, 5)).cost([0, 10]) == Fraction(1, 5)


def test_cost_of_a_grouping_counts_every_entry():
    rows = [(0, 0), (1, 5), (2, 5), (3, 5)]
    columns = [TREE, Ranges(10)]
    assert generalization_cost(rows, columns, [[0, 1], [2, 3]]) == 2 * (
        Fraction(1, 2) + Fraction(1, 2)
    ) + 2 * Fraction(1, 2)
    assert generalization_cost(rows, columns, [[0, 1, 2, 3]]) == 4 * (1 + Fraction(1, 2))


def test_best_grouping_by_hand():
    rows = [(0,), (2,), (1,), (3,)]
    assert best_generalization_cost(rows, [TREE], 2) == 4 * Fraction(1, 2)
    assert best_generalization_cost(rows, [TREE], 3) == 4
    assert best_generalization_cost([(0,), (0,), (3,)], [TREE], 2) == 3
    assert best_generalization_cost([(0,), (0,), (3,)], [TREE], 2, row_deletion=1) == 1
    assert best_generalization_cost([(0,), (1,), (3,)], [Tree.labels(4)], 2, row_deletion=1) == 3


@pytest.mark.parametrize("k", [2, 3])
def test_the_integer_program_finds_the_optimum_of_brute_force(k):
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 4, (8, 3)).tolist()
    columns = [TREE, Tree.labels(4), Ranges(3, weight=2)]
    program = cheapest_blocks(lambda block: generalization_cost(rows, columns, [block]), 8, k, largest=2 * k - 1)
    assert program == best_generalization_cost(rows, columns, k)
