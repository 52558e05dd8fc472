"""The table type that all steps use: one polars frame, and where it came from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeVar

import polars as pl

from shoal._repr import brief
from shoal.tables.database.source import DatabaseSource
from shoal.tables.recoded import Recoded

Kind = Literal[
    "polars", "polars-lazy", "pandas", "pyarrow", "csv", "parquet", "arrow", "xlsx", "spss", "stata", "sas", "r",
    "postgresql", "duckdb", "sqlite",
]  # fmt: skip


class Frame(Protocol):
    """A frame of polars (lazy or not), pandas or pyarrow, for a type checker.

    A protocol and not a union of classes: pandas need not be installed, and pyarrow has no types of its own, so a
    union would be taken for anything at all.
    """

    @property
    def columns(self) -> Any: ...


FrameT = TypeVar("FrameT", bound=Frame)
"""The kind of frame that came in, which is the kind that is given back."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV file is written. `quote` is empty if cells are never quoted."""

    separator: str = ","
    quote: str = '"'
    decimal: str = "."
    encoding: str = "utf-8"
    """By the name that Python has for it; "utf-16" with the mark that says the order of its bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where a table came from, so that `give_back` can return a table of the same kind."""

    kind: Kind
    dialect: Dialect | None = None
    """How the file was written, if the table came from a CSV file."""
    schema: Mapping[str, pl.DataType] = field(default_factory=dict)
    """The polars types as read; a column that still has its type is given back in its native type."""
    native: Mapping[str, Any] = field(default_factory=dict)
    """The types of pandas, pyarrow or a database, by column."""
    lists: tuple[str, ...] = ()
    """The columns that were lists, and have become texts with `;` between the items."""
    labels: Mapping[str, Hashable] = field(default_factory=dict)
    """The pandas column labels, which need not be text."""
    database: DatabaseSource | None = None
    """The database that the table came from, where it was one; its URI may hold a password."""

    def __repr__(self) -> str:
        return brief(self, f"{self.kind}, {len(self.schema)} columns")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of records, in which every column has a type that Shoal supports.

    Column names are distinct and not empty. A missing value is null; no number is NaN or infinite. `notes` are
    sentences for the user about what reading changed: they contain column names and counts, never a cell's value.
    `texts` has the original text of columns of a CSV file that `frame` has as numbers or dates, row by row; once the
    roles are known, only of those columns that are published unchanged and whose numbers or dates would be written
    differently. `recoded` says what recoding changed before groups were made.
    """

    frame: pl.DataFrame
    origin: Origin
    notes: tuple[str, ...] = ()
    texts: pl.DataFrame = field(default_factory=pl.DataFrame)
    recoded: tuple[Recoded, ...] = ()

    def __post_init__(self) -> None:
        assert not self.texts.width or self.texts.height == self.frame.height

    def __repr__(self) -> str:
        return brief(self, f"{len(self)} rows, {len(self.columns)} columns, {self.origin.kind}")

    @property
    def columns(self) -> list[str]:
        return self.frame.columns

    @property
    def as_read(self) -> pl.DataFrame:
        """The frame, with the original text in place of the numbers and dates that were read from it."""
        return self.frame.with_columns(self.texts.get_columns())

    def taken(self, rows: Any) -> Table:
        """Return the table with the given rows only, in the given order."""
        return replace(self, frame=self.frame[rows], texts=self.texts[rows] if self.texts.width else self.texts)

    def __len__(self) -> int:
        return self.frame.height
