"""Sentences on the cost of a release: how far it is from the smallest possible, and what suppression saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.formatting import NOTHING, at_most, name, percent, plural, sentence, significant
from shoal.report.loss_text import suppressed_share

if TYPE_CHECKING:
    from shoal.certify.facts import Facts
    from shoal.report.content import Content

OBJECTIVES = {
    "sse": "squared error",
    "loss": "loss of means, medians and modes",
    "radius": "largest distance from a center",
    "cellular": "sum of group size times radius",
    "generalization": "generalization cost",
    "generalization information": "information lost",
    "generalization levels": "generalization cost by levels",
    "ncp": "share of the range, labels or leaves that the published cells span",
    "full-domain ncp": "share of the leaves below the published nodes",
    "full-domain information": "information lost",
    "full-domain levels": "level of the published nodes",
    "full-domain entropy": "information lost, in bits",
    "largest class": "people in the largest class",
}


def distance(groups: Facts) -> str:
    """Return how far the cost of the release can be from the smallest possible, and of what it is the cost.

    If groups for less generalization would keep clearly more of the table, that is said first.
    """
    return f"{keeps_more(groups)} {_distance(groups)}".strip()


def keeps_more(groups: Facts) -> str:
    """Return that groups for another objective keep more of the table; empty if not, or if not measured."""
    found = groups.keeps_more
    if found is None:
        return ""
    return (
        f"Groups for less generalization (method = {found.method}) would keep more of the table: published as ranges "
        f"and sets they lose {percent(found.lost)} of an average cell, and these groups {percent(found.lost_here)}."
    )


def classes(groups: Facts) -> list[str]:
    """Return, for every column in classes or areas, how far its largest class can be from the smallest possible."""
    found = []
    for one in groups.classes:
        largest = (
            f"The largest of {plural(one.n_classes, 'class', 'classes')} of {name(one.column)} has {one.largest}"
        )
        proved = (
            ""
            if one.ratio_proved is None
            else f"; theorem {one.theorem} alone guarantees {at_most(one.ratio_proved)}"
        )
        if one.largest <= one.lower_bound:
            found.append(f"{largest} people, and no classes of at least {one.least} have a smaller largest one.")
        else:
            times = at_most(one.largest / one.lower_bound)
            found.append(f"{largest} people, at most {times} times the smallest possible{proved}.")
    return found


def _distance(groups: Facts) -> str:
    """Return how far the cost of the release can be from the smallest possible."""
    what = OBJECTIVES.get(groups.objective, groups.objective)
    seen, proved = groups.ratio_seen, groups.ratio_proved
    if seen is not None and seen <= 1:
        return (
            f"No release that meets the requirements has a smaller {what}: measured so, this one is the best "
            "possible. Measured otherwise, another may be better."
        )
    if seen is not None and proved is not None:
        guaranteed = f"the theorem alone guarantees {at_most(proved)}"
        return f"At most {at_most(seen)} times the smallest possible {what}; {guaranteed}."
    if seen is not None:
        return (
            f"At most {at_most(seen)} times the smallest possible {what}, by a bound computed on this table. "
            "No theorem guarantees a ratio for this method."
        )
    if proved is not None:
        return f"At most {at_most(proved)} times the smallest possible {what}, by theorem {groups.theorem}."
    if groups.theorem is not None and groups.objective.startswith("full-domain"):
        return (
            f"No other choice of one level per column has a smaller {what}, by theorem {groups.theorem}. "
            "Methods that generalize each group by itself may lose less."
        )
    return f"How far the {what} is from the smallest possible is not known: there is neither a theorem nor a bound."


def notes(groups: Facts) -> list[str]:
    """Return further remarks on the run as whole sentences."""
    return [f"{sentence(note.removesuffix('.'))}." for note in groups.notes]


def costs(groups: Facts) -> list[tuple[str, str]]:
    """Return the numbers behind the distance from the best possible."""
    lines = [
        ("Minimized", OBJECTIVES.get(groups.objective, groups.objective)),
        ("Cost of this release", significant(groups.cost, 4)),
        ("Cost before improvement (theorem)", significant(groups.theorem_cost, 4)),
        ("Lower bound for any release", significant(groups.lower_bound, 4)),
        ("Ratio seen, at most", at_most(groups.ratio_seen)),
        ("Ratio proved", at_most(groups.ratio_proved)),
        ("Theorem", groups.theorem or "none that covers this release"),
    ]
    return [line for line in lines if line[1] != NOTHING]


def left_out(content: Content) -> str:
    """Return the share of suppressed rows and how much that reduced the cost; empty if none was allowed."""
    curve = content.groups.left_out
    if not curve:
        return ""
    what, allowed = OBJECTIVES[content.groups.objective], content.policy.max_suppressed
    here = next(point for point in curve if point.allowed == allowed)
    bought = 1 - here.cost / curve[0].cost if curve[0].cost else 0.0
    others = [
        f"{percent(point.allowed)}: {significant(point.cost, 4)}"
        for point in curve
        if point.allowed not in (0, allowed)
    ]
    more = f" With other shares it would be {'; '.join(others)}." if others else ""
    whole, suppressed = significant(curve[0].cost, 4), percent(suppressed_share(content.loss))
    return (
        f"{suppressed} of the rows were suppressed. With at most {percent(allowed)} the {what} "
        f"is {significant(here.cost, 4)}, {percent(bought)} less than the {whole} with all rows.{more}"
    )
