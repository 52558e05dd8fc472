"""Raising the dual variables of the linear program of cellular clustering.

All duals rise at the same speed; the functions find which cluster (a center and a radius) is paid for next, and when.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inner, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@inner
def next_paid(
    distance: Floats,
    order: Ints,
    opening: float,
    per_radius: float,
    smallest: float,
    largest: float,
    event: Ints,
    times: Floats,
    n_events: int,
    stopped: Ints,
) -> tuple[float, int]:
    """Return when the first ball around one center is paid for, and the position in `order` of its last point.

    `distance` has the distances from the center and `order` sorts them. A ball of radius d, from `smallest` to
    `largest`, costs `opening` + `per_radius` * d, and each of its points pays max(0, alpha - d). The dual alpha of a
    point that stopped at event e is times[e]; the duals of the others are equal to the current time.

    The function sweeps outwards over the radii. `stopped` counts the swept points by the event at which they stopped;
    a point that stopped at a time of at most d pays nothing to balls of radius d or more. A ball is never paid for
    before the time is at least its radius, so the sweep ends at the best time found so far.
    """
    n = len(order)
    stopped[:n_events] = 0
    rising, paying, paid, event_now = 0, 0, 0.0, 0
    best, last = np.inf, -1
    now = times[n_events - 1] if n_events > 0 else 0.0
    for k in range(n):
        point = order[k]
        d = distance[point]
        if d >= best or d > largest:
            break
        while event_now < n_events and times[event_now] <= d:
            paying -= stopped[event_now]
            paid -= stopped[event_now] * times[event_now]
            event_now += 1
        if event[point] < 0:
            rising += 1
        elif event[point] >= event_now:
            stopped[event[point]] += 1
            paying += 1
            paid += times[event[point]]
        if d < smallest or rising == 0 or (k + 1 < n and distance[order[k + 1]] == d):
            continue
        missing = opening + per_radius * d - (paid - paying * d)
        time = max(d + max(missing, 0.0) / rising, now)
        if time < best:
            best, last = time, k
    return best, last


@jit
def raise_duals(
    distance: Floats,
    order: Ints,
    opening: Floats,
    per_radius: float,
    smallest: Floats,
    largest: float,
    n_suppressed: int,
) -> tuple[Floats, Ints, Ints, Floats]:
    """Raise all duals together from 0; the dual of a point stops when a ball that contains it is paid for.

    `distance` is a square matrix and row v of `order` sorts its row v. The work ends as soon as at most
    `n_suppressed` duals still rise. Returns the duals, the event at which each point stopped (-1 if it never did),
    and for each event the center and the radius of the ball that was paid for.

    A point that stops can only delay other balls. So a time computed earlier for a center remains a lower bound, and
    only the center with the smallest bound is computed again.
    """
    n = len(order)
    alpha, event = np.zeros(n), np.full(n, -1, np.int64)
    times, centers, radii = np.empty(n), np.empty(n, np.int64), np.empty(n)
    bound, last, seen = np.zeros(n), np.zeros(n, np.int64), np.full(n, -1, np.int64)
    stopped = np.zeros(n, np.int64)
    n_events, n_rising = int64(0), n
    while n_rising > n_suppressed:
        v = int64(0)
        for u in range(1, n):
            if bound[u] < bound[v]:
                v = u
        if seen[v] < n_events:
            bound[v], last[v] = next_paid(
                distance[v],
                order[v],
                opening[v],
                per_radius,
                smallest[v],
                largest,
                event,
                times,
                n_events,
                stopped,
            )
            seen[v] = n_events
            continue
        for k in range(last[v] + 1):
            point = order[v, k]
            if event[point] < 0:
                event[point], alpha[point] = n_events, bound[v]
                n_rising -= 1
        times[n_events], centers[n_events] = bound[v], v
        radii[n_events] = distance[v, order[v, last[v]]]
        n_events += 1
    for point in range(n):
        if event[point] < 0:
            alpha[point] = times[n_events - 1]
    return alpha, event, centers[:n_events].copy(), radii[:n_events].copy()
