"""Finding out, for each released column, to which column of the policy it belongs and which part of it it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.certify.released_columns import PEOPLE, RADIUS
from shoal.policy import Policy

Role = Literal["quasi", "sensitive", "weight", "other", "person", "people", "radius"]
Place = Literal["value", "min", "max", "missing", "radius"]
PLACES: tuple[Place, ...] = ("value", "min", "max", "missing", "radius")


@dataclass(frozen=True, slots=True)
class Part:
    """A released column: its name, the column of the policy it belongs to, the role of that column, and the part.

    The number of people and the radius of a group, in the form `centers`, are columns of their own.
    """

    name: str
    column: str
    role: Role
    place: Place = "value"


def parts_of(names: Sequence[str], policy: Policy, form: str) -> list[Part]:
    """Return the parts that the released columns are, in their order.

    Columns that a release must not have are left out here; `released_columns` reports them as failures.
    """
    beside: dict[str, Part] = {}
    for column in policy.quasi:
        ends: tuple[tuple[str, Place], ...] = (("_min", "min"), ("_max", "max"))
        if column not in names and policy.ranges == "columns":
            beside |= {f"{column}{end}": Part(f"{column}{end}", column, "quasi", place) for end, place in ends}
        more: tuple[tuple[str, Place], ...] = (("_missing", "missing"), ("_radius_m", "radius"))
        beside |= {f"{column}{end}": Part(f"{column}{end}", column, "quasi", place) for end, place in more}
    found = []
    for name in names:
        role = policy.columns[name].role if name in policy.columns else None
        if role is not None and role != "identifier":
            found.append(Part(name, name, role))
        elif role is None and name in beside:
            found.append(beside[name])
        elif role is None and form == "centers" and name in (PEOPLE, RADIUS):
            found.append(Part(name, name, "people" if name == PEOPLE else "radius"))
    return found
