"""Select the rows that a release is about: those that meet the condition of the policy, and a sample of these.

Rows that are not selected are no part of the release: they are not counted as suppressed, and nothing that is
published is derived from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl

from shoal import progress
from shoal.caller import named
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.pipeline.row_order import Ints, sort_keys
from shoal.policy import Policy
from shoal.policy.condition import Compared, Condition, Joined, Missing, Not, Value, columns_of, parse_condition
from shoal.roles import without_null_values
from shoal.roles.kinds import is_text, type_of
from shoal.secret import Secret
from shoal.tables import Table
from shoal.tables.text import text_of


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """The selected rows, and where they are in the source."""

    table: Table
    rows: Ints
    n_before_sampling: int
    """The number of people, or of rows without a person column, that the sample was drawn from."""
    notes: tuple[str, ...] = ()


def rows_where(table: Table, policy: Policy) -> Ints:
    """Return the rows that meet the condition of the policy; all if it has none.

    A comparison with a missing cell is unknown, as in SQL, and a row whose condition is unknown is not selected.
    """
    if policy.where is None:
        return np.arange(len(table))
    condition = parse_condition(policy.where)
    known = set(table.columns)
    if absent := [name for name in columns_of(condition) if name not in known]:
        raise SchemaError(
            f"the condition names {', '.join(map(repr, absent))}, which the table does not have.",
            f"it has {', '.join(table.columns[:20])}; names with blanks are written in double quotes.",
        )
    held = _held(condition, without_null_values(table, policy))
    return np.flatnonzero(held.fill_null(value=False).to_numpy())


def select_rows(table: Table, policy: Policy, secret: Secret | None) -> Selected:
    """Return the rows that meet the condition, or a sample of them drawn by the secret.

    The sample does not depend on the order of the rows. Where the policy has a person column people are drawn, with
    all of their rows. Raise an InfeasibleError if no row meets the condition.
    """
    if policy.sequence is not None and policy.sample is not None:
        raise ParameterError(
            "a sequence cannot be sampled: people would leave and come back with every draw.",
            f"leave {named('sample')} out, or draw the sample once, before the first release.",
        )
    rows = rows_where(table, policy)
    notes = []
    if policy.where is not None:
        notes.append(f"{len(rows)} of {len(table)} rows meet the condition; the release is about these only.")
        if len(table) and not len(rows):
            raise InfeasibleError.no_rows_selected()
    chosen = table if len(rows) == len(table) else table.taken(rows)
    n_before = _n_units(chosen, policy)
    if policy.sample is not None and secret is not None and len(chosen):
        drawn = _drawn(chosen, policy, secret, policy.sample)
        unit = "rows" if policy.person is None else "people"
        notes.append(f"a sample of {_n_units(chosen.taken(drawn), policy)} of {n_before} {unit} was drawn.")
        rows, chosen = rows[drawn], chosen.taken(drawn)
    for note in notes:
        progress.note(note)
    return Selected(chosen, rows, n_before, tuple(notes))


def _n_units(table: Table, policy: Policy) -> int:
    return len(table) if policy.person not in table.columns else table.frame[policy.person].n_unique()


def _drawn(table: Table, policy: Policy, secret: Secret, share: float) -> Ints:
    """Return the rows of a sample with this share of the people, or of the rows; at least one."""
    whose = policy.person if policy.person in table.columns else None
    cells = table.as_read if whose is None else table.as_read.select(whose)
    keys = sort_keys(cells)
    order = np.lexsort(keys[::-1])  # equal rows are interchangeable, so their order does not matter
    if whose is None:
        numbers = np.empty(len(order), dtype=np.int64)
        numbers[order] = np.arange(len(order))
    else:
        numbers = np.unique(keys[0], return_inverse=True)[1].reshape(-1).astype(np.int64)
    n = int(numbers.max(initial=-1)) + 1
    lucky = np.zeros(n, dtype=bool)
    lucky[secret.permutation("sample", n)[: max(1, int(share * n + 0.5))]] = True
    return np.flatnonzero(lucky[numbers])


def _held(condition: Condition, table: Table) -> pl.Series:
    """Return for every row whether a condition holds; null where that is unknown."""
    match condition:
        case Not(part):
            return ~_held(part, table)
        case Joined(how, parts):
            found = _held(parts[0], table)
            for part in parts[1:]:
                found = found & _held(part, table) if how == "and" else found | _held(part, table)
            return found
        case Missing(column):
            return table.frame[column].is_null()
        case Compared(column, sign, value):
            return _compared(column, sign, value, table)


def _compared(column: str, sign: str, value: Value, table: Table) -> pl.Series:
    """Return for every row how its cell compares with a value of the same type; null where the cell is missing."""
    cells = table.frame[column]
    if isinstance(cells.dtype, pl.Boolean) and isinstance(value, bool):
        other: Any = value
    elif cells.dtype.is_numeric() and not isinstance(value, str | bool):
        other = value
    elif isinstance(cells.dtype, pl.Date | pl.Datetime) and isinstance(value, str):
        other = _day(column, value, cells.dtype)
    elif isinstance(value, str) and sign in ("=", "<>"):  # as it is written in the file, 007 and all
        cells = text_of(table.texts[column] if column in table.texts.columns else cells)
        other = value
    else:
        raise _other_type(column, cells, value, sign)
    compared = pl.lit(cells)
    results: dict[str, pl.Expr] = {
        "=": compared == other,
        "<>": compared != other,
        "<": compared < other,
        "<=": compared <= other,
        ">": compared > other,
        ">=": compared >= other,
    }
    return pl.select(results[sign]).to_series()


def _day(column: str, text: str, dtype: pl.DataType) -> date | datetime:
    """Return a date that is written as YYYY-MM-DD, or a moment where the column has moments."""
    try:
        return datetime.fromisoformat(text) if isinstance(dtype, pl.Datetime) else date.fromisoformat(text)
    except ValueError:
        raise SchemaError(
            f"the condition compares {column!r}, which has dates, with a text that is no date.",
            "write dates as '2024-06-01'.",
        ) from None


def _other_type(column: str, cells: pl.Series, value: Value, sign: str) -> SchemaError:
    what = "a text" if isinstance(value, str) else "true or false" if isinstance(value, bool) else "a number"
    if is_text(cells.dtype) and isinstance(value, str):
        return SchemaError(
            f"the condition compares the texts of {column!r} by {sign}; texts have no order here.",
            "compare texts by =, <> or in.",
        )
    return SchemaError(
        f"the condition compares {column!r}, which has {type_of(cells.dtype)} values, with {what}.",
        "write numbers without quotes, texts and dates in single quotes.",
    )
