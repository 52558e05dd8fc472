"""Counting cells of a released table for its codebook: in a frame, or in what is kept of a table read in parts."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.certify.reduced import Reduced


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """How often cells occur. Of a table read in parts, `frame` has every different cell and `reduced` the counts."""

    frame: pl.DataFrame
    reduced: Reduced | None = None

    @property
    def height(self) -> int:
        return self.frame.height if self.reduced is None else self.reduced.height

    def counts(self, name: str) -> list[tuple[str | None, int]]:
        """Return every different cell of a column, and how often it occurs."""
        if self.reduced is not None:
            return self.reduced.times[name].rows()
        # without the alias, a column called count would clash
        return self.frame[name].cast(pl.String).alias("cell").value_counts().rows()

    def empty(self, name: str) -> int:
        """Return the number of missing cells of a column."""
        return sum(times for cell, times in self.counts(name) if cell is None)

    def counts_where(self, name: str, chosen: pl.Series) -> list[tuple[str | None, int]]:
        """Return every different cell of a quasi-identifier in the rows that are chosen, and how often it occurs."""
        cells = self.frame[name].cast(pl.String).alias("cell")
        if self.reduced is None:
            return cells.filter(chosen).value_counts().rows()
        kept = self.reduced.records  # the rows after the classes only fill the table up
        rows = pl.DataFrame({"cell": cells.head(len(kept)), "times": kept}).filter(chosen.head(len(kept)))
        return rows.group_by("cell").agg(pl.col("times").sum()).rows()
