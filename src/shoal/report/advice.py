"""What to do to lose less, read off the numbers of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.certify.facts import Facts
from shoal.policy import Policy
from shoal.report.formatting import name, percent, significant

if TYPE_CHECKING:
    from shoal.measure.result import ColumnLoss, Loss


def advise(policy: Policy, loss: Loss, groups: Facts) -> tuple[str, ...]:
    """Sentences, the most useful first; none where nothing stands out."""
    found = []
    total = sum(column.ncp for column in loss.columns)
    if total > 0 and len(loss.columns) > 1:
        dearest = max(loss.columns, key=lambda column: column.ncp)
        share = dearest.ncp / total
        if share > 1.5 / len(loss.columns):
            found.append(
                f"{name(dearest.name)} costs most, {percent(share)} of all that is lost. {_remedy(policy, dearest)}"
            )
    if loss.c_avg > 1.5:
        asked = [c for c in policy.sensitive if policy.diversity_of(c) or policy.closeness_of(c)]
        remedy = "A milder l or t would allow smaller ones." if asked else "A method that balances groups may help."
        size = significant(loss.average_class_size)
        found.append(f"Groups have {size} records on average where {policy.k} are asked for. {remedy}")
    if groups.ratio_seen is not None and groups.ratio_seen > 1.5:
        found.append(
            f"The bound leaves room for up to {percent(1 - 1 / groups.ratio_seen)} less cost. `shoal compare` shows "
            "whether another method, or more effort, finds it."
        )
    if policy.max_suppressed == 0 and loss.gcp > 0.3:
        found.append(
            "No row may be left out, so the rarest people widen their groups. A small max_suppressed, such as 0.01, "
            "lets them go."
        )
    if loss.gcp > 0.5 and len(loss.columns) > 4:
        found.append(
            f"There are {len(loss.columns)} quasi-identifiers. Each one spreads people further apart: publish fewer, "
            "or round the finest before anything else."
        )
    return tuple(found)


def _remedy(policy: Policy, column: ColumnLoss) -> str:
    settings = policy.columns.get(column.name)
    if settings is not None and settings.hierarchy is None and column.kind in ("label", "region"):
        return "A hierarchy for it would let groups meet at a broader value instead of a list."
    if settings is not None and settings.hierarchy is not None:
        return "A hierarchy with finer steps, or a larger weight for it, would keep more of it."
    return "A larger weight keeps more of it at the price of the others; leaving it out helps all the others."
