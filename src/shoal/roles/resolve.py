"""Resolving a policy for a table: each column gets its role and kind, or an error says which column lacks one.

Guarantee   In the policy returned, the columns are exactly those of the table, in its order; at least one is a
            quasi-identifier; every quasi-identifier and sensitive column has a kind that fits all its cells.
            Quasi-identifiers that are codes are masked from the right unless the policy says otherwise. A column
            without a role is never published by default: it is an error.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

import polars as pl

from shoal import progress
from shoal.errors import SchemaError
from shoal.policy import Column, Hierarchy, Kind, Period, Policy
from shoal.policy.toml_text import dump_key
from shoal.roles.codes import is_code
from shoal.roles.date_formats import FoundDates, find_dates
from shoal.roles.distances import with_distances
from shoal.roles.kinds import as_kind, is_text, kind_of, measured_as, misfits, type_of
from shoal.roles.limits import check_limits
from shoal.roles.recognize import words
from shoal.roles.sampling_weights import check_signs
from shoal.tables.table import Table

_NAMED = 50  # how many columns one message names; the names of 10,000 columns would fill the screen
_CORRECTED = 5  # for how many unknown names a similar column name is suggested


_AGGREGATES = {
    "ordered": ("median", "mode"),
    "hierarchy": ("median", "mode"),
    "label": ("mode",),
    "region": ("mode",),
}
"""The aggregates that are allowed for a kind; a kind that is not listed allows all of them."""


def assign(table: Table, policy: Policy) -> Policy:
    """Return the policy with every column of `table` resolved, in the table's order."""
    same_columns(list(table.columns), policy)
    if not policy.named("quasi"):
        raise SchemaError(
            'no column has the role "quasi", so there is nothing to form groups on.',
            'give role = "quasi" to the columns that others may know about a person: age, sex, place, dates ...',
        )
    columns = {name: _resolve(table.frame[name], policy.columns[name]) for name in table.columns}
    return with_distances(table, policy.model_copy(update={"columns": columns}), policy)


def typed(table: Table, policy: Policy) -> Table:
    """Return the table with texts converted to the numbers or dates that the resolved `policy` says they are.

    The text of a sensitive column or a weight is kept in `texts`, because it is what is published.
    """
    names = [name for name in table.columns if policy.columns[name].kind is not None]
    read = [
        as_kind(table.frame[name], measured_as(policy.columns[name]), policy.columns[name].date_format)
        for name in names
    ]
    read = [_as_codes(values, policy.columns[values.name]) for values in read]
    kept = [
        pl.select(pl.when(cells.is_not_null()).then(table.frame[cells.name]).alias(cells.name)).to_series()
        if policy.columns[cells.name].unreadable == "missing"
        else table.frame[cells.name]
        for cells in read
        if policy.columns[cells.name].role in ("sensitive", "weight") and cells.dtype != table.frame[cells.name].dtype
    ]
    return replace(
        table, frame=table.frame.with_columns(read), texts=pl.DataFrame([*table.texts.get_columns(), *kept])
    )


def _as_codes(values: pl.Series, column: Column) -> pl.Series:
    """Return whole numbers that are codes as text with their leading zeros restored; other columns unchanged.

    Only quasi-identifiers are changed: others are published as they were read.
    """
    source = column.hierarchy
    whole = values.dtype.is_integer() or (values.dtype.is_float() and bool((values.drop_nulls() % 1 == 0).all()))
    if column.role != "quasi" or source is None or not source.prefix or not whole:
        return values
    return values.cast(pl.Int64).cast(pl.String).str.zfill(source.digits or 1)


