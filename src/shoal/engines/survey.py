"""One pass over a table: what must be known of all rows before they are divided into blocks.

Guarantee   Surveys of any division of a table into partitions, merged in any order, are the same survey. Memory grows
            with the number of different texts in a column, not with the number of rows.

Of columns of numbers and dates the survey keeps the ends, of texts and of values that requirements are about every
different value, with the number of rows that have it and whether several people do. The sample has the records with
the smallest hashes, each with up to `copies` copies, as in `partition.blocks.sample`; of them the quasi-identifiers
only.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.engines.engine import Batches
from shoal.engines.row_hash import cell_words, row_words
from shoal.errors import SchemaError
from shoal.partition.blocks.sample import mixed
from shoal.tables.from_frame import from_arrow

MOST_VALUES = 1_000_000
"""The largest number of different texts in a column: more are no labels."""
HASH = "shoal: hash"
PICKLED = pa.schema([("pickled", pa.binary())])
"""The schema of results that are one Python object per partition."""


@dataclass(slots=True)
class ColumnSurvey:
    """What was found in one column; `values` is None if only the ends are kept."""

    dtype: pl.DataType
    n_missing: int = 0
    low: Any = None
    high: Any = None
    values: pl.DataFrame | None = None
    """Columns value, rows, person (a hash of one of the people who have it) and several (whether others do)."""

    def add(self, other: ColumnSurvey) -> None:
        """Add what was found in other rows of the same column."""
        self.n_missing += other.n_missing
        self.low = _least(self.low, other.low)
        self.high = (
            other.high if self.high is None else self.high if other.high is None else max(self.high, other.high)
        )
        if self.values is not None and other.values is not None:
            self.values = _added_up(pl.concat([self.values, other.values]))


@dataclass(slots=True)
class Survey:
    """What was found in some of the rows, or in all of them."""

    n_rows: int = 0
    columns: dict[str, ColumnSurvey] = field(default_factory=dict)
    sample: pl.DataFrame | None = None
    """The quasi-identifiers of the sampled rows, and their hash in the column HASH."""
    notes: tuple[str, ...] = ()
    digest: tuple[int, int] = (0, 0)
    """Sums of two hashes of every row, by which the same table is recognized in any order of its rows."""

    def add(self, other: Survey, size: int, copies: int) -> None:
        """Add the survey of other rows; the sample then has about `size` of all of them."""
        self.n_rows += other.n_rows
        for name, column in other.columns.items():
            if name in self.columns:
                self.columns[name].add(column)
            else:
                self.columns[name] = column
        if other.sample is not None:
            both = other.sample if self.sample is None else pl.concat([self.sample, other.sample])
            self.sample = smallest(both, size, copies) if other.sample.height else both
        self.notes = tuple(dict.fromkeys((*self.notes, *other.notes)))
        first, second = (sum(pair) % 2**64 for pair in zip(self.digest, other.digest, strict=True))
        self.digest = first, second

    @property
    def share(self) -> float:
        """About which share of all different records the sample has: that of the hashes up to its largest."""
        if self.sample is None or self.sample.height >= self.n_rows:
            return 1.0
        return int(self.sample[HASH].to_numpy().max()) / 2.0**64


@dataclass(frozen=True, slots=True)
class SurveyRows:
    """A function of one partition that returns its survey, pickled."""

    quasi: tuple[str, ...]
    listed: frozenset[str]
    """The columns of which every different value is kept, besides all texts."""
    person: str | None
    size: int
    copies: int

    def __call__(self, batches: Batches) -> Batches:
        whole = Survey()
        for batch in batches:
            if batch.num_rows:
                table = from_arrow(pa.Table.from_batches([batch]), "parquet")
                full = whole.sample is not None and whole.sample.height >= self.size
                most = whole.sample[HASH].max() if full and whole.sample is not None else None
                whole.add(self._of(table.frame, table.notes, most), self.size, self.copies)
        yield pa.record_batch([pa.array([pickle.dumps(whole)], pa.binary())], schema=PICKLED)

    def _of(self, frame: pl.DataFrame, notes: tuple[str, ...], most: Any) -> Survey:
        """Return the survey of a batch; records with a larger hash than `most` cannot be in the sample."""
        people = None if self.person is None else cell_words(frame[self.person])
        found = Survey(n_rows=frame.height, notes=notes)
        for column in frame.get_columns():
            if column.name == self.person:
                continue
            found.columns[column.name] = self._column(column, people)
        words = row_words(frame)
        found.digest = int(words.sum()), int(mixed(words).sum())  # sums of words wrap around
        known = frame.select(self.quasi)
        hashed = known.with_columns(pl.Series(HASH, row_words(known)))
        found.sample = hashed if most is None else hashed.filter(pl.col(HASH) <= most)
        return found

    def _column(self, column: pl.Series, people: Any) -> ColumnSurvey:
        found = ColumnSurvey(column.dtype, column.null_count())
        if column.name not in self.listed and (column.dtype.is_numeric() or column.dtype.is_temporal()):
            found.low, found.high = column.min(), column.max()
            return found
        rows = pl.DataFrame(
            {
                "value": column,
                "rows": pl.repeat(1, len(column), dtype=pl.Int64, eager=True),
                # without a person column rows are people: who counts values then looks at their rows
                "person": pl.repeat(0, len(column), dtype=pl.UInt64, eager=True) if people is None else people,
                "several": pl.repeat(False, len(column), dtype=pl.Boolean, eager=True),
            }
        ).drop_nulls("value")
        found.values = _added_up(rows)
        if found.values.height > MOST_VALUES:
            raise SchemaError(
                f"column {column.name!r} has more than {MOST_VALUES} different values, too many for labels.",
                "give it the role identifier, or another kind; numbers and dates should be stored as such.",
            )
        return found


def merged(table: pa.Table, size: int, copies: int) -> Survey:
    """Return the survey of all partitions."""
    whole = Survey()
    packed: list[Any] = table["pickled"].to_pylist()
    for one in packed:
        whole.add(pickle.loads(one), size, copies)
    return whole


def smallest(rows: pl.DataFrame, size: int, copies: int) -> pl.DataFrame:
    """Return the rows with the smallest hashes, up to `copies` of each record: `size`, and copies of the last one."""
    # records of one hash are sorted by their cells as well, so that the order of partitions decides nothing
    counts = rows.group_by(HASH).agg(n=pl.len().clip(upper_bound=copies)).sort(HASH)
    enough = counts.filter(pl.col("n").cum_sum() >= size)
    near = rows.filter(pl.col(HASH) <= enough[HASH][0]) if enough.height else rows
    ordered = near.sort(HASH, *(name for name in rows.columns if name != HASH), nulls_last=True)
    return ordered.filter(pl.int_range(pl.len()).over(HASH) < copies)


def _added_up(values: pl.DataFrame) -> pl.DataFrame:
    """Return every value once, with its rows added up, and whether several people have it."""
    several = pl.col("several").any() | (pl.col("person").n_unique() > 1)
    return values.group_by("value").agg(pl.col("rows").sum(), pl.col("person").min(), several=several)


def _least(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)
