"""Profile of a table before anything is done to it: counts per column and per combination of columns.

Guarantee   A profile contains column names, counts and shares, but no cell's value, except codes for missing, such as
            999 or unknown, that are in a fixed list (`missing_words`). Counts are exact over all rows, and do not
            depend on the order of rows. Roles are suggestions that a person must check.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal import progress
from shoal._repr import brief
from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.policy.preset import Preset
from shoal.roles.column_profile import ColumnProfile, profile_column
from shoal.roles.coordinates import with_places
from shoal.roles.derived_questions import with_derived
from shoal.roles.distinct_values import Codes
from shoal.roles.missing_codes import find_missing, with_missing
from shoal.roles.number_formats import with_number_format
from shoal.roles.parts_of_identifiers import without_parts
from shoal.roles.preset_columns import with_preset
from shoal.roles.row_key import with_row_key
from shoal.roles.uniqueness import Uniqueness, class_sizes, join, search
from shoal.roles.written_codes import values_of
from shoal.tables.table import Table
from shoal.tables.writing import write_new_text


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskBefore:
    """Re-identification risk of publishing the quasi-identifiers unchanged, in the prosecutor model.

    The attacker knows that a person is in the table and knows all their quasi-identifiers; the risk is the
    probability that the attacker picks the right record.
    """

    columns: tuple[str, ...]
    classes: int
    unique_rows: int
    rows_below_k: int
    smallest: int
    """The number of people in the smallest equivalence class; 0 for a table without rows."""
    highest: float
    """The risk of the person most at risk: 1 / `smallest`."""
    average: float
    """The average risk over all rows."""

    def __repr__(self) -> str:
        return brief(self, f"{self.unique_rows} rows singled out by {len(self.columns)} columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Profile of a table before its release.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> profile = shoal.profile(hospital(150))
    >>> profile.n_rows, profile.risk.unique_rows > 0
    (150, True)
    >>> [column.name for column in profile.columns if column.role == "identifier"]
    ['patient_id', 'name']
    """

    n_rows: int
    k: int
    """Rows in equivalence classes of fewer than `k` people count as at risk."""
    person: str | None
    """The column that identifies people who have several rows; the size of a class is then its number of people."""
    columns: tuple[ColumnProfile, ...]
    uniqueness: Uniqueness
    """Unique combinations of the columns suggested as quasi-identifiers."""
    risk: RiskBefore
    reading: Mapping[str, Any] = field(default_factory=dict)
    """The options with which the file was read, if the user gave any; they are written to the policy."""
    preset: str | None = None
    """The preset that the proposed policy follows, by its name or path."""

    def __repr__(self) -> str:
        return brief(self, f"{self.n_rows} rows, {len(self.columns)} columns, {self.risk.unique_rows} singled out")

    def __str__(self) -> str:
        from shoal.report.plain_text import profile

        return profile(self)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import profile_html

        return profile_html(self)

    @property
    def questions(self) -> tuple[tuple[str, str], ...]:
        """What only a person who knows the table can answer: pairs of a column's name and a sentence.

        Returns
        -------
        tuple of tuple of str
            Empty if nothing is left open.
        """
        return tuple((column.name, question) for column in self.columns for question in column.questions)

    @property
    def policy(self) -> Policy:
        """The policy that is proposed: a role for every column, k, and an l where it costs little.

        It is a start. A person reads it, changes what they know better, and answers for it.

        Returns
        -------
        Policy
            The policy, with the options that were needed to read the file.
        """
        from shoal.roles.suggest import suggest_policy

        return suggest_policy(self)[0]

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the proposed policy as TOML with the reason for every role; an existing file stays.

        Parameters
        ----------
        path : str or Path
            The file, such as policy.toml.
        force : bool, default False
            Whether an existing file is replaced. A failure leaves it as it was.

        Raises
        ------
        TableError
            If the file exists already and `force` is False, or it cannot be written.

        Examples
        --------
        >>> import shoal, tempfile
        >>> from shoal.datasets import hospital
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     profile = shoal.profile(hospital(100))
        ...     profile.write(f"{folder}/policy.toml")
        ...     shoal.Policy.load(f"{folder}/policy.toml") == profile.policy
        True
        """
        from shoal.roles.suggest import suggest_policy

        policy, comments = suggest_policy(self)
        write_new_text(path, policy.dumps(comments=comments), force=force)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as plain values for JSON.

        Returns
        -------
        dict
            Ready for JSON.
        """
        return asdict(self)


