"""Small inputs for every kernel. Each case returns plain values, which are compared compiled and uncompiled.

Most cases call the function that prepares the arrays of a kernel, as in a real run, on a few dozen records.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from shoal.kernels.center_pricing import price_centers
from shoal.kernels.cover_leftovers import spread_leftovers
from shoal.kernels.euclid_tree import build_tree, nearest_neighbors
from shoal.kernels.rare_combinations import rare_combinations
from shoal.kernels.refinement import count_refined, refine
from shoal.kernels.sparse_merge import merge_rows
from shoal.kernels.triangles import broken_triangles
from shoal.partition.balance.limits import Balance
from shoal.partition.balance.search import BalancedCuts
from shoal.partition.cellular_cost.primal_dual import pay
from shoal.partition.generalization import group_bound
from shoal.partition.generalization.annealing import regroup
from shoal.partition.generalization.annealing_records import by_kind
from shoal.partition.generalization.cell_bound import offers_within
from shoal.partition.generalization.cell_cover import cover_labels
from shoal.partition.generalization.forest import forest
from shoal.partition.generalization.group_bound import OffersOfGroups, all_near
from shoal.partition.generalization.start_from_cells import cheapest_first
from shoal.partition.generalization.start_from_cuts import cut_at_best
from shoal.partition.generalization.subset_rows import SubsetRows
from shoal.partition.group_pool import GroupPool
from shoal.partition.microaggregation.annealing import neighbor_lists, search
from shoal.partition.microaggregation.annealing_with_rules import regroup_squared
from shoal.partition.microaggregation.center_search import search_centers
from shoal.partition.microaggregation.centers import center_arrays
from shoal.partition.microaggregation.column_generation import Prices
from shoal.partition.microaggregation.exact_runs import exact_runs
from shoal.partition.microaggregation.group_loss import as_points
from shoal.partition.microaggregation.microaggregate import microaggregate
from shoal.partition.microaggregation.univariate import cut_order
from shoal.partition.radius.balls import open_balls
from shoal.partition.radius.one_column import gather_line
from shoal.partition.rules import Rule
from shoal.partition.set_values.item_tree import flat_items, item_tree
from shoal.partition.set_values.items import Items
from shoal.partition.set_values.recode import recode_items
from shoal.partition.set_values.sharing import fewest_sharers
from shoal.partition.single_attribute.intervals import intervals
from shoal.partition.single_attribute.rectangles import rectangles
from shoal.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    Records,
    Requirement,
    TCloseness,
)
from shoal.requirements.counts import Levels
from shoal.space.graph import Paths
from shoal.space.hierarchy import tree_of_levels
from shoal.space.neighbors import Neighbors
from shoal.space.space import LINE, TREE, Axis, Space, set_costs

CASES: dict[str, Callable[[], Any]] = {}


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__] = function
    return function


def drawn(n: int, d: int, seed: int, *, grid: int | None = None) -> Any:
    """Points from a normal distribution, or on a grid, where many distances are equal."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, grid, (n, d)).astype(float) if grid else rng.normal(size=(n, d))


