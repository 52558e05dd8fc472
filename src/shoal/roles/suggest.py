"""Suggesting a first policy, with the reason for every role, for a person to check and edit."""

from __future__ import annotations

from shoal.policy import Column, Diversity, Hierarchy, Policy, Source
from shoal.roles.column_profile import ColumnProfile
from shoal.roles.table_profile import Profile


def suggest_policy(profile: Profile) -> tuple[Policy, dict[str, str]]:
    """Return the policy that `profile` suggests, and a comment per column for `Policy.dumps`."""
    columns = {
        column.name: _with_settings(column, _with_missing(column, _column(column, profile.k)))
        for column in profile.columns
    }
    comments = {column.name: _comment(column) for column in profile.columns}
    return Policy(k=profile.k, source=Source(**profile.reading), columns=columns), comments


def _column(column: ColumnProfile, k: int) -> Column:
    if column.dates is not None and column.dates.form is not None and column.role in ("quasi", "sensitive"):
        form = column.dates.form
        return Column(
            role=column.role,
            kind="date",
            format=form.pattern,
            language=form.language,
            first_year=form.first_year,
            unreadable="missing" if column.dates.strays else "refuse",
        )
    if column.role == "quasi" and column.kind == "set":
        return Column(role="quasi", kind="set", separator=column.separator or ";", hierarchy=_hierarchy(column))
    if column.role == "quasi":
        return Column(
            role="quasi",
            kind=column.kind,
            hierarchy=_hierarchy(column),
            order=column.order or None,
            longitude=column.longitude,
            publish_rare="merged" if _rare_labels(column) else False,
        )
    if column.role != "sensitive":
        return Column(role=column.role)
    # on average a group of k then has at least one row with another value, so requiring two values costs little
    cheap = column.distinct > 1 and column.largest_share <= 1 - 1 / k
    requirement = Diversity(l=2) if cheap else None
    return Column(role="sensitive", kind=column.kind, hierarchy=_hierarchy(column), diversity=requirement)


def _rare_labels(column: ColumnProfile) -> bool:
    """Return whether it is a quasi-identifier of labels, some of which occur once."""
    plain = column.kind == "label" and not column.prefix and not column.order
    return column.role == "quasi" and plain and column.n_rare > 0


def _hierarchy(column: ColumnProfile) -> Hierarchy | None:
    """Return the hierarchy of a code by its first characters; None if the column is not such a code."""
    if not column.prefix:
        return None
    return Hierarchy(prefix=True, cuts=column.cuts or None, digits=column.digits)


def _with_missing(column: ColumnProfile, proposed: Column) -> Column:
    """Return the proposed column with its codes for missing and its number format, if the column is published."""
    if proposed.role == "identifier":
        return proposed
    number = column.number if proposed.role in ("quasi", "sensitive") else None
    return proposed.model_copy(update={"null_values": column.null_values, "number": number})


def _with_settings(column: ColumnProfile, proposed: Column) -> Column:
    """Return the proposed column with the settings that a preset adds."""
    if not column.settings:
        return proposed
    given = proposed.model_dump(exclude_defaults=True, exclude_none=True) | dict(column.settings)
    if "hierarchy" in column.settings:
        given.pop("kind", None)
    return Column.model_validate(given)


def _comment(column: ColumnProfile) -> str:
    missing = f", {column.missing} missing" if column.missing else ""
    if _rare_labels(column):
        missing += f"; {column.n_rare} occur once, so rare ones are merged into one label"
    questions = "".join(f"QUESTION: {question}\n" for question in column.questions)
    return f"{questions}{column.reason}\n{column.type}, {column.distinct} different values{missing}"
