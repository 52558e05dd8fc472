"""The result of looking one person up in a release."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal._repr import brief


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PersonFound:
    """What can be found by someone who knows some columns of a person. Private: it is about one person."""

    row: int
    known: tuple[str, ...]
    rows: tuple[int, ...]
    """The released rows that may be about the person."""
    people: int
    """How many people these rows are about."""
    left_out: bool
    """Whether the person is not in the release: then none of the rows is about them."""
    released: pl.DataFrame
    """These rows."""
    unknown: tuple[str, ...]
    """The published columns that were not known before."""

    def __repr__(self) -> str:
        return brief(self, f"{self.people} people fit {len(self.known)} known columns")

    def values(self, column: str) -> list[tuple[str | None, int]]:
        """Return the published values of a column among these rows, the most frequent first, with their counts.

        Parameters
        ----------
        column : str
            A published column.

        Returns
        -------
        list of tuple
            Values as text, None for missing, and how many rows have each.
        """
        counted = self.released[column].cast(pl.String, strict=False).value_counts(sort=True)
        return [(value, int(count)) for value, count in counted.sort("count", descending=True).rows()]
