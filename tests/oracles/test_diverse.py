from __future__ import annotations

from tests.oracles.diverse import best_diverse, colorful, fewest_left_out, member_radius
from tests.oracles.test_radius import line


def test_splits_of_two_colors_are_the_perfect_matchings():
    assert len(list(colorful(range(6), [0, 0, 0, 1, 1, 1], 2))) == 6
    assert list(colorful(range(3), [0, 0, 1], 2)) == []


def test_splits_of_all_colors_are_those_without_colors():
    from tests.oracles.groupings import groupings

    assert len(list(colorful(range(7), range(7), 2))) == len(list(groupings(range(7), 2)))


def test_optimum_on_a_line_by_hand():
    table = line(0, 1, 10, 13)
    assert best_diverse(table, [0, 1, 0, 1], 2) == (3, 3)
    assert best_diverse(table, [0, 0, 1, 1], 2) == (12, 12)  # 0 with 13 or with 10: the other pair is 9 or 12 apart
    assert best_diverse(table, [0, 0, 0, 1], 2) is None
    assert best_diverse(table, [0, 0, 0, 1], 2, dropped=2) == (3, 3)
    assert member_radius(line(0, 4, 5), (0, 1, 2)) == 4


def test_fewest_left_out_by_hand():
    assert fewest_left_out([0, 0, 0, 1], 2) == 2
    assert fewest_left_out([0, 0, 1, 2], 2) == 0
    assert fewest_left_out([0, 0, 0], 2) is None
