"""The draft of a policy: what the user has decided so far, as the plain settings of a TOML file.

Every change is checked as a policy before it is kept, so that a draft is always one that can be written and read.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, cast, get_args

from shoal.errors import ParameterError
from shoal.policy import Kind, Policy, Role

Settings = dict[str, Any]
ROLES: tuple[Role, ...] = get_args(Role)
KINDS: tuple[Kind, ...] = get_args(Kind)
OF_KIND = (
    "hierarchy",
    "order",
    "format",
    "language",
    "first_year",
    "unreadable",
    "number",
    "map",
    "longitude",
    "bins",
)
"""Settings that say how cells are read or generalized, and leave with the kind that they belong to."""


def checked(settings: Settings) -> Settings:
    """Return the settings if they are a policy; raise ParameterError with the reason if not."""
    Policy.parse(settings)
    return settings


def with_role(settings: Settings, name: str, role: str, proposed: Mapping[str, Settings]) -> Settings:
    """Return the settings with another role of a column, and what is proposed for the column in that role."""
    if role not in ROLES:
        raise ParameterError(f"{role!r} is not a role.", f"choose one of {', '.join(ROLES)}.")
    changed = deepcopy(settings)
    weight = changed["columns"][name].get("weight")
    own = deepcopy(proposed.get(role, {"role": role}))
    if role == "quasi" and weight is not None:
        own["weight"] = weight
    changed["columns"][name] = own
    return checked(_without_idle_requirements(changed))


def with_kind(settings: Settings, name: str, kind: str, proposed: Mapping[str, Settings]) -> Settings:
    """Return the settings with another kind of a column; an empty kind leaves the choice to Shoal."""
    changed = deepcopy(settings)
    column = changed["columns"][name]
    usual = proposed.get(column["role"], {})
    for key in OF_KIND:
        column.pop(key, None)
    if kind == usual.get("kind"):
        column |= {key: deepcopy(usual[key]) for key in OF_KIND if key in usual}
    column.pop("kind", None)
    if kind:
        column["kind"] = kind
    return checked(changed)


def with_column(settings: Settings, name: str, changes: Mapping[str, Any]) -> Settings:
    """Return the settings with some of a column's own changed; None removes one."""
    changed = deepcopy(settings)
    column = changed["columns"][name]
    for key, value in changes.items():
        if value is None:
            column.pop(key, None)
        else:
            column[key] = value
    return checked(_without_idle_requirements(changed))


def with_privacy(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings with some of the requirements and of the search changed; None removes one."""
    changed = {key: value for key, value in settings.items() if changes.get(key, value) is not None}
    return checked(deepcopy(changed) | {key: value for key, value in changes.items() if value is not None})


def without(settings: Settings, names: list[str]) -> Settings:
    """Return the settings for a table that has not these columns any more."""
    changed = deepcopy(settings)
    changed["columns"] = {name: column for name, column in changed["columns"].items() if name not in names}
    return changed


def _without_idle_requirements(settings: Settings) -> Settings:
    """Return the settings without the l and t of all sensitive columns if there is none any more."""
    if not any(column["role"] == "sensitive" for column in settings["columns"].values()):
        for section in ("diversity", "closeness"):
            settings.pop(section, None)
    return settings


def names(settings: Settings, *roles: str) -> list[str]:
    """Return the columns with one of these roles."""
    columns = cast(dict[str, Settings], settings.get("columns", {}))
    return [name for name, column in columns.items() if column["role"] in roles]
