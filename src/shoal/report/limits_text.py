"""Sentences on what a release does not protect against."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.caller import named
from shoal.policy import Policy
from shoal.report.content import Content
from shoal.report.formatting import count, listed_names, name, plural


def _joined(policy: Policy) -> str:
    """Return how the rows of one person can be told to be of one."""
    column = policy.columns[policy.person or ""]
    if column.pseudonym:
        return (
            "They have a common pseudonym, also in other tables made with the same secret. k holds in each table, "
            "but not for somebody who joins several."
        )
    return "They have a common number." if column.consistent else "Within a group they have a common number."


def _others(policy: Policy) -> tuple[str, str]:
    """Return what is said of other releases of the same people."""
    if policy.sequence is not None:
        return (
            "Releases outside this sequence",
            "What the releases of this sequence show together was taken into account; others of the same people can "
            "be combined with this one.",
        )
    return (
        "Other releases of the same people",
        f"Two releases that are each safe can be combined. Publish one, or make the next one with {named('after')}.",
    )


def limits(content: Content) -> list[tuple[str, str]]:
    """Return what the release does not protect against, given the requirements: a name and a sentence each."""
    alone = {one.name: one.homogeneous_people for one in content.risk.after.sensitive}
    return not_protected(content.policy, content.form, alone=alone, unique=content.risk.singled.unique)


def not_protected(policy: Policy, form: str, *, alone: Mapping[str, int], unique: int) -> list[tuple[str, str]]:
    """Return what a release does not protect against: a name and a sentence each.

    `alone` has the people in groups with one value, for every sensitive column; `unique` is the number of rows that
    are unique in all published columns.
    """
    found = []
    bare = [c for c in policy.sensitive if not policy.has_requirement(c)]
    compared = [c for c in policy.sensitive if policy.closeness_of(c) or policy.disclosure_of(c)]
    skewed = [c for c in policy.sensitive if policy.diversity_of(c) and c not in compared]
    if bare:
        people = sum(alone.get(column, 0) for column in bare)
        now = f" Here this affects {plural(people, 'person', 'people')}." if people else ""
        found.append(
            (
                "Groups with one sensitive value",
                f"Nothing was required of {listed_names(bare)}. If a whole group has one value, knowing that "
                f"somebody is in the group reveals it.{now} Require l to prevent this.",
            )
        )
    if skewed:
        found.append(
            (
                "Groups that differ from the whole table",
                f"A value of {listed_names(skewed)} can be far more frequent in a group than in the table, so an "
                "attacker learns a likelihood. Require t to limit this.",
            )
        )
    changed = policy.perturbed
    if changed:
        found.append(
            (
                f"Perturbed columns: {listed_names(changed)}",
                "Their values were changed by chance, and k is not about them. A value that stands out may still "
                "stand out, and columns that depend on them can show where a value does not fit.",
            )
        )
    if raw := [name for name in policy.unchanged if name not in changed]:
        found.append(
            (
                f"Columns published as they are: {listed_names(raw)}",
                f"Whoever knows a value there can single people out by it. In all columns "
                f"together, {count(unique)} rows are unique.",
            )
        )
    if policy.set_column is not None:
        found.append(
            (
                f"Many known items of {name(policy.set_column)}",
                f"Whoever knows more than {plural(policy.known_items, 'item')} of a person, that a person does not "
                f"have an item, or how many there are, can single people out by them. In all columns together, "
                f"{count(unique)} rows are unique.",
            )
        )
    if policy.person is None:
        found.append(
            (
                "People with several rows",
                "Rows were counted, not people. If a person has more than one row, give the column that identifies "
                "people the role person.",
            )
        )
    elif form != "centers":
        found.append(
            (
                "Rows of one person",
                f"{_joined(policy)} Whoever knows how many rows a person has there, or one of "
                "their sensitive values, can recognize their rows and read the others. Publish one row per person "
                "if that matters.",
            )
        )
    if policy.where is not None:
        found.append(
            (
                "The condition that all rows meet",
                "Whoever knows that somebody is in the release knows that they meet it, however large the group is.",
            )
        )
    found += [
        (
            "Knowledge beyond the quasi-identifiers",
            "The guarantee holds against an attacker who knows the quasi-identifiers and nothing else of the table.",
        ),
        _others(policy),
        (
            "Attacks other than re-identification",
            "This is not differential privacy: it bounds how well people can be re-identified, not everything that "
            "can be learned.",
        ),
    ]
    return found
