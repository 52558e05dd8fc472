"""Check which columns a released table has against those it must have and may have.

A column is allowed only if the policy gives it a place, so an identifier or any other extra column is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.certify.findings import Failure
from shoal.policy import Policy

PEOPLE, RADIUS = "people", "radius"


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a released table by their purpose, without absent ones, and the failures found."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    person: str | None
    numbered: Literal["in classes", "in all", "pseudonyms"]
    """How people are published: numbered in every class, numbered in the whole table, or by pseudonyms."""
    radius: str | None
    """The column of the groups' radii; None where a column called so is one that the policy names itself."""
    absent: frozenset[str]
    """Columns of the policy that the release must have and has not."""
    failures: tuple[Failure, ...]


def sort_columns(names: Sequence[str], policy: Policy, form: str, n_rows: int) -> Columns:
    """Return the policy's columns among `names`, with a failure for each that is absent or is not allowed.

    `form` is the form of the release, and `n_rows` the number of records that each failure concerns.
    """
    present = set(names)
    centers = form == "centers"
    quasi: list[str] = []
    absent: list[str] = []
    for name in policy.quasi:
        found = published_columns(name, present, policy, form)
        if found and form == "generalize" and policy.columns[name].shape == "circle":
            radius = f"{name}_radius_m"
            found, absent = ([*found, radius], absent) if radius in present else (found, [*absent, radius])
        quasi += found
        absent += [] if found else [name]
    sets = [policy.set_column] if policy.set_column is not None else []
    absent += [name for name in sets if name not in present]
    sensitive = [name for name in policy.sensitive if name in present]
    absent += [name for name in policy.sensitive if name not in present]
    person = None if centers else policy.person
    counted = [PEOPLE] if centers else [person] if person else []
    absent += [name for name in counted if name not in present]
    published = policy.unchanged
    allowed = {*quasi, *sets, *published, *counted} | ({RADIUS} if centers else set())
    identifiers = [name for name in policy.named("identifier") if name in present]
    unknown = [name for name in names if name not in allowed and name not in identifiers]
    failures = [
        *(_failure(name, "has the role identifier and is in the release", n_rows) for name in identifiers),
        *(_failure(name, "is in the release, but the policy gives it no place there", n_rows) for name in unknown),
        *(_failure(name, "is not in the release", n_rows) for name in absent),
    ]
    return Columns(
        quasi=tuple(quasi),
        sensitive=tuple(sensitive),
        person=person if person in present else None,
        numbered=_numbering(policy),
        radius=RADIUS if centers and RADIUS in present and RADIUS not in {*quasi, *published} else None,
        absent=frozenset(absent),
        failures=tuple(failures),
    )


def _numbering(policy: Policy) -> Literal["in classes", "in all", "pseudonyms"]:
    """Return how the policy has people published."""
    column = None if policy.person is None else policy.columns[policy.person]
    if column is None or not column.consistent:
        return "in classes"
    return "pseudonyms" if column.pseudonym else "in all"


def published_columns(name: str, present: set[str], policy: Policy, form: str) -> list[str]:
    """Return the columns in which a quasi-identifier is published; empty where it is absent.

    It is published under its own name or, if the policy says so, as two columns with the ends of its range. Beside a
    mean, and beside two ends, a column says how many values are missing or whether some are.
    """
    ends, missing = [f"{name}_min", f"{name}_max"], f"{name}_missing"
    beside = [missing] if missing in present and missing not in policy.columns else []
    if name in present:
        return [name, *beside] if form in ("aggregate", "centers") else [name]
    in_two = policy.ranges == "columns" and present.issuperset(ends)
    return [*ends, *beside] if in_two else []


def _failure(name: str, what: str, n_rows: int) -> Failure:
    return Failure(check="columns", column=name, message=f"column {name} {what}", records=n_rows)
