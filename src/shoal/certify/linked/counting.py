"""Count, over all tables of a linked release, how many people are published alike, and which values they hold.

The *profile* of a person is everything that the tables publish of their quasi-identifiers: in every table the cells
of all their rows, and with them how many rows they have there. People with equal profiles are one class. The criteria
of a sensitive column are measured twice: on all rows of the people of a class, and on those rows of a class that have
equal cells. All cells must be texts, a missing one null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import polars as pl

from shoal._repr import brief
from shoal.certify.criteria import Measured, inspect, measure_column
from shoal.certify.equivalence_classes import Classes, class_ids
from shoal.certify.findings import Claim, Failure, Findings
from shoal.certify.released_columns import Columns, sort_columns
from shoal.policy import Policy

FORM = "generalize"
"""The one form in which linked tables are published."""
PSEUDONYM = r"^[0-9a-f]{20}$"
_COUNT = pl.len().cast(pl.Int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedClaim:
    """One requirement on a linked release: what was claimed, and what was counted."""

    criterion: str
    """linked-anonymity, or a criterion of a sensitive column."""
    table: str | None = None
    column: str | None = None
    of: Literal["people", "rows"] = "people"
    """Whether it is measured on all rows of the people with one profile, or on those rows with equal cells."""
    kind: str | None = None
    claimed: float
    measured: float
    holds: bool

    @property
    def name(self) -> str:
        """What the claim is about, in words."""
        if self.table is None:
            return "k-anonymity of people over all tables"
        where = "all rows of people alike in all tables" if self.of == "people" else "their rows with equal cells"
        kind = f" ({self.kind})" if self.kind else ""
        return f"{self.criterion}{kind} of {self.table}.{self.column} in {where}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFindings:
    """What was counted in the tables of a linked release, and what is wrong with them.

    Examples
    --------
    >>> import polars as pl
    >>> from shoal.certify.linked.counting import inspect_tables
    >>> from shoal.policy.linked import LinkedPolicy
    >>> columns = {"who": {"role": "person"}, "age": {"role": "quasi"}}
    >>> policy = LinkedPolicy.parse({"k": 2, "tables": {"a": {"columns": columns}, "b": {"columns": columns}}})
    >>> rows = pl.DataFrame({"who": ["0" * 20, "1" * 20], "age": ["[30, 39]", "[30, 39]"]})
    >>> found = inspect_tables({"a": rows, "b": rows}, policy.tables)
    >>> found.holds, found.k, found.people
    (True, 2, 2)
    """

    people: int = 0
    classes: int = 0
    k: int = 0
    """The fewest people with equal profiles."""
    claims: tuple[LinkedClaim, ...] = ()
    tables: Mapping[str, Findings] = field(default_factory=dict)
    """What was counted in each table by itself."""
    failures: tuple[Failure, ...] = ()
    signature: Literal["valid", "not checked"] | None = None
    """The signature of the certificate: "valid" by the key that was given; None if there is no valid one."""

    def __repr__(self) -> str:
        said = "every claim holds" if self.holds else f"{len(self.failures)} checks FAIL"
        return brief(self, f"{self.people} people in {self.classes} classes over {len(self.tables)} tables, {said}")

    @property
    def holds(self) -> bool:
        """Whether everything that was checked is true of the released tables.

        Returns
        -------
        bool
            True if there are no failures.
        """
        return not self.failures

    def to_dict(self) -> dict[str, Any]:
        """All fields, and `holds`, as a dictionary of plain values.

        Returns
        -------
        dict
            Values that can be written as JSON.
        """
        return {"holds": self.holds} | asdict(self)

    def __str__(self) -> str:
        lines = [f"{self.people} people in {self.classes} classes over {', '.join(self.tables)}"]
        for claim in self.claims:
            mark = "holds" if claim.holds else "FAILS"
            lines.append(f"{mark}: {claim.name}: asked {claim.claimed:g}, found {claim.measured:g}")
        lines += [f"FAILS: {failure.message}" for failure in self.failures]
        lines += [f"signature: {self.signature}"] if self.signature else []
        return "\n".join(lines)


def inspect_tables(frames: Mapping[str, pl.DataFrame], policies: Mapping[str, Policy]) -> LinkedFindings:
    """Return what holds on tables that were released together, counted from them alone.

    k is that of the policies, which all have the same; if they differ, the largest is asked.
    """
    failures: list[Failure] = []
    columns: dict[str, Columns] = {}
    alone: dict[str, Findings] = {}
    for name, frame in frames.items():
        columns[name] = sort_columns(frame.columns, policies[name], FORM, frame.height)
        found = _by_itself(frame, policies[name], columns[name])
        alone[name] = found
        failures += [_in_table(name, failure) for failure in found.failures]
    if any(one.person is None for one in columns.values()):
        return LinkedFindings(tables=alone, failures=tuple(failures))  # an absent column has been reported
    failures += [failure for name in frames if (failure := _pseudonyms(name, frames[name], columns[name]))]
    rows = {
        name: pl.DataFrame(
            {"person": frame[columns[name].person or ""], "cells": class_ids(frame.select(columns[name].quasi),
                                                                            frame.height)}
        )
        for name, frame in frames.items()
    }  # fmt: skip
    classes = _classes(rows)
    size = classes.group_by("class").agg(people=_COUNT)
    fewest: Any = size["people"].min()
    asked = max(policy.k for policy in policies.values())
    smallest = int(fewest or 0)
    claims = [LinkedClaim(criterion="linked-anonymity", claimed=asked, measured=smallest, holds=smallest >= asked)]
    if smallest < asked:
        few = size.filter(pl.col("people") < asked)
        failures.append(
            Failure(
                check="k-anonymity",
                message=f"over all tables, {few.height} of {size.height} classes of people ({few['people'].sum()} "
                f"people) miss {asked}; the smallest has {smallest}",
                groups=few.height,
                records=int(few["people"].sum()),
            )
        )
    for name, frame in frames.items():
        more, wrong = _sensitive(name, frame, policies[name], columns[name], _with_classes(rows[name], classes))
        claims += more
        failures += wrong
    return LinkedFindings(
        people=classes.height,
        classes=size.height,
        k=smallest,
        claims=tuple(claims),
        tables=alone,
        failures=tuple(failures),
    )


def _in_table(name: str, failure: Failure) -> Failure:
    """Return a failure of one table with the name of the table in its message."""
    return Failure(
        check=failure.check,
        message=f"table {name}: {failure.message}",
        column=failure.column,
        groups=failure.groups,
        records=failure.records,
    )


def _by_itself(frame: pl.DataFrame, policy: Policy, columns: Columns) -> Findings:
    """Return what holds on one table alone, in which people are counted within classes of equal cells."""
    if columns.person is None or not frame.height:
        return inspect(frame, policy, form=FORM)
    rows = pl.DataFrame(
        {"person": frame[columns.person], "cells": class_ids(frame.select(columns.quasi), frame.height)}
    )
    number = rows.select(pl.col("person").rank("dense").over("cells").cast(pl.String)).to_series()
    return inspect(frame.with_columns(number.alias(columns.person)), policy, form=FORM)


def _pseudonyms(name: str, frame: pl.DataFrame, columns: Columns) -> Failure | None:
    """Return a failure if a column of people holds anything but pseudonyms; a text could be a name left in."""
    assert columns.person is not None
    good = frame.select(pl.col(columns.person).cast(pl.String).str.contains(PSEUDONYM).fill_null(value=False))
    bad = frame.height - int(good.to_series().sum())
    if not bad:
        return None
    message = f"table {name}: column {columns.person} does not hold pseudonyms in {bad} rows"
    return Failure(check="person", column=columns.person, message=message, records=bad)


def _classes(rows: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the class of every person (person, class): those with the same cells in the same numbers everywhere."""
    profiles: pl.DataFrame | None = None
    for place, one in enumerate(rows.values()):
        said = pl.col("cells").sort().cast(pl.String).str.join(",")
        own = one.group_by("person").agg(said.alias(f"t{place}"))
        profiles = (
            own if profiles is None else profiles.join(own, on="person", how="full", coalesce=True, nulls_equal=True)
        )
    assert profiles is not None
    of_tables = [column for column in profiles.columns if column != "person"]
    # a person without rows in a table has a null there, which equals only another one
    return profiles.select("person").with_columns(
        pl.Series("class", class_ids(profiles.select(of_tables), profiles.height))
    )


