"""Simulated annealing under the squared error, for groups of k to 2k - 1 points.

A proposal takes a random point and a random one of its neighbors in another group, and moves the point, swaps it, or
moves it while another point is ejected to a third group. The change of the squared error follows from the groups'
means in O(d). After an accepted change the means are computed again from the members, so that rounding errors do not
add up; for large groups this is done once per call. Rarely, a proposal dissolves a group or forms a new one; this is
tried in place and undone if it is rejected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


PULLS = 0.5
"""Share of proposals in which the neighbor moves to the group of the point, rather than the reverse.

Without them, an isolated point, which has neighbors but is in no other point's neighbor list, could never be joined.
"""
REBUILDS, SMALL = 0.003, 30
"""Share of proposals that dissolve or form a group. Above k = SMALL it falls as 1 / k^2, because their work grows."""
EXACT = 64
"""Largest group whose mean is computed from its members after every change; larger ones are updated incrementally."""


class AnnealingState(NamedTuple):
    """The state of the annealing. A group number with `size` 0 is unused."""

    points: Floats
    neighbor: Ints
    """(n, m): the neighbor list of each point, nearest first."""
    label: Ints
    slot: Ints
    """Position of each point in its group's row of `member`."""
    member: Ints
    """(n_groups, 2k): the points of each group; one place more than a group may have, for use during a change."""
    size: Ints
    mean: Floats
    random: npt.NDArray[np.uint64]


