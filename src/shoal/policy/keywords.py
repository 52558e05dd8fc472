"""Flags and keyword arguments as shortcuts for a policy: `quasi=["age", "zip"]`, `k=5`, `l=2`.

Every keyword is declared once, with its type, so that editors complete it, type checkers reject a misspelled one, and
`named_arguments` shows it in `help()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypedDict

from shoal.caller import named, setting
from shoal.errors import ParameterError, SchemaError
from shoal.policy import (
    CellLoss,
    DiversityKind,
    GroundDistance,
    Hierarchy,
    LikenessKind,
    Method,
    Objective,
    Period,
    Perturbation,
    Policy,
    Publication,
    Synthetic,
)
from shoal.policy.metadata import MetadataFormat
from shoal.policy.moving_dates import Moving
from shoal.policy.named_arguments import check_names
from shoal.policy.number_format import NumberFormat

Names = str | int | Iterable[str | int]
"""One or several names of columns; in pandas a name may be an integer."""
File = str | Path


class Reading(TypedDict, total=False):
    """How to read a file; each setting overrides automatic detection."""

    separator: str | None
    quote: str | None
    encoding: str | None
    decimal: Literal[".", ","] | None
    null_values: Sequence[str] | None
    has_header: bool | None
    sheet: str | None


class Roles(TypedDict, total=False):
    """The roles of columns, how they may be generalized, and how they are recoded before groups are made."""

    identifier: Names | None
    quasi: Names | None
    sensitive: Names | None
    person: str | int | None
    other: Names | None
    set: Names | Mapping[str, str] | None
    hierarchy: Mapping[str, File | Hierarchy | Mapping[str, Any]] | None
    classes: Names | Mapping[str, int | Literal["k"]] | None
    map: Mapping[str, File | Mapping[str, Any]] | None
    place: Mapping[str, str] | None
    round_ranges: Mapping[str, float | Period] | None
    relative_to: Mapping[str, Moving] | None
    origin: Mapping[str, str | date] | None
    top: Mapping[str, float | date | str] | None
    bottom: Mapping[str, float | date | str] | None
    round: Mapping[str, float | Period] | None
    merge: Mapping[str, Mapping[str, Sequence[str]]] | None
    least_level: Mapping[str, int] | None
    greatest_level: Mapping[str, int] | None
    publish_rare: Names | Mapping[str, bool | Literal["merged"]] | None
    date_format: Mapping[str, str] | None
    number: Mapping[str, NumberFormat | Mapping[str, Any]] | None
    missing: Mapping[str, Sequence[str | float | date]] | None
    perturb: Mapping[str, Perturbation | Mapping[str, Any]] | None


class Weighted(TypedDict, total=False):
    """The column of sampling weights."""

    weight: str | int | None


class Keyed(TypedDict, total=False):
    """Sets of quasi-identifiers with a k of their own."""

    keys: Mapping[str, Mapping[str, Any]] | None


class Linked(TypedDict, total=False):
    """How the rows of one person are published."""

    consistent: bool | None
    pseudonym: bool | None


class Sampled(TypedDict, total=False):
    """Which rows the release is about, and what they are a sample of."""

    where: str | None
    sample: float | None
    population: int | File | None


class Limits(TypedDict, total=False):
    """The requirements k and l of every group, and the largest share of records that may be suppressed."""

    k: int | None
    l: float | Mapping[str, float] | None  # noqa: E741 (the field's own name)
    max_suppressed: float | None


class Kinds(TypedDict, total=False):
    """How many items of a set are known, the kind of l-diversity, t-closeness, and limits on single values."""

    m: int | None
    l_kind: DiversityKind | None
    c: float | None
    count_missing: bool | None
    t: float | Mapping[str, float] | None
    t_distance: GroundDistance | None
    alpha: float | Mapping[str, float] | None
    beta: float | Mapping[str, float] | None
    beta_kind: LikenessKind | None
    delta: float | Mapping[str, float] | None


class Form(TypedDict, total=False):
    """The form of publication, and how ranges are written."""

    publication: Publication | None
    ranges: Literal["brackets", "columns"] | None


class Extra(TypedDict, total=False):
    """What is published beside the released table."""

    synthetic: Synthetic | None
    evidence: bool | None


class Search(TypedDict, total=False):
    """The objective, the method, and the seed, effort and time limit of its search."""

    objective: Objective | None
    method: Method | None
    loss: CellLoss | None
    max_groups: int | None
    opening_cost: float | None
    seed: int | None
    effort: float | None
    time_limit: float | None


class Followed(TypedDict, total=False):
    """What stays the same in a sequence of releases of a changing table."""

    link: str | None
    keep: Literal["groups", "values"] | None
    reserve: int | None
    departures: Literal["covered", "open"] | None
    counterfeits: bool | None


class Described(TypedDict, total=False):
    """The descriptions for catalogs and archives that are written beside the release."""

    metadata: MetadataFormat | Sequence[MetadataFormat] | None


class Settings(
    Roles,
    Weighted,
    Linked,
    Keyed,
    Sampled,
    Limits,
    Kinds,
    Form,
    Extra,
    Search,
    Followed,
    Described,
    Reading,
    total=False,
):
    """The keywords of `anonymize`."""


class CompareSettings(Roles, Weighted, Linked, Keyed, Sampled, Kinds, Form, Search, Followed, Reading, total=False):
    """The keywords of `compare`, except those for which it takes several values."""


class RiskSettings(Roles, Limits, Kinds, Form, Reading, total=False):
    """The keywords of `population_risk` besides its own: the policy, and how to read the file."""


class AttackSettings(RiskSettings, Weighted, total=False):
    """The keywords of `attack`: the policy of the released table, and how to read the file of the originals."""


ROLES = ("identifier", "quasi", "sensitive", "person", "weight", "other")
_WHOLE = (Sampled, Keyed, Search, Form, Extra)
PLAIN = ("k", "m", "max_suppressed", *(name for part in _WHOLE for name in part.__annotations__))
DIVERSITY = {"l": "l", "l_kind": "kind", "c": "c", "count_missing": "count_missing"}
CLOSENESS = {"t": "t", "t_distance": "distance"}
DISCLOSURE = {"alpha": "alpha", "beta": "beta", "beta_kind": "kind", "delta": "delta"}
SECTIONS = {"diversity": DIVERSITY, "closeness": CLOSENESS, "disclosure": DISCLOSURE}
NUMBERS = ("l", "t", "alpha", "beta", "delta")
"""The settings that can be given for single columns; the others of a section go with them."""
SEQUENCE = tuple(Followed.__annotations__)
SOURCE = tuple(Reading.__annotations__)
_FIELDS = {"date_format": "format", "missing": "null_values"}
"""Keywords whose setting has a shorter name in a column."""
KNOWN = tuple(Settings.__annotations__)


def as_policy(policy: Policy | str | Path | Mapping[str, Any] | None, settings: Mapping[str, Any]) -> Policy:
    """Return the policy of an object, a TOML file, a mapping or None, with `settings` taking precedence over it.

    Settings that are None are ignored. A requirement on sensitive values also replaces that of single columns.
    """
    check_names(settings, KNOWN, "a setting")
    if isinstance(policy, Mapping):
        policy = Policy.parse(policy)
    elif not isinstance(policy, Policy | None):
        policy = Policy.load(policy)
    given = {name: value for name, value in settings.items() if value is not None}
    base = policy.model_dump(exclude_unset=True) if policy else {}
    if not given:
        return policy or Policy()
    merged = base | {name: given[name] for name in PLAIN if name in given}
    asked: dict[str, dict[str, Any]] = {}
    single: dict[str, dict[str, Any]] = {}
    for section, names in SECTIONS.items():
        requirements = {key: given[name] for name, key in names.items() if name in given}
        if any(isinstance(requirements.get(number), Mapping) for number in NUMBERS):
            single[section] = requirements
        elif requirements:
            asked[section] = requirements
            merged[section] = (base.get(section) or {}) | requirements
    if followed := {name: given[name] for name in SEQUENCE if name in given}:
        merged["sequence"] = (base.get("sequence") or {}) | followed
    if "metadata" in given:
        asked_for = [given["metadata"]] if isinstance(given["metadata"], str) else list(given["metadata"])
        merged["metadata"] = (base.get("metadata") or {}) | {"formats": asked_for}
    reading = {name: given[name] for name in SOURCE if name in given}
    if reading:
        merged["source"] = base.get("source", {}) | reading
    columns: dict[str, Any] = dict(base.get("columns", {}))
    for name, role in _roles(given).items():
        columns[name] = dict(columns.get(name, {})) | {"role": role}
    _ask_single_columns(columns, base, single)
    if linked := {name: given[name] for name in Linked.__annotations__ if name in given}:
        whose = next((name for name, column in columns.items() if column["role"] == "person"), None)
        if whose is None:
            raise SchemaError(
                f"{named(next(iter(linked)))} is about the column of the person, and there is none.",
                f"add {setting('person', 'COLUMN')}.",
            )
        columns[whose] = columns[whose] | linked
    for name in _both(given):
        own = {section: merged[section] for section in SECTIONS if merged.get(section)}
        own |= {section: columns[name][section] for section in single if columns[name].get(section)}
        if not own:
            raise SchemaError(
                f"column {name} has two roles, quasi and sensitive, but no requirement on its values.",
                "require l, t, alpha, beta or delta of it, or give it one role.",
            )
        columns[name] = columns[name] | own
    if not any(column["role"] == "sensitive" for column in columns.values()) and _both(given):
        for section in SECTIONS:  # only these columns have the requirement
            merged.pop(section, None)
    for section, requirements in asked.items():  # keywords also override the requirements of single columns
        for name, column in columns.items():
            if column.get(section):
                columns[name] = column | {section: column[section] | requirements}
    for name, separator in _settings_by_column(given.get("set"), None).items():
        columns[name] = {"role": "quasi"} | columns.get(name, {}) | {"kind": "set"}
        if separator is not None:
            columns[name] = columns[name] | {"separator": separator}
    about = {
        "hierarchy": "the hierarchy of {} has",
        "classes": "the classes of {} have",
        "round_ranges": "the ranges of {} have",
        "relative_to": "the newest period of {} has",
        "origin": "the newest period of {} has",
        "top": "the top of {} has",
        "bottom": "the bottom of {} has",
        "round": "the rounding of {} has",
        "merge": "the merging of {} has",
        "least_level": "the least level of {} has",
        "greatest_level": "the greatest level of {} has",
        "publish_rare": "the rare labels of {} have",
        "date_format": "the format of dates of {} has",
        "number": "the format of numbers of {} has",
        "missing": "the codes for missing of {} have",
        "perturb": "the perturbation of {} has",
    }
    by_name_alone: dict[str, Any] = {"classes": "k", "publish_rare": True}
    for key, beginning in about.items():
        for name, value in _settings_by_column(given.get(key), by_name_alone.get(key)).items():
            if name not in columns:
                raise SchemaError(
                    f"{beginning.format(name)} no column: {name} has no role.", f"add {setting('quasi', name)}."
                )
            columns[name] = columns[name] | {_FIELDS.get(key, key): value}
    for name, file in _mapping(given, "map", '{"region": "neighbors.csv"}').items():
        columns[name] = (
            {"role": "quasi"} | columns.get(name, {}) | {"map": file if isinstance(file, Mapping) else _map(file)}
        )
    for name, longitude in _mapping(given, "place", '{"latitude": "longitude"}').items():
        columns[name] = {"role": "quasi"} | columns.get(name, {}) | {"kind": "place", "longitude": longitude}
        columns[longitude] = {"role": columns[name]["role"]} | columns.get(longitude, {}) | {"kind": "place"}
    if columns:
        merged["columns"] = columns
    return Policy.parse(merged, origin="settings")


def _ask_single_columns(
    columns: dict[str, Any], base: Mapping[str, Any], single: Mapping[str, Mapping[str, Any]]
) -> None:
    """Set an l, t or the like that is given by column in those columns; the rest stays as the policy has it."""
    for section, requirements in single.items():
        by_column = {key: value for key, value in requirements.items() if isinstance(value, Mapping)}
        for_all = {key: value for key, value in requirements.items() if key not in by_column}
        for number, asked in by_column.items():
            for name, value in asked.items():
                if name not in columns:
                    raise SchemaError(
                        f"{number} is asked of {name}, which has no role.", f"add {setting('sensitive', name)}."
                    )
                before = columns[name].get(section) or base.get(section) or {}
                columns[name] = columns[name] | {section: before | for_all | {number: value}}


def _roles(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the role of every column that is given one; raise SchemaError if a column is given two."""
    found: dict[str, str] = {}
    for role in ROLES:
        for name in _names(given.get(role)):
            if {found.get(name, role), role} == {"quasi", "sensitive"}:
                continue  # known to others and sensitive as well: a quasi-identifier with its own l or t
            if found.get(name, role) != role:
                raise SchemaError(
                    f"column {name} has two roles: {found[name]} and {role}.", "give each column one role."
                )
            found[name] = role
    return found


