"""Reading the items of set-valued cells: `E11; I10;E11` has the items E11 and I10.

The order of the items in a cell, blanks around them, and items that are repeated or empty carry no meaning and are
not kept. A missing cell has no items, as an empty one has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The items of every cell: record r has ``codes[start[r]:start[r + 1]]``, increasing, with `names` as texts."""

    names: tuple[str, ...]
    """All different items, sorted."""
    start: Ints
    codes: Ints

    def __repr__(self) -> str:
        return brief(self, f"{len(self)} records, {len(self.names)} items")

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def sizes(self) -> Ints:
        """The number of items of every record."""
        return np.diff(self.start)

    def taken(self, rows: Ints) -> Items:
        """Return the items of the given records only, in the given order; the names stay those of all."""
        sizes = self.sizes[rows]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.arange(start[-1]) - np.repeat(start[:-1] - self.start[:-1][rows], sizes)
        return Items(self.names, start, self.codes[places])


def read_items(cells: pl.Series, separator: str) -> Items:
    """Return the different items of every cell, without the blanks around them."""
    rows = pl.DataFrame({"row": np.arange(len(cells)), "item": cells.cast(pl.String).str.split(separator)})
    found = (
        rows.explode("item")
        .with_columns(pl.col("item").str.strip_chars())
        .filter(pl.col("item").is_not_null() & (pl.col("item") != ""))
        .unique()
    )
    names = found["item"].unique().sort()
    codes = pl.DataFrame({"item": names, "code": np.arange(len(names))}, schema_overrides={"item": pl.String})
    found = found.join(codes, on="item").sort("row", "code")
    start = np.searchsorted(found["row"].to_numpy(), np.arange(len(cells) + 1)).astype(np.int64)
    return Items(tuple(names.to_list()), start, found["code"].to_numpy().astype(np.int64))
