"""Which instances and which oracle judge a theorem: one row per theorem id.

To add a theorem, write a function that draws a `Case` from a random generator and put it into `ROWS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np

from shoal.partition.result import Partition
from shoal.space.space import TREE, Axis, Space
from tests.oracles.cellular import best_cellular_cost, best_cellular_cost_anywhere, cell_cost
from tests.oracles.covering import best_intervals, best_largest_class
from tests.oracles.diverse import best_diverse, fewest_left_out
from tests.oracles.full_domain import best_full_domain, loss_at
from tests.oracles.generalization import Ranges, Tree, best_generalization_cost, generalization_cost
from tests.oracles.groupings import blocks_of
from tests.oracles.maps import best_largest_group, best_largest_rectangle, is_connected
from tests.oracles.radius import best_diameter, best_record_radius
from tests.oracles.residue import best_eligible_cost, is_eligible
from tests.oracles.squared_error import best_squared_error, squared_error
from tests.ratio import maps
from tests.ratio.case import Case
from tests.ratio.instances import ANCESTORS, a_metric, added_distances, any_table, values, weights

Rng = np.random.Generator


def gather_case(rng: Rng, *, few_groups: bool = False, outliers: bool = False, anywhere: bool = True) -> Case:
    """Largest radius with records as centers; the ratio is against centers anywhere, or against records too."""
    from shoal.partition.radius.gather import gather

    r = int(rng.integers(2, 4))
    n = int(rng.integers(r, 9 if outliers else 10))
    space = a_metric(rng, n)
    dropped = int(rng.integers(1, 3)) if outliers else 0
    dropped = min(dropped, n - r)
    groups = int(rng.integers(1, 4)) if few_groups else None
    limits = {"max_groups": groups, "max_dropped": dropped}
    options = {"max_suppressed": Fraction(dropped, n), "max_groups": groups}

    def cost(partition) -> Fraction:
        return max(
            Fraction(max(space.distance[partition.centers[group]][i] for i in block))
            for group, block in enumerate(blocks_of(partition.labels))
        )

    @cache
    def of_records() -> Fraction:
        return best_record_radius(space.distance, r, **limits)

    @cache
    def of_any() -> Fraction:
        return best_diameter(space.distance, r, **limits) / 2**space.power

    return Case(
        k=r,
        run=lambda: gather(space.points, r, metric=space.metric, **options),
        cost=cost,
        optimum=of_records,
        yardstick=of_any if anywhere else None,
        other_bounds={"lower_bound_any_center": of_any},
        own_proof=lambda found: found.details.lower_bound_any_center if anywhere else found.lower_bound,
        power=space.power,
        story=(r, limits, space),
    )


def line_case(rng: Rng) -> Case:
    """Largest radius around records on one line, with groups of one record too."""
    from shoal.partition.radius.gather import gather

    k = int(rng.integers(1, 5))
    n = int(rng.integers(k, 11 if k > 1 else 8))
    line = values(rng, n, 1)
    distance = [[abs(int(a) - int(b)) for b in line[:, 0]] for a in line[:, 0]]

    def cost(partition) -> Fraction:
        assert partition.theorem == "GATHER-6"
        found = [max(distance[partition.centers[g]][i] for i in b) for g, b in enumerate(blocks_of(partition.labels))]
        assert found == partition.radii.tolist()
        assert all(partition.labels[center] == group for group, center in enumerate(partition.centers))
        return Fraction(max(found))

    return Case(
        k=k,
        run=lambda: gather(line.astype(float), k),
        cost=cost,
        optimum=lambda: Fraction(best_record_radius(distance, k)),
        other_bounds={"lower_bound_any_center": lambda: Fraction(best_diameter(distance, k)) / 2},
        own_proof=None,
        story=(k, line.ravel().tolist()),
    )


def cellular_case(rng: Rng, *, sizes: bool, opening: str, outliers: bool = False, exact: bool | None = None) -> Case:
    """Sum of size x radius around records, with one opening cost, different ones or none, or with records dropped.

    Exact duals, or duals on a grid as for many records.
    """
    from shoal.partition.cellular_cost.cellular import cellular

    r = int(rng.integers(2, 4)) if sizes else None
    n = int(rng.integers(r + outliers, 9)) if r else int(rng.integers(1, 7))
    dropped = min(int(rng.integers(1, 3)), n - r) if r and outliers else 0
    space = a_metric(rng, n)
    distance = added_distances(space)
    dearest = 1 if outliers else int(rng.choice([2, 12, 60]))
    costs = rng.integers(0, dearest, n) if opening == "different" else np.full(n, rng.integers(0, dearest))
    if opening == "different" and n > 1 and (costs == costs[0]).all():
        costs[0] += 1
    given = None if sizes and not costs.any() else costs

    def cost(partition) -> Fraction:
        return sum(
            (
                cell_cost(distance, costs.tolist(), block, partition.centers[group])
                for group, block in enumerate(blocks_of(partition.labels))
            ),
            Fraction(0),
        )

    @cache
    def optimum() -> Fraction:
        return best_cellular_cost(distance, costs.tolist(), r or 1, max_dropped=dropped)

    return Case(
        k=r or 1,
        run=lambda: cellular(
            space.points,
            opening_cost=given,
            k=r,
            max_suppressed=Fraction(dropped, n),
            metric=space.metric,
            exact=exact,
        ),
        cost=cost,
        optimum=optimum,
        other_bounds={
            "dual_bound": optimum,
            "lower_bound_any_center": lambda: best_cellular_cost_anywhere(distance, r or 1, max_dropped=dropped),
        },
        # The duals are lowered a little against rounding. With guesses the proof is of the right guess alone.
        own_proof=None
        if outliers
        else lambda found: (found.lower_bound if exact is False else found.details.dual_bound) * (1 + 1e-9),
        story=(r, dropped, costs, space),
    )


def diverse_case(rng: Rng, *, paired: bool = False, outliers: bool = False) -> Case:
    """Largest radius around members, all colors of a group different; the ratio is against centers anywhere."""
    from shoal.partition.diversity.diverse import diverse

    while True:
        l = 2 if paired else int(rng.integers(1 + outliers, 4))  # noqa: E741 (the field's own name)
        n = 2 * int(rng.integers(1, 5)) if paired else int(rng.integers(l, 9 if outliers else 10))
        n_colors = 2 if paired else int(rng.integers(l, l + 4))
        share = rng.random(n_colors) + np.arange(n_colors) * outliers
        colors = rng.permutation(np.arange(n) % 2) if paired else rng.choice(n_colors, n, p=share / share.sum())
        dropped = fewest_left_out(colors.tolist(), l)
        if dropped is not None and (dropped > 0) == outliers and (paired or l != 2 or len(set(colors)) != 2):
            break
    space = a_metric(rng, n)

    @cache
    def best() -> tuple[Fraction, Fraction]:
        return best_diverse(space.distance, colors.tolist(), l, dropped)

    def cost(partition) -> Fraction:
        blocks = blocks_of(partition.labels)
        assert all(len({int(colors[i]) for i in block}) == len(block) for block in blocks), "a color twice"
        assert partition.n_suppressed == partition.details.n_outliers == dropped
        assert all(partition.labels[center] == group for group, center in enumerate(partition.centers))
        return max(
            Fraction(max(space.distance[partition.centers[group]][i] for i in block))
            for group, block in enumerate(blocks)
        )

    return Case(
        k=l,
        run=lambda: diverse(space.points, colors, l, metric=space.metric, max_suppressed=0.999 if outliers else 0.0),
        cost=cost,
        optimum=lambda: best()[0],
        yardstick=None if paired else lambda: best()[1] / 2**space.power,
        other_bounds={"lower_bound_any_center": lambda: best()[1] / 2**space.power},
        own_proof=lambda found: found.lower_bound if paired else found.details.lower_bound_any_center,
        power=space.power,
        story=(l, dropped, colors.tolist(), space),
    )


def forest_case(rng: Rng) -> Case:
    """Generalization cost of numbers, hierarchies and labels."""
    from shoal.partition.generalization.forest import forest

    k = int(rng.integers(2, 6))
    rows, columns, space = any_table(rng, int(rng.integers(k, 11 if k > 3 else 10)))
    return Case(
        k=k,
        run=lambda: forest(space, k),
        cost=lambda partition: generalization_cost(rows, columns, blocks_of(partition.labels)),
        optimum=lambda: best_generalization_cost(rows, columns, k),
        story=(k, rows, columns),
    )


def cell_cover_case(rng: Rng) -> Case:
    """The greedy cover alone, on tables whose cells have their true cost: no sets of more than two labels."""
    from shoal.partition.generalization.cell_cover import cell_cover, cover_labels

    k = int(rng.integers(2, 6))
    space = None
    while space is None or any(axis.in_sets and len(axis.ancestors) > 2 for axis in space.axes):
        rows, columns, space = any_table(rng, int(rng.integers(k, 11 if k > 3 else 10)))

    def run() -> Partition:
        """The cheaper of the cover and of forest's groups has the ratio; the theorem is about the cover."""
        found = cell_cover(space, k)
        labels = cover_labels(replace(space, norm=1), k)
        cost = generalization_cost(rows, columns, blocks_of(labels))
        assert found.theorem == "GREEDY-1"
        assert min(len(block) for block in blocks_of(labels)) >= k
        return replace(found, theorem_cost=float(cost))

    return Case(
        k=k,
        run=run,
        cost=lambda partition: generalization_cost(rows, columns, blocks_of(partition.labels)),
        optimum=lambda: best_generalization_cost(rows, columns, k),
        story=(k, rows, columns),
    )


