"""Downcoding (A. Cohen, USENIX Security 2022): undo a part of a generalization because it was minimal.

A group that is published as a range or node no wider than it must be says that somebody is at either end of it. So
for every class the attacker publishes a finer table: of one quasi-identifier, two rows get one end each (of a range),
two labels of the set, or two different nodes below the published one where it has just two. It is right if the class
has such people. Each right claim down-codes two records; k promises nothing against it, since still nobody knows
whose rows they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tests.api.oracle import OR_MISSING, parse_labels
from tests.attacks.reading import Classes, Floats, Ints, as_numbers, number_of, texts

Children = Mapping[str, tuple[frozenset[str], frozenset[str]]]
"""Per node with just two nodes below it: the leaves of each."""


@dataclass(frozen=True, eq=False)
class Claim:
    """Of class `group`, somebody is in `first` and somebody else in `second`, by a column."""

    group: int
    column: str
    first: frozenset[str] | float
    second: frozenset[str] | float


def claims(classes: Classes, children: Mapping[str, Children] | None = None) -> list[Claim]:
    """One claim for every class that leaves one to be made: by the first column that does."""
    found = []
    for group in range(len(classes.people)):
        for name in classes.seen.policy.quasi:
            parts = [classes.cells[part][group] for part in classes.seen.parts(name)]
            made = _claim(group, name, parts, (children or {}).get(name, {}))
            if made is not None:
                found.append(made)
                break
    return found


def _claim(group: int, name: str, parts: list[str | None], children: Children) -> Claim | None:
    if parts[0] is None:
        return None
    cell = parts[0].removesuffix(OR_MISSING)
    if cell in children:
        return Claim(group, name, *children[cell])
    if len(parts) > 1 and parts[1] is not None and parts[0] != parts[1]:
        return Claim(group, name, number_of(parts[0]), number_of(parts[1]))
    if cell.startswith("[") and cell.endswith("]"):
        low, high = parse_labels(cell)
        return Claim(group, name, number_of(low), number_of(high))
    if cell.startswith("{"):
        labels = [label for label in parse_labels(cell) if label is not None]
        return Claim(group, name, frozenset(labels[:1]), frozenset(labels[1:2])) if len(labels) > 1 else None
    return None


def right(made: list[Claim], table: pl.DataFrame, own: Ints) -> Floats:
    """1 for every claim that is true of the people of the class; `own` is the class of each original, or -1."""
    return np.array([float(_is_right(claim, table, own)) for claim in made])


def blind(made: list[Claim], table: pl.DataFrame, own: Ints, *, seed: int = 0) -> Floats:
    """The same claims about other values of the column, drawn from those that the published cell may stand for."""
    chance, found = np.random.default_rng(seed), []
    for claim in made:
        values = as_numbers(table[claim.column])
        if isinstance(claim.first, float) and isinstance(claim.second, float) and values is not None:
            inside = values[(values >= claim.first) & (values <= claim.second)]
            a, b = chance.choice(inside, 2)
            claim = Claim(claim.group, claim.column, float(a), float(b))
            found.append(float(a != b and _is_right(claim, table, own)))
    return np.array(found)


def _is_right(claim: Claim, table: pl.DataFrame, own: Ints) -> bool:
    rows = np.flatnonzero(own == claim.group)
    inside = table[claim.column][rows]
    if isinstance(claim.first, float):
        values = as_numbers(inside)
        assert values is not None
        return bool((values == claim.first).any() and (values == claim.second).any())
    told = set(texts(inside))
    assert not isinstance(claim.second, float)
    return bool(told & claim.first and told & claim.second)


def two_below(widths: tuple[int, int], highest: int) -> Children:
    """The nodes of a hierarchy of widths that have two intervals of the next finer width below them."""
    fine, coarse = widths
    assert coarse == 2 * fine
    return {
        f"[{a}, {a + coarse})": (
            frozenset(str(x) for x in range(a, a + fine)),
            frozenset(str(x) for x in range(a + fine, a + coarse)),
        )
        for a in range(0, highest, coarse)
    }


def nested(n_clusters: int, k: int, width: int, seed: int = 0) -> pl.DataFrame:
    """Clusters of k records, each in a node of `width` of its own: one in the right half, the others in the left.

    After Cohen's construction: no node below holds k records, so every minimal generalization publishes just that
    node, and who knows it was minimal knows that both halves are inhabited.
    """
    chance = np.random.default_rng(seed)
    rows = []
    for cluster in range(n_clusters):
        low, half = 4 * cluster * width, width // 2
        rows += [int(low + x) for x in chance.integers(0, half, k - 1)] + [int(low + half + chance.integers(0, half))]
    return pl.DataFrame({"x": rows, "y": chance.choice(["u", "v"], len(rows)), "s": chance.integers(0, 9, len(rows))})
