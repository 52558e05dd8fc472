"""Advice on how to reduce the information loss, derived from the numbers of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.formatting import name, percent, significant

if TYPE_CHECKING:
    from shoal.certify.facts import Facts
    from shoal.measure.loss_result import ColumnLoss, Loss, SetLoss
    from shoal.policy import Policy


def advise(policy: Policy, loss: Loss, groups: Facts) -> tuple[str, ...]:
    """Return sentences, the most useful first; none if nothing stands out."""
    found = []
    total = sum(column.ncp for column in loss.columns)
    if total > 0 and len(loss.columns) > 1:
        costliest = max(loss.columns, key=lambda column: column.ncp)
        share = costliest.ncp / total
        if share > 1.5 / len(loss.columns):
            found.append(
                f"{name(costliest.name)} has the largest share of the loss, {percent(share)}. "
                f"{_remedy(policy, costliest)}"
            )
    for one in loss.sets:
        if one.lost > 0.3:
            found.append(_of_items(one, grouped=bool(loss.columns)))
    if loss.c_avg > 1.5 and not loss.sets:  # else groups were joined to keep items
        asked = [c for c in policy.all_sensitive if policy.has_requirement(c)]
        remedy = "A weaker l or t would allow smaller ones." if asked else "Another method may make smaller ones."
        size = significant(loss.average_class_size)
        found.append(f"Groups have {size} records on average, where k = {policy.k} is required. {remedy}")
    if groups.ratio_seen is not None and groups.ratio_seen > 1.5:
        found.append(
            f"The lower bound allows up to {percent(1 - 1 / groups.ratio_seen)} less cost. `shoal compare` shows "
            "whether another method, or more effort, comes closer to it."
        )
    if policy.max_suppressed == 0 and loss.gcp > 0.3:
        found.append(
            "No row may be suppressed, so rare records make their groups wide. A small max_suppressed, such as 0.01, "
            "lets them be suppressed."
        )
    if loss.gcp > 0.5 and len(loss.columns) > 4:
        found.append(
            f"There are {len(loss.columns)} quasi-identifiers. Each one makes records less alike: publish fewer, "
            "or round the finest ones first."
        )
    return tuple(found)


def _of_items(one: SetLoss, *, grouped: bool) -> str:
    """Return what would keep more of the items of a column of sets."""
    ways = [] if one.has_hierarchy else ["a hierarchy of its items (prefix = true for codes)"]
    ways += ["fewer other quasi-identifiers, as items are compared within every group"] if grouped else []
    ways += ["a smaller m, if others know fewer items of a person"]
    return f"The items of {name(one.name)} lose {percent(one.lost)}. What keeps more of them: {'; '.join(ways)}."


def _remedy(policy: Policy, column: ColumnLoss) -> str:
    """Return what would reduce the loss of a column."""
    settings = policy.columns.get(column.name)
    if settings is not None and settings.hierarchy is None and column.kind in ("label", "region"):
        return "With a hierarchy for it, groups would be published as a broader value instead of a list."
    if settings is not None and settings.hierarchy is not None:
        return "A hierarchy with more levels, or a larger weight, would preserve more of it."
    return "A larger weight preserves more of it at the expense of the others; removing it helps all the others."
