"""Brute force for sets of items: adversaries who know up to m items, and the best recoding of tiny hierarchies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

Cell = frozenset[str]


def fewest_who_fit(cells: Sequence[Cell], people: Sequence[object], m: int) -> int:
    """Return the fewest people who fit what an adversary knows of someone, over all that can be known.

    The adversary knows at most m items that are published of a person, in one of the rows or in all rows of the
    person together, and finds everybody who has them in the same way.
    """
    whole: dict[object, set[str]] = {}
    for cell, who in zip(cells, people, strict=True):
        whole.setdefault(who, set()).update(cell)
    fewest = len(whole)
    in_rows = list(zip(people, cells, strict=True))
    in_people = [(who, frozenset(items)) for who, items in whole.items()]
    for records in (in_rows, in_people):
        for _, own in records:
            for size in range(1, m + 1):
                for known in combinations(sorted(own), size):
                    fewest = min(fewest, len({who for who, cell in records if cell.issuperset(known)}))
    return fewest


def recodings(above: dict[str, list[str]]) -> Iterator[dict[str, str | None]]:
    """Return every way to publish items as themselves, as a node above them, or not at all (None).

    `above` has for every item the nodes above it, from low to high. Items below a published node that is not dropped
    are published as this node, or dropped.
    """
    items = sorted(above)
    for chosen in product(*([item, *above[item], None] for item in items)):
        found = dict(zip(items, chosen, strict=True))
        nodes = {node for node in chosen if node is not None}
        if all(
            found[item] in (None, node) for item in items for node in nodes if node == item or node in above[item]
        ):
            yield found


def cost(cells: Sequence[Cell], coded: dict[str, str | None], above: dict[str, list[str]]) -> Fraction:
    """Return what the items of all cells lose: the share of all items below their node, 1 if they are dropped."""
    total = Fraction(0)
    for cell in cells:
        for item in cell:
            node = coded[item]
            if node is None:
                total += 1
            elif node != item:
                total += Fraction(sum(node in nodes for nodes in above.values()), len(above))
    return total


def least_cost(
    cells: Sequence[Cell], people: Sequence[object], above: dict[str, list[str]], k: int, m: int
) -> Fraction:
    """Return the least loss of a recoding of one class that meets k^m-anonymity."""
    best = Fraction(sum(map(len, cells)))
    for coded in recodings(above):
        price = cost(cells, coded, above)
        if price < best:
            published = [frozenset(node for item in cell if (node := coded[item]) is not None) for cell in cells]
            if fewest_who_fit(published, people, m) >= k:
                best = price
    return best