def an_eligible_table(rng: Rng, l: int, k: int) -> tuple[list, list, Space, list[int]]:  # noqa: E741
    """A table with sensitive values, none of which has more than one in l of the rows; often with equal rows."""
    while True:
        n = int(rng.integers(max(k, l), 10))
        rows, columns, space = any_table(rng, n)
        if rng.random() < 0.6:
            again = rng.integers(0, int(rng.integers(1, n + 1)), n)
            rows, space = [rows[i] for i in again], space.take(again)
        values = rng.integers(0, int(rng.integers(l, l + 4)), n).tolist()
        if is_eligible(values, l):
            return rows, columns, space, values


def residue_case(rng: Rng) -> Case:
    """Groups in which no value has more than one in l of the rows, with k below and above l."""
    from shoal.partition.generalization.residue import residue

    l, k = int(rng.integers(2, 5)), int(rng.integers(1, 5))  # noqa: E741
    rows, columns, space, values = an_eligible_table(rng, l, k)

    def run() -> Partition:
        found = residue(space, values, l, k=k)
        assert found.theorem == "RESIDUE-1"
        assert all(is_eligible([values[i] for i in block], l) for block in blocks_of(found.labels))
        return found

    return Case(
        k=k,
        run=run,
        cost=lambda partition: generalization_cost(rows, columns, blocks_of(partition.labels)),
        optimum=lambda: best_eligible_cost(rows, columns, values, l, k),
        story=(l, k, rows, values, columns),
    )


