"""What leaving out outliers buys: the cost of the groups with none of the records left out, with 1 %, 2 %, 5 %."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shoal.partition.result import LeftOut, Partition

SHARES = (0.0, 0.01, 0.02, 0.05)
MOST_RECORDS = 100_000
"""With more, only the share that was asked for is compared with none left out: every share is a run of its own."""


def with_curve(partition: Partition, solved: Callable[[float], Partition], asked: float) -> Partition:
    """The same groups with what other shares would have bought, before l and t were asked for."""
    n_records, repaired = len(partition.labels), partition.repair is not None
    shares = {0.0, asked} if n_records > MOST_RECORDS else {*SHARES, asked}
    found: list[LeftOut] = []
    for share in sorted(shares):
        groups = partition if share == asked and not repaired else solved(share)
        here = LeftOut(allowed=share, n_left_out=groups.n_suppressed, cost=groups.cost)
        # Whatever a smaller share allows, a larger one allows too.
        found.append(replace(found[-1], allowed=share) if found and found[-1].cost < here.cost else here)
    return replace(partition, outlier_curve=tuple(found))
