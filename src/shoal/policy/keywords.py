"""Flags and keyword arguments as shortcuts for a policy: `quasi=["age", "zip"]`, `k=5`, `l=2`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, SchemaError
from shoal.policy import Policy

ROLES = ("identifier", "quasi", "sensitive", "person", "other")
PLAIN = (
    "k", "max_suppressed", "objective", "method", "loss", "publication", "ranges", "seed", "effort", "time_limit"
)  # fmt: skip
DIVERSITY = {"l": "l", "l_kind": "kind", "c": "c"}
CLOSENESS = {"t": "t", "t_distance": "distance"}
SEQUENCE = ("link", "keep", "reserve", "departures", "counterfeits")
SOURCE = ("separator", "quote", "encoding", "decimal", "null_values", "has_header")
OF_COLUMNS = ("hierarchy", "classes", "map", "place", "round_ranges")
KNOWN = (*ROLES, *PLAIN, *DIVERSITY, *CLOSENESS, *SEQUENCE, *SOURCE, *OF_COLUMNS)


def as_policy(policy: Policy | str | Path | Mapping[str, Any] | None, settings: Mapping[str, Any]) -> Policy:
    """A policy object from a policy, a TOML file, plain settings or nothing, with shortcuts laid over it."""
    unknown = sorted(set(settings) - set(KNOWN))
    if unknown:
        raise ParameterError(f"{unknown[0]} is not a setting.", f"known: {', '.join(sorted(KNOWN))}.")
    if isinstance(policy, Mapping):
        policy = Policy.parse(policy)
    elif not isinstance(policy, Policy | None):
        policy = Policy.load(policy)
    given = {name: value for name, value in settings.items() if value is not None}
    base = policy.model_dump(exclude_unset=True) if policy else {}
    if not given:
        return policy or Policy()
    merged = base | {name: given[name] for name in PLAIN if name in given}
    asked = {}
    for section, names in (("diversity", DIVERSITY), ("closeness", CLOSENESS)):
        wishes = {key: given[name] for name, key in names.items() if name in given}
        if wishes:
            asked[section] = wishes
            merged[section] = (base.get(section) or {}) | wishes
    if followed := {name: given[name] for name in SEQUENCE if name in given}:
        merged["sequence"] = (base.get("sequence") or {}) | followed
    reading = {name: given[name] for name in SOURCE if name in given}
    if reading:
        merged["source"] = base.get("source", {}) | reading
    columns: dict[str, Any] = dict(base.get("columns", {}))
    for name, role in _roles(given).items():
        columns[name] = dict(columns.get(name, {})) | {"role": role}
    for section, wishes in asked.items():  # what a column asks for itself gives way too: a flag is never ignored
        for name, column in columns.items():
            if column.get(section):
                columns[name] = column | {section: column[section] | wishes}
    about = {
        "hierarchy": "the hierarchy of {} has",
        "classes": "the classes of {} have",
        "round_ranges": "the ranges of {} have",
    }
    for setting, told in about.items():
        for name, wish in _wishes(given.get(setting)).items():
            if name not in columns:
                raise SchemaError(f"{told.format(name)} no column: {name} has no role.", f"add quasi={name}.")
            columns[name] = columns[name] | {setting: wish}
    for name, file in dict(given.get("map", {})).items():
        columns[name] = (
            {"role": "quasi"} | columns.get(name, {}) | {"map": file if isinstance(file, Mapping) else _map(file)}
        )
    for name, longitude in dict(given.get("place", {})).items():
        columns[name] = {"role": "quasi"} | columns.get(name, {}) | {"kind": "place", "longitude": longitude}
        columns[longitude] = {"role": columns[name]["role"]} | columns.get(longitude, {}) | {"kind": "place"}
    if columns:
        merged["columns"] = columns
    return Policy.parse(merged, origin="settings")


def _roles(given: Mapping[str, Any]) -> dict[str, str]:
    """Column to role; a column with two roles is an error that names it."""
    found: dict[str, str] = {}
    for role in ROLES:
        for name in _names(given.get(role)):
            if found.get(name, role) != role:
                raise SchemaError(
                    f"column {name} was given two roles: {found[name]} and {role}.", "give each column one role."
                )
            found[name] = role
    return found


def _wishes(value: Any) -> dict[str, Any]:
    """A wish per column; columns alone get classes of k."""
    return dict(value) if isinstance(value, Mapping) else dict.fromkeys(_names(value), "k")


def _map(file: str | Path) -> dict[str, str]:
    """What a map is, by the ending of its name."""
    source = {".gal": "gal", ".json": "polygons", ".geojson": "polygons"}.get(Path(file).suffix.lower(), "edges")
    return {source: str(file)}


def _names(value: Any) -> Iterable[str]:
    """One name or several; a number is the name of a pandas column that has one."""
    if value is None:
        return []
    one = isinstance(value, str) or type(value).__name__ == "Series"  # the cells of a column are no names
    names = list(value) if isinstance(value, Iterable) and not one else [value]
    for name in names:
        if not isinstance(name, str | int):
            raise ParameterError(f"a column cannot be called by a {type(name).__name__}.", "give names as text.")
    return [str(name) for name in names]