def same_columns(names: list[str], policy: Policy) -> None:
    """Raise a `SchemaError` unless the policy and the table have the same columns."""
    known = set(names)
    absent = [name for name in policy.columns if name not in known]
    if absent:
        close = {name: get_close_matches(name, names, n=1) for name in absent[:_CORRECTED]}
        similar = [f"{found[0]!r} for {name!r}" for name, found in close.items() if found]
        hint = f"did you mean {', '.join(similar)}?" if similar else f"the table has {_listed(names)}."
        raise SchemaError(f"the policy names {_listed(absent)}, which the table does not have.", hint)
    without = [name for name in names if name not in policy.columns]
    if without:
        raise SchemaError(
            f"{len(without)} of {len(names)} columns have no role: {_listed(without)}. "
            "Nothing is published by default.",
            "give each one a role in the policy, as in\n"
            f'[columns.{dump_key(without[0])}]\nrole = "quasi"  # or identifier, sensitive, person, weight, other\n'
            "`shoal profile data.csv --write policy.toml` suggests one for every column.",
        )


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown


def _resolve(values: pl.Series, column: Column) -> Column:
    """Return the column with its kind, after checking that the kind fits all cells."""
    if column.role == "weight":
        _fits(values, "number", column)
        check_signs(as_kind(values, "number"))
        return column.model_copy(update={"kind": "number"})
    if column.role not in ("quasi", "sensitive"):
        return column
    if kind_of(values.dtype) is None:
        raise SchemaError(
            f"column {values.name!r} holds {type_of(values.dtype)} values; no distance is defined on them.",
            'turn it into text, numbers or dates, or give it the role "identifier".',
        )
    kind = column.kind or _default_kind(values, column)
    free = column.role == "quasi" and kind == "label" and column.kind is None and column.classes is None
    if free and is_text(values.dtype) and (dates := find_dates(values, _some(values), words(values.name))):
        return _of_dates(values.name, column, dates)
    if free and is_code(values):
        progress.note(f'{values.name} looks like a code: published as its first characters (kind = "label" for sets)')
        return column.model_copy(update={"kind": "hierarchy", "hierarchy": Hierarchy(prefix=True)})
    _fits(values, kind, column)
    return column.model_copy(update={"kind": kind})


