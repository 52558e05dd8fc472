"""Recoding a column of labels: every label belongs to one class, and only classes are published."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.tables.text import text_of

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """Labels of a column assigned to classes: `class_of[i]` is the class of `labels[i]` (None is missing).

    Classes are numbered by their first label. `people[c]` is the number of people with a label of class c, which is
    at least `least`. In any assignment to classes of at least `least` people, the largest class has at least
    `lower_bound`.
    """

    column: str
    labels: tuple[str | None, ...]
    class_of: Ints
    people: Ints
    least: int
    lower_bound: float
    ratio_proved: Fraction | None
    theorem: str | None

    def __repr__(self) -> str:
        return brief(self, f"of {self.column!r}: {len(self.labels)} labels in {len(self.people)} classes")

    def classes(self, values: pl.Series) -> pl.Series:
        """Return the class number of each cell."""
        known = pl.DataFrame({"v": pl.Series(self.labels, dtype=pl.String), "class": self.class_of})
        cells = pl.DataFrame({"v": text_of(values)})
        found = cells.join(known, on="v", how="left", nulls_equal=True, maintain_order="left")["class"]
        return found.alias(values.name)