def mixed_space(n: int, seed: int, *, norm: int = 1, grid: int = 8) -> Space:
    """Two columns of numbers, a hierarchy of three levels and a column of labels that are published as sets."""
    rng = np.random.default_rng(seed)
    leaves = np.arange(12)
    ancestors = np.stack([leaves, leaves // 2, leaves // 6, np.zeros(12)], axis=1).astype(np.int32)
    labels = np.stack([np.arange(5), np.zeros(5)], axis=1).astype(np.int32)
    axes = (
        Axis("a", LINE),
        Axis("b", LINE),
        Axis("tree", TREE, ancestors, np.array([0.0, 0.3, 0.7, 1.0])),
        Axis("set", TREE, labels, np.array([0.0, 0.4]), by_count=set_costs(0.2, len(labels))),
    )
    numbers = rng.integers(0, grid, (n, 2)) / grid
    coordinates = np.column_stack([numbers, rng.integers(0, 12, n), rng.integers(0, 5, n)])
    return Space(np.ascontiguousarray(coordinates, dtype=float), axes, norm)


@case
def box_tree_and_its_searches() -> Any:
    found: list[Any] = []
    for norm in (1, 2):
        space = mixed_space(60, norm, norm=norm)
        near = Neighbors(space, np.arange(60) % 3 + 1, n_threads=1)
        found += [near.nearest(4), near.nearest_rows(5), near.kth_distance(6), near.distances_from(3)]
        found += [near.count_within(0.6), near.within(0.6), near.distance([0, 1], [2, 3])]
    alike = Neighbors(Space.from_points(np.zeros((70, 1))), n_threads=1)
    return [*found, alike.nearest(3)]


@case
def balls() -> Any:
    near = Neighbors(mixed_space(60, 3), n_threads=1)
    some = np.arange(60)
    return [
        *open_balls(near, some, 0.4, reach=0.9),
        *open_balls(near, some, 0.4, pick=some[::-1].copy(), needed=4, most=5),
        *open_balls(near, some[:7], 0.4, needed=-1),
    ]


@case
def duals_of_cellular_clustering() -> Any:
    points = drawn(30, 2, 4, grid=6)
    matrix = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    order = np.argsort(matrix, axis=1, kind="stable")
    opening = np.arange(30) / 10
    return [
        *pay(matrix, order, opening, 3),
        *pay(matrix, order, opening, 0),
        *pay(matrix, order, opening, 3, n_suppressed=4),
    ]


@case
def leftovers_of_a_cover() -> Any:
    sizes, begins = np.array([9, 7, 5, 4, 4, 3, 1]), np.array([2, 4, 7])
    loads = np.array([[9, 7, 0], [12, 4, 9], [5, 0, 0]])
    heaviest = np.zeros(3, dtype=np.int64)
    spread_leftovers(sizes, begins, loads, np.array([2, 3, 1]), heaviest)
    return loads, heaviest


@case
def nearest_points_in_a_euclidean_tree() -> Any:
    return [nearest_neighbors(build_tree(points), 3) for points in (drawn(90, 2, 5), drawn(40, 3, 6, grid=2))]


@case
def groups_of_fixed_size() -> Any:
    return [microaggregate(drawn(n, 2, n), 3, method=m).labels for m in ("centroid", "diameter") for n in (22, 29)]


@case
def mdav_and_v_mdav() -> Any:
    return [microaggregate(drawn(n, 2, n), 3, method=m).labels for m in ("mdav", "v-mdav") for n in (31, 40)]


@case
def spanning_tree_and_its_cuts() -> Any:
    return [
        microaggregate(drawn(80, 2, 7), 3, method="mst-d").labels,
        microaggregate(drawn(50, 2, 8, grid=5), 4, method="mst-d").labels,
    ]


@case
def one_column_cut_at_the_optimum() -> Any:
    return microaggregate(drawn(40, 1, 9), 3, method="optimal").labels


@case
def annealing_of_squared_error() -> Any:
    points = drawn(40, 2, 10)
    found = [
        search(
            points,
            neighbor_lists(points, k),
            np.arange(40) // k,
            k,
            seed=1,
            effort=effort,
            hot=1.0,
            deadline=math.inf,
        )
        for k, effort in ((4, 60), (5, 8))
    ]
    large = np.zeros((140, 1)) + drawn(140, 1, 11)
    big = search(
        large, neighbor_lists(large, 70), np.arange(140) // 70, 70, seed=1, effort=4, hot=1.0, deadline=math.inf
    )
    return [*(one.last for one in found), big.last]


@case
def annealing_of_squared_error_with_rules() -> Any:
    rules = [Rule(np.arange(30) % 4, 2.0), Rule(np.arange(30) % 3, 2.0, share=True)]
    return regroup_squared(drawn(30, 2, 12), np.arange(30) // 6, 3, rules, effort=8.0).labels


@case
def prices_of_groups() -> Any:
    points, k = drawn(16, 2, 13), 3
    square = ((points[:, None] - points) ** 2).sum(axis=2)
    duals = np.linspace(0.2, 1.2, 16)
    prices = Prices.of(square, k)
    short = prices._replace(nearest=np.ascontiguousarray(prices.nearest[:, :5]))
    return [
        *prices.search(duals, 20_000, math.inf, 1),
        *prices.search(duals, 2, math.inf, 1),
        *short.search(duals, 20_000, math.inf, 1),
    ]


def centers_space(n: int, seed: int) -> Space:
    """Means and medians with and without missing values, a hierarchy and labels, some records more than once."""
    rng = np.random.default_rng(seed)
    missing = rng.random(n) < 0.3
    columns = [
        rng.normal(size=n) * 3,
        np.where(missing, 1.0, rng.integers(0, 5, n)),
        np.where(missing, 4.0, 0.0),
        rng.random(n) * 4,
        rng.integers(0, 6, n),
    ]
    labels = np.column_stack((np.arange(6), np.arange(6) // 3, np.zeros(6))).astype(np.int32)
    axes = (
        Axis("a", LINE),
        Axis("b", LINE, gaps="counted"),
        Axis("b", LINE),
        Axis("c", LINE, median=True),
        Axis("d", TREE, labels, np.array([0.0, 1.0, 3.0])),
    )
    return Space(np.repeat(np.column_stack(columns), 1 + np.arange(n) % 2, axis=0), axes)


@case
def prices_around_centers() -> Any:
    space = centers_space(10, 44)
    points, counts, _ = space.distinct()
    arrays, answers = center_arrays(points, counts, at_most=True), []
    for limit, scale, part, n_parts in (
        (10**6, 2.0, 0, 1),
        (400, 4.0, 0, 1),
        (10**6, 3.0, 1, 2),
        (10**6, 0.01, 0, 1),
    ):
        found, lowered = np.full((9, 3), -1, dtype=np.int32), np.zeros(len(points))
        duals = np.linspace(0.1, 1.0, len(points)) * scale
        told = price_centers(arrays, duals, 3, 1e-6, 0.05, limit, part, n_parts, found, lowered)
        answers += [found, lowered, np.array(told)]
    return answers


@case
def annealing_around_centers() -> Any:
    space = centers_space(30, 45)
    near = neighbor_lists(as_points(space), 3)
    given = {"seed": 1, "deadline": math.inf, "n_threads": 1}
    return [
        search_centers(space, near, np.arange(45) // size, k, effort=effort, **given)[0]
        for size, k, effort in ((3, 3, 60), (5, 3, 40), (9, 5, 30))
    ]


@case
def forest_of_nearest_neighbors() -> Any:
    return [forest(mixed_space(50, 14, grid=g), k, n_threads=1).labels for g, k in ((3, 2), (3, 5), (9, 7))]


@case
def annealing_of_generalization() -> Any:
    rules = [Rule(np.arange(62) % 4, 2.0), Rule(np.arange(62) % 5, 2.0, share=True)]
    space = mixed_space(62, 15, grid=4)
    found = [
        regroup(space, np.minimum(np.arange(62) // 3, 19), 3, effort=80.0, n_threads=1),
        regroup(space, np.minimum(np.arange(62) // 6, 9), 4, rules=rules, effort=40.0, n_threads=1),
        regroup(space, np.minimum(np.arange(62) // 6, 9), 4, rules=rules, keep=True, effort=4.0, n_threads=1),
        regroup(mixed_space(21, 16, grid=90), np.minimum(np.arange(21) // 4, 4), 4, effort=4.0, n_threads=1),
    ]
    return [one.labels for one in found]


@case
def cuts_of_large_groups() -> Any:
    space = mixed_space(60, 16)
    return cut_at_best(space, by_kind(space), 5, n_threads=1)


@case
def cells_and_offers() -> Any:
    space = mixed_space(40, 17, grid=4)
    return [offers_within(space, 3, effort=0.2), cheapest_first(space, 3)]


@case
def cover_of_cells() -> Any:
    rng = np.random.default_rng(3)
    spaces = [Space.from_labels(rng.integers(0, 3, (40, 3)).astype(str)) for _ in range(2)]
    return [cover_labels(space, k) for space in spaces for k in (2, 4)]


@case
def offers_of_groups() -> Any:
    found = []
    for n, grid, k, limit in ((24, 9, 4, 0), (24, 9, 4, 30), (14, 2, 4, 10**4), (14, 9, 2, 10**4)):
        points, counts, _ = mixed_space(n, 19, grid=grid).distinct()
        search = OffersOfGroups(points, counts, k, 1.0, np.zeros(len(counts)), all_near(points, 1), 1)
        offers, order = np.linspace(0.9, 1.8, len(counts)), np.arange(len(counts))
        found.append(search.priced(offers, order, offers, order, limit))
    pool = GroupPool(counts)
    pool.add(
        found[-1].groups.ravel(), np.arange(0, found[-1].groups.size + 1, k), np.ones(len(found[-1].groups)), 0.0
    )
    return [*found, pool.balance(offers, offers, 0.5, 2), *_offers_with_charges()]


def _offers_with_charges() -> Any:
    found = []
    line = Space.from_points(np.linspace(0.0, 1.0, 12)[:, None] ** 1.5)  # a box of two records has others inside
    for space, k, most, price in ((mixed_space(16, 19, grid=9), 4, 1.8, 0.25), (line, 5, 0.6, 0.05)):
        points, counts, _ = space.distinct()
        rows, order = SubsetRows(k, counts), np.arange(len(counts))
        groups = np.array(list(itertools.combinations(np.flatnonzero(counts == 1)[:6].tolist(), k)), dtype=np.int32)
        pool = GroupPool(counts)
        pool.add(groups.ravel(), np.arange(0, groups.size + 1, k), np.ones(len(groups)), 0.3)
        rows.add_violated(pool)
        offers = np.linspace(most / 2, most, len(counts))
        balanced = rows.balance(pool, offers, np.full(len(counts), 2.0), 0.5, 2)
        rows.prices = np.full(len(rows.rows), price)
        search = OffersOfGroups(points, counts, k, 1.0, np.zeros(len(counts)), all_near(points, 1), 1)
        search.charges = rows.charges()
        limits = (3, 10**4)
        found += [rows.rows, balanced, *(search.priced(offers, order, offers, order, limit) for limit in limits)]
    return found


@case
def near_records() -> Any:
    found, kept = [], (group_bound.DENSE, group_bound.LISTED)
    for n, grid, listed in ((30, 3, 40), (30, 9, 6)):
        points = mixed_space(n, 23, grid=grid).distinct()[0]
        group_bound.DENSE, group_bound.LISTED = 0, listed
        found.append(group_bound._near(points, np.linspace(0.5, 3.0, len(points)), 0.4, 1))
    group_bound.DENSE, group_bound.LISTED = kept
    return found


@case
def cuts_of_a_line() -> Any:
    rng = np.random.default_rng(18)
    return intervals(rng.integers(0, 9, 40), 4).labels


@case
def rectangles_of_places() -> Any:
    points = drawn(50, 2, 19, grid=7)
    crosses = np.array([[0, 9, 0], [9, 10, 9], [0, 8, 0], [9, 10, 9], [0, 9, 0]])  # these are cut into strips first
    return [
        rectangles(points, 4).labels,
        rectangles(points * [5, 20], 4, geographic=True).labels,
        rectangles(np.argwhere(crosses), 10, weights=crosses[crosses > 0]).labels,
    ]


@case
def shortest_paths() -> Any:
    edges = [(i, i + 1, 1.0 + i % 3) for i in range(11)] + [(0, 5, 2.0), (3, 9, 2.5), (1, 11, 7.0)]
    paths = Paths(edges)
    return [paths.nearest(4), paths.distances_from(2), paths.ball(6, 3.0), paths.distance([0, 1], [9, 4])]


@case
def rows_of_a_sparse_matrix() -> Any:
    start, keys, weights = np.array([0, 3, 5, 5]), np.array([0, 2, 5, 2, 3]), np.array([1, 2, 3, 4, 5])
    found: list[Any] = []
    for once in (False, True):
        ends, merged, sums = (np.zeros(size, dtype=np.int64) for size in (3, 10, 10))
        merge_rows(start, keys, weights, np.array([0, 1, 2]), np.array([1, -1, 0]), once, ends, merged, sums)
        found += [ends, merged, sums]
    return found


@case
def triangle_inequalities() -> Any:
    points = drawn(20, 2, 20)
    matrix = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    matrix[2, 5] = matrix[5, 2] = 9.0
    return broken_triangles(matrix, matrix * (1 - 1e-9), 0, 20)


@case
def exact_cut() -> Any:
    values = [1e-60, 1e-60, 0.1, 0.1, 0.2, 0.7, 3.0, 3.5, 10.0, 11.0, 12.0, 13.0, 14.0, 14.0]
    return [exact_runs(np.array(values), k).labels for k in (2, 3)]


@case
def cut_of_points_in_an_order() -> Any:
    return cut_order(np.random.default_rng(8).normal(size=(20, 2)), np.arange(20), 3)


@case
def classes_refined_by_columns() -> Any:
    rng = np.random.default_rng(21)
    people = np.sort(rng.integers(0, 30, 40)).astype(np.int32)  # the rows of a person are neighbors
    one, other = (rng.integers(0, 4, 40).astype(np.int32) for _ in range(2))
    rows, start = refine(np.arange(40, dtype=np.int32), np.array([0, 40], dtype=np.int32), one, 4)
    twice = refine(rows, start, other, 4)
    everyone = np.empty(0, dtype=np.int32)
    return [rows, start, *twice, *(count_refined(rows, start, other, 4, own, 3) for own in (everyone, people))]


@case
def line_groups() -> Any:
    values = np.sort(np.random.default_rng(7).integers(0, 60, 40).astype(float))
    found = gather_line(values, np.arange(40), 3)
    return found.labels, found.centers, found.radii, found.cost, found.details.lower_bound_any_center


@case
def balanced_cuts() -> Any:
    rng = np.random.default_rng(22)
    n = 48
    leaves = np.stack([np.arange(8), np.arange(8) // 2, np.zeros(8)], axis=1).astype(np.int32)
    labels = np.stack([np.arange(20), np.zeros(20)], axis=1).astype(np.int32)
    axes = (
        Axis("number", LINE),
        Axis("rank", LINE, by_count=np.arange(6) / 6),
        Axis("leaf", TREE, leaves, np.array([0.0, 0.5, 1.0])),
        Axis("label", TREE, labels, np.array([0.0, 1.0]), by_count=np.arange(20) / 20),
    )
    drawn_axes = [rng.random(n), rng.integers(0, 6, n), rng.integers(0, 8, n), rng.integers(0, 20, n)]
    space = Space(np.stack(drawn_axes, axis=1).astype(float), axes, 1)
    near = np.minimum(4, space.coordinates[:, 2].astype(np.int64) // 2 + rng.integers(0, 2, n))
    nodes = np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 1]])
    records = Records(n, None, {"s": near, "o": rng.integers(0, 4, n)}, {"s": Levels(nodes)}, {"o": 3})
    asked: list[list[Requirement]] = [
        [TCloseness("s", 0.3)],
        [TCloseness("s", 0.15, "ordered"), LDiversity("o", 2)],
        [TCloseness("s", 0.2, "hierarchical"), LDiversity("o", 2, "frequency")],
        [LDiversity("s", 3, "entropy"), LDiversity("o", 2, "recursive", 2.0)],
        [BetaLikeness("s", 0.8, "enhanced"), DeltaDisclosure("o", 2.0), AlphaAnonymity("o", 0.6)],
    ]
    found: list[Any] = []
    for one in asked:
        cuts = BalancedCuts(space, 3, one, records, seed=1, n_threads=1)
        start = cuts.start()
        found += [start, cuts.recut(start, 0), Balance.of(one, records).shortages(rng.integers(0, 9, n))]
    return found


@case
def item_recoding() -> Any:
    rng = np.random.default_rng(23)
    n = 40
    drawn_items = [np.unique(rng.integers(0, 7, rng.integers(0, 6))) for _ in range(n)]
    start = np.concatenate([[0], np.cumsum([len(one) for one in drawn_items])]).astype(np.int64)
    items = Items(tuple("abcdefg"), start, np.concatenate(drawn_items).astype(np.int64))
    levels = [list("abcdefg"), ["ab", "ab", "cd", "cd", "ef", "ef", "g"], ["abcd"] * 4 + ["efg"] * 3]
    tree = item_tree(items.names, tree_of_levels("x", levels, missing=False), np.arange(7))
    classes, people = rng.integers(0, 2, n), rng.integers(0, 14, n)
    found: list[Any] = []
    for m in (1, 2, 3):
        for above in (tree, flat_items(items.names)):
            for whose in (None, people):
                recoded = recode_items(items, above, classes, whose, k=3, m=m, n_classes=2)
                found += [recoded.nodes, recoded.lost]
        found += [fewest_sharers(items, classes, whose, m=m) for whose in (None, people)]
        for most in (1, 1000):
            found.append(rare_combinations(start, items.codes, np.arange(n), 7, 6, m, most))
    return found
