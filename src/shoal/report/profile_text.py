"""Sentences and rows of a profile: how columns are published and why, what singles people out, what to do next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shoal.report.formatting import count, listed, name, percent, plural

if TYPE_CHECKING:
    from shoal.roles.column_profile import ColumnProfile
    from shoal.roles.table_profile import Profile
    from shoal.roles.uniqueness import Combination

COLUMNS_HEADER = ("column", "role", "kind", "values", "missing", "reason")
GROUP_HEADER = ("column", "kind", "values", "missing", "why")
MOST_PER_SIZE = 5  # the most combinations with the same number of columns that are listed
ROLES = {
    "identifier": "removed, because {they} can name people",
    "person": "replaced by new numbers, because it identifies the person of a row",
    "quasi": "made coarser until k people share {them}, because others may know {them}",
    "sensitive": "published beside the groups; nobody should learn {them} about a person",
    "weight": "published as the weight of a row",
    "other": "published as {they} {are}",
}
"""How the columns of each role are published, in the order in which the roles are listed."""
KINDS = {"whole number": "number", "number": "number", "date": "date", "date and time": "date"}
"""The kind of a column that is published unchanged, by its type: no policy has to name it."""
_SHORTER = (
    (re.compile(r"^others may know it: when in doubt, a quasi-identifier(?:; )?"), ""),
    (re.compile(r"the column's name says so and 100% of the values have the form"), "by name and form"),
    (re.compile(r"the column's name says so and (\S+) of the values have the form"), r"by name, and the form of \1"),
    (re.compile(r"the column's name says so"), "by its name"),
    (re.compile(r" \(HIPAA Safe Harbor ([A-R])\)"), r" (HIPAA \1)"),
)


class Columns(NamedTuple):
    """The columns of one role: a title that says how they are published, and a row for each as in `GROUP_HEADER`."""

    title: str
    rows: Sequence[tuple[str, ...]]


def columns(found: Profile) -> list[tuple[str, ...]]:
    """Return the suggested role of every column, and the reason, as in `COLUMNS_HEADER`."""
    rows = [(name(one.name), one.role, *_described(one, found.n_rows)) for one in found.columns]
    return [(*row[:-1], row[-1] or "others may know it") for row in rows]


def columns_by_role(found: Profile) -> list[Columns]:
    """Return the columns of every role that occurs."""
    groups = []
    for role, becomes in ROLES.items():
        own = [one for one in found.columns if one.role == role]
        if own:
            words = ("it", "it", "is") if len(own) == 1 else ("they", "them", "are")
            said = becomes.format(they=words[0], them=words[1], are=words[2])
            rows = [(name(one.name), *_described(one, found.n_rows)) for one in own]
            groups.append(Columns(f"{plural(len(own), 'column')} {said} ({role})", rows))
    return groups


def _described(column: ColumnProfile, n_rows: int) -> tuple[str, str, str, str]:
    reason = column.reason
    for pattern, shorter in _SHORTER:
        reason = pattern.sub(shorter, reason)
    published = column.role in ("sensitive", "weight", "other")
    kind = column.kind or (KINDS.get(column.type, "label") if published else "")
    return kind, count(column.distinct), percent(column.missing / max(1, n_rows)), reason


def questions_title(found: Profile) -> str:
    """Return the line above the questions of a profile."""
    return f"{plural(len(found.questions), 'question')} to answer before you use the suggested policy"


def risk_before(found: Profile) -> str:
    """Return a sentence on the risk of publishing the suggested quasi-identifiers unchanged."""
    risk = found.risk
    if not risk.columns:
        return "No quasi-identifiers are suggested."
    share = percent(risk.unique_rows / max(1, found.n_rows))
    names = listed([name(c) for c in risk.columns])
    alone = len(risk.columns) == 1
    return (
        f"{f'{names} alone singles' if alone else f'Together, {names} single'} out {count(risk.unique_rows)} of "
        f"{plural(found.n_rows, 'row')} ({share}); {count(risk.rows_below_k)} are in classes below k = {found.k}. "
        f"Somebody who knows {'it' if alone else 'them all'} {_picks(risk.average, risk.highest)}."
    )


def _picks(average: float, highest: float) -> str:
    """Return how likely somebody picks the right row, in words."""
    if average == highest:
        return (
            "always picks the right row"
            if highest == 1
            else f"picks the right row with probability {percent(highest)}"
        )
    return f"picks the right row with probability {percent(average)} on average, {percent(highest)} at worst"


def singled_header(found: Profile) -> tuple[str, ...]:
    return ("columns", "rows singled out", f"rows below k = {found.k}")


def singled(found: Profile) -> list[tuple[str, ...]]:
    """Return the combinations of columns that single out the most rows, a few of each size; the largest one last."""
    sizes: dict[int, list[Combination]] = {}
    for one in found.uniqueness.combinations:
        sizes.setdefault(len(one.columns), []).append(one)
    shown = [one for same in sizes.values() for one in same[:MOST_PER_SIZE]] + list(found.uniqueness.growing[-1:])
    return [
        (listed([name(c) for c in one.columns]), count(one.unique_rows), count(one.rows_below_k)) for one in shown
    ]


def next_steps(found: Profile, written: Path | None, source: str | None) -> Sequence[str]:
    """Return what to do after reading a profile: for the command line if a `source` is given, else for Python."""
    n_asked = len(found.questions)
    answer = f"answer the {'question' if n_asked == 1 else 'questions'} in it" if n_asked else "read it"
    if written is not None:
        checked = (f"And: shoal verify release --preset {found.preset}",) if found.preset else ()
        return (
            f"The suggested policy is in {written}: {answer}, and correct what you know better.",
            f"Then: shoal anonymize {source or 'SOURCE'} --policy {written} --out release",
            *checked,
        )
    if source is not None:
        how = f"shoal profile {source}{f' --preset {found.preset}' if found.preset else ''} --write policy.toml"
    else:
        how = 'profile.write("policy.toml")'
    return (f"Next: {how} writes this as a policy; {answer}, and correct what you know better.",)
