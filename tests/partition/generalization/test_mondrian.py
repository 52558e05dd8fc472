"""Mondrian: groups that hold, that do not overlap where that is promised, and that cannot be cut further."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from shoal.partition.generalization.mondrian import mondrian
from shoal.requirements import KAnonymity, LDiversity, Records, TCloseness, count
from shoal.space.space import LINE, Space
from tests.ratio.instances import mixed_table


def box(space: Space, members: np.ndarray) -> list:
    """What a group is published as: a range, a set, or the leaves below the lowest common node."""
    found = []
    for j, axis in enumerate(space.axes):
        values = space.coordinates[members, j]
        if axis.kind == LINE:
            found.append((values.min(), values.max()))
        elif axis.in_sets:
            found.append(frozenset(values.tolist()))
        else:
            above = axis.ancestors[values.astype(int)]
            level = next(h for h in range(above.shape[1]) if len(set(above[:, h])) == 1)
            found.append(frozenset(np.flatnonzero(axis.ancestors[:, level] == above[0, level]).tolist()))
    return found


def overlap(one: list, other: list) -> bool:
    """Whether some record would fit both."""
    return all(
        bool(a & b) if isinstance(a, frozenset) else a[0] <= b[1] and b[0] <= a[1]
        for a, b in zip(one, other, strict=True)
    )


def cuts(space: Space, members: np.ndarray, axis: int):
    """Every cut of a group on an axis that strict Mondrian may make, as lists of parts."""
    values, one = space.coordinates[members, axis], space.axes[axis]
    if one.kind == LINE or one.in_sets:
        for cut in np.unique(values)[:-1]:
            yield [members[values <= cut], members[values > cut]]
        return
    above = one.ancestors[values.astype(int)]
    level = next(h for h in range(above.shape[1]) if len(set(above[:, h])) == 1)
    if level:
        yield [members[above[:, level - 1] == node] for node in np.unique(above[:, level - 1])]


@pytest.mark.parametrize("seed", range(40))
def test_strict_groups_do_not_overlap_and_cannot_be_cut(seed):
    rng = np.random.default_rng(seed)
    _, _, space = mixed_table(rng, 60)
    k = int(rng.integers(2, 6))
    found = mondrian(space, k)
    groups = [np.flatnonzero(found.labels == g) for g in range(found.n_groups)]
    assert min(map(len, groups)) >= k
    boxes = [box(space, group) for group in groups]
    assert not any(overlap(a, b) for a, b in itertools.combinations(boxes, 2))
    for group in groups:
        for axis in range(len(space.axes)):
            assert all(min(map(len, parts)) < k for parts in cuts(space, group, axis))


@pytest.mark.parametrize("seed", range(20))
def test_relaxed_groups_have_fewer_than_2k_records_unless_all_are_equal(seed):
    rng = np.random.default_rng(seed)
    _, _, space = mixed_table(rng, 70)
    k = int(rng.integers(2, 6))
    found = mondrian(space, k, relaxed=True)
    for g in range(found.n_groups):
        members = space.coordinates[found.labels == g]
        assert k <= len(members)
        assert len(members) < 2 * k or (members == members[0]).all()


def test_the_first_cut_is_on_the_widest_column_nearest_to_its_median():
    points = np.array([[0, 0], [1, 0.1], [2, 0.2], [7, 0.3], [8, 0.4], [9, 0.5]])
    found = mondrian(Space.from_points(points, norm=1), 3)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    shorter = mondrian(Space.from_points(points * [1, 100], norm=1), 2)
    assert shorter.labels.tolist() == [0, 0, 1, 1, 2, 2] or shorter.n_groups == 2


def test_cuts_are_at_medians():
    assert mondrian(Space.from_points(np.arange(12.0)), 2).sizes.tolist() == [3, 3, 3, 3]


def test_a_median_that_is_taken_moves_the_cut_to_the_nearest_boundary_that_leaves_k():
    points = np.array([0, 1, 1, 1, 1, 1, 2, 3.0])
    assert mondrian(Space.from_points(points), 2).labels.tolist() == [0] * 6 + [1, 1]


REQUIREMENTS = {
    "people": lambda k: [KAnonymity(k)],
    "distinct": lambda k: [KAnonymity(k), LDiversity("s", 3)],
    "entropy": lambda k: [KAnonymity(k), LDiversity("s", 2, "entropy")],
    "closeness": lambda k: [KAnonymity(k), TCloseness("s", 0.3)],
}


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_group_meets_every_requirement_and_more_than_one_is_found(name, relaxed):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        _, _, space = mixed_table(rng, 120)
        people = rng.integers(0, 60, 120) if name == "people" else None
        if people is not None:
            people = np.unique(people, return_inverse=True)[1]
        about = Records(120, people, {"s": rng.integers(0, 4, 120)})
        asked = REQUIREMENTS[name](3)
        found = mondrian(space, 3, relaxed=relaxed, requirements=asked, about=about)
        counts = count(found.labels, about)
        assert all(requirement.holds(counts).all() for requirement in asked)
        assert found.n_groups > 1 or len(np.unique(space.coordinates, axis=0)) < 5


def test_a_hierarchy_is_cut_into_all_children_or_not_at_all():
    assert mondrian([["a"], ["a"], ["b"], ["b"], ["c"], ["c"]], 2).n_groups == 3
    assert mondrian([["a"], ["a"], ["b"], ["c"], ["c"]], 2).n_groups == 1