def _some(values: pl.Series) -> list[str]:
    """Return at most a thousand different texts of a column, spread evenly over the sorted texts."""
    distinct = values.cast(pl.String).str.strip_chars().drop_nulls().unique().sort()
    return distinct.filter(distinct != "")[:: len(distinct) // 1_000 + 1].to_list()


def _of_dates(name: str, column: Column, dates: FoundDates) -> Column:
    """Return a column without a stated kind as one of dates in the format that was found.

    Raise a `SchemaError` if the format is in doubt: as labels, the dates would be published as sets of exact dates.
    """
    form = dates.form
    if form is None or dates.questions:
        example = "%d.%m.%Y" if form is None else form.pattern
        raise SchemaError(
            f"column {name!r} has dates as text, and it is not sure how they are written.",
            f'say it in the policy, as in kind = "date" and format = "{example}"; `shoal profile` asks what is open. '
            'With kind = "label" they are published as sets of exact dates.',
        )
    progress.note(f"{name} has dates written as {form.pattern}: they are published as ranges in this format")
    return Column.model_validate(
        column.model_dump(exclude_unset=True) | {"kind": "date", "format": form.pattern, "language": form.language}
    )


def _default_kind(values: pl.Series, column: Column) -> Kind:
    """Return the kind that the column's other settings imply, otherwise the kind of its type."""
    if column.classes is not None or (column.merge is not None and column.order is None and not column.hierarchy):
        return "label"
    if column.order is not None:
        return "ordered"
    if column.hierarchy is not None:
        return "hierarchy"
    if column.map is not None:
        return "region"
    if column.longitude is not None:
        return "place"
    if column.format is not None:
        return "date"
    untyped = is_text(values.dtype) or isinstance(values.dtype, pl.Null)  # as in a CSV file
    if column.aggregate in ("mean", "median") and untyped and values.null_count() == len(values):
        return "number"  # no cell says that it is something else
    kind = kind_of(values.dtype)
    assert kind is not None  # types without a kind were refused above
    return kind


def _fits(values: pl.Series, kind: Kind, column: Column) -> None:
    """Raise a `SchemaError` if the kind, order, hierarchy or aggregate does not fit the cells."""
    known = _AGGREGATES.get(kind)
    if column.aggregate is not None and known is not None and column.aggregate not in known:
        raise SchemaError(
            f"column {values.name!r}: a {column.aggregate} is not defined for values of kind {kind}.",
            f'use aggregate = "{known[0]}", or leave it out.',
        )
    needed = measured_as(column.model_copy(update={"kind": kind}))
    if needed in ("number", "date", "place"):
        asked = f'kind = "{kind}"' if needed == kind else f"its hierarchy of {needed}s"
        _measured(values, "date" if needed == "date" else "number", asked, column)
    if column.round_ranges is not None:
        _rounded(values, kind, column.round_ranges)
    if column.relative_to is not None and needed != "date":
        raise SchemaError(
            f"column {values.name!r}: relative_to is for dates; its cells are {type_of(values.dtype)}.",
            "leave it out, or state how its dates are written (format).",
        )
    check_limits(values, kind, column)
    if kind == "ordered" and column.order is not None:
        _in_order(values, column.order)
    elif kind == "ordered" and kind_of(values.dtype) == "label" and not isinstance(values.dtype, pl.Enum | pl.Null):
        raise SchemaError(
            f'column {values.name!r}: kind = "ordered" does not say in which order its '
            f"{values.drop_nulls().n_unique()} values come.",
            'list them from lowest to highest: order = ["...", "..."].',
        )


def _rounded(values: pl.Series, kind: Kind, step: float | Period) -> None:
    """Raise a `SchemaError` unless `round_ranges` fits: a number for numbers (whole for whole ones), a period for
    dates.
    """
    if kind not in ("number", "date", "place"):
        raise SchemaError(
            f"column {values.name!r}: round_ranges is for numbers and dates; it is published as {kind}.",
            "leave it out, or give the column's kind.",
        )
    if (kind == "date") != isinstance(step, str):
        example = "month" if kind == "date" else "10"
        raise SchemaError(
            f"column {values.name!r}: round_ranges does not fit its kind, {kind}.",
            f"give {'a period' if kind == 'date' else 'a number'}, such as {example}.",
        )
    if not isinstance(step, str) and values.dtype.is_integer() and step != int(step):
        raise SchemaError(
            f"column {values.name!r}: its cells are whole numbers, and round_ranges is not.", "give a whole number."
        )


def _measured(values: pl.Series, kind: Kind, asked: str, column: Column) -> None:
    """Raise a `SchemaError` unless every cell is a number or a date, whichever `kind` says."""
    own, form = kind_of(values.dtype), column.date_format
    if isinstance(values.dtype, pl.Null) or (own == kind and form is None):
        return
    if own != kind and not is_text(values.dtype) and not (form is not None and own == "number"):
        raise SchemaError(
            f"column {values.name!r}: {asked} does not fit; its cells are {type_of(values.dtype)}.",
            f'use kind = "{own}", or leave kind out.',
        )
    wrong = misfits(values, kind, form)
    if not wrong:
        return
    if form is not None and column.unreadable == "missing":
        progress.note(f"column {values.name!r}: {wrong} cells are not dates of its format, and are taken as missing")
        return
    if form is not None:
        raise SchemaError(
            f"column {values.name!r}: {wrong} of {len(values)} cells are not dates of its format.",
            'correct the format or those cells; unreadable = "missing" takes them as missing.',
        )
    what = "numbers" if kind == "number" else "ISO dates (2020-12-31) of one form"
    way = 'or use kind = "label"' if kind == "number" else 'or state how dates are written, as in format = "%d.%m.%Y"'
    raise SchemaError(
        f"column {values.name!r}: {asked} does not fit; {wrong} of {len(values)} cells are not {what}.",
        f"correct those cells or leave them empty, {way}.",
    )


def _in_order(values: pl.Series, order: tuple[str, ...]) -> None:
    """Raise a `SchemaError` unless `order` lists every value of the column."""
    missing = values.drop_nulls().cast(pl.String)
    missing = missing.filter(~missing.is_in(list(order)))
    if len(missing):
        raise SchemaError(
            f"column {values.name!r}: order leaves out {missing.n_unique()} of its values ({len(missing)} cells).",
            "order must list every value of the column, from lowest to highest, as text.",
        )
