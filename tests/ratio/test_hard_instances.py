"""The instances by which the papers prove hardness: 3-satisfiability, set cover and partition into triangles.

Groups of at least r around centers (000, section 2.1) solve 3-satisfiability; cellular clustering (000, theorem 3.2)
solves set cover; 3-anonymity by suppression with three values (003, theorem 1) solves edge partition into triangles.
Such tables are where a method is most likely to be far from the optimum, or its bound above it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching, shortest_path

from shoal.partition import cellular, forest, gather, triples
from tests.oracles.cellular import best_cellular_cost
from tests.oracles.generalization import Tree, best_generalization_cost, generalization_cost
from tests.oracles.groupings import blocks_of, groupings

QUICK, DEEP = range(12), range(12, 300)
CLOSED = 1000
"""The opening cost of a place where no center shall be."""


Clause = tuple[int, ...]
"""Literals: i + 1 is variable i, and -(i + 1) its complement."""


def a_formula(rng: np.random.Generator) -> tuple[list[Clause], int]:
    """Clauses of two or three literals over two or three variables, each literal in at most three; often too many."""
    n_variables = int(rng.integers(2, 4))
    clauses: list[Clause] = []
    used = dict.fromkeys([sign * (i + 1) for i in range(n_variables) for sign in (1, -1)], 0)
    for _ in range(int(rng.integers(2, 8))):
        chosen = rng.permutation(n_variables)[: int(rng.choice([2, 2, n_variables]))]
        clause = tuple(int(rng.choice([1, -1])) * (int(i) + 1) for i in chosen)
        if max(used[literal] for literal in clause) < 3:
            clauses.append(clause)
            for literal in clause:
                used[literal] += 1
    return clauses, n_variables


def satisfiable(clauses: list[Clause], n_variables: int) -> bool:
    return any(
        all(any((literal > 0) == values[abs(literal) - 1] for literal in clause) for clause in clauses)
        for values in product((True, False), repeat=n_variables)
    )


def gadgets(clauses: list[Clause], n_variables: int, r: int) -> np.ndarray:
    """The paper's graph, as distances: v_T, v_F and r - 2 nodes for each variable, and a node for each clause."""
    n = n_variables * r + len(clauses)
    near = np.zeros((n, n))
    for i in range(n_variables):
        true, false = i * r, i * r + 1
        near[true, false] = 1
        near[true, i * r + 2 : (i + 1) * r] = near[false, i * r + 2 : (i + 1) * r] = 1
    for place, clause in enumerate(clauses):
        for literal in clause:
            near[(abs(literal) - 1) * r + (literal < 0), n_variables * r + place] = 1
    return shortest_path(near, directed=False, unweighted=True)


