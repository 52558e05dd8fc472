"""Reading a released table and the people who are attacked: every published column with its cells."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from shoal.caller import setting
from shoal.certify.legend import Classes
from shoal.errors import ParameterError
from shoal.measure.column_views import NUMBERS
from shoal.measure.equivalence_classes import numbered
from shoal.measure.questions.columns import Column, column_of
from shoal.measure.questions.people import Attacked
from shoal.measure.questions.sets import set_column
from shoal.measure.released_table import ReleasedTable, release_cells
from shoal.policy import Policy
from shoal.requirements.counts import Counts
from shoal.space.hierarchy import Tree
from shoal.tables.text import text_of


def read_attacked(
    release: ReleasedTable,
    released: pl.DataFrame,
    original: pl.DataFrame,
    control: pl.DataFrame | None,
    policy: Policy,
    trees: Mapping[str, Tree],
    legends: Mapping[str, Classes],
    *,
    given: bool,
) -> Attacked:
    """Return the published columns, and the people of the table and the control; `released` has dates in ISO 8601.

    If the control was `given` by the caller, it is checked that it has nobody of the table. One that was split off
    has nobody, even if an identifier such as a date of birth is that of a person on either side.
    """
    if given and control is not None:
        _check_identifiers(original, control, policy)
    everybody = original if control is None else _joined(original, control, policy)
    rows = np.arange(len(everybody), dtype=np.int64)
    columns: list[Column] = []
    for name in policy.quasi:
        cells = release_cells(release, policy, everybody[name], rows, trees.get(name), legends.get(name))
        columns.append(column_of(name, cells, release.of_row, dates=policy.columns[name].kind == "date"))
    for name in policy.unchanged:
        if name in released.columns:
            columns.append(as_it_is(released[name], everybody[name], policy))
    if (sets := policy.set_column) is not None and sets in released.columns:
        columns.append(set_column(sets, released[sets], everybody[sets], policy.columns[sets]))
    if policy.person is None:
        who = rows
    else:
        who = numbered(everybody.select(policy.person), len(everybody))
        _check_apart(who, len(original), policy.person)
    return Attacked(columns=tuple(columns), n=len(original), who=who)


def _joined(original: pl.DataFrame, control: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the rows of the table, then those of the control, in the columns that are compared."""
    names = [name for name in original.columns if name in policy.columns]
    parts = []
    for name in names:
        if name not in control.columns:
            continue
        one, other = original[name], control[name]
        if one.dtype != other.dtype:
            one, other = (
                (one.cast(pl.Float64), other.cast(pl.Float64))
                if one.dtype.is_numeric() and other.dtype.is_numeric()
                else (text_of(one), text_of(other))
            )
        parts.append(pl.concat([one, other]).alias(name))
    return pl.DataFrame(parts)


def _check_identifiers(original: pl.DataFrame, control: pl.DataFrame, policy: Policy) -> None:
    """Raise a ParameterError if the control has a value of an identifier that is different for everybody."""
    for name in policy.named("identifier"):
        if name in control.columns and original[name].n_unique() == len(original):  # names repeat; numbers do not
            both = numbered(pl.DataFrame({name: pl.concat([text_of(original[name]), text_of(control[name])])}),
                            len(original) + len(control))  # fmt: skip
            _check_apart(both, len(original), name)


def _check_apart(codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]], n: int, column: str) -> None:
    """Raise a ParameterError if the control has somebody of the table."""
    common = len(np.intersect1d(codes[:n], codes[n:]))
    if common:
        raise ParameterError(
            f"the control has {common} values of {column} that are also in the original table.",
            f"give people who were not released; {setting('control', 0.5)} without a released file splits them off.",
        )


def as_it_is(published: pl.Series, values: pl.Series, policy: Policy) -> Column:
    """Return a column that is no quasi-identifier; in the release of another program it may have ranges, too."""
    asked = policy.columns[values.name]
    temporal = values.dtype.is_temporal() or asked.kind == "date"
    number = values.dtype.is_numeric() or (asked.kind in NUMBERS)
    kind = "date" if temporal else "number" if number else "label"
    settings = asked.model_copy(update={"role": "quasi", "kind": kind, "hierarchy": None})
    alone = policy.model_copy(update={"columns": {values.name: settings}})
    of_row = numbered(published.to_frame(), len(published))
    _, first = np.unique(of_row, return_index=True)
    nobody = Counts(np.zeros(len(first), dtype=np.int64), {}, {}, {}, {})  # only cells are read
    distinct = ReleasedTable({values.name: published[first]}, nobody, of_row, centers=False)
    rows = np.arange(len(values), dtype=np.int64)
    cells = release_cells(distinct, alone, values, rows, None, None)
    return column_of(values.name, cells, of_row, dates=temporal)
