"""The functions that describe a table before its release: its profile, and a hierarchy made from a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

from shoal import progress
from shoal.clock import Clock
from shoal.errors import SchemaError
from shoal.pipeline.reporting import read_options, reporting_compilation, reporting_memory
from shoal.policy import Hierarchy, Policy
from shoal.policy.keywords import Reading, as_policy
from shoal.policy.named_arguments import named_arguments
from shoal.policy.preset import load_preset
from shoal.roles import Profile
from shoal.roles import profile as _profile
from shoal.roles.table_profile import RiskBefore
from shoal.roles.table_profile import singled_out as _singled_out
from shoal.roles.uniqueness import Uniqueness
from shoal.tables import Frame, read
from shoal.tables.database.source import located

if TYPE_CHECKING:
    from shoal.pipeline.derive_hierarchy import Derived
    from shoal.pipeline.hierarchy_levels import Level


@named_arguments(Reading)
def profile(
    source: Frame | str | Path,
    *,
    preset: str | Path | None = None,
    table: str | None = None,
    query: str | None = None,
    **reading: Unpack[Reading],
) -> Profile:
    """Return the risk of publishing a table as it is, and a proposed role for every column; it contains no value.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, such a file in a store
        (s3://bucket/visits.parquet), the URI of a database (postgresql://, duckdb:///, sqlite:///), or a frame.
    preset : str or Path, optional
        A rule that the proposed policy follows: ``"hipaa-safe-harbor"``, or the path of a preset of your own (TOML).
        Whether a release keeps to it is for ``shoal.verify(..., preset=...)`` to find.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, instead of what is detected. An empty quote means that cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line has the names of the columns.
    sheet : str, optional
        The sheet of an .xlsx file that has several.

    Returns
    -------
    Profile
        Types, uniqueness, likely identifiers and the risk of publishing the table as it is. `profile.policy` is the
        proposed policy; `profile.write("policy.toml")` writes it to a file for reading and editing.

    Raises
    ------
    TableError
        If the source cannot be read.
    ParameterError
        If a keyword is not known.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> found = shoal.profile(hospital(150))
    >>> found.policy.columns["name"].role
    'identifier'
    """
    asked = as_policy(None, reading)
    rule = None if preset is None else load_preset(preset)
    with reporting_memory(), reporting_compilation():
        with progress.step("reading"):
            found = read(located(source, table, query), read_options(asked))
        described = _profile(found, preset=rule, year=date.today().year)
    named = None if preset is None else str(preset)
    return replace(described, reading=asked.source.model_dump(exclude_defaults=True), preset=named)


def singled_out(
    source: Frame | str | Path,
    columns: Sequence[str],
    *,
    k: int = 5,
    person: str | None = None,
    policy: Policy | None = None,
) -> tuple[Uniqueness, RiskBefore]:
    """Return which combinations of `columns` single people out, and the risk of publishing them as they are.

    With `person`, the column that identifies the person of a row, people are counted instead of rows. With `policy`,
    which needs a role for every column, values are counted after its recoding.
    """
    with reporting_memory():
        table = read(source)
        if policy is not None:
            from shoal.pipeline.inputs import resolve_roles

            recoded, _ = resolve_roles(table, policy, Clock())
            table = replace(recoded, texts=recoded.texts.drop(columns, strict=False))
        return _singled_out(table, columns, k=k, person=person)


def levels_of(source: Frame | str | Path, column: str, levels: Hierarchy, *, k: int = 5) -> list[Level]:
    """Return, for each level of a hierarchy from the values up, the classes of a column and the rows in them."""
    from shoal.pipeline.hierarchy_levels import levels_of as count_levels

    table = read(source)
    if column not in table.columns:
        raise SchemaError(f"the table has no column {column!r}.", f"it has {', '.join(table.columns[:20])}.")
    cells = table.frame if levels.widths is not None or levels.periods is not None else table.as_read
    return count_levels(cells[column], levels, k=k)


@named_arguments(Reading)
def hierarchy(
    source: Frame | str | Path,
    column: str,
    *,
    k: int = 5,
    by: Literal["cover", "quantiles", "widths", "periods", "prefix"] | None = None,
    fan_out: int = 4,
    table: str | None = None,
    query: str | None = None,
    **reading: Unpack[Reading],
) -> Derived:
    """Return a hierarchy of a column, made from its own values.

    By "cover" and "quantiles", every class of the first level has at least `k` rows, and every further level has
    about `fan_out` times as many rows in a class. Classes by widths, periods and prefixes may have fewer rows.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, such a file in a store
        (s3://bucket/visits.parquet), the URI of a database (postgresql://, duckdb:///, sqlite:///), or a frame.
    column : str
        The name of the column.
    k : int, default 5
        The fewest rows in a class of the first level.
    by : {"cover", "quantiles", "widths", "periods", "prefix"}, optional
        How classes are made: of labels (cover), of numbers with about equally many rows (quantiles) or of round
        widths (widths), of dates (periods), or of codes with the same first characters (prefix). By default as the
        column's type suggests.
    fan_out : int, default 4
        How many times more rows a class has on each further level.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, instead of what is detected. An empty quote means that cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line has the names of the columns.
    sheet : str, optional
        The sheet of an .xlsx file that has several.

    Returns
    -------
    Derived
        ``print`` shows it as a tree; ``.write("file.csv")`` writes a hierarchy file. It contains values of the
        table, so it must not be published.

    Raises
    ------
    TableError
        If the source cannot be read.
    SchemaError
        If the table has no such column, or its values do not fit `by`.
    ParameterError
        If a keyword is not known or a value is out of its range.
    InfeasibleError
        If the column has no values.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> derived = shoal.hierarchy(hospital(150), "height_cm", k=20)
    >>> derived.way, len(derived.levels) > 1
    ('quantiles', True)
    """
    from shoal.pipeline.derive_hierarchy import derive

    found = read(located(source, table, query), read_options(as_policy(None, reading)))
    if column not in found.columns:
        meant = get_close_matches(column, found.columns, n=1)
        raise SchemaError(
            f"the table has no column {column!r}.",
            f"did you mean {meant[0]!r}?" if meant else f"it has {', '.join(found.columns[:20])}.",
        )
    with reporting_compilation():
        cells = found.as_read if by in ("cover", "prefix") else found.frame  # labels keep the text that was read
        return derive(cells[column], k=k, way=by, fan_out=fan_out)
