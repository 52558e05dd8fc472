"""Full-domain recoding: the optimum of the whole lattice, whatever is asked; and the greedy walk beside it."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.generalization import full_domain_levels
from shoal.partition.generalization.full_domain import datafly, full_domain, full_domain_below
from shoal.requirements import BetaLikeness, DeltaDisclosure, KAnonymity, LDiversity, Records, TCloseness, count
from shoal.requirements.counts import Levels as SensitiveLevels
from shoal.space.hierarchy import flat_tree, tree_of_levels
from shoal.space.space import TREE, Axis, Space
from tests.oracles.closeness import hierarchical, ordered, variational
from tests.oracles.full_domain import (
    all_levels,
    best_full_domain,
    best_with_any_groups_left_out,
    groups_at,
    loss_at,
)

# Leaves 0..5 in depth-first order, as the space wants them.
DEEP = [[0, 0, 0, 0], [1, 0, 0, 0], [2, 1, 0, 0], [3, 2, 1, 0], [4, 2, 1, 0], [5, 3, 1, 0]]
FLAT = [[v, 0] for v in range(6)]


def lattice_case(rng: np.random.Generator, n: int | None = None):
    """A small table on hierarchies: rows, the oracle's columns, and the space."""
    columns = [DEEP if rng.random() < 0.7 else FLAT for _ in range(int(rng.integers(1, 4)))]
    n = n or int(rng.integers(4, 14))
    rows = rng.integers(0, int(rng.choice([3, 6])), (n, len(columns)))
    axes = tuple(
        Axis(f"c{j}", TREE, np.array(paths, dtype=np.int32), np.linspace(0, 1, len(paths[0])))
        for j, paths in enumerate(columns)
    )
    return rows.tolist(), columns, Space(rows.astype(float), axes, norm=1)


def wish(rng: np.random.Generator, n: int, k: int):
    """A requirement beyond k on a drawn sensitive column, as Shoal knows it and as the oracle does."""
    kind = rng.choice(["none", "distinct", "frequency", "people"])
    codes = rng.integers(0, 3, n)
    people = rng.integers(0, max(n // 2, k), n)
    if kind == "none":
        return [], None, lambda group: len(group) >= k
    if kind == "people":
        about = Records(n, np.unique(people, return_inverse=True)[1], {})
        return [KAnonymity(k)], about, lambda group: len(set(people[group])) >= k
    about = Records(n, None, {"s": codes})
    if kind == "distinct":
        return [LDiversity("s", 2)], about, lambda group: len(group) >= k and len(set(codes[group])) >= 2
    return (
        [LDiversity("s", 1.5, "frequency")],
        about,
        lambda group: len(group) >= k and len(group) / max(Counter(codes[group]).values()) >= 1.5,
    )


@pytest.mark.parametrize("loss", ["ncp", "levels"])
def test_no_choice_of_levels_loses_less_whatever_is_asked(loss):
    looked_at, feasible = 0, 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        rows, columns, space = lattice_case(rng)
        n, k = len(rows), int(rng.integers(2, 5))
        requirements, about, holds = wish(rng, n, k)
        budget = int(rng.integers(0, n - k + 1)) if rng.random() < 0.6 else 0
        if not holds(list(range(n))) and not budget:
            continue
        options = {"loss": loss, "max_suppressed": (budget + 0.5) / n, "requirements": requirements, "about": about}
        try:
            best, chosen = best_full_domain(rows, columns, holds, budget=budget, loss=loss)
        except ValueError:  # nothing in the whole lattice holds
            with pytest.raises(InfeasibleError):
                full_domain(space, k, **options)
            continue
        if not holds(list(range(n))):
            continue  # refused before: even the whole table does not hold
        found = full_domain(space, k, **options)
        levels = tuple(found.levels.values())
        assert levels in chosen, seed
        gone = set(np.flatnonzero(found.labels < 0).tolist())
        assert len(gone) <= budget
        assert loss_at(rows, columns, levels, gone, loss) == best
        assert math.isclose(found.cost, best, rel_tol=1e-9, abs_tol=1e-9)
        kept = sorted(group for group in groups_at(rows, columns, levels) if holds(group))
        made = [np.flatnonzero(found.labels == g).tolist() for g in range(found.n_groups)]
        assert sorted(made) == kept
        looked_at += found.details.n_looked_at
        feasible += len(list(all_levels(columns)))
    assert looked_at < feasible, "nothing was pruned"


def test_a_choice_that_misses_diversity_rules_out_no_finer_one():
    """Two groups, of which one is diverse, are not diverse together: below, only the other one has to go."""
    above = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0]], dtype=np.int32)
    space = Space(np.repeat([0.0, 1.0, 2.0], [3, 6, 6])[:, None], (Axis("x", TREE, above, np.linspace(0, 1, 3)),))
    about = Records(15, None, {"s": np.array([0, 1, 2] + [0] * 6 + [1, 2] * 3)})
    asked = [LDiversity("s", 1.5, "frequency")]
    found = full_domain(space, 2, max_suppressed=0.4, requirements=asked, about=about)
    assert (found.levels, found.n_suppressed, found.cost) == ({"x": 0}, 6, 6.0)


