"""What a reader sees first of a release: its numbers, its requirements, and the time that it took."""

from __future__ import annotations

from shoal.policy import Policy
from shoal.report.content import Content
from shoal.report.formatting import at_most, chance, count, name, percent, seconds
from shoal.report.loss_text import exact, items_kept, items_lost, lost, suppressed_share
from shoal.report.recoding_text import recoding_fact

FORMS = {
    "generalize": "Each value became a range, a set or a category that the whole group shares.",
    "aggregate": "Each value became its group's mean, median or most frequent value.",
    "centers": "Each group became one row: its center, its number of people, and the sensitive values in it.",
    "suppress": "Each value that differs within a group became an asterisk.",
}


def asked(policy: Policy) -> list[tuple[str, str]]:
    """Return the requirements, line by line: name and value."""
    who = f"different values of {name(policy.person)}" if policy.person else "rows"
    lines = [("Smallest group", f"k = {policy.k}, counted in {who}")]
    if policy.set_column is not None:
        lines.append((f"Known items of {name(policy.set_column)}", f"m = {policy.known_items} at most"))
    for column in policy.all_sensitive:
        diversity, closeness = policy.diversity_of(column), policy.closeness_of(column)
        if diversity:
            c = f", c = {diversity.c:g}" if diversity.c is not None else ""
            lines.append((f"Diversity of {name(column)}", f"l = {diversity.l:g} ({diversity.kind}{c})"))
        if closeness:
            lines.append(
                (f"Closeness of {name(column)}", f"t = {closeness.t:g} ({policy.distance_of(column)} distance)")
            )
        if disclosure := policy.disclosure_of(column):
            named = {"alpha": disclosure.alpha, "beta": disclosure.beta, "delta": disclosure.delta}
            shown = ", ".join(f"{key} = {value:g}" for key, value in named.items() if value is not None)
            kind = " (enhanced)" if disclosure.kind == "enhanced" else ""
            lines.append((f"Shares of values of {name(column)}", f"{shown}{kind}"))
    suppressed = f"at most {percent(policy.max_suppressed)}" if policy.max_suppressed else "none"
    lines.append(("Rows that may be suppressed", suppressed))
    lines.append(("Method", policy.method if policy.method != "auto" else "chosen automatically"))
    lines.append(("Form", policy.publication if policy.publication != "auto" else "chosen automatically"))
    if policy.synthetic is not None:
        lines.append(
            ("Synthetic rows", f"{policy.synthetic}, drawn from the released table alone; no k of their own")
        )
    return lines


def facts(content: Content) -> list[tuple[str, str, str]]:
    """Return the numbers to show first: name, number, remark."""
    loss, risk, groups = content.loss, content.risk, content.groups
    released = "every row is published"
    if loss.suppressed_rows:
        share = percent(suppressed_share(loss))
        released = f"{count(loss.suppressed_rows)} of {count(loss.n_rows)} rows suppressed ({share})"
    shown = [
        ("Rows published", count(loss.n_released), released),
        ("Groups", count(groups.n_groups), f"smallest {count(risk.after.smallest_class)} {risk.unit}"),
        (
            "Highest re-identification risk",
            chance(risk.after.prosecutor_max),
            f"before: {chance(risk.before.prosecutor_max)}",
        ),
        ("Information lost", *lost(loss, content.form)),
        *recoding_fact(loss),
        *(("Items kept", items_kept(one), items_lost(one)) for one in loss.sets),
        ("Cells still exact", percent(loss.exact), exact(loss)),
    ]
    if risk.singled.rows:
        shown.append(("Unique rows", count(risk.singled.unique), "if all published columns are known"))
    seen, proved = groups.ratio_seen, groups.ratio_proved
    if seen is not None and seen <= 1:
        shown.append(("Times the least possible cost", "1", "no release can cost less"))
    elif seen is not None:
        remark = "by a bound for this table" if proved is None else f"proved for all tables: {at_most(proved)}"
        shown.append(("Times the least possible cost", f"≤ {at_most(seen)}", remark))
    return shown


def times(content: Content) -> list[tuple[str, str]]:
    """Return the time per step and in total."""
    lines = [(step, seconds(taken)) for step, taken in content.seconds]
    return [*lines, ("total", seconds(sum(taken for _, taken in content.seconds)))] if lines else []