@inner
def draw(random: npt.NDArray[np.uint64]) -> float:
    """Return the next pseudo-random number, uniform in [0, 1) (xorshift64); random[0] must not be 0."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return np.float64(x >> np.uint64(11)) * 2.0**-53


@inner
def draw_pair(state: AnnealingState) -> tuple[int, int]:
    """Return a random point and a random one of its neighbors, mostly near ones."""
    n, near = state.neighbor.shape
    point = int(draw(state.random) * n)
    share = draw(state.random)
    return point, int(state.neighbor[point, int(share * share * near)])


@inner
def measure(state: AnnealingState, group: int) -> None:
    """Compute the mean of a group from its members."""
    size = state.size[group]
    for j in range(state.mean.shape[1]):
        state.mean[group, j] = 0.0
    for i in range(size):
        point = state.member[group, i]
        for j in range(state.mean.shape[1]):
            state.mean[group, j] += state.points[point, j] / size


@inner
def adjust(state: AnnealingState, group: int, before: int, came: int, went: int) -> None:
    """Update the mean of a group that had `before` members until a point came or a point went (-1: no point)."""
    size = state.size[group]
    if size <= EXACT:
        measure(state, group)
        return
    for j in range(state.mean.shape[1]):
        total = state.mean[group, j] * before
        if came >= 0:
            total += state.points[came, j]
        if went >= 0:
            total -= state.points[went, j]
        state.mean[group, j] = total / size


@inner
def shift(state: AnnealingState, point: int, group: int) -> None:
    """Move a point to a group without updating the means."""
    old = state.label[point]
    last = state.member[old, state.size[old] - 1]
    state.member[old, state.slot[point]] = last
    state.slot[last] = state.slot[point]
    state.size[old] -= 1
    state.member[group, state.size[group]] = point
    state.slot[point] = state.size[group]
    state.size[group] += 1
    state.label[point] = group


@inner
def square(a: Floats, b: Floats) -> float:
    """Return the squared distance of two points."""
    # Two running sums, so that an addition need not wait for the one before.
    total = other = 0.0
    for j in range(1, a.shape[0], 2):
        t = a[j - 1] - b[j - 1]
        u = a[j] - b[j]
        total += t * t
        other += u * u
    if a.shape[0] % 2:
        t = a[a.shape[0] - 1] - b[a.shape[0] - 1]
        total += t * t
    return total + other


@inner
def error(state: AnnealingState, group: int) -> float:
    """Return the squared error of a group: the sum of squared distances of its points to their mean."""
    total = 0.0
    for i in range(state.size[group]):
        total += square(state.points[state.member[group, i]], state.mean[group])
    return total


@inner
def rebuild(state: AnnealingState, k: int, point: int, limit: float, moved: Ints, origin: Ints) -> bool:
    """Dissolve the point's group if it has k points, else form a new group around the point; whether it was accepted.

    A dissolved group's points go to neighboring groups with room. A new group takes points of the neighbor list from
    groups with more than k points. If that is impossible or raises the squared error by `limit` or more, it is
    undone.
    """
    own = state.label[point]
    n_moved = 0
    change = 0.0
    if state.size[own] == k:
        change -= error(state, own)
        for _ in range(k):
            i = int(state.member[own, state.size[own] - 1])
            best, chosen = np.inf, int64(-1)
            for s in range(state.neighbor.shape[1]):
                group = state.label[state.neighbor[i, s]]
                size = state.size[group]
                if group != own and size < 2 * k - 1:
                    cost = square(state.points[i], state.mean[group]) * size / (size + 1)
                    if cost < best:
                        best, chosen = cost, group
            if chosen < 0:
                break
            moved[n_moved], origin[n_moved] = i, own
            n_moved += 1
            change += best
            shift(state, i, chosen)
            measure(state, chosen)
        if state.size[own] > 0:
            change = np.inf
    else:
        new_group = int64(-1)
        for group in range(state.size.shape[0]):
            if state.size[group] == 0:
                new_group = group
                break
        if new_group < 0:
            return False
        for s in range(-1, state.neighbor.shape[1]):
            i = point if s < 0 else state.neighbor[point, s]
            group = state.label[i]
            size = state.size[group]
            if group != new_group and size > k:
                moved[n_moved], origin[n_moved] = i, group
                n_moved += 1
                change -= square(state.points[i], state.mean[group]) * size / (size - 1)
                shift(state, i, new_group)
                measure(state, group)
                if n_moved == k:
                    break
        measure(state, new_group)
        change += error(state, new_group)
        if n_moved < k:
            change = np.inf
    if change < limit:
        return True
    for at in range(n_moved - 1, -1, -1):
        group = state.label[moved[at]]
        shift(state, moved[at], origin[at])
        measure(state, group)
        measure(state, origin[at])
    return False


@jit
def anneal(state: AnnealingState, k: int, steps: int, start: float, end: float) -> None:
    """Run `steps` proposals while the temperature falls geometrically from `start` to `end`.

    If both are 0, only improvements are accepted. Groups keep k to 2k - 1 points.
    """
    near = state.neighbor.shape[1]
    most = 2 * k - 1
    moved = np.empty(2 * k, dtype=np.int64)
    origin = np.empty(2 * k, dtype=np.int64)
    temperature = start
    rebuilds = REBUILDS * min(1.0, SMALL / k) ** 2
    for group in range(state.size.shape[0]):
        if state.size[group] > EXACT:
            measure(state, group)
    for step in range(steps):
        if step % 64 == 0 and start > 0.0:
            temperature = start * (end / start) ** (step / steps)
        limit = -temperature * np.log(1.0 - draw(state.random))
        i, j = draw_pair(state)
        if draw(state.random) < PULLS:
            i, j = j, i
        a, b = state.label[i], state.label[j]
        if a == b:
            continue
        if draw(state.random) < rebuilds:
            rebuild(state, k, i, limit, moved, origin)
            continue
        c, out, size_c = int64(-1), int64(-1), int64(0)
        x = state.points[i]
        size_a, size_b = state.size[a], state.size[b]
        from_a, from_b = square(x, state.mean[a]), square(x, state.mean[b])
        leave_a = from_a * size_a / (size_a - 1)
        if size_a > k and size_b < most and from_b * size_b / (size_b + 1) - leave_a < limit:
            shift(state, i, b)
        else:
            # A point of b other than the neighbor makes room: it goes to a (a swap) or to a third group (an
            # ejection).
            out = int(state.member[b, int(draw(state.random) * size_b)])
            if out == j:
                out = int(state.member[b, (state.slot[j] + 1) % size_b])
            y = state.points[out]
            apart = square(x, y)
            change = from_b - square(y, state.mean[b]) - apart / size_b
            if size_a > k and draw(state.random) < 0.5:
                c = state.label[state.neighbor[out, int(draw(state.random) * near)]]
                size_c = state.size[c]
                if size_c == most or c in (a, b):
                    continue
                if change - leave_a + square(y, state.mean[c]) * size_c / (size_c + 1) >= limit:
                    continue
            elif change + square(y, state.mean[a]) - from_a - apart / size_a >= limit:
                continue
            shift(state, i, b)
            shift(state, out, c if c >= 0 else a)
        adjust(state, a, size_a, out if c < 0 else int64(-1), int64(i))
        adjust(state, b, size_b, int64(i), out)
        if c >= 0:
            adjust(state, c, size_c, out, int64(-1))


@jit
def measure_all(state: AnnealingState) -> None:
    """Fill in the slots of all points and the means of all groups from `member` and `size`."""
    for group in range(state.size.shape[0]):
        for i in range(state.size[group]):
            state.slot[state.member[group, i]] = i
        measure(state, group)
