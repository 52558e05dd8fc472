"""How suppressing outliers lowers the cost: the cost of the groups if 0 %, 1 %, 2 % or 5 % may be suppressed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shoal.partition.result import Partition, SuppressionCost

SHARES = (0.0, 0.01, 0.02, 0.05)
MOST_RECORDS = 100_000
"""With more records, only 0 and the policy's share are compared, because each share takes a run of the method."""


def with_curve(partition: Partition, solved: Callable[[float], Partition], asked: float) -> Partition:
    """Return `partition` with `outlier_curve` filled in: the cost for every share of records that may be suppressed.

    `solved` runs the method with such a share, and `asked` is the share of the policy. Costs are those before any
    repair for l-diversity or t-closeness.
    """
    n_records, repaired = len(partition.labels), partition.repair is not None
    shares = {0.0, asked} if n_records > MOST_RECORDS else {*SHARES, asked}
    found: list[SuppressionCost] = []
    for share in sorted(shares):
        groups = partition if share == asked and not repaired else solved(share)
        here = SuppressionCost(allowed=share, n_suppressed=groups.n_suppressed, cost=groups.cost)
        # Groups found with a smaller share are also allowed with a larger one, so the cost must not rise.
        found.append(replace(found[-1], allowed=share) if found and found[-1].cost < here.cost else here)
    return replace(partition, outlier_curve=tuple(found))
