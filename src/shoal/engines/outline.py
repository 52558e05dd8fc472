"""A small table that stands for a large one: every different label and both ends of every line, in no real rows.

Guarantee   A space that is built of the outline and some rows of the table has the axes, scales, trees and missing
            places that it has when it is built of the whole table. Kinds of columns are decided as for the whole
            table, from a sample of real cells. Labels that one person alone has are found exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import polars as pl

from shoal.clock import Clock
from shoal.engines.survey import ColumnSurvey, Survey
from shoal.errors import SchemaError
from shoal.partition.methods.choose import choose
from shoal.partition.result import share_of
from shoal.pipeline.inputs import resolve_roles
from shoal.pipeline.published_texts import check_texts, identifiers_error, rare_labels, rare_labels_error
from shoal.policy import Column, Policy
from shoal.roles import labeled, typed, with_numbers
from shoal.roles.inside_text import identifiers_inside
from shoal.roles.kinds import is_text
from shoal.roles.recode import with_limits
from shoal.space.build import NUMBERS
from shoal.tables.table import Origin, Table


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The outline of a table, with its resolved policy."""

    policy: Policy
    table: Table
    """As few rows as show every different label and both ends of every line, typed as the policy says."""
    schema: dict[str, pl.DataType]
    """The types of the columns as they were read."""

    def typed(self, frame: pl.DataFrame) -> Table:
        """Return rows of the large table with the types, limits and roundings of the policy."""
        known = {name: self.policy.columns[name] for name in frame.columns}
        policy = self.policy.model_copy(update={"columns": known})
        # some rows may have whole numbers only, where the table has others
        numbers = [name for name, column in known.items() if column.number is not None and column.role != "other"]
        kinds = {name: self.table.frame.schema[name] for name in numbers}
        return _typed(Table(frame, Origin("parquet", schema=self.schema)), policy, kinds)


def _typed(table: Table, policy: Policy, kinds: Mapping[str, pl.DataType] = MappingProxyType({})) -> Table:
    """Return a table with the types, limits and roundings of a resolved policy; numbers of a format as `kinds`."""
    read = labeled(with_numbers(table, policy)[0], policy)
    read = replace(read, frame=read.frame.cast(dict(kinds)))  # type: ignore[arg-type]
    return with_limits(typed(read, policy), policy)


def outline_of(survey: Survey, policy: Policy, names: Sequence[str]) -> Outline:
    """Return the outline of a surveyed table; raise an error if what would be published identifies people.

    `policy` and `names` are without identifiers, which nobody reads.
    """
    _check_texts(survey, policy)
    schema = {name: _dtype(name, survey, policy) for name in names}
    table = Table(_frame(survey, policy, schema), Origin("parquet", schema=schema))
    typed_table, resolved = resolve_roles(table, policy, Clock())
    _check_types(table, resolved)
    _check_rare(typed_table, resolved, share_of(policy.max_suppressed, survey.n_rows))
    slim = Table(_slim(table, typed_table.frame, resolved), table.origin)
    return Outline(resolved, _typed(slim, resolved), schema)


def outline_of_released(survey: Survey, outline: Outline, n_left_out: int) -> Outline:
    """Return the outline of the released rows alone, of a table that has more; the policy stays that of the table.

    Raises a SchemaError for labels that one person alone has among these rows and that would be published.
    """
    table = Table(_frame(survey, outline.policy, outline.schema), Origin("parquet", schema=outline.schema))
    typed_table = outline.typed(table.frame)
    _check_rare(typed_table, outline.policy, 0, n_left_out)
    return replace(outline, table=outline.typed(_slim(table, typed_table.frame, outline.policy)))


