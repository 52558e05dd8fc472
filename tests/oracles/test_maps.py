"""The oracles on maps, on cases that can be worked out by hand."""

from __future__ import annotations

from tests.oracles.maps import best_degree, best_largest_group, best_largest_rectangle

STAR = [[1, 2, 3, 4], [0], [0], [0], [0]]
PATH = [[1], [0, 2], [1, 3], [2]]


def test_a_star_of_light_regions_is_one_group():
    assert best_largest_group(STAR, [3, 2, 2, 2, 2], 3) == 11


def test_a_path_is_cut_in_the_middle():
    assert best_largest_group(PATH, [1, 2, 2, 1], 3) == 3
    assert best_largest_group(PATH, [1, 1, 1, 1], 3) == 4


def test_regions_that_cannot_reach_k_have_no_groups():
    assert best_largest_group([[], []], [1, 5], 2) == float("inf")


def test_rectangles_of_a_row_are_its_intervals():
    assert best_largest_rectangle([(0, 0), (1, 0), (2, 0), (3, 0)], [1, 1, 1, 1], 2) == 2
    assert best_largest_rectangle([(0, 0), (1, 0), (2, 0)], [1, 1, 1], 2) == 3


def test_four_piles_around_one_cannot_be_told_apart():
    around = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
    assert best_largest_rectangle(around, [3, 2, 2, 2, 2], 3) == 11


def test_the_best_degree_of_small_graphs():
    assert best_degree(STAR) == 4
    assert best_degree(PATH) == 2
    assert best_degree([[1, 2], [0, 2], [0, 1]]) == 2
