"""Special uniques against a search through all sets of columns, and against scores computed by hand."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.measure.population import minimal_uniques as module
from shoal.measure.population.minimal_uniques import minimal_uniques


def by_hand(rows: list[tuple[int, ...]], size: int) -> list[list[tuple[int, ...]]]:
    """The minimal sets of columns in which each row is unique, by trying everything."""
    m = len(rows[0])

    def unique(row: int, chosen: tuple[int, ...]) -> bool:
        mine = [rows[row][c] for c in chosen]
        return sum([other[c] for c in chosen] == mine for other in rows) == 1

    return [
        [
            chosen
            for s in range(1, size + 1)
            for chosen in combinations(range(m), s)
            if unique(row, chosen)
            and not any(unique(row, part) for t in range(1, s) for part in combinations(chosen, t))
        ]
        for row in range(len(rows))
    ]


@given(
    rows=st.integers(1, 4).flatmap(lambda m: st.lists(st.tuples(*[st.integers(0, 2)] * m), min_size=1, max_size=9)),
    size=st.integers(1, 4),
)
def test_all_minimal_sets_are_found_and_no_others(rows: list[tuple[int, ...]], size: int) -> None:
    m = len(rows[0])
    found = minimal_uniques(np.array(rows), size=size, fraction=0.1)
    sets = by_hand(rows, min(size, m))
    for row, mine in enumerate(sets):
        sizes = [len(chosen) for chosen in mine]
        assert [sizes.count(s) for s in range(1, found.size + 1)] == found.sets[:, row].tolist()
        assert found.scores[row] == sum(factorial(m - s) for s in sizes)
        assert found.smallest[row] == min(sizes, default=0)
        assert (found.dis[row] > 0) == bool(sizes)
    total = found.scores.sum()
    for column in range(m):
        share = sum(factorial(m - len(chosen)) for mine in sets for chosen in mine if column in chosen)
        assert found.contributions[column] == pytest.approx(share / total if total else 0.0)


def test_dis_scores_are_those_of_the_formula() -> None:
    """Four columns, two unique people and a pair; computed by hand from the formula of Skinner and Elliot."""
    rows = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 0]])
    found = minimal_uniques(rows, size=4, fraction=0.1)
    assert found.scores.tolist() == [0, 0, 6, 12]  # one set of one column; two sets of one column
    theta = 2 * 0.1 / (2 * 0.1 + 2 * 0.9)
    power = 1 + (8 - 4) / 20
    adjust = 6**-power + 12**-power
    expected = [1 / (1 + (2 / theta - 2) / (score**power * adjust)) for score in (6, 12)]
    assert found.dis[2:] == pytest.approx(expected)


def test_too_many_sets_are_not_tried_and_the_result_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COUNTED", 100)
    found = minimal_uniques(np.array([[0, 1, 2], [1, 1, 2], [2, 0, 0]] * 5), size=3, fraction=0.5)
    assert found.size == 2


def test_keys_of_many_values_do_not_run_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Combined keys are numbered anew before they could overflow."""
    codes = np.random.default_rng(0).integers(0, 50, size=(300, 5))
    plain = minimal_uniques(codes, size=5, fraction=0.1)
    monkeypatch.setattr(module, "_KEYS", 3_000)
    again = minimal_uniques(codes, size=5, fraction=0.1)
    assert np.array_equal(plain.sets, again.sets)
