"""The policy of linked tables: settings for all of them, and the columns of each under `[tables.NAME]`.

It is one TOML file::

    k = 5
    max_suppressed = 0.05

    [tables.patients.columns.patient]
    role = "person"

    [tables.patients.columns.age]
    role = "quasi"

    [tables.visits]
    diversity = { l = 2 }

    [tables.visits.columns.patient]
    role = "person"

    [tables.visits.columns.diagnosis]
    role = "sensitive"

Every table is about the same people and has a column with the role person.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, SchemaError
from shoal.policy.column import Column
from shoal.policy.model import Policy
from shoal.policy.toml_text import dump_table, read_toml

SHARED = (
    "k", "max_suppressed", "method", "loss", "ranges", "seed", "effort", "time_limit", "diversity", "closeness",
    "disclosure",
)  # fmt: skip
"""Settings of all tables together. The requirements among them are those of tables without their own."""
REQUIRED = ("diversity", "closeness", "disclosure")
OWN = ("columns", "source", *REQUIRED)
"""Settings that a table has for itself."""
TABLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
"""The name of a table is that of its released file, on any system."""
TAKEN = ("certificate", "con", "prn", "aux", "nul")
MOST_TABLES = 20


@dataclass(frozen=True, slots=True)
class LinkedPolicy:
    """The policies of several tables about the same people, which are released together."""

    tables: Mapping[str, Policy]
    """By the name of the table. All have the same k, share of rows to leave out, method, effort and seed."""

    @property
    def first(self) -> Policy:
        """The policy of the first table, for what all tables share."""
        return next(iter(self.tables.values()))

    @classmethod
    def load(cls, path: str | Path) -> LinkedPolicy:
        """Read a TOML file. Paths of other files in it are relative to it."""
        path = Path(path)
        text = read_toml(path)
        try:
            settings = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as failed:
            raise ParameterError(
                f"{path.name} is not valid TOML: {failed}.", "see docs/how-to/linked-tables.md for an example."
            ) from None
        found = cls.parse(settings, origin=path.name)
        return cls({name: policy.relative_to(path.parent) for name, policy in found.tables.items()})

    @classmethod
    def parse(cls, settings: Mapping[str, Any], *, origin: str = "policy") -> LinkedPolicy:
        """Return the policy with plain settings; an error names the table and the key."""
        given = dict(settings)
        tables = given.pop("tables", None)
        if not isinstance(tables, Mapping) or len(tables) < 2:
            raise ParameterError(
                f"{origin}: linked tables need a part [tables.NAME] for each of at least two tables.",
                "see docs/how-to/linked-tables.md for an example; `shoal anonymize` takes a single table.",
            )
        if len(tables) > MOST_TABLES:
            raise ParameterError(f"{origin}: at most {MOST_TABLES} tables can be released together.")
        if odd := sorted(set(given) - set(SHARED)):
            raise ParameterError(
                f"{origin}: {', '.join(odd)} cannot be set for linked tables.", f"known here: {', '.join(SHARED)}."
            )
        _check_names(list(tables), origin)
        return cls({name: _policy_of(name, own, given, f"{origin}, table {name}") for name, own in tables.items()})

    @staticmethod
    def check(tables: Mapping[str, Policy]) -> None:
        """Raise an error for policies that no linked tables have: names, roles, or a k that differs."""
        _check_names(list(tables), "policy")
        for name, policy in tables.items():
            _check(policy, name)
        if len({policy.k for policy in tables.values()}) > 1:
            raise ParameterError("the tables have different k.")

    def changed(self, **settings: Any) -> LinkedPolicy:
        """Return the policy with other shared settings, such as k; those that are None stay as they are."""
        new = {name: value for name, value in settings.items() if value is not None}
        if not new:
            return self
        return type(self)(
            {
                name: Policy.parse(policy.model_dump(exclude_defaults=True, exclude_none=True) | new)
                for name, policy in self.tables.items()
            }
        )

    def dumps(self) -> str:
        """Return the policy as TOML, which `load` reads."""
        first = self.first.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
        shared = {name: first[name] for name in SHARED if name in first and name not in REQUIRED}
        parts = [dump_table({"k": self.first.k} | shared)]
        for name, policy in self.tables.items():
            own = policy.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
            columns = own.pop("columns", {})
            if kept := {key: own[key] for key in OWN if key in own}:
                parts.append(dump_table(kept, path=("tables", name)))
            parts += [
                dump_table(column, path=("tables", name, "columns", column_name))
                for column_name, column in columns.items()
            ]
        return "\n".join(parts)


def _check_names(names: list[str], origin: str) -> None:
    """Raise a ParameterError for names that cannot be those of files, or that one file system takes for equal."""
    odd = [name for name in names if not TABLE_NAME.fullmatch(name) or name.lower() in TAKEN]
    if odd or len({name.lower() for name in names}) < len(names):
        raise ParameterError(
            f"{origin}: the name of a table begins with a letter and has letters, digits, - and _; it is not "
            "`certificate`, and no two tables differ in capitals only.",
            "the released files are called after the tables.",
        )


def _policy_of(name: str, own: Any, shared: Mapping[str, Any], origin: str) -> Policy:
    """Return the policy of one table: what all tables share, and its own columns and requirements."""
    if not isinstance(own, Mapping):
        raise ParameterError(f"{origin}: a table takes settings, not one value.", f"such as [tables.{name}.columns].")
    if odd := sorted(set(own) - set(OWN)):
        raise ParameterError(
            f"{origin}: {', '.join(odd)} cannot be set for one of several linked tables.",
            f"known here: {', '.join(OWN)}.",
        )
    settings = dict(shared)
    columns = own.get("columns")
    roles = [_role(column) for column in columns.values()] if isinstance(columns, Mapping) else []
    if "sensitive" not in roles:
        settings = {key: value for key, value in settings.items() if key not in REQUIRED}
    policy = Policy.parse(settings | dict(own) | {"publication": "generalize"}, origin=origin)
    _check(policy, origin)
    return policy


def _role(column: Any) -> Any:
    return column.role if isinstance(column, Column) else column.get("role") if isinstance(column, Mapping) else None


def _check(policy: Policy, origin: str) -> None:
    """Raise a SchemaError for a table without people, and for what is not yet kept over several tables."""
    if policy.person is None:
        raise SchemaError(
            f"{origin}: no column has the role person, which links the tables.",
            'give it to the column that says whose row it is: role = "person".',
        )
    person = policy.columns[policy.person]
    if person.consistent or person.pseudonym:
        raise SchemaError(
            f"{origin}: consistent and pseudonym are for a table by itself; linked tables always have one pseudonym "
            "for every person.",
            "leave both out.",
        )
    for name, column in policy.columns.items():
        what = _unsupported(column)
        if what is None and column.role == "sensitive" and policy.distance_of(name) == "hierarchical":
            what = "a distance by hierarchy"
        if what is not None:
            raise SchemaError(
                f"{origin}: column {name} has {what}, which linked tables cannot keep yet.",
                "change the column, or release the table by itself without a link to others.",
            )


def _unsupported(column: Column) -> str | None:
    """Return what a column has that is not kept over several tables; None if there is nothing."""
    if column.kind == "set":
        return 'kind = "set"'
    if column.perturb is not None:
        return "a perturbation"
    if column.role == "weight":
        return "the role weight"
    if column.longitude is not None or column.kind == "place":
        return "coordinates"
    if column.map is not None:
        return "a map"
    if column.classes is not None:
        return "classes of labels"
    if column.relative_to is not None:
        return "dates relative to a period"
    if column.role == "quasi" and column.has_own_requirement:
        return "the role quasi and a requirement on its own values"
    return None