def _mapping(given: Mapping[str, Any], keyword: str, example: str) -> Mapping[str, Any]:
    """Return the value of a keyword for each column; raise ParameterError if it is not a mapping."""
    value = given.get(keyword) or {}
    if not isinstance(value, Mapping):
        raise ParameterError(
            f"{keyword} must map columns; it is a {type(value).__name__}.", f"write {keyword}={example}."
        )
    return value


def _both(given: Mapping[str, Any]) -> list[str]:
    """Return the columns that were given both the roles quasi and sensitive."""
    sensitive = set(_names(given.get("sensitive")))
    return [name for name in _names(given.get("quasi")) if name in sensitive]


def _settings_by_column(value: Any, usual: Any) -> dict[str, Any]:
    """Return the setting of every column; columns that are only named get the `usual` setting."""
    return dict(value) if isinstance(value, Mapping) else dict.fromkeys(_names(value), usual)


def _map(file: str | Path) -> dict[str, str]:
    """Return the setting for a map file, whose type is recognized by the extension of the file name."""
    source = {".gal": "gal", ".json": "polygons", ".geojson": "polygons"}.get(Path(file).suffix.lower(), "edges")
    return {source: str(file)}


def _names(value: Any) -> Iterable[str]:
    """Return one or several names of columns as texts; raise ParameterError if a name is neither text nor integer."""
    if value is None:
        return []
    one = (
        isinstance(value, str) or type(value).__name__ == "Series"
    )  # a Series is refused below: it has cells, not column names
    names = list(value) if isinstance(value, Iterable) and not one else [value]
    for name in names:
        if not isinstance(name, str | int):
            raise ParameterError(f"a column's name cannot be a {type(name).__name__}.", "give names as text.")
    return [str(name) for name in names]