def smallest_radius(distance: np.ndarray, r: int) -> float:
    """The least radius of groups of at least r around records, by trying all sets of centers.

    Centers must reach all, and r records each, of which none is counted twice: a matching of the records to r places
    of each center.
    """
    n = len(distance)
    for radius in np.unique(distance):
        near = distance <= radius
        for size in range(1, n // r + 1):
            for centers in combinations(np.flatnonzero(near.sum(axis=1) >= r).tolist(), size):
                rows = near[list(centers)]
                if rows.any(axis=0).all():
                    places = maximum_bipartite_matching(csr_array(np.repeat(rows, r, axis=0)), perm_type="column")
                    if (places >= 0).all():
                        return float(radius)
    return math.inf


def check_formula(seed: int) -> bool:
    r = 7  # the paper's r > 6: then no variable has two centers
    clauses, n_variables = a_formula(np.random.default_rng(seed))
    distance = gadgets(clauses, n_variables, r)
    if not np.isfinite(distance).all():  # a variable without a clause: groups do not reach each other
        distance = np.where(np.isfinite(distance), distance, 9.0)
    optimum, can = smallest_radius(distance, r), satisfiable(clauses, n_variables)
    assert (optimum == 1) == can, "the paper's own claim"
    found = gather(distance, r, metric="precomputed")
    assert found.sizes.min() >= r
    assert found.lower_bound <= optimum <= found.cost <= 2 * optimum
    return can


def test_groups_around_centers_solve_satisfiability():
    """No factor below 2 is possible in polynomial time: the next radius after 1 is 2."""
    answers = [check_formula(seed) for seed in QUICK]
    contradiction = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
    assert smallest_radius(gadgets(contradiction, 2, 7), 7) == 2
    assert any(answers)


@pytest.mark.deep
def test_groups_around_centers_solve_satisfiability_in_many_formulas():
    answers = [check_formula(seed) for seed in DEEP]
    assert any(answers)
    assert not all(answers)


def set_cover(rng: np.random.Generator) -> tuple[np.ndarray, list[int], int]:
    """Distances and opening costs of the reduction from a random set cover, and its cost by the theorem."""
    n_sets, n_elements = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    holds = rng.random((n_sets, n_elements)) < 0.5
    holds[rng.integers(0, n_sets, n_elements), np.arange(n_elements)] = True  # every element is in a set
    near = np.zeros((n_sets + n_elements,) * 2)
    near[:n_sets, :n_sets] = 1
    near[:n_sets, n_sets:] = holds
    np.fill_diagonal(near, 0)
    distance = shortest_path(near, directed=False).round().astype(int)
    fewest = next(
        size
        for size in range(1, n_sets + 1)
        for chosen in combinations(range(n_sets), size)
        if holds[list(chosen)].any(axis=0).all()
    )
    return distance, [1] * n_sets + [CLOSED] * n_elements, fewest + n_sets + n_elements


def check_cells(seed: int) -> None:
    distance, opening, cheapest = set_cover(np.random.default_rng(seed))
    optimum = best_cellular_cost(distance.tolist(), opening, 1)
    assert optimum == cheapest, "the theorem's own claim"
    for exact, ratio in ((True, 3), (False, Fraction(51, 10))):
        found = cellular(distance.astype(float), opening_cost=opening, metric="precomputed", exact=exact)
        assert found.ratio_proved == ratio
        assert found.lower_bound <= optimum * (1 + 1e-9)
        assert optimum <= found.cost * (1 + 1e-9)
        assert found.cost <= ratio * optimum * (1 + 1e-9)


def triangle_table(edges: list[tuple[int, int]], n_vertices: int) -> np.ndarray:
    """The table of theorem 1: a row per edge, a block per binary digit of its number: 1, 2 or 2, 1 at its ends."""
    blocks = math.ceil(math.log2(len(edges) + 1))
    table = np.zeros((len(edges), blocks, n_vertices), dtype=np.int64)
    for place, (a, b) in enumerate(edges):
        for block in range(blocks):
            flipped = (place + 1) >> (blocks - 1 - block) & 1
            table[place, block, a], table[place, block, b] = (2, 1) if flipped else (1, 2)
    return table.reshape(len(edges), -1)


def a_graph(rng: np.random.Generator) -> tuple[list[tuple[int, int]], int]:
    """A simple graph with six edges, or nine: edge-disjoint triangles, or any edges."""
    n, m = int(rng.integers(5, 8)), int(rng.choice([2, 2, 3]))
    every = list(combinations(range(n), 2))
    edges: set[tuple[int, int]] = set()
    if rng.random() < 0.5:
        for corners in rng.permutation(list(combinations(range(n), 3))).tolist():
            new = set(combinations(sorted(corners), 2))
            if len(edges) < 3 * m and not new & edges:
                edges |= new
    while len(edges) < 3 * m:
        edges.add(every[int(rng.integers(len(every)))])
    return [tuple(edge) for edge in rng.permutation(sorted(edges)).tolist()], n


def in_triangles(edges: list[tuple[int, int]]) -> bool:
    """Whether the edges can be partitioned into triangles, by trying every partition into threes."""
    return any(
        all(len({end for place in block for end in edges[place]}) == 3 for block in blocks)
        for blocks in groupings(range(len(edges)), 3)
        if all(len(block) == 3 for block in blocks)
    )


def check_table(seed: int) -> bool:
    edges, n = a_graph(np.random.default_rng(seed))
    table = triangle_table(edges, n)
    rows, columns = table.tolist(), [Tree.labels(3)] * table.shape[1]
    optimum = best_generalization_cost(rows, columns, 3)
    blocks, yes = table.shape[1] // n, in_triangles(edges)
    assert (optimum == 3 * len(edges) * blocks) == yes, "the theorem's own claim"
    assert optimum >= 3 * len(edges) * blocks
    for found in (triples(table), forest(table, 3)):
        cost = generalization_cost(rows, columns, blocks_of(found.labels))
        assert found.cost == pytest.approx(float(cost))
        assert found.lower_bound <= optimum <= cost
        assert found.ratio_proved is not None
        assert cost <= found.ratio_proved * optimum
    return yes


def test_cellular_clustering_of_a_set_cover_is_within_its_ratio() -> None:
    for seed in QUICK:
        check_cells(seed)


def test_three_anonymity_of_triangles_is_within_its_ratio() -> None:
    answers = [check_table(seed) for seed in QUICK]
    assert any(answers)
    assert not all(answers)


@pytest.mark.deep
def test_cellular_clustering_of_many_set_covers_is_within_its_ratio() -> None:
    for seed in DEEP:
        check_cells(seed)


@pytest.mark.deep
def test_three_anonymity_of_many_graphs_is_within_its_ratio() -> None:
    assert 20 < sum(check_table(seed) for seed in DEEP) < len(DEEP) - 20
