"""Sentences and rows on the re-identification risk, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.formatting import count, listed_names, name, percent, plural, significant

if TYPE_CHECKING:
    from shoal.measure.attack_result import Attacks
    from shoal.measure.risk_result import Risk


def risks(risk: Risk) -> list[tuple[str, str, str, str]]:
    """Return the re-identification risks: name, before, after, in words."""
    before, after = risk.before, risk.after
    return [
        (
            "Prosecutor, worst",
            percent(before.prosecutor_max),
            percent(after.prosecutor_max),
            "An attacker who knows that a person is in the table picks the right record.",
        ),
        (
            "Prosecutor, mean",
            percent(before.prosecutor_mean),
            percent(after.prosecutor_mean),
            "The same, on average.",
        ),
        (
            "Journalist, worst",
            percent(before.journalist_max),
            percent(after.journalist_max),
            "An attacker who does not know whether the person is in the table.",
        ),
        (
            "Marketer",
            percent(before.marketer),
            percent(after.marketer),
            "The expected share of people identified correctly if everybody is linked.",
        ),
        (
            "Unique",
            f"{count(before.unique_people)} ({percent(before.unique_share)})",
            f"{count(after.unique_people)} ({percent(after.unique_share)})",
            "People whose combination of quasi-identifiers nobody else has.",
        ),
    ]


def sensitive(risk: Risk) -> list[tuple[str, str, str, str]]:
    """Return, per sensitive column: name, least diversity, people in groups with one value, largest distance."""
    return [
        (
            name(found.name),
            f"{significant(found.l_smallest)} ({found.l_kind})",
            count(found.homogeneous_people),
            f"{significant(found.t_largest)} ({found.t_distance})",
        )
        for found in risk.after.sensitive
    ]


def singled(risk: Risk | Attacks) -> str:
    """Return how many rows are unique in all published columns, and what to do about it."""
    found = risk.singled
    if not found.rows:
        return "No row is about one person, so no row singles anybody out."
    if not found.columns:
        return "Only quasi-identifiers are published, and k holds for them: no row is unique."
    if not found.unique:
        return f"None of the {count(found.rows)} published rows is unique, even in all columns together."
    summary = (
        f"{count(found.unique)} of {plural(found.rows, 'published row')} ({percent(found.unique / found.rows)}) "
        f"are unique if all published columns are taken together; "
        f"{count(found.unique_sensitive)} in quasi-identifiers and sensitive columns."
    )
    if found.tried:
        summary += (
            f" A description made from such a row fitted exactly one person of the original table "
            f"in {count(found.isolated)} of {plural(found.tried, 'try', 'tries')}."
        )
    summary += " k does not protect against somebody who knows these columns of a person."
    most = found.columns[0]
    if most.without < found.unique and most.role == "quasi":
        return (
            f"{summary} {name(most.name)} contributes most: without it {count(most.without)} would be unique. Only "
            "few known items of it are protected, not whole sets: raise m, make its items coarser, or remove it."
        )
    if most.without < found.unique:
        return (
            f"{summary} {name(most.name)} contributes most: without it {count(most.without)} would be unique. Remove "
            "it, round it or put it into broader classes before the release, or make it a quasi-identifier."
        )
    several = listed_names([column.name for column in found.columns])
    return f"{summary} No single column is the cause: remove or round several of {several}."


def singling(risk: Risk) -> list[tuple[str, str, str, str]]:
    """Return, per column published as it is: name, role, unique rows with it alone, and without it."""
    return [(name(one.name), one.role, count(one.alone), count(one.without)) for one in risk.singled.columns]
