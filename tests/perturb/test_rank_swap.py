"""Rank swapping: the same values, each at most a window of ranks from where it was."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.perturb.rank_swap import swapped


def draws(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2**64, n, dtype=np.uint64), rng.integers(0, 2**64, n, dtype=np.uint64)


@given(st.lists(st.integers(0, 6), min_size=0, max_size=30), st.integers(1, 10), st.integers(0, 99))
def test_values_are_a_permutation_and_move_by_at_most_the_window(values: list[int], window: int, seed: int) -> None:
    ranks = np.array(values, dtype=np.int64)
    ties, choice = draws(seed, len(values))
    source = swapped(ranks, window, ties, choice)
    assert sorted(source.tolist()) == list(range(len(values)))
    assert (source[source] == np.arange(len(values))).all()  # exchanges of two
    place = np.empty(len(values), dtype=np.int64)
    place[np.lexsort((ties, ranks))] = np.arange(len(values))
    assert (abs(place[source] - place) <= window).all()


@given(st.integers(2, 60), st.integers(1, 10), st.integers(0, 99))
def test_nobody_keeps_a_value_who_could_have_changed_with_a_neighbor(n: int, window: int, seed: int) -> None:
    source = swapped(np.arange(n), window, *draws(seed, n))
    stayed = np.flatnonzero(source == np.arange(n))
    assert (np.diff(stayed) > window).all()


def test_every_rank_of_the_window_is_taken_about_equally_often() -> None:
    """The first row changes with each of the next 5 with probability 1/5: 400 +- 5 standard deviations of 18."""
    found = np.bincount([swapped(np.arange(40), 5, *draws(seed, 40))[0] for seed in range(2000)], minlength=6)
    assert found[0] == 0
    assert (abs(found[1:] - 400) < 5 * 18).all()