def profile(table: Table, *, k: int = 5, preset: Preset | None = None, year: int | None = None) -> Profile:
    """Return suggested roles, the combinations of columns that single people out, and the re-identification risk.

    With `preset`, roles and settings follow it; `year` is the one in which ages are counted.
    """
    k = max(k, preset.k or k) if preset is not None else k
    if k < 2:
        raise ParameterError(
            f"k={k} is too small.", "k is the size of the smallest group in which a person is hidden: 2 or more."
        )
    columns, codes = [], {}
    with (
        progress.step("columns", total=len(table.columns)) as advance,
        ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool,
    ):
        for found, column_codes in pool.map(partial(_profile_of, table), table.columns):
            columns.append(found)
            if column_codes is not None:
                codes[found.name] = column_codes
            advance(1)
    columns = _one_set(without_parts(with_row_key(columns, len(table)), table.frame))
    columns = _choose_person(with_places(columns, table.frame), len(table))
    person = next((column.name for column in columns if column.role == "person"), None)
    people = codes[person] if person else None
    if people is not None:
        columns = [_rare_among_people(column, codes.get(column.name), people) for column in columns]
    if preset is not None and year is not None:
        columns = [with_preset(column, preset, year) for column in columns]
    columns = with_derived(columns, table.frame)
    quasi = {column.name: codes[column.name] for column in columns if column.role == "quasi"}
    return Profile(
        n_rows=len(table),
        k=k,
        person=person,
        columns=tuple(columns),
        uniqueness=search(quasi, len(table), k=k, person=people),
        risk=_risk(quasi, len(table), k, people),
    )


def singled_out(table: Table, names: Sequence[str], *, k: int, person: str | None) -> tuple[Uniqueness, RiskBefore]:
    """Return the combinations of chosen columns that single people out, and the risk of publishing them unchanged."""
    codes = {name: profile_column(find_missing(values_of(table, name), table).values)[1] for name in names}
    people = profile_column(values_of(table, person))[1] if person else None
    return search(codes, len(table), k=k, person=people), _risk(codes, len(table), k, people)


def _profile_of(table: Table, name: str) -> tuple[ColumnProfile, Codes | None]:
    """Return the profile of a column, and its codes if it may be a quasi-identifier or the person column."""
    missing = find_missing(values_of(table, name), table)
    found, codes = profile_column(missing.values, missing.different)
    found, codes = with_number_format(found, codes, missing, table)
    found = with_missing(found, missing)
    return found, codes if found.role == "quasi" or found.names_people else None


def _rare_among_people(column: ColumnProfile, codes: Codes | None, people: Codes) -> ColumnProfile:
    """Return the profile of a column with its rare values counted in people, who may have several rows."""
    if column.role != "quasi" or codes is None:
        return column
    _, sizes = class_sizes(join([codes], len(codes.codes), room=people.n_codes), people)
    return replace(column, n_rare=int((sizes == 1).sum()))


def _one_set(columns: list[ColumnProfile]) -> list[ColumnProfile]:
    """Return the columns with all sets of items but the first proposed as identifiers, as one can be published."""
    sets = [column.name for column in columns if column.kind == "set"]
    return [
        replace(column, role="identifier", kind=None, separator=None, questions=(*column.questions, SECOND_SET))
        if column.name in sets[1:]
        else column
        for column in columns
    ]


SECOND_SET = (
    "it holds several items in one cell, as another column does, and only one quasi-identifier can be a set, so it "
    "is removed. Put the items of both into one column, or leave the other one out."
)


def _choose_person(columns: list[ColumnProfile], n_rows: int) -> list[ColumnProfile]:
    """Return the columns with one repeating identifier made the person column; a plain code is preferred."""
    candidates = [column for column in columns if column.names_people]
    if not candidates:
        return columns
    chosen = min(candidates, key=lambda column: column.what != "code of a person")
    why = f"{chosen.reason}; it repeats: {chosen.distinct} people in {n_rows} rows"
    person = replace(chosen, role="person", reason=why)
    return [person if column is chosen else column for column in columns]


def _risk(quasi: dict[str, Codes], n_rows: int, k: int, people: Codes | None) -> RiskBefore:
    """Return the re-identification risk of the equivalence classes of all quasi-identifiers together."""
    # columns with the most values first, so that joining stops as soon as all rows differ
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
