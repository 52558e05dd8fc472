from __future__ import annotations

from fractions import Fraction

from tests.oracles.full_domain import all_levels, best_full_domain, groups_at

FLAT = [["a", "*"], ["b", "*"]]
DEEP = [[0, "low", "*"], [1, "low", "*"], [2, "high", "*"]]


def test_the_lattice_has_every_choice_once():
    assert len(set(all_levels([FLAT, DEEP]))) == len(list(all_levels([FLAT, DEEP]))) == 6


def test_groups_are_the_rows_whose_nodes_agree():
    assert groups_at([[0, 0], [0, 1], [0, 2]], [FLAT, DEEP], (0, 1)) == [[0, 1], [2]]


def test_the_least_loss_of_a_table_that_can_be_worked_out_by_hand():
    rows = [[0], [1], [2], [2]]
    # Level 1 keeps both pairs: 2/3 for two rows, 1/3 for two.
    assert best_full_domain(rows, [DEEP], lambda g: len(g) >= 2, budget=0, loss="ncp") == (Fraction(2), [(1,)])
    # Losing two rows costs as much as their roots.
    assert best_full_domain(rows, [DEEP], lambda g: len(g) >= 2, budget=2, loss="ncp") == (Fraction(2), [(0,), (1,)])
    assert best_full_domain(rows, [DEEP], lambda g: len(g) >= 3, budget=0, loss="levels") == (Fraction(4), [(2,)])
