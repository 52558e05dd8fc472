"""Statistics of every group in one column: the range of its numbers, the set of its labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.tables.text import text_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Per group: the smallest and largest value in the column's own type, the number of missing cells and of all
    cells.
    """

    low: pl.Series
    high: pl.Series
    missing: Ints
    cells: Ints

    @property
    def empty(self) -> Bools:
        """Whether every cell of the group is missing."""
        return np.equal(self.missing, self.cells)

    @property
    def mixed(self) -> Bools:
        """Whether some cells of the group are missing and some are not."""
        return (self.missing > 0) & ~self.empty


def ranges(values: pl.Series, labels: Ints) -> Ranges:
    """Return the range of `values` in every group; `labels` are 0 .. g-1, none negative."""
    facts = (
        pl.DataFrame({"g": labels, "v": values})
        .group_by("g")
        .agg(low=pl.col("v").min(), high=pl.col("v").max(), missing=pl.col("v").null_count(), cells=pl.len())
        .sort("g")
    )
    return Ranges(
        facts["low"],
        facts["high"],
        facts["missing"].to_numpy().astype(np.int64),
        facts["cells"].to_numpy().astype(np.int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Per group: the codes that occur and how often, as rows of a sparse table; `domain[code]` is the label."""

    domain: tuple[str | None, ...]
    start: Ints
    codes: Ints
    counts: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.start)

    def modes(self) -> Ints:
        """Return the most frequent code of every group; ties go to the smaller code."""
        group = np.repeat(np.arange(len(self.start) - 1), self.sizes)
        order = np.lexsort((self.codes, -self.counts, group))
        return self.codes[order][self.start[:-1]]

    def different(self) -> tuple[Ints, list[Ints]]:
        """Return the index of each group's set, and the codes of every different set; many groups share few sets."""
        alone = self.sizes == 1
        which = np.empty(len(alone), dtype=np.int64)
        only, which[alone] = np.unique(self.codes[self.start[:-1][alone]], return_inverse=True)
        found, place = list(only[:, None]), dict[bytes, int]()
        for group in np.flatnonzero(~alone).tolist():
            codes = self.codes[self.start[group] : self.start[group + 1]]
            which[group] = place.setdefault(codes.tobytes(), len(found))
            if which[group] == len(found):
                found.append(codes)
        return which, found


def codes_of(values: pl.Series, order: tuple[str, ...] | None = None) -> tuple[tuple[str | None, ...], Ints]:
    """Return the labels and the code of every cell: sorted, or in `order`; a missing value has the last code."""
    text = text_of(values)
    # sorted in the column's own type: 9 comes before 10, and an Enum keeps its order
    present = text_of(values.drop_nulls().unique().sort()).to_list()
    domain: list[str | None] = list(order) if order is not None else list(present)
    lookup = pl.DataFrame(
        {"v": domain, "code": np.arange(len(domain), dtype=np.int64)}, schema_overrides={"v": pl.String}
    )
    codes = pl.DataFrame({"v": text}).join(lookup, on="v", how="left", maintain_order="left")["code"]
    if text.null_count():
        domain.append(None)
        codes = codes.fill_null(len(domain) - 1)
    return tuple(domain), codes.to_numpy().astype(np.int64)


def sets(domain: tuple[str | None, ...], codes: Ints, labels: Ints, n_groups: int) -> Sets:
    """Return the set of codes of every group."""
    pairs, counts = np.unique(labels * len(domain) + codes, return_counts=True)
    group, member = np.divmod(pairs, len(domain))
    start = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=n_groups), out=start[1:])
    return Sets(domain, start, member, counts.astype(np.int64))


def days(values: pl.Series) -> Floats:
    """Return numbers as they are and dates as days since 1970; missing is NaN."""
    if values.dtype == pl.Date:
        return values.to_physical().cast(pl.Float64).to_numpy()
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.epoch("us").cast(pl.Float64).to_numpy() / 86_400e6
    return values.cast(pl.Float64).to_numpy()
