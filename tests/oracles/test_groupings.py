from __future__ import annotations

from math import comb

import pytest

from tests.oracles.groupings import blocks_of, groupings, kept

BELL = [1, 1, 2, 5, 15, 52, 203, 877, 4140]
NO_SINGLETONS = [1, 0, 1, 1, 4, 11, 41, 162, 715, 3425]  # OEIS A000296
AT_LEAST_THREE = [1, 0, 0, 1, 1, 1, 11, 36, 92, 491, 2557]  # OEIS A006505


@pytest.mark.parametrize(("k", "counts"), [(1, BELL), (2, NO_SINGLETONS), (3, AT_LEAST_THREE)])
def test_the_number_of_groupings_is_the_known_sequence(k, counts):
    assert [sum(1 for _ in groupings(range(n), k)) for n in range(len(counts))] == counts


def associated_stirling(n: int, groups: int, k: int) -> int:
    """Splits of n rows into exactly so many blocks of at least k, by the recurrence on the last row."""
    if n == 0 or groups == 0:
        return int(n == groups == 0)
    stays = groups * associated_stirling(n - 1, groups, k)
    opens = comb(n - 1, k - 1) * associated_stirling(n - k, groups - 1, k) if n >= k else 0
    return stays + opens


@pytest.mark.parametrize("k", [1, 2, 3])
def test_groupings_with_few_groups_are_counted_by_associated_stirling_numbers(k):
    for n in range(1, 9):
        for most in range(n + 1):
            expected = sum(associated_stirling(n, groups, k) for groups in range(most + 1))
            assert sum(1 for _ in groupings(range(n), k, most)) == expected


def test_every_grouping_is_a_partition_and_none_comes_twice():
    seen = set()
    for blocks in groupings(range(7), 2):
        assert sorted(i for block in blocks for i in block) == list(range(7))
        assert min(map(len, blocks)) >= 2
        seen.add(frozenset(map(frozenset, blocks)))
    assert len(seen) == NO_SINGLETONS[7]


def test_equal_rows_are_told_apart_by_position():
    assert sum(1 for _ in groupings(["a"] * 4, 2)) == NO_SINGLETONS[4]


def test_kept_leaves_out_up_to_the_given_number():
    choices = list(kept(range(5), 2))
    assert len(choices) == 1 + 5 + 10
    assert {len(choice) for choice in choices} == {3, 4, 5}


def test_blocks_of_reads_labels_and_skips_suppressed_records():
    assert blocks_of([0, 1, -1, 0, 1]) == [(0, 3), (1, 4)]
