"""Rising duals of cellular clustering: which cluster (center, radius) is paid for next, and when."""

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
    """When the first ball around one center is paid for, and the position in `order` of its last point.

    `distance` are those from the center, `order` sorts them. A ball of radius d from `smallest` to `largest` asks for
    `opening` + `per_radius` * d and gets max(0, alpha - d) from each of its points; alpha of a point that stopped at
    event e is times[e], of the others the present time. One sweep outwards: `stopped` counts its points by event;
    events up to d pay nothing from d on. A ball is never paid before its radius, so the sweep ends there.
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
    n_spared: int,
) -> tuple[Floats, Ints, Ints, Floats]:
    """All duals rise together from 0; a point's stops when a ball that it lies in is paid for.

    `distance` is a square matrix, row v of `order` sorts its row v. The work ends when at most `n_spared` duals still
    rise. Returns the duals, the event at which each point stopped (-1: it did not), and of each event the center and
    the radius of the ball that was paid for.

    A point that stops only delays balls, so a time worked out earlier is a lower bound: only the center with the
    least one is worked out again.
    """
    n = len(order)
    alpha, event = np.zeros(n), np.full(n, -1, np.int64)
    times, centers, radii = np.empty(n), np.empty(n, np.int64), np.empty(n)
    bound, last, seen = np.zeros(n), np.zeros(n, np.int64), np.full(n, -1, np.int64)
    stopped = np.zeros(n, np.int64)
    n_events, n_rising = int64(0), n
    while n_rising > n_spared:
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
