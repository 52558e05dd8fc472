"""Reading the columns of a table whose numbers are written in a format that the policy states (`number`)."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from shoal.errors import SchemaError
from shoal.policy import Policy
from shoal.policy.number_format import DECIMAL_COMMA
from shoal.roles.kinds import is_text
from shoal.tables.number_text import decimals_of, least_decimals, read_numbers
from shoal.tables.table import Table


def with_numbers(table: Table, policy: Policy) -> tuple[Table, Policy]:
    """Return the table with texts replaced by numbers in every column whose number format the policy states.

    The policy need not be resolved yet. A `SchemaError` is raised if a cell is not a number in the format.
    """
    columns = dict(policy.columns)
    for name in table.columns:
        column = columns.get(name)
        if column is None or column.number is None or column.role not in ("quasi", "sensitive"):
            continue
        texts = table.texts[name] if name in table.texts.columns else table.frame[name]
        more: dict[str, object] = {"kind": "number"} if column.kind is None and column.hierarchy is None else {}
        if column.number == DECIMAL_COMMA and not _has_commas(table):  # numbers would be written with a point
            least = max(decimals_of(texts, column.number), 1)
            more["number"] = column.number.model_copy(update={"decimals": least})
        columns[name] = column.model_copy(update=more)
        table = _read(table, name, texts, policy)
    return table, policy.model_copy(update={"columns": columns})


def with_decimal_commas(table: Table, policy: Policy) -> Policy:
    """Return the policy in which quasi-identifiers with decimals have the decimal comma of the file, if it has one.

    Their ranges are then published with it too.
    """
    columns = dict(policy.columns)
    for name in table.columns if _has_commas(table) else ():
        column = columns.get(name)
        if (
            column is None
            or column.role != "quasi"
            or column.kind not in (None, "number")
            or column.number is not None
        ):
            continue
        plain = column.hierarchy is None and column.order is None and column.map is None and column.longitude is None
        if plain and column.classes is None and table.frame[name].dtype.is_float():
            columns[name] = column.model_copy(update={"number": DECIMAL_COMMA})
    return policy.model_copy(update={"columns": columns})


def decimals_as_read(table: Table, policy: Policy) -> dict[str, int]:
    """Return the number of decimals that all cells of a column have, if it has the decimal comma of the file."""
    columns = {name: policy.columns.get(name) for name in table.texts.columns if _has_commas(table)}
    commas = [name for name, one in columns.items() if one is not None and one.number == DECIMAL_COMMA]
    return {name: least_decimals(table.texts[name], DECIMAL_COMMA) for name in commas}


def with_decimals(policy: Policy, decimals: dict[str, int]) -> Policy:
    """Return the policy that publishes these columns with at least so many decimals: 8839,40 stays 8839,40."""
    columns = dict(policy.columns)
    for name, least in decimals.items():
        form = DECIMAL_COMMA.model_copy(update={"decimals": least})
        columns[name] = columns[name].model_copy(update={"number": form})
    return policy.model_copy(update={"columns": columns})


def _has_commas(table: Table) -> bool:
    return table.origin.dialect is not None and table.origin.dialect.decimal == ","


def _read(table: Table, name: str, texts: pl.Series, policy: Policy) -> Table:
    """Return the table with one column of texts read as numbers; the texts are kept, because some are published."""
    form = policy.columns[name].number
    assert form is not None
    if not is_text(texts.dtype):
        if texts.dtype.is_numeric() or isinstance(texts.dtype, pl.Null):
            return table
        raise SchemaError(f"column {name!r}: its cells are not texts of numbers.", "leave its number format out.")
    numbers = read_numbers(texts, form)
    blank = int((texts.cast(pl.String).str.strip_chars() == "").sum())
    wrong = numbers.null_count() - texts.null_count() - blank
    if wrong:
        raise SchemaError(
            f"column {name!r}: {wrong} of {len(texts)} cells are not numbers in the format that the policy states.",
            "correct those cells, or list what they hold in its null_values; or correct number = { ... }.",
        )
    kept = table.texts.drop(name, strict=False).get_columns()
    return replace(
        table,
        frame=table.frame.with_columns(numbers.alias(name)),
        texts=pl.DataFrame([*kept, texts.cast(pl.String)]),
    )
