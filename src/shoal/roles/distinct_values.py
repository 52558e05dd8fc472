"""The different values of a column, found once and shared by everything that looks at them.

Guarantee   Two rows have equal codes if and only if their values are equal; missing is a value of its own.
Complexity  One pass over the cells (hashing); the different values are sorted only if `ordered` is used.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

SORTED = 100_000
"""Of more different values than this, a sample is drawn by hashing before they are sorted."""


class Codes(NamedTuple):
    """A column as integers below `n_codes`; two rows have equal codes if and only if their values are equal."""

    codes: npt.NDArray[Any]
    n_codes: int


class DistinctValues:
    """The codes of a column, its different values, and the number of cells with each.

    `values` has the different values, missing not included, in the order of their codes. `missing` is 1 if some cell
    is missing, and 0 otherwise; missing cells have the code 0.
    """

    def __init__(self, column: pl.Series) -> None:
        self.missing = int(column.null_count() > 0)
        hashed = column.dtype == pl.String or column.dtype.is_numeric() or column.dtype.is_temporal()
        places, self.values = _by_hashing(column) if hashed else _by_ranking(column)
        self._in_order = not hashed
        n_codes = len(self.values) + self.missing
        codes = (places + 1).fill_null(0) if self.missing else places
        self.codes = Codes(codes.to_numpy().astype(np.min_scalar_type(max(n_codes - 1, 0))), n_codes)

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """The number of cells of every code, missing included."""
        return np.bincount(self.codes.codes, minlength=self.codes.n_codes)

    def some(self, n: int) -> pl.Series:
        """Return at most `n` of the different values in their own order, whatever the order of the rows."""
        return self.values.gather_every(len(self.values) // n + 1) if self._in_order else some_of(self.values, n)

    def expanded(self, made: pl.Series) -> pl.Series:
        """Return the column with every value replaced by its entry in `made`; missing cells stay missing.

        `made` has one entry for each of the different `values`, in their order.
        """
        by_code = pl.concat([pl.Series([None], dtype=made.dtype), made.rename("")]) if self.missing else made
        return by_code.gather(pl.Series(self.codes.codes))


def some_of(different: pl.Series, n: int) -> pl.Series:
    """Return at most `n` of the different values, in order; the choice does not depend on the order of the rows.

    They are spread evenly over the sorted values. Of very many values a share is drawn by a hash of the value first,
    so that only these are sorted.
    """
    if len(different) > SORTED:
        different = different.filter(different.hash() % (len(different) // (SORTED // 4)) == 0)
    return different.sort().gather_every(len(different) // n + 1)


def encode(values: pl.Series) -> Codes:
    """Return the codes of a column; if any cell is missing, missing cells have the code 0."""
    return DistinctValues(values).codes


def _by_hashing(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return the index of each cell among the different values, and these values in the order of first occurrence."""
    cells = column.set(column == 0, 0.0) if column.dtype.is_float() else column  # -0.0 equals 0.0
    hashed: Any = cells.to_arrow().dictionary_encode()
    different = pl.Series(column.name, pl.from_arrow(hashed.dictionary), dtype=column.dtype)
    return pl.Series(pl.from_arrow(hashed.indices)), different


def _by_ranking(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return the index of each cell among the different values, and these values sorted."""
    ranks = column.rank("dense") - 1
    different = pl.DataFrame({"value": column, "rank": ranks}).drop_nulls().unique("rank").sort("rank")["value"]
    return ranks, different.alias(column.name)
