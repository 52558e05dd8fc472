"""PRAM: expected frequencies are kept exactly, in exact fractions, in every stratum."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.perturb.pram import donors

rows = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), min_size=1, max_size=8)


def matrix(shares: list[Fraction], keep: Fraction) -> list[list[Fraction]]:
    """The transition probabilities, as the definition has them."""
    return [
        [(keep if i == j else 0) + (1 - keep) * share for j, share in enumerate(shares)] for i in range(len(shares))
    ]


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.fractions(0, 1))
def test_the_matrix_is_invariant(counts: list[int], keep: Fraction) -> None:
    shares = [Fraction(one, sum(counts)) for one in counts]
    p = matrix(shares, keep)
    assert all(sum(row) == 1 for row in p)
    assert [sum(t * row[j] for t, row in zip(shares, p, strict=True)) for j in range(len(shares))] == shares
    # reversible: a published value is the true one with the probability that it was kept
    assert all(shares[i] * p[i][j] == shares[j] * p[j][i] for i in range(len(p)) for j in range(len(p)))


@given(rows)
def test_every_transition_has_its_probability(table: list[tuple[int, str]]) -> None:
    """All draws are tried, each as likely as it is: the exact distribution of every cell is that of the matrix."""
    strata = np.unique([stratum for stratum, _ in table], return_inverse=True)[1].reshape(-1)
    n, units = len(table), np.arange(len(table))
    for row, (stratum, value) in enumerate(table):
        inside = [other for other in table if other[0] == stratum]
        found: Counter[str] = Counter()
        for drawn in range(len(inside)):
            source = donors(strata, units, 0.0, np.full(n, 0.5), np.full(n, (drawn + 0.5) / len(inside)))
            assert table[source[row]][0] == stratum
            found[table[source[row]][1]] += 1
        assert found == Counter(one for _, one in inside)
        kept = donors(strata, units, 0.7, np.full(n, 0.69), np.full(n, 0.999))
        assert table[kept[row]] == (stratum, value)


def test_a_cell_is_kept_below_the_probability_and_not_at_it() -> None:
    strata, units = np.zeros(3, dtype=np.int64), np.arange(3)
    chance = np.array([0.0, 0.8999, 0.9])
    assert donors(strata, units, 0.9, chance, np.zeros(3)).tolist() == [0, 1, 0]


def test_rows_of_a_unit_get_one_cell() -> None:
    strata, units = np.zeros(6, dtype=np.int64), np.array([0, 1, 0, 2, 0, 1])
    found = donors(strata, units, 0.0, np.ones(3) * 0.5, np.array([0.1, 0.5, 0.9]))
    assert found.tolist() == [0, 3, 0, 5, 0, 3]
