"""What a table gives away before anything is done to it: counts per column and per combination of columns.

Guarantee   no cell's value is in a profile, only column names, counts and shares. Counts are exact over all rows,
            and the order of rows does not matter; roles are suggestions that a person must look at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from shoal import progress
from shoal._repr import brief
from shoal.errors import ParameterError
from shoal.roles.column_profile import ColumnProfile, profile_column
from shoal.roles.uniqueness import Codes, Uniqueness, class_sizes, join, search
from shoal.tables.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskBefore:
    """Somebody who knows that a person is in the table, and all their quasi-identifiers, looks them up.

    The risk of the prosecutor model: the chance to point at the right record.
    """

    columns: tuple[str, ...]
    classes: int
    unique_rows: int
    rows_below_k: int
    smallest: int
    """People in the smallest class; 0 where there are no rows."""
    highest: float
    """For the person most at risk: 1 / smallest."""
    average: float
    """Over all rows."""

    def __repr__(self) -> str:
        return brief(self, f"{self.unique_rows} rows singled out by {len(self.columns)} columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A table before release."""

    n_rows: int
    k: int
    """Rows in classes of fewer people count as at risk."""
    person: str | None
    """Column that names a person on several rows: classes are counted in its different values."""
    columns: tuple[ColumnProfile, ...]
    uniqueness: Uniqueness
    """Over the columns suggested as quasi-identifiers."""
    risk: RiskBefore
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the file had to be read, where that was said: it belongs into the policy."""

    def __repr__(self) -> str:
        return brief(self, f"{self.n_rows} rows, {len(self.columns)} columns, {self.risk.unique_rows} singled out")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def profile(table: Table, *, k: int = 5) -> Profile:
    """Suggested roles, which columns single people out, and the risk of publishing the table as it is."""
    if k < 2:
        raise ParameterError(f"k={k} means nothing here.", "k is the smallest group that hides a person: 2 or more.")
    columns, codes = [], {}
    with progress.step("columns", total=len(table.columns)) as advance:
        for name in table.columns:
            found, column_codes = profile_column(table.frame[name])
            columns.append(found)
            if found.role == "quasi" or found.names_people:
                codes[name] = column_codes
            advance(1)
    columns = _choose_person(columns, len(table))
    person = next((column.name for column in columns if column.role == "person"), None)
    people = codes[person] if person else None
    quasi = {column.name: codes[column.name] for column in columns if column.role == "quasi"}
    return Profile(
        n_rows=len(table),
        k=k,
        person=person,
        columns=tuple(columns),
        uniqueness=search(quasi, len(table), k=k, person=people),
        risk=_risk(quasi, len(table), k, people),
    )


def _choose_person(columns: list[ColumnProfile], n_rows: int) -> list[ColumnProfile]:
    """One identifier that repeats becomes the person column: a plain code rather than a national number."""
    candidates = [column for column in columns if column.names_people]
    if not candidates:
        return columns
    chosen = min(candidates, key=lambda column: column.what != "code of a person")
    why = f"{chosen.reason}; it repeats: {chosen.distinct} people in {n_rows} rows"
    person = replace(chosen, role="person", reason=why)
    return [person if column is chosen else column for column in columns]


def _risk(quasi: dict[str, Codes], n_rows: int, k: int, people: Codes | None) -> RiskBefore:
    # The most telling columns first, so that joining stops as soon as everybody differs.
    ordered = sorted(quasi.values(), key=lambda column: -column.n_codes)
    joined = join(ordered, n_rows, room=people.n_codes if people else 1)
    rows, sizes = class_sizes(joined, people)
    smallest = int(sizes.min(initial=n_rows))
    return RiskBefore(
        columns=tuple(quasi),
        classes=len(rows),
        unique_rows=int(rows[sizes == 1].sum()),
        rows_below_k=int(rows[sizes < k].sum()),
        smallest=smallest,
        highest=1 / smallest if smallest else 0.0,
        average=float(np.sum(rows / sizes)) / max(n_rows, 1),
    )
