"""Simulated annealing under the squared error that never increases the violation of requirements beyond k."""

from __future__ import annotations

import numpy as np

from shoal.kernels._jit import int64, jit
from shoal.kernels.generalization_groups import Groups, Rules, deficit_of
from shoal.kernels.sse_annealing import AnnealingState, draw, draw_pair, measure, shift, square


@jit
def anneal_ruled(
    state: AnnealingState, rules: Rules, ruled: Groups, k: int, steps: int, start: float, end: float
) -> int:
    """Run `steps` proposals like `sse_annealing.anneal`, moves and swaps only; return how many were accepted.

    A change that raises the deficit of a group under the rules is rejected. `ruled` describes the same groups as
    `state`, in the same arrays, in the form in which the deficit is computed; its deficits are filled in here. A
    group keeps at least k members and one free place in its row of `member`.
    """
    most = state.member.shape[1] - 1
    nobody = int64(-1)
    deficit = ruled.deficit
    for group in range(len(deficit)):
        deficit[group] = deficit_of(rules, ruled, group, nobody, nobody)
    temperature, accepted = start, 0
    for step in range(steps):
        if step % 64 == 0 and start > 0.0:
            temperature = start * (end / start) ** (step / steps)
        limit = -temperature * np.log(1.0 - draw(state.random))
        i, j = draw_pair(state)
        a, b = state.label[i], state.label[j]
        if a == b:
            continue
        x = state.points[i]
        size_a, size_b = state.size[a], state.size[b]
        from_a, from_b = square(x, state.mean[a]), square(x, state.mean[b])
        back = nobody
        if size_a > k and size_b < most and from_b * size_b / (size_b + 1) - from_a * size_a / (size_a - 1) < limit:
            pass
        else:
            back = int(state.member[b, int(draw(state.random) * size_b)])
            y = state.points[back]
            apart = square(x, y)
            change = from_b - square(y, state.mean[b]) - apart / size_b
            if change + square(y, state.mean[a]) - from_a - apart / size_a >= limit:
                continue
        missed_a = deficit_of(rules, ruled, a, int64(i), back)
        missed_b = deficit_of(rules, ruled, b, back, int64(i))
        if missed_a > deficit[a] or missed_b > deficit[b]:
            continue
        shift(state, i, b)
        if back >= 0:
            shift(state, back, a)
        measure(state, a)
        measure(state, b)
        deficit[a], deficit[b] = missed_a, missed_b
        accepted += 1
    return accepted
