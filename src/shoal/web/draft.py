"""The draft of a policy: what the user has decided so far, as the plain settings of a TOML file.

Every change is checked as a policy before it is kept, so that a draft is always one that can be written and read.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, cast, get_args

from shoal.errors import ParameterError, ShoalError
from shoal.policy import Kind, Policy, Role

Settings = dict[str, Any]
ROLES: tuple[Role, ...] = get_args(Role)
KINDS: tuple[Kind, ...] = get_args(Kind)
OF_KIND = (
    "hierarchy",
    "separator",
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


RECODING = ("top", "bottom", "round", "merge", "least_level", "null_values")
"""Settings that change values before groups are made."""


def checked(settings: Settings) -> Settings:
    """Return the settings if they are a policy; raise ParameterError with the reason if not."""
    Policy.parse(settings)
    return settings


def plain(policy: Policy) -> Settings:
    """Return a policy as plain settings, without what is as by default; the k is always there."""
    settings: Settings = policy.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    return {"k": policy.k} | settings


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
    if role == "identifier":  # what is not published is no key; in any other role the policy says what is wrong
        _leave_key_sets(changed, name)
    return checked(_without_idle_requirements(changed))


def _leave_key_sets(settings: Settings, name: str) -> None:
    """Take a column out of all key sets; a set without columns goes."""
    left = {
        key: keys | {"columns": [one for one in keys["columns"] if one != name]}
        for key, keys in settings.pop("keys", {}).items()
    }
    if kept := {key: keys for key, keys in left.items() if keys["columns"]}:
        settings["keys"] = kept


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
    return checked(_without_idle_requirements(changed))


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


def with_place(settings: Settings, name: str, longitude: str) -> Settings:
    """Return the settings with a column of latitudes and its longitudes as places; an empty name parts them again."""
    changed = deepcopy(settings)
    columns = changed["columns"]
    before = columns[name].get("longitude")
    for one in (name, before):
        if one in columns:
            left = {key: value for key, value in columns[one].items() if key not in OF_KIND}
            columns[one] = left | {"kind": "number"}
    if longitude:
        if longitude == name or longitude not in columns:
            raise ParameterError("the longitudes are in another column.", "choose it from the list.")
        columns[name] = {"role": "quasi", "kind": "place", "longitude": longitude}
        columns[longitude] = {"role": "quasi", "kind": "place"}
    return checked(_without_idle_requirements(changed))


def with_map(settings: Settings, name: str, source: Settings | None) -> Settings:
    """Return the settings with a column of regions and their map; without a map they are labels again."""
    changed = deepcopy(settings)
    own = {key: value for key, value in changed["columns"][name].items() if key not in OF_KIND}
    more = {"kind": "label"} if source is None else {"kind": "region", "map": source}
    changed["columns"][name] = own | more
    return checked(changed)


def with_privacy(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings with some of the requirements and of the search changed; None removes one."""
    changed = {key: value for key, value in settings.items() if changes.get(key, value) is not None}
    return checked(deepcopy(changed) | {key: value for key, value in changes.items() if value is not None})


def kept_decisions(proposed: Settings, decided: Settings, before: Settings) -> Settings:
    """Return a new proposal with the user's changes of the previous one, as far as the result is a policy."""
    kept = deepcopy(proposed)
    general = {key: value for key, value in decided.items() if key != "columns" and before.get(key) != value}
    columns = {
        name: column
        for name, column in decided["columns"].items()
        if name in kept["columns"] and column != before["columns"].get(name)
    }
    for name, column in columns.items():
        kept = _if_valid(kept, {"columns": kept["columns"] | {name: deepcopy(column)}})
    for key, value in general.items():
        kept = _if_valid(kept, {key: deepcopy(value)})
    return kept


def _if_valid(settings: Settings, changes: Settings) -> Settings:
    try:
        return checked(_without_idle_requirements(settings | changes))
    except ShoalError:
        return settings


def _without_idle_requirements(settings: Settings) -> Settings:
    """Return the settings without the requirements of all sensitive columns if no column is sensitive any more."""
    if not any(column["role"] == "sensitive" for column in settings["columns"].values()):
        for section in ("diversity", "closeness", "disclosure"):
            settings.pop(section, None)
    if not any((column["role"], column.get("kind")) == ("quasi", "set") for column in settings["columns"].values()):
        settings.pop("m", None)
    return settings


def recoding(settings: Settings) -> dict[str, Settings]:
    """Return how values are changed before groups are made, by quasi-identifier."""
    own = {name: settings["columns"][name] for name in names(settings, "quasi")}
    found = {name: {key: column[key] for key in RECODING if key in column} for name, column in own.items()}
    return {name: changes for name, changes in found.items() if changes}


def names(settings: Settings, *roles: str) -> list[str]:
    """Return the columns with one of these roles."""
    columns = cast(dict[str, Settings], settings.get("columns", {}))
    return [name for name, column in columns.items() if column["role"] in roles]
