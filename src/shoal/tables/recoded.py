"""What recoding changed in one column before groups were made: counts, and what it lost. It must stay private."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal._repr import brief

AT_LEAST, AT_MOST = ">=", "<="
"""What is written before a top, which stands for it and all above, and before a bottom."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recoded:
    """One recoded column; missing cells stay missing and are not counted."""

    name: str
    role: str
    at_top: int = 0
    """The number of cells that are published as the top or more."""
    at_bottom: int = 0
    rounded: int = 0
    """The number of other cells that rounding changed."""
    merged: int = 0
    """The number of cells that merging changed."""
    lost: float
    """What recoding alone lost: the mean, over all rows, of the share of the original range, or of the original
    labels, that became the same recoded value; 0 where only one did."""
    coarse: pl.Series
    """The recoded values that stand for several original ones: no cell with one of them is exact."""

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.role}: {self.lost:.1%} lost")
