"""Simulated annealing under the loss around centers, for groups of k to 2k - 1 points on labels and lines.

A proposal takes a random point and a random one of its neighbors in another group, and moves the point, swaps it, or
moves it while another point is ejected to a third group. It is tried in place, the losses of the groups are computed
from their members, and it is undone if it is rejected. Rarely, a proposal dissolves a group or forms a new one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit
from shoal.kernels.center_pricing import CenterArrays
from shoal.kernels.sse_annealing import PULLS, REBUILDS, AnnealingState, draw, draw_pair, shift

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@inner
def group_loss(points: CenterArrays, row: Ints, size: int, seen: Ints, codes: Ints, values: Floats) -> float:
    """Return what the points row[:size] lose around the best center; `seen` is 0 everywhere, the others scratch."""
    total = 0.0
    for axis in range(points.codes.shape[1]):
        first, width = points.first[axis], points.sizes[axis]
        n_codes = 0
        for i in range(size):
            code = points.codes[row[i], axis]
            if seen[code] == 0:
                codes[n_codes] = code
                n_codes += 1
            seen[code] += 1
        best = np.inf if n_codes > 1 else 0.0
        if n_codes > 1:
            for c in range(n_codes):
                lost = 0.0
                for x in range(n_codes):
                    lost += seen[codes[x]] * points.far[first + codes[x] * width + codes[c]]
                best = min(best, lost)
        for c in range(n_codes):
            seen[codes[c]] = 0
        total += best
    for axis in range(points.numbers.shape[1]):
        present = 0
        for i in range(size):
            value = points.numbers[row[i], axis]
            if not np.isnan(value):
                values[present] = value
                present += 1
        if present < 2:
            continue
        if points.squared[axis]:
            mean = 0.0
            for i in range(present):
                mean += values[i]
            mean /= present
            for i in range(present):
                total += (values[i] - mean) * (values[i] - mean)
        else:
            for i in range(1, present):
                value, at = values[i], i
                while at > 0 and values[at - 1] > value:
                    values[at] = values[at - 1]
                    at -= 1
                values[at] = value
            for i in range(present // 2):
                total += values[present - 1 - i] - values[i]
    return total


@jit
def anneal_centers(
    state: AnnealingState, points: CenterArrays, loss: Floats, k: int, steps: int, start: float, end: float
) -> None:
    """Run `steps` proposals while the temperature falls geometrically from `start` to `end`.

    If both are 0, only improvements are accepted. Groups keep k to 2k - 1 points; `loss` has the loss of each.
    """
    near = state.neighbor.shape[1]
    most = 2 * k - 1
    widest = int64(1)
    for axis in range(len(points.sizes)):
        widest = max(widest, points.sizes[axis])
    seen, codes, values = np.zeros(widest, dtype=np.int64), np.empty(2 * k, dtype=np.int64), np.empty(2 * k)
    moved, origin = np.empty(2 * k, dtype=np.int64), np.empty(2 * k, dtype=np.int64)
    temperature = start
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
        if draw(state.random) < REBUILDS:
            _rebuild(state, points, loss, k, i, limit, moved, origin, seen, codes, values)
            continue
        size_a, size_b = state.size[a], state.size[b]
        out, c = int64(-1), int64(-1)
        if not (size_a > k and size_b < most and draw(state.random) < 0.5):
            out = int(state.member[b, int(draw(state.random) * size_b)])
            if out == j:
                out = int(state.member[b, (state.slot[j] + 1) % size_b])
            if size_a > k and draw(state.random) < 0.5:
                c = state.label[state.neighbor[out, int(draw(state.random) * near)]]
                if state.size[c] == most or c in (a, b):
                    continue
        shift(state, i, b)
        if out >= 0:
            shift(state, out, c if c >= 0 else a)
        change_limit = limit + loss[a] + loss[b] + (loss[c] if c >= 0 else 0.0)
        loss_b = group_loss(points, state.member[b], state.size[b], seen, codes, values)
        loss_a = loss_c = 0.0
        accepted = loss_b < change_limit
        if accepted:
            loss_a = group_loss(points, state.member[a], state.size[a], seen, codes, values)
            accepted = loss_a + loss_b < change_limit
        if accepted and c >= 0:
            loss_c = group_loss(points, state.member[c], state.size[c], seen, codes, values)
            accepted = loss_a + loss_b + loss_c < change_limit
        if accepted:
            loss[a], loss[b] = loss_a, loss_b
            if c >= 0:
                loss[c] = loss_c
        else:
            if out >= 0:
                shift(state, out, b)
            shift(state, i, a)


@inner
def _rebuild(
    state: AnnealingState, points: CenterArrays, loss: Floats, k: int, point: int, limit: float, moved: Ints,
    origin: Ints, seen: Ints, codes: Ints, values: Floats,
) -> None:  # fmt: skip
    """Dissolve the point's group if it has k points, else form a new group around the point; undo it if rejected.

    A dissolved group's points go to neighboring groups with room. A new group takes points of the neighbor list from
    groups with more than k points.
    """
    own = state.label[point]
    n_moved = 0
    change = 0.0
    if state.size[own] == k:
        change -= loss[own]
        for _ in range(k):
            i = int(state.member[own, state.size[own] - 1])
            best, chosen = np.inf, int64(-1)
            for s in range(state.neighbor.shape[1]):
                group = state.label[state.neighbor[i, s]]
                size = state.size[group]
                if group != own and size < 2 * k - 1 and group != chosen:
                    state.member[group, size] = i
                    more = group_loss(points, state.member[group], size + 1, seen, codes, values) - loss[group]
                    if more < best:
                        best, chosen = more, group
            if chosen < 0:
                break
            moved[n_moved], origin[n_moved] = i, own
            n_moved += 1
            change += best
            shift(state, i, chosen)
            loss[chosen] += best
        if state.size[own] > 0:
            change = np.inf
        else:
            loss[own] = 0.0
    else:
        new_group = int64(-1)
        for group in range(state.size.shape[0]):
            if state.size[group] == 0:
                new_group = group
                break
        if new_group < 0:
            return
        for s in range(-1, state.neighbor.shape[1]):
            i = point if s < 0 else state.neighbor[point, s]
            group = state.label[i]
            if group != new_group and state.size[group] > k:
                moved[n_moved], origin[n_moved] = i, group
                n_moved += 1
                shift(state, i, new_group)
                less = group_loss(points, state.member[group], state.size[group], seen, codes, values)
                change += less - loss[group]
                loss[group] = less
                if n_moved == k:
                    break
        loss[new_group] = group_loss(points, state.member[new_group], state.size[new_group], seen, codes, values)
        change += loss[new_group]
        if n_moved < k:
            change = np.inf
    if change < limit:
        return
    for at in range(n_moved - 1, -1, -1):
        group = state.label[moved[at]]
        shift(state, moved[at], origin[at])
        loss[group] = group_loss(points, state.member[group], state.size[group], seen, codes, values)
        loss[origin[at]] = group_loss(points, state.member[origin[at]], state.size[origin[at]], seen, codes, values)


@jit
def measure_losses(state: AnnealingState, points: CenterArrays, k: int, loss: Floats) -> None:
    """Fill in the slots of all points and the losses of all groups from `member` and `size`."""
    widest = int64(1)
    for axis in range(len(points.sizes)):
        widest = max(widest, points.sizes[axis])
    seen, codes, values = np.zeros(widest, dtype=np.int64), np.empty(2 * k, dtype=np.int64), np.empty(2 * k)
    for group in range(state.size.shape[0]):
        for i in range(state.size[group]):
            state.slot[state.member[group, i]] = i
        loss[group] = group_loss(points, state.member[group], state.size[group], seen, codes, values)
