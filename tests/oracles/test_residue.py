"""The oracle of residues, on tables that can be worked out by hand."""

from __future__ import annotations

from fractions import Fraction

from tests.oracles.generalization import Tree
from tests.oracles.residue import best_eligible_cost, fewest_in_residue, is_eligible


def test_a_value_may_have_one_in_l_of_the_rows_and_no_more():
    assert is_eligible([0, 1, 2, 0, 3, 4], 3)
    assert not is_eligible([0, 1, 2, 0, 3], 3)
    assert is_eligible([], 3)


def test_the_residue_takes_a_row_with_it_to_be_eligible():
    assert fewest_in_residue([0, 0, 0, 1, 1], [0, 1, 0, 0, 1], 2, 1) is None
    # the third row of the first class must leave, and only together with a row of another value
    assert fewest_in_residue([0, 0, 0, 1, 1, 1], [0, 1, 0, 0, 1, 1], 2, 1) == 2
    assert fewest_in_residue([0, 0, 1, 1], [0, 1, 0, 1], 2, 1) == 0
    assert fewest_in_residue([0, 0, 1, 1], [0, 1, 0, 1], 2, 3) == 4


def test_the_cheapest_groups_have_no_value_in_more_than_half():
    rows, columns = [(0,), (0,), (1,), (1,)], [Tree.labels(2)]
    assert best_eligible_cost(rows, columns, [0, 1, 0, 1], 2, 1) == 0
    assert best_eligible_cost(rows, columns, [0, 0, 1, 1], 2, 1) == Fraction(4)