def _frame(survey: Survey, policy: Policy, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return rows that show what a surveyed table holds in each column, in no real combinations."""
    cells = {name: _cells(name, survey, policy) for name in schema}
    height = max(2, *(len(column) for column in cells.values()))
    return pl.DataFrame(
        [
            _people(name, height, schema[name])
            if name == policy.person
            else pl.Series(name, _padded(cells[name], height), dtype=schema[name], strict=False)
            for name in schema
        ]
    )


def _check_rare(table: Table, policy: Policy, allowed: int, n_left_out: int = 0) -> None:
    """Raise a SchemaError if labels of one person would be published, also without `allowed` rows of the table.

    The rows of an outline are no real ones; but every value of a column is in a row of its own at least.
    """
    check_texts(table, policy, planned=False)
    rare = rare_labels(table, policy, planned=False)
    if any(len(found) > allowed for found in rare.values()):
        raise rare_labels_error({name: len(found) for name, found in rare.items()}, policy, left_out=n_left_out)


def in_values(policy: Policy) -> list[str]:
    """Return the columns of which every different value must be known: labels, and all where they are hidden.

    In the form suppress a number is shown or hidden as a label is; of a sensitive column requirements count values.
    """
    hidden = choose(policy).form == "suppress"
    quasi = [name for name in policy.quasi if hidden or policy.columns[name].kind not in NUMBERS]
    return [*quasi, *(name for name in policy.sensitive if policy.has_requirement(name))]


def alone_values(survey: Survey, policy: Policy) -> dict[str, frozenset[str]]:
    """Return, per hierarchy of labels with missing values, the values that one person alone has."""
    found = {}
    for name in policy.quasi:
        column, held = policy.columns[name], survey.columns[name]
        if (
            column.kind == "hierarchy"
            and held.n_missing
            and held.values is not None
            and column.publish_rare is not True
        ):
            several = held.values["several"] if policy.person else held.values["rows"] > 1
            found[name] = frozenset(str(value) for value in held.values.filter(~several)["value"].to_list())
    return found


def _slim(table: Table, values: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the table, as it was read, with as few rows as keep every different label and both ends of every line.

    `values` has the numbers and dates that its texts stand for.
    """
    kept = {}
    listed = in_values(policy)
    for column in table.frame.get_columns():
        asked = policy.columns[column.name]
        own = column if asked.role == "other" else values[column.name]
        is_line = asked.role == "other" or column.name not in listed
        if is_line and (column.dtype.is_numeric() or column.dtype.is_temporal() or is_written(asked)):
            ends = [column[place] for place in (own.arg_min(), own.arg_max()) if place is not None]
            missing = [None] * (own.null_count() > 0)
            kept[column.name] = pl.Series(column.name, ends + missing, dtype=column.dtype)
        else:
            kept[column.name] = column.unique(maintain_order=True)
    height = max(len(column) for column in kept.values())
    return pl.DataFrame([column.extend_constant(column[0], height - len(column)) for column in kept.values()])


def is_written(column: Column) -> bool:
    """Return whether a quasi-identifier has numbers or dates as texts, in a format that the policy states."""
    return column.role == "quasi" and (column.date_format is not None or column.number is not None)


def _cells(name: str, survey: Survey, policy: Policy) -> list[Any]:
    """Return cells that show what a column holds; labels that several people have come first, and twice."""
    if name == policy.person:
        return []
    found = survey.columns[name]
    if found.values is not None:
        marked = _with_several(found, policy)
        several = marked.filter("several")["value"].sort().to_list()
        alone = marked.filter(~pl.col("several"))["value"].sort().to_list()
        # the first cell fills the column up: a value of one person comes last, or it would seem to be one of several
        return [*several, *several, *([None, None] if found.n_missing else []), *alone]
    sampled = survey.sample[name].to_list() if survey.sample is not None and name in survey.sample.columns else []
    ends = [] if found.low is None else [found.low, found.high]
    cells = [*ends, *(cell for cell in sampled if cell is not None)]
    return [*cells, None, None] if found.n_missing else cells


def _with_several(found: ColumnSurvey, policy: Policy) -> pl.DataFrame:
    """Return the values of a column and whether several people have each; without a person column, several rows."""
    assert found.values is not None
    if policy.person is not None:
        return found.values
    return found.values.with_columns(several=pl.col("rows") > 1)


def _padded(cells: list[Any], height: int) -> list[Any]:
    """Return the cells and, up to the height, the first one again."""
    first = cells[0] if cells else None
    return [*cells, *[first] * (height - len(cells))]


def _people(name: str, height: int, dtype: pl.DataType) -> pl.Series:
    """Return as many different people as there are rows."""
    numbers = pl.Series(name, range(height))
    return numbers.cast(pl.String) if is_text(dtype) or not dtype.is_numeric() else numbers.cast(dtype)


def _dtype(name: str, survey: Survey, policy: Policy) -> pl.DataType:
    return pl.String() if name == policy.person else survey.columns[name].dtype


def _check_types(table: Table, policy: Policy) -> None:
    """Raise a SchemaError for numbers or dates that are stored as text, unless the policy says in which format."""
    for name in policy.quasi:
        dtype = table.frame[name].dtype
        if is_written(policy.columns[name]):
            continue
        if policy.columns[name].kind in NUMBERS and not (dtype.is_numeric() or dtype.is_temporal()):
            raise SchemaError(
                f"column {name!r} holds numbers or dates as text.",
                "say in the policy how they are written (number or format), or store them as numbers or dates.",
            )


def _check_texts(survey: Survey, policy: Policy) -> None:
    """Raise a SchemaError for identifiers inside texts that would be published, with the number of cells."""
    quasi = {name: policy.columns[name] for name in policy.named("quasi")}
    asked = [name for name, one in quasi.items() if one.kind in (None, "label") and not is_written(one)]
    for name in [*asked, *policy.named("sensitive", "other")]:
        values = survey.columns[name].values
        if values is None or policy.columns[name].publish_rare is True or not is_text(values["value"].dtype):
            continue
        if found := identifiers_inside(values["value"].cast(pl.String), values["rows"]):
            raise identifiers_error(name, found[0], survey.n_rows)
