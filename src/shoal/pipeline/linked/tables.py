"""Reading linked tables: each as any table is read, and the people that they have in common."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.clock import Clock
from shoal.errors import ParameterError, SchemaError, ShoalError
from shoal.partition.methods.choose import choose
from shoal.pipeline.fingerprint import fingerprint
from shoal.pipeline.inputs import Source, name_of, read_source
from shoal.pipeline.published_texts import resolve_for_release
from shoal.pipeline.row_order import Rows, own_order
from shoal.pipeline.task import Task, build_task
from shoal.policy import Policy
from shoal.policy.linked import LinkedPolicy
from shoal.secret import Earlier, Secret
from shoal.tables import Table
from shoal.tables.text import text_of

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkedTable:
    """One of several tables: its rows in canonical order, its task, and whose every row is."""

    name: str
    source: str
    rows: Rows
    task: Task
    people: Ints
    """The number of the person of each row, the same in all tables."""
    rank: Ints
    """The place of each row among those of its person, in random order: the last are dropped first."""

    @property
    def person(self) -> str:
        person = self.rows.policy.person
        assert person is not None  # the policy of linked tables was checked
        return person

    def per_person(self, n_people: int) -> Ints:
        """Return the number of rows of every person."""
        return np.bincount(self.people, minlength=n_people).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linked:
    """All tables, their people, and the secret of the release."""

    tables: tuple[LinkedTable, ...]
    names: Sequence[str]
    """What the tables call each person, in random order; the number of a person is its place here."""
    secret: Secret
    """From which pseudonyms are made; every table has one of its own, derived from it."""

    @property
    def n_people(self) -> int:
        return len(self.names)

    def row_counts(self) -> Ints:
        """Return how many rows every person has in every table, (people, tables)."""
        return np.stack([table.per_person(self.n_people) for table in self.tables], axis=1)


def read_tables(sources: Mapping[str, Source], asked: LinkedPolicy, secret: Secret | Earlier, clock: Clock) -> Linked:
    """Return the tables, each in canonical order and with its task; an error if they have no people in common."""
    if missing := [name for name in asked.tables if name not in sources]:
        raise ParameterError(
            f"the policy has the tables {', '.join(missing)}, which are not given.", "give every table of the policy."
        )
    if unknown := [name for name in sources if name not in asked.tables]:
        raise ParameterError(
            f"the policy has no part [tables.NAME] for: {', '.join(unknown)}.",
            f"it has {', '.join(asked.tables)}; name a table as in {next(iter(asked.tables))}=FILE.",
        )
    found: dict[str, tuple[Table, Policy]] = {}
    for name, policy in asked.tables.items():
        with _about(name):
            table = read_source(sources[name], policy, clock)
            found[name] = resolve_for_release(table, policy, clock, planned=False)
            _check_method(found[name][1])
    used = _settled(secret, found)
    names, people = _numbered(found, used)
    tables = []
    for place, (name, (table, policy)) in enumerate(found.items()):
        own = used.of_part(f"table {name}")
        order = own_order(table, policy, own)
        rows = Rows(table=table.taken(order), policy=policy, order=order, secret=own)
        whose = people[place][order]
        with _about(name):
            task = build_task(rows.table, policy, own, clock)
        tables.append(
            LinkedTable(
                name=name,
                source=name_of(sources[name]),
                rows=rows,
                task=task,
                people=whose,
                rank=_ranks(whose, own),
            )
        )
    return Linked(tables=tuple(tables), names=names, secret=used)


@contextmanager
def _about(table: str) -> Iterator[None]:
    """Name the table in an error about one of several, and its part of the policy in the way out."""
    try:
        yield
    except ShoalError as wrong:
        hint = None if wrong.hint is None else wrong.hint.replace("[columns.", f"[tables.{table}.columns.")
        raise type(wrong)(f"table {table}: {wrong.message}", hint) from None


def _check_method(policy: Policy) -> None:
    """Raise a ParameterError for a method whose groups cannot be those of several tables."""
    choice = choose(policy)
    if choice.whole_columns or choice.objective != "generalization":
        raise ParameterError(
            f"method {choice.method} cannot make groups for several tables.",
            "choose another method, such as forest or best, or leave it to Shoal (auto).",
        )


def _settled(secret: Secret | Earlier, found: Mapping[str, tuple[Table, Policy]]) -> Secret:
    """Return the secret to use; that of an earlier release is used only for the same tables and policies."""

    def of_all(key: bytes) -> str:
        parts = [f"{name} {fingerprint(table, policy, key)}" for name, (table, policy) in found.items()]
        return hmac.new(key, "\n".join(parts).encode(), sha256).hexdigest()

    given = secret.secret if isinstance(secret, Earlier) else secret
    if isinstance(secret, Earlier) and not hmac.compare_digest(of_all(given.key), secret.fingerprint):
        given = Secret.draw(seed=given.seed)
    return replace(given, fingerprint=of_all(given.key))


def _ranks(people: Ints, secret: Secret) -> Ints:
    """Return the place of each row among those of its person, in random order."""
    order = np.lexsort((secret.stream("rows of people", len(people)), people))
    start = np.searchsorted(people[order], people[order], side="left")
    rank = np.empty(len(people), dtype=np.int64)
    rank[order] = np.arange(len(people)) - start
    return rank


def _numbered(found: Mapping[str, tuple[Table, Policy]], secret: Secret) -> tuple[list[str], list[Ints]]:
    """Return the names of all people, in random order, and the number of the person of each row of every table."""
    texts: list[pl.Series] = []
    kinds: dict[str, str] = {}
    for name, (table, policy) in found.items():
        assert policy.person is not None
        persons = table.frame[policy.person]
        if missing := persons.null_count():
            raise SchemaError(
                f"table {name}: {missing} rows have no {policy.person}, so nobody knows whose they are.",
                "fill them in, or leave these rows out of the file.",
            )
        if persons.dtype.is_float() and (persons == persons.round()).all():
            persons = persons.cast(pl.Int64, strict=False)
        kinds[name] = "whole numbers" if persons.dtype.is_integer() else _kind(persons.dtype)
        texts.append(text_of(persons))
    if len(set(kinds.values())) > 1:
        said = ", ".join(f"{kind} in {name}" for name, kind in kinds.items())
        raise SchemaError(
            f"the people are written differently in the tables: {said}.",
            "write the column of the person alike in all tables, for example with the same leading zeros.",
        )
    by_name = sorted(set().union(*(text.unique().to_list() for text in texts)))
    everyone = [by_name[place] for place in secret.permutation("people of all tables", len(by_name)).tolist()]
    number = {person: place for place, person in enumerate(everyone)}
    people = [np.array([number[person] for person in text.to_list()], dtype=np.int64) for text in texts]
    _check_common(list(found), people)
    return everyone, people


def _kind(dtype: Any) -> str:
    return "text" if dtype in (pl.String, pl.Categorical, pl.Enum) else str(dtype)


def _check_common(names: list[str], people: list[Ints]) -> None:
    """Raise a SchemaError for a table that has nobody in common with the others."""
    for place, name in enumerate(names):
        others = np.unique(np.concatenate([own for other, own in enumerate(people) if other != place]))
        if not np.isin(people[place], others).any():
            raise SchemaError(
                f"nobody in table {name} is in another table: there is nothing to link.",
                "check that its column of the person holds what the other tables call people.",
            )