def _with_classes(rows: pl.DataFrame, classes: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a table, in their order, with the class of their person."""
    return rows.join(classes, on="person", how="left", nulls_equal=True, maintain_order="left")


def _sensitive(
    name: str, frame: pl.DataFrame, policy: Policy, columns: Columns, rows: pl.DataFrame
) -> tuple[list[LinkedClaim], list[Failure]]:
    """Return the claims on the sensitive columns of one table, of classes of people and of their rows with equal
    cells, and a failure for each that does not hold.
    """
    claims: list[LinkedClaim] = []
    failures: list[Failure] = []
    both = rows.select(pl.col("class", "cells").cast(pl.String))
    by_cells = pl.Series("class", class_ids(both, rows.height))
    for of, ids in (("people", rows["class"]), ("rows", by_cells)):
        held = pl.DataFrame({"class": ids, "person": rows["person"]})
        people = held.group_by("class").agg(people=pl.col("person").n_unique().cast(pl.Int64), records=_COUNT)
        texts = {column: held.with_columns(text=frame[column]).unique() for column in columns.sensitive}
        classes = Classes(people, texts)
        for column in columns.sensitive:
            found = measure_column(column, policy.columns[column], policy, classes)
            if isinstance(found, Failure):
                continue  # cells that are no values of the column were reported of the table by itself
            for one in found:
                if one.asked is not None:
                    claims.append(_claim(name, one, "people" if of == "people" else "rows"))
                    if (failure := one.failure(classes)) is not None:
                        failures.append(_in_table(f"{name}, {claims[-1].name}", failure))
    return claims, failures


def _claim(table: str, one: Measured, of: Literal["people", "rows"]) -> LinkedClaim:
    """Return a measure of a column of one table as a claim of the linked release."""
    said: Claim = one.claim("people")
    return LinkedClaim(
        criterion=said.criterion,
        table=table,
        column=said.column,
        of=of,
        kind=said.kind,
        claimed=said.claimed,
        measured=said.measured,
        holds=said.holds,
    )
