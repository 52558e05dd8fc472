"""A table inside Shoal: one polars frame, and how to hand it back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from shoal._repr import brief

Kind = Literal["polars", "polars-lazy", "pandas", "pyarrow", "csv", "parquet", "arrow"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV file is written. `quote` is empty where cells are never quoted."""

    separator: str = ","
    quote: str = '"'
    decimal: str = "."


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where a table came from: what `give_back` needs to return the same kind of thing."""

    kind: Kind
    dialect: Dialect | None = None
    """Of a CSV file."""
    schema: Mapping[str, pl.DataType] = field(default_factory=dict)
    """The polars types as read; a column that still has its type gets its native type back."""
    native: Mapping[str, Any] = field(default_factory=dict)
    """The pandas or pyarrow types, by column."""
    labels: Mapping[str, Hashable] = field(default_factory=dict)
    """The pandas column labels, which need not be text."""

    def __repr__(self) -> str:
        return brief(self, f"{self.kind}, {len(self.schema)} columns")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows about people, every column of a type that Shoal can work on.

    Column names are distinct and not empty. A missing value is null; no number is NaN or infinite. `notes` are
    sentences for the user about what reading changed: column names and counts, never a cell's value. `texts` has
    columns of a CSV file as they stand in it, row by row beside the numbers and dates that `frame` has of them; once
    roles are known, only those that are published as they are and would be written otherwise.
    """

    frame: pl.DataFrame
    origin: Origin
    notes: tuple[str, ...] = ()
    texts: pl.DataFrame = field(default_factory=pl.DataFrame)

    def __post_init__(self) -> None:
        assert not self.texts.width or self.texts.height == self.frame.height

    def __repr__(self) -> str:
        return brief(self, f"{len(self)} rows, {len(self.columns)} columns, {self.origin.kind}")

    @property
    def columns(self) -> list[str]:
        return self.frame.columns

    @property
    def as_read(self) -> pl.DataFrame:
        """The frame with the texts that were read where it has numbers or dates made of them."""
        return self.frame.with_columns(self.texts.get_columns())

    def taken(self, rows: Any) -> Table:
        """Some rows, or all in another order."""
        return replace(self, frame=self.frame[rows], texts=self.texts[rows] if self.texts.width else self.texts)

    def __len__(self) -> int:
        return self.frame.height
