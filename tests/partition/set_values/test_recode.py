"""Recoding sets: no combination of up to m items is rare in a class, and no recoding is cheaper than the optimum."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from shoal.errors import ParameterError
from shoal.partition.set_values import recode
from shoal.partition.set_values.item_tree import ItemTree, flat_items, item_tree
from shoal.partition.set_values.items import Items, read_items
from shoal.partition.set_values.recode import recode_items
from shoal.partition.set_values.sharing import fewest_sharers
from shoal.space.hierarchy import tree_of_levels
from tests.oracles.item_sets import Cell, fewest_who_fit, least_cost

LEVELS = [["a", "b", "c", "d", "e"], ["ab", "ab", "cd", "cd", "e"], ["abcd", "abcd", "abcd", "abcd", "e"]]
ABOVE = {"a": ["ab", "abcd"], "b": ["ab", "abcd"], "c": ["cd", "abcd"], "d": ["cd", "abcd"], "e": []}


def tree_of(items: Items, *, flat: bool) -> ItemTree:
    if flat:
        return flat_items(items.names)
    kept = [place for place, name in enumerate(LEVELS[0]) if name in items.names]
    levels = [[level[place] for place in kept] for level in LEVELS]
    built = tree_of_levels("x", levels, missing=False)
    return item_tree(items.names, built, built.ranks(pl.Series("x", items.names)))


def drawn(seed: int, n: int, people: int | None) -> tuple[pl.Series, list[int]]:
    chance = np.random.default_rng(seed)
    cells = [";".join(chance.choice(LEVELS[0], chance.integers(0, 4))) for _ in range(n)]
    whose = list(range(n)) if people is None else chance.integers(0, people, n).tolist()
    return pl.Series("x", cells), whose


def published(items: Items, tree: ItemTree, nodes: np.ndarray) -> list[Cell]:
    return [
        frozenset(tree.names[node] for node in nodes[low:high].tolist() if node >= 0)
        for low, high in zip(items.start[:-1], items.start[1:], strict=True)
    ]


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("people", [None, 6])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_no_adversary_with_m_items_finds_fewer_than_k_people_of_a_class(
    flat: bool, people: int | None, m: int
) -> None:
    for seed in range(12):
        cells, whose = drawn(seed, 24, people)
        classes = np.random.default_rng(seed).integers(0, 3, 24)
        items = read_items(cells, ";")
        tree = tree_of(items, flat=flat)
        who = None if people is None else np.array(whose)
        found = recode_items(items, tree, classes, who, k=3, m=m, n_classes=3)
        shown = published(items, tree, found.nodes)
        for one in range(3):
            rows = np.flatnonzero(classes == one).tolist()
            own, people_here = [shown[row] for row in rows], [whose[row] for row in rows]
            if len(set(people_here)) >= 3:
                assert fewest_who_fit(own, people_here, m) >= 3


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("m", [1, 2])
def test_a_recoding_costs_at_least_the_optimum_and_its_loss_is_what_it_says(flat: bool, m: int) -> None:
    times_best = []
    for seed in range(8):
        cells, whose = drawn(seed + 50, 12, None)
        items = read_items(cells, ";")
        tree = tree_of(items, flat=flat)
        found = recode_items(items, tree, np.zeros(12, dtype=np.int64), None, k=3, m=m, n_classes=1)
        above = {name: [] if flat else [node for node in ABOVE[name] if _joins(node, items)] for name in items.names}
        own = [frozenset(items.names[code] for code in items.codes[a:b]) for a, b in pairwise(items.start)]
        best = least_cost(own, whose, above, 3, m)
        assert best <= Fraction(found.lost[0]) + Fraction(1, 10**9)
        times_best.append(1.0 if best == 0 else float(found.lost[0]) / float(best))
    assert np.median(times_best) < 1.3, times_best  # greedy, and near the best


def _joins(node: str, items: Items) -> bool:
    below = sum(node in ABOVE[name] for name in items.names)
    return 1 < below < len(items.names)


def test_the_fewest_who_share_items_are_those_an_adversary_finds() -> None:
    for seed in range(6):
        for people in (None, 5):
            cells, whose = drawn(seed + 90, 14, people)
            items = read_items(cells, ";")
            who = None if people is None else np.array(whose)
            own = [frozenset(items.names[code] for code in items.codes[a:b]) for a, b in pairwise(items.start)]
            for m in (1, 2, 3):
                found = fewest_sharers(items, np.zeros(14, dtype=np.int64), who, m=m)
                assert found.min() == fewest_who_fit(own, whose, m)


def test_the_order_of_records_and_the_number_of_rare_combinations_at_a_time_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells, _ = drawn(3, 60, None)
    turned = np.random.default_rng(0).permutation(60)
    for flat in (True, False):
        items, others = read_items(cells, ";"), read_items(cells[turned], ";")
        tree = tree_of(items, flat=flat)
        one = recode_items(items, tree, np.arange(60) % 2, None, k=4, m=2, n_classes=2)
        other = recode_items(others, tree, (np.arange(60) % 2)[turned], None, k=4, m=2, n_classes=2)
        assert published(items.taken(turned), tree, Items((), one.start, one.nodes).taken(turned).codes) == published(
            others, tree, other.nodes
        )
    monkeypatch.setattr(recode, "MOST_RARE", 1)
    few = recode_items(items, tree, np.zeros(60, dtype=np.int64), None, k=9, m=2, n_classes=1)
    assert fewest_who_fit(published(items, tree, few.nodes), list(range(60)), 2) >= 9


def test_a_cell_is_a_set_of_items() -> None:
    items = read_items(pl.Series("x", ["b; a;b", " a ;;", "", None, "heart attack;a"]), ";")
    assert items.names == ("a", "b", "heart attack")
    assert items.start.tolist() == [0, 2, 3, 3, 3, 5]
    assert items.codes.tolist() == [0, 1, 0, 0, 2]
    assert len(read_items(pl.Series("x", [None, None], dtype=pl.String), ";")) == 2


def test_huge_cells_are_counted_or_refused_in_a_sentence() -> None:
    cells = pl.Series("x", [";".join(f"c{i}" for i in range(200))] * 6 + ["c1;c2"] * 3)
    items = read_items(cells, ";")
    found = recode_items(items, flat_items(items.names), np.zeros(9, dtype=np.int64), None, k=5, m=3, n_classes=1)
    assert (found.nodes >= 0).all()
    crowd = read_items(pl.Series("x", [";".join(f"c{i}" for i in range(2_400))]), ";")
    with pytest.raises(ParameterError, match="too many to count"):
        recode_items(crowd, flat_items(crowd.names), np.zeros(1, dtype=np.int64), None, k=5, m=3, n_classes=1)


def test_items_without_company_are_dropped_and_a_class_without_items_stays() -> None:
    cells = pl.Series("x", ["a;b", "a;b", "a;b;rare", "", None, ""])
    items = read_items(cells, ";")
    tree = flat_items(items.names)
    found = recode_items(items, tree, np.array([0, 0, 0, 1, 1, 1]), None, k=3, m=2, n_classes=2)
    assert published(items, tree, found.nodes) == [frozenset("ab")] * 3 + [frozenset()] * 3
    assert found.lost.tolist() == [1.0, 0.0]


def test_items_that_come_back_under_a_node_bring_no_rare_combination() -> None:
    """x is dropped first, as nobody else has it; later y becomes P, and x with it: then P and w are a rare pair."""
    cells = ["x;w", "w", "w", "y;z;v", "r;z;v"] + ["y;z", "y;v", "r;z", "r;v", "z;v"] * 2 + ["z"] * 20 + ["v"] * 20
    items = read_items(pl.Series("x", cells), ";")
    levels = [list(items.names), ["P" if name in "xyr" else name for name in items.names]]
    built = tree_of_levels("x", levels, missing=False)
    tree = item_tree(items.names, built, built.ranks(pl.Series("x", items.names)))
    found = recode_items(items, tree, np.zeros(len(cells), dtype=np.int64), None, k=2, m=3, n_classes=1)
    shown = published(items, tree, found.nodes)
    assert any("P" in cell for cell in shown)
    assert fewest_who_fit(shown, range(len(cells)), 3) >= 2
