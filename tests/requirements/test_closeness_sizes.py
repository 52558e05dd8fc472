"""CLOSE-1: no group that is t-close is smaller, or has fewer values, than is said beforehand."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from shoal.requirements import Records, TCloseness, least_size, least_values
from shoal.requirements.counts import Levels
from tests.oracles.closeness import hierarchical, ordered, variational

PARENTS = ((0, 1, 2, 3, 4), (0, 0, 1, 1, 1))
DISTANCES = {
    "equal": variational,
    "ordered": ordered,
    "hierarchical": lambda group, table: hierarchical(group, table, PARENTS),
}


def drawn(seed: int) -> tuple[list[int], Records, np.random.Generator]:
    rng = np.random.default_rng(seed)
    values = rng.choice(5, int(rng.integers(5, 16)), p=rng.dirichlet(np.ones(5)))
    return values.tolist(), Records(len(values), None, {"s": values}, {"s": Levels(np.array(PARENTS))}), rng


@pytest.mark.parametrize("distance", DISTANCES)
def test_every_group_within_t_has_the_least_size_and_one_of_it_is_within_t(distance):
    """Every list of values is tried, of every size; the values of a group may be those of any records."""
    for seed in range(60):
        table, records, rng = drawn(seed)
        t, least = float(rng.choice([0.05, 0.1, 0.2, 0.25, 0.3, 0.5])), int(rng.integers(1, 4))
        asked = TCloseness("s", t, distance)
        found, values = least_size(asked, records, least), least_values(asked, records)
        for size in range(least, min(found + 1, len(table), 7) + 1):
            close = [
                group
                for group in combinations_with_replacement(sorted(set(table)), size)
                if DISTANCES[distance](group, table) <= Fraction(t) + Fraction(1, 10**9)
            ]
            assert not close or size >= found
            assert all(len(set(group)) >= values for group in close)
            if size == found and distance != "hierarchical":  # where it is the least of all, not only a bound
                assert close


def test_rows_that_may_be_left_out_move_the_table_by_their_share():
    """Every table of which up to two rows are left out, and every group of its rows."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        table = rng.integers(0, 4, 8)
        asked = TCloseness("s", float(rng.choice([0.15, 0.25, 0.3])))
        records = Records(8, None, {"s": table})
        found, values = least_size(asked, records, 1, 2), least_values(asked, records, 2)
        assert found <= least_size(asked, records, 1)
        for gone in range(3):
            for out in combinations_with_replacement(range(8), gone):
                kept = [v for i, v in enumerate(table.tolist()) if i not in out]
                for mask in range(1, 2 ** len(kept)):
                    group = [v for i, v in enumerate(kept) if mask >> i & 1]
                    if variational(group, kept) <= Fraction(asked.t) + Fraction(1, 10**9):
                        assert len(group) >= found
                        assert len(set(group)) >= values


def test_nothing_is_said_where_people_are_counted_or_distances_may_change():
    values = np.arange(12) % 4
    people = Records(12, np.arange(12) // 2, {"s": values})
    rows = Records(12, None, {"s": values})
    assert least_size(TCloseness("s", 0.1), people, 2) == 2
    assert least_values(TCloseness("s", 0.1), people) == 1
    assert least_size(TCloseness("s", 0.01, "ordered"), rows, 2, 1) == 2
    assert least_size(TCloseness("s", 0.01, "ordered"), rows, 2) == 4
    assert least_values(TCloseness("s", 0.1, "ordered"), rows) == 1