def cycles_case(rng: Rng) -> Case:
    """Pairs and triples of different values; the optimum is over all groups with no value in more than half."""
    from shoal.partition.generalization.cycles import cycles

    rows, columns, space, values = an_eligible_table(rng, 2, 2)

    def run() -> Partition:
        found = cycles(space, values)
        assert found.theorem == "CYCLES-1"
        assert all(len({values[i] for i in block}) == len(block) <= 3 for block in blocks_of(found.labels))
        return found

    return Case(
        k=2,
        run=run,
        cost=lambda partition: generalization_cost(rows, columns, blocks_of(partition.labels)),
        optimum=lambda: best_eligible_cost(rows, columns, values, 2, 2),
        own_proof=lambda found: found.lower_bound,
        story=(rows, values, columns),
    )


def lattice_case(rng: Rng) -> Case:
    """One level per column for the whole table; the optimum is that of the whole lattice."""
    from shoal.partition.generalization.full_domain import full_domain

    n, d, k = int(rng.integers(4, 16)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    rows = rng.integers(0, int(rng.choice([2, 6])), (n, d)).tolist()
    paths = [[*path[:-1], "all"] for path in ANCESTORS.tolist()]
    loss = str(rng.choice(["ncp", "levels"]))
    budget = int(rng.integers(0, n - k + 1)) if rng.random() < 0.5 else 0
    axes = tuple(Axis(f"c{j}", TREE, ANCESTORS, np.array([0.0, 0.5, 1.0])) for j in range(d))

    def cost(partition) -> Fraction:
        gone = set(np.flatnonzero(partition.labels < 0).tolist())
        return loss_at(rows, [paths] * d, tuple(partition.levels.values()), gone, loss)

    return Case(
        k=k,
        run=lambda: full_domain(
            Space(np.array(rows, dtype=float), axes, norm=1), k, loss=loss, max_suppressed=(budget + 0.5) / n
        ),
        cost=cost,
        optimum=lambda: best_full_domain(rows, [paths] * d, lambda group: len(group) >= k, budget=budget, loss=loss)[
            0
        ],
        story=(k, budget, loss, rows),
    )


def factor_case(rng: Rng, k: int, *, halves: bool) -> Case:
    """Suppressed entries of a binary or ternary table, or numbers; any columns where no median is asked for."""
    from shoal.partition.generalization.pairs import pairs
    from shoal.partition.generalization.triples import triples

    n = int(rng.integers(k, 10))
    if halves or rng.random() < 0.4:
        n_values = 2 if halves else 3
        table = rng.integers(0, n_values, (n, int(rng.integers(1, 7))))
        rows, columns, records = table.tolist(), [Tree.labels(n_values)] * table.shape[1], table
        if halves and rng.random() < 0.5:
            table = values(rng, n, int(rng.integers(1, 4)))
            rows, columns, records = table.tolist(), [Ranges(1)] * table.shape[1], Space.from_points(table, norm=1)
    else:
        rows, columns, records = any_table(rng, n)
    return Case(
        k=k,
        run=lambda: pairs(records) if k == 2 else triples(records),
        cost=lambda partition: generalization_cost(rows, columns, blocks_of(partition.labels)),
        optimum=lambda: best_generalization_cost(rows, columns, k),
        story=(k, rows, columns),
    )


def univariate_case(rng: Rng) -> Case:
    """Squared error of one column."""
    from shoal.partition.microaggregation.univariate import univariate

    k = int(rng.integers(2, 4))
    points = values(rng, int(rng.integers(k, 10)), 1)
    return Case(
        k=k,
        run=lambda: univariate(points.astype(float), k),
        cost=lambda partition: squared_error(points.tolist(), blocks_of(partition.labels)),
        optimum=lambda: best_squared_error(points.tolist(), k),
        story=(k, points.ravel().tolist()),
    )


def cover_case(rng: Rng, *methods: str) -> Case:
    """The heaviest class of labels."""
    from shoal.partition.single_attribute.cover import cover

    held, k = weights(rng)
    method = str(rng.choice(methods))

    def cost(partition) -> Fraction:
        loads = [sum(held[i] for i in block) for block in blocks_of(partition.labels)]
        assert min(loads) >= k
        assert loads == partition.details.class_weights.tolist()
        return Fraction(max(loads))

    return Case(
        k=1,
        run=lambda: cover(held, k, method=method),
        cost=cost,
        optimum=lambda: Fraction(best_largest_class(held, k)),
        story=(method, held, k),
    )


def intervals_case(rng: Rng) -> Case:
    """The heaviest interval of values, with and without weights, equal values together."""
    from shoal.partition.single_attribute.intervals import intervals

    held, k = weights(rng)
    line = rng.integers(0, int(rng.choice([2, 5, 30])), len(held)).tolist()
    people = held if rng.random() < 0.7 else None
    k = k if people else min(k, len(line))
    counted = people or [1] * len(line)
    at_value = [sum(w for x, w in zip(line, counted, strict=True) if x == value) for value in sorted(set(line))]

    def cost(partition) -> Fraction:
        loads = [sum(counted[i] for i in block) for block in blocks_of(partition.labels)]
        ends = sorted(
            (min(line[i] for i in block), max(line[i] for i in block)) for block in blocks_of(partition.labels)
        )
        assert min(loads) >= k
        assert all(one[1] < other[0] for one, other in pairwise(ends)), "intervals share a value"
        return Fraction(max(loads))

    return Case(
        k=1,
        run=lambda: intervals(line, k, weights=people),
        cost=cost,
        optimum=lambda: Fraction(best_intervals(at_value, k)),
        story=(line, people, k),
    )


def regions_case(rng: Rng, kind: str) -> Case:
    """The heaviest connected group of regions."""
    from shoal.partition.single_attribute.regions import regions

    n = int(rng.integers(6, 9)) if kind == "4-connected" else int(rng.integers(4, 7)) if kind == "3-connected" else 0
    if kind == "4-connected":
        graph, degree = maps.four_connected(rng, n), 2
    elif kind == "3-connected":
        graph, degree = maps.polyhedron(rng, n), 3
        if len(graph) > 9:  # stacked or dual graphs may be too large for the oracle
            graph = maps.triangulation(rng, 5)
    else:
        build = maps.around_centers if kind == "centers" else maps.any_graph
        graph, degree = build(rng, int(rng.integers(3, 9))), None
    neighbors = maps.neighbors_of(graph)
    n = len(neighbors)
    k = int(rng.integers(2, 7))
    held = rng.integers(0, int(rng.choice([2, 4, 10])), n)
    if rng.random() < 0.3:
        held = rng.choice([k - 1, k - 1, k], n)
    held[0] += max(0, k - int(held.sum()))

    def cost(partition) -> Fraction:
        groups = [list(block) for block in blocks_of(partition.labels)]
        assert all(is_connected(neighbors, set(block)) for block in groups)
        assert degree is None or partition.details.degree <= degree
        assert min(held[block].sum() for block in groups) >= k
        return Fraction(int(max(held[block].sum() for block in groups)))

    return Case(
        k=1,
        run=lambda: regions(list(graph.edges), held, k),
        cost=cost,
        optimum=lambda: Fraction(int(best_largest_group(neighbors, held.tolist(), k))),
        own_proof=lambda found: found.lower_bound,
        story=(neighbors, held, k),
    )


def rectangles_case(rng: Rng) -> Case:
    """The heaviest of disjoint rectangles, with points at one place, in rows and columns, and in piles."""
    from shoal.partition.single_attribute.rectangles import rectangles

    n, k = int(rng.integers(1, 8)), int(rng.integers(2, 6))
    side = int(rng.choice([2, 3, 9]))
    points = rng.integers(0, side, (n, 2))
    held = rng.integers(0, int(rng.choice([2, 4, 8])), n)
    if rng.random() < 0.3:  # the worst case of the paper: four piles around one, and parts of it
        points = np.array([(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)])
        held = np.array([k, *rng.integers(k - 2, k + 1, 4)])
    elif rng.random() < 0.3:  # two such crosses that share a row, a column or nothing
        near, far = rng.integers(0, 3, 2), rng.integers(1, 5, 2)
        points = np.concatenate([near + 1 + np.array([(0, 0), (-1, 0), (0, -1), (0, 1)]),
                                 far + 1 + np.array([(0, 0), (1, 0), (0, -1), (0, 1)])])  # fmt: skip
        held = rng.choice([k - 1, k - 1, k, k // 2], 8)
    held[0] += max(0, k - int(held.sum()))
    places = sorted({(int(x), int(y)) for x, y in points})
    at_place = [int(held[(points == place).all(axis=1)].sum()) for place in places]

    def cost(partition) -> Fraction:
        groups = [list(block) for block in blocks_of(partition.labels)]
        boxes = partition.details.rectangles
        assert min(held[block].sum() for block in groups) >= k
        for block, box in zip(groups, boxes, strict=True):
            inside = (points >= box[[0, 2]]).all(axis=1) & (points <= box[[1, 3]]).all(axis=1)
            assert inside[block].all()
        for one, other in combinations(boxes, 2):
            assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
        assert all(len(set(partition.labels[(points == place).all(axis=1)])) == 1 for place in places)
        return Fraction(int(max(held[block].sum() for block in groups)))

    return Case(
        k=1,
        run=lambda: rectangles(points, k, weights=held),
        cost=cost,
        optimum=lambda: Fraction(int(best_largest_rectangle(places, at_place, k))),
        story=(points.tolist(), held, k),
    )


ROWS: dict[str, Callable[[Rng], Case]] = {
    "CELLULAR-1": lambda rng: cellular_case(rng, sizes=False, opening=str(rng.choice(["one", "different"]))),
    "CELLULAR-2": lambda rng: cellular_case(rng, sizes=True, opening="one"),
    "CELLULAR-3": lambda rng: cellular_case(rng, sizes=True, opening="different"),
    "CELLULAR-4": lambda rng: cellular_case(rng, sizes=True, opening="one", outliers=True),
    "CELLULAR-5": lambda rng: cellular_case(rng, sizes=True, opening="one", exact=False),
    "CELLULAR-6": lambda rng: cellular_case(rng, sizes=True, opening="one", outliers=True, exact=False),
    "CELLULAR-7": lambda rng: cellular_case(
        rng, sizes=False, opening=str(rng.choice(["one", "different"])), exact=False
    ),
    "CELLULAR-8": lambda rng: cellular_case(rng, sizes=True, opening="different", exact=False),
    "COVER-1": lambda rng: cover_case(rng, "fold"),
    "COVER-2": lambda rng: cover_case(rng, "spread"),
    "COVER-3": lambda rng: cover_case(rng, "halves", "best"),
    "COVER-4": lambda rng: cover_case(rng, "exact"),
    "CYCLES-1": cycles_case,
    "DIVERSE-1": diverse_case,
    "DIVERSE-2": lambda rng: diverse_case(rng, paired=True),
    "DIVERSE-3": lambda rng: diverse_case(rng, outliers=True),
    "FOREST-1": forest_case,
    "GATHER-1": gather_case,
    "GATHER-2": lambda rng: gather_case(rng, outliers=True),
    "GATHER-3": lambda rng: gather_case(rng, outliers=True, anywhere=False),
    "GATHER-4": lambda rng: gather_case(rng, few_groups=True),
    "GATHER-5": lambda rng: gather_case(rng, few_groups=True, outliers=True),
    "GATHER-6": line_case,
    "INTERVALS-1": intervals_case,
    "LATTICE-1": lattice_case,
    "RECTANGLES-1": rectangles_case,
    "RECTANGLES-2": rectangles_case,
    "REGIONS-1": lambda rng: regions_case(rng, "3-connected"),
    "REGIONS-2": lambda rng: regions_case(rng, "4-connected"),
    "REGIONS-3": lambda rng: regions_case(rng, "any"),
    "REGIONS-4": lambda rng: regions_case(rng, str(rng.choice(["centers", "any"]))),
    "RESIDUE-1": residue_case,
    "GREEDY-1": cell_cover_case,
    "PAIRS-1": lambda rng: factor_case(rng, 2, halves=True),
    "PAIRS-2": lambda rng: factor_case(rng, 2, halves=False),
    "TRIPLES-1": lambda rng: factor_case(rng, 3, halves=True),
    "TRIPLES-2": lambda rng: factor_case(rng, 3, halves=False),
    "UNI-1": univariate_case,
}
