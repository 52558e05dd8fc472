"""The distance of a group's sensitive values from those of a release, in exact numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction

Parents = Sequence[Sequence[Hashable]]
"""`parents[h][value]` is the node above a value at level h: first the values themselves; the root is left out."""


def shares(values: Sequence[Hashable]) -> dict[Hashable, Fraction]:
    return {value: Fraction(held, len(values)) for value, held in Counter(values).items()}


def variational(group: Sequence[Hashable], released: Sequence[Hashable]) -> Fraction:
    p, q = shares(group), shares(released)
    return sum((abs(p.get(v, Fraction(0)) - q.get(v, Fraction(0))) for v in {*p, *q}), Fraction(0)) / 2


def ordered(group: Sequence[int], released: Sequence[int]) -> Fraction:
    """The area between both cumulative shares, over the steps between the values that are released."""
    values = sorted(set(released))
    steps = [
        abs(
            Fraction(sum(v <= at for v in group), len(group))
            - Fraction(sum(v <= at for v in released), len(released))
        )
        for at in values[:-1]
    ]
    return sum(steps, Fraction(0)) / max(len(steps), 1)


def hierarchical(group: Sequence[int], released: Sequence[int], parents: Parents) -> Fraction:
    """The mean of the variational distances on the levels that join values which the level below tells apart."""
    distances, before = [], 0
    for nodes in parents:
        n_nodes = len({nodes[v] for v in released})
        if not distances or 1 < n_nodes < before:
            distances.append(variational([nodes[v] for v in group], [nodes[v] for v in released]))
        before = n_nodes
    return sum(distances, Fraction(0)) / len(distances)