def test_groups_are_close_to_what_is_released_not_to_what_was_there():
    """Suppressing rows moves the reference of closeness; the groups left must be close to the new one."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        _, _, space = lattice_case(rng, 14)
        codes = rng.integers(0, 2, 14)
        about = Records(14, None, {"s": codes})
        asked = [TCloseness("s", 0.2)]
        found = full_domain(space, 2, max_suppressed=0.5, requirements=asked, about=about)
        kept = found.labels >= 0
        share = np.mean(codes[kept] == 1)
        for g in range(found.n_groups):
            assert abs(np.mean(codes[found.labels == g] == 1) - share) <= 0.2 + 1e-9


PARENTS = ((0, 1, 2, 3), (0, 0, 1, 1))
COMPARED = {
    "equal": lambda a, t: TCloseness("s", t),
    "ordered": lambda a, t: TCloseness("s", t, "ordered"),
    "hierarchical": lambda a, t: TCloseness("s", t, "hierarchical"),
    "beta": lambda a, t: BetaLikeness("s", 2 * t + a / 8),
    "delta": lambda a, t: DeltaDisclosure("s", 1 + 2 * t + a / 8),
}


def close_case(kind: str, seed: int):
    """A small table with a sensitive column, a requirement that compares groups with the release, and its oracle."""
    rng = np.random.default_rng(seed)
    rows, columns, space = lattice_case(rng, int(rng.integers(6, 12)))
    rows, columns = [row[:2] for row in rows], columns[:2]
    space = Space(space.coordinates[:, :2], space.axes[:2], norm=1)
    n = len(rows)
    codes = rng.integers(0, 4, n)
    if rng.random() < 0.6:  # values follow the first column, so that some groups are far from the table
        codes = np.where(rng.random(n) < 0.5, np.array(rows)[:, 0] % 4, codes)
    about = Records(n, None, {"s": codes}, {"s": SensitiveLevels(np.array(PARENTS))})
    asked = COMPARED[kind](int(rng.integers(4)), float(rng.choice([0.15, 0.25, 0.3, 0.5])))
    distance = {"equal": variational, "ordered": ordered, "hierarchical": lambda p, q: hierarchical(p, q, PARENTS)}
    k = int(rng.integers(1, 4))

    def holds(group: list[int], released: list[int]) -> bool:
        p, q = codes[group].tolist(), codes[released].tolist()
        if len(group) < k:
            return False
        if kind in distance:
            return distance[kind](p, q) <= asked.t + 1e-9
        changes = [p.count(v) / len(p) / (q.count(v) / len(q)) for v in set(q)]
        if kind == "beta":
            return max(changes) - 1 <= asked.beta + 1e-9
        return all(one > 0 and abs(math.log2(one)) < asked.delta - 1e-9 for one in changes)

    return rows, columns, space, k, asked, about, holds, int(rng.integers(0, n // 2 + 1))


@pytest.mark.parametrize("kind", COMPARED)
def test_no_set_of_groups_left_out_loses_less_where_groups_are_compared_with_the_release(kind):
    """Suppressing all groups that fail, again and again, is not the best: others may have to go, or fewer."""
    n_left_out = 0
    for seed in range(40):
        rows, columns, space, k, asked, about, holds, budget = close_case(kind, seed)
        best = best_with_any_groups_left_out(rows, columns, holds, budget=budget, loss="ncp")
        if len(rows) < k or best is None:
            continue
        share = (budget + 0.5) / len(rows)
        found = full_domain(space, k, max_suppressed=share, requirements=[asked], about=about)
        assert found.n_suppressed <= budget
        assert asked.holds(count(found.labels, about)).all()
        if found.theorem is None:  # too many sets: if a value may vanish, distances change with it
            assert kind in ("ordered", "hierarchical")
            assert found.cost >= best - 1e-9
            continue
        assert math.isclose(found.cost, best, rel_tol=1e-9, abs_tol=1e-9), seed
        n_left_out += found.n_suppressed > 0
    assert n_left_out > 5


def test_without_a_look_at_all_sets_of_groups_no_theorem_is_claimed(monkeypatch):
    """The groups still meet what is asked, and lose no more than if all groups that fail were suppressed."""
    for name in ("WORK_EACH", "WORK_LEAST"):
        monkeypatch.setattr(full_domain_levels, name, 1)
    unproved = 0
    for seed in range(60):
        rows, _, space, k, asked, about, _, budget = close_case("equal", seed)
        share = (budget + 0.5) / len(rows)
        found = full_domain(space, k, max_suppressed=share, requirements=[asked], about=about)
        assert asked.holds(count(found.labels, about)).all()
        assert found.n_suppressed <= budget
        unproved += found.theorem is None
        assert ("LATTICE-1 is not claimed" in found.notes[-1]) == (found.theorem is None)
    assert unproved


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_choices_that_are_too_far_from_the_table_rule_out_finer_ones_and_no_better_one(distance, monkeypatch):
    """What the search finds is what it finds if no choice rules out another by its distance, and it looks at less."""
    looked_at = {}
    for seed in range(80):
        rng = np.random.default_rng(seed)
        rows, _, space = lattice_case(rng, int(rng.integers(8, 20)))
        about = Records(len(rows), None, {"s": rng.integers(0, 3, len(rows)) // int(rng.integers(1, 3))})
        asked = [TCloseness("s", float(rng.choice([0.1, 0.2, 0.25, 0.4])), distance)]
        share, found = float(rng.choice([0.0, 0.1, 0.3])), {}
        for margin in (full_domain_levels.MARGIN, math.inf):
            with monkeypatch.context() as patched:
                patched.setattr(full_domain_levels, "MARGIN", margin)
                found[margin] = full_domain(space, 2, max_suppressed=share, requirements=asked, about=about)
            looked_at[margin] = looked_at.get(margin, 0) + found[margin].details.n_looked_at
        pruned, whole = found.values()
        assert pruned.cost == whole.cost
        below = {"loss": "ncp", "max_suppressed": share, "requirements": asked, "about": about}
        assert full_domain_below(space, 2, whole.cost, **below) is None
        again = full_domain_below(space, 2, whole.cost * (1 + 1e-9) + 1e-9, **below)
        assert again is not None
        assert again.cost == whole.cost
    assert looked_at[full_domain_levels.MARGIN] < looked_at[math.inf]


def test_datafly_meets_the_same_and_never_loses_less():
    for seed in range(80):
        rng = np.random.default_rng(seed)
        rows, columns, space = lattice_case(rng)
        if len(rows) < 3:
            continue
        greedy, exact = (method(space, 3, max_suppressed=0.2) for method in (datafly, full_domain))
        assert greedy.cost >= exact.cost - 1e-9
        assert greedy.sizes.min() >= 3
        assert greedy.n_suppressed <= 0.2 * len(rows)
        levels = tuple(greedy.levels.values())
        made = [np.flatnonzero(greedy.labels == g).tolist() for g in range(greedy.n_groups)]
        assert sorted(made) == sorted(g for g in groups_at(rows, columns, levels) if len(g) >= 3)


def test_datafly_raises_the_column_with_the_most_values_first():
    rows = np.array([[i, i % 2] for i in range(8)], dtype=float)
    space = Space.from_labels(rows)
    assert list(datafly(space, 4).levels.values()) == [1, 0]


def test_entropy_counts_the_bits_that_are_lost():
    tree = tree_of_levels("x", [["a", "b", "c", "d"], ["ab", "ab", "cd", "cd"]], missing=False)
    axis = Axis("x", TREE, tree.ancestors, np.array([0.0, 0.5, 1.0]))
    space = Space(np.repeat(np.arange(4.0), [1, 3, 2, 2])[:, None], (axis,), norm=1)
    found = full_domain(space, 4, loss="entropy")
    assert list(found.levels.values()) == [1]
    assert found.cost == pytest.approx(np.log2(4 / 1) + 3 * np.log2(4 / 3) + 4 * np.log2(4 / 2))


def test_too_many_choices_of_levels_are_refused_with_the_way_out():
    axes = tuple(Axis(f"c{j}", TREE, np.array(DEEP, dtype=np.int32), np.linspace(0, 1, 4)) for j in range(14))
    space = Space(np.zeros((9, 14)), axes, norm=1)
    with pytest.raises(ParameterError, match="choices of levels") as refused:
        full_domain(space, 3)
    assert "datafly" in str(refused.value.hint)
    assert datafly(space, 3).cost == 0


def test_a_loss_that_is_not_known_is_refused():
    with pytest.raises(ParameterError, match="loss=magic is not known"):
        full_domain(np.zeros((5, 1)), 2, loss="magic")


def adult(folder: Path, names: list[str], n: int | None = None) -> tuple[pl.DataFrame, Space]:
    frame = pl.read_csv(folder / "adult" / "adult.csv", separator=";").head(n or 10**6)
    axes, ranks = [], []
    for name in names:
        lines = pl.read_csv(
            folder / "adult" / f"adult_hierarchy_{name}.csv", separator=";", has_header=False, infer_schema=False
        )
        tree = tree_of_levels(name, [column.to_list() for column in lines.get_columns()], missing=False)
        axes.append(Axis(name, TREE, tree.ancestors, np.linspace(0, 1, tree.n_levels + 1)))
        ranks.append(tree.ranks(frame[name]).astype(float))
    return frame, Space(np.column_stack(ranks), tuple(axes), norm=1)


def brute_force(space: Space, k: int, budget: int) -> float:
    """Every choice of levels of a table, counted by polars, which shares nothing with the search."""
    least = np.inf
    tops = [axis.ancestors.shape[1] for axis in space.axes]
    ranks = space.coordinates.astype(int)
    nodes = [[axis.ancestors[ranks[:, j], h] for h in range(tops[j])] for j, axis in enumerate(space.axes)]
    sizes = [[np.bincount(axis.ancestors[:, h]) for h in range(tops[j])] for j, axis in enumerate(space.axes)]
    lost = [
        [sizes[j][h][nodes[j][h]] / len(axis.ancestors) if h else np.zeros(len(ranks)) for h in range(tops[j])]
        for j, axis in enumerate(space.axes)
    ]
    for levels in itertools.product(*(range(top) for top in tops)):
        table = pl.DataFrame({f"c{j}": nodes[j][h] for j, h in enumerate(levels)})
        size = table.select(pl.len().over(table.columns)).to_series().to_numpy()
        gone = size < k
        if gone.sum() <= budget:
            loss = sum(np.where(gone, 1.0, lost[j][h]).sum() for j, h in enumerate(levels))
            least = min(least, float(loss))
    return least


@pytest.mark.parametrize("share", [0.0, 0.02])
def test_on_five_columns_of_adult_the_optimum_is_that_of_the_whole_lattice(shared_data: Path, share):
    names = ["sex", "race", "marital-status", "workclass", "occupation"]
    _, space = adult(shared_data, names, 4000)
    found = full_domain(space, 10, max_suppressed=share)
    assert found.cost == pytest.approx(brute_force(space, 10, math.floor(share * 4000)), rel=1e-9)


@pytest.mark.deep
@pytest.mark.parametrize(("k", "share"), [(5, 0.0), (10, 0.0), (5, 0.02)])
def test_on_adult_the_optimum_is_that_of_the_whole_lattice(shared_data: Path, k, share):
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    frame, space = adult(shared_data, names)
    found = full_domain(space, k, max_suppressed=share)
    assert found.cost == pytest.approx(brute_force(space, k, math.floor(share * len(frame))), rel=1e-9)


def test_a_label_without_hierarchy_is_published_or_hidden():
    values = pl.Series("x", ["a", "a", "b"])
    tree = flat_tree("x", values)
    space = Space(tree.ranks(values).astype(float)[:, None], (Axis("x", TREE, tree.ancestors, np.array([0.0, 1.0])),))
    assert full_domain(space, 2).levels == {"x": 1}
    assert full_domain(space, 2, max_suppressed=0.4).levels == {"x": 0}


def test_a_share_of_rows_counts_as_it_is_written() -> None:
    table = pl.DataFrame({"town": ["A"] * 71 + [f"t{i}" for i in range(29)]})
    release = shoal.anonymize(table, k=2, quasi=["town"], method="full-domain", max_suppressed=0.29)
    assert release.partition.n_suppressed == 29
