"""The warning above the report of a release that meets every requirement but keeps hardly any information."""

from __future__ import annotations

from shoal.report.content import Content
from shoal.report.formatting import name, percent, plural

MOST_LOST = 0.8
"""A release that loses a larger share of the information is called hardly usable."""


def too_coarse(content: Content) -> str:
    """Return what makes the released table useless and what to change; empty for a table that can be used."""
    loss, n_classes = content.loss, content.risk.after.n_classes
    lost = loss.gcp if content.form in ("aggregate", "centers") else loss.information
    if n_classes == 1 and len(loss.columns) and loss.gcp > 0:
        what = f"All {plural(loss.n_rows - loss.suppressed_rows, 'row')} are published alike, as one group"
    elif loss.recoding > MOST_LOST:
        what = f"{percent(loss.recoding)} of the quasi-identifiers is lost by recoding alone"
    elif lost > MOST_LOST:
        what = f"{percent(lost)} of the information in the quasi-identifiers is lost"
    else:
        return ""
    costliest = max(loss.columns, key=lambda column: column.information, default=None)
    ways = (
        [f"make {name(costliest.name)} coarser beforehand or leave it out"]
        if costliest and len(loss.columns) > 1
        else []
    )
    ways += [f"give {name(one.name)} a hierarchy of its items" for one in loss.sets if not one.has_hierarchy]
    if content.policy.k > 2:
        ways.append(f"lower k, which is {content.policy.k}")
    if any(content.policy.has_requirement(one) for one in content.policy.columns):
        ways.append("weaken l, t or the other requirements on sensitive values")
    if not content.policy.max_suppressed:
        ways.append("allow some rows to be suppressed (max_suppressed = 0.05)")
    return f"Hardly usable: {what}. To keep more, {'; or '.join(ways)}."
