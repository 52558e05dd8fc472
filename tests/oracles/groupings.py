"""Every way to group a few records. Slow and obvious, so that it can judge what is fast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeVar

T = TypeVar("T")


def groupings(rows: Sequence[T], k: int, max_groups: int | None = None) -> Iterator[list[tuple[T, ...]]]:
    """Every split of `rows` into blocks of at least `k`, in at most `max_groups` blocks if that is given.

    The first row picks its mates, the others are split in the same way. Rows are told apart by their
    position, so equal rows are counted as different ones.
    """
    if not rows:
        yield []
        return
    if max_groups == 0:
        return
    fewer = None if max_groups is None else max_groups - 1
    others = range(1, len(rows))
    for size in range(k - 1, len(rows)):
        for mates in combinations(others, size):
            left = [rows[i] for i in others if i not in mates]
            block = (rows[0], *(rows[i] for i in mates))
            yield from ([block, *rest] for rest in groupings(left, k, fewer))


def kept(rows: Sequence[T], max_dropped: int) -> Iterator[list[T]]:
    """Every choice of `rows` that leaves out at most `max_dropped` of them."""
    for dropped in range(max_dropped + 1):
        yield from (list(choice) for choice in combinations(rows, len(rows) - dropped))


def blocks_of(labels: Sequence[int]) -> list[tuple[int, ...]]:
    """The groups that `labels` describe; a negative label is a record left out."""
    groups = sorted({int(group) for group in labels if group >= 0})
    return [tuple(i for i, own in enumerate(labels) if own == group) for group in groups]
