"""A released table counted while it is read: its equivalence classes, and every different cell with its frequency.

Guarantee   `reduce` keeps all that the verifier counts: the classes with their records, people and sensitive values,
            and for every column each different cell and how often it occurs. Memory grows with the number of classes,
            of different cells in a column, and of pairs of a class and a sensitive value (with a person column: of
            people), and not with the number of rows.

`Reduced.frame` is a small table for checks that look at cells and do not count them: its first rows are the classes,
each once, and every different cell of every other column is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.equivalence_classes import Classes, with_people
from shoal.certify.findings import MORE_IS_WORSE, Findings
from shoal.certify.in_threads import in_threads
from shoal.certify.released_columns import Columns, sort_columns
from shoal.errors import SchemaError
from shoal.policy import Policy

Ints = npt.NDArray[np.int64]
EXACT = frozenset(
    {"k-anonymity", "l-diversity", *MORE_IS_WORSE, "person", "certificate", "folder", "signature", "preset"}
)
"""The checks whose failures are counted alike on a table that is read in parts; others are counted on the whole."""
_MANY = 1 << 22
"""Counted keys that wait before they are added up; 4 Mi of them take 64 MiB."""


@dataclass(slots=True)
class _Cells:
    """The different cells of a column, numbered in the order in which they were met; null is a cell."""

    texts: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema={"text": pl.String, "code": pl.UInt32}))
    times: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def codes(self, cells: pl.Series) -> Ints:
        """Return the number of every cell, and count it."""
        numbers = self._numbers(cells)
        counts = np.bincount(numbers, minlength=self.texts.height)
        counts[: len(self.times)] += self.times
        self.times = counts
        return numbers

    def join(self, other: _Cells) -> Ints:
        """Count the cells of another part too, and return the number that each of its different cells has here."""
        numbers = self._numbers(other.texts["text"])
        counts = np.zeros(self.texts.height, dtype=np.int64)
        counts[: len(self.times)] = self.times
        counts[numbers] += other.times  # its cells are different, so no number is there twice
        self.times = counts
        return numbers

    def _numbers(self, cells: pl.Series) -> Ints:
        """Return the number of every cell; those that were not met before get new ones."""
        found = cells.alias("text").to_frame()
        new = found.unique(maintain_order=True).join(self.texts, on="text", how="anti", nulls_equal=True)
        if new.height:
            first = self.texts.height
            numbered = pl.DataFrame(
                {
                    "text": _alone(new["text"]),
                    "code": pl.int_range(first, first + new.height, dtype=pl.UInt32, eager=True),
                }
            )
            self.texts = self.texts.vstack(numbered)
        codes = found.join(self.texts, on="text", how="left", nulls_equal=True, maintain_order="left")["code"]
        numbers: Ints = codes.to_numpy().astype(np.int64)
        return numbers


def _alone(texts: pl.Series) -> pl.Series:
    """Return the same texts in memory of their own: some rows of a table would keep all its texts in memory."""
    arrow = texts.to_arrow(compat_level=pl.CompatLevel.oldest())
    alone = pl.from_arrow(arrow)
    assert isinstance(alone, pl.Series)
    return alone


@dataclass(slots=True)
class _Counter:
    """How often each row of whole numbers occurs."""

    width: int
    counted: pl.DataFrame | None = None
    waiting: list[pl.DataFrame] = field(default_factory=list)
    n_waiting: int = 0

    def add(self, *keys: Ints) -> None:
        # every key is the number of a class or of a different cell: fewer than 2 ** 32 of them fit into memory
        part = pl.DataFrame({f"k{place}": key.astype(np.uint32) for place, key in enumerate(keys)})
        self.waiting.append(part.group_by(part.columns).agg(times=pl.len().cast(pl.Int64)))
        self.n_waiting += self.waiting[-1].height
        if self.n_waiting > _MANY:
            self._add_up()

    def join(self, other: _Counter, *numbers: Ints) -> None:
        """Add what another part has counted; `numbers` has for each column the number here of each of its keys."""
        counted = other.total()
        keys = {f"k{place}": own[counted[f"k{place}"]].astype(np.uint32) for place, own in enumerate(numbers)}
        self.waiting.append(pl.DataFrame({**keys, "times": counted["times"]}))
        self.n_waiting += self.waiting[-1].height
        if self.n_waiting > _MANY:
            self._add_up()

    def total(self) -> pl.DataFrame:
        """Return every different row, k0, k1, ..., and its number of times."""
        self._add_up()
        names = [f"k{place}" for place in range(self.width)]
        if self.counted is None:
            return pl.DataFrame(schema=dict.fromkeys([*names, "times"], pl.Int64))
        return self.counted.with_columns(pl.col(names).cast(pl.Int64))

    def _add_up(self) -> None:
        """Add what waits to what was counted."""
        parts = [*([self.counted] if self.counted is not None else []), *self.waiting]
        if parts:
            names = [f"k{place}" for place in range(self.width)]
            self.counted = (
                parts[0] if len(parts) == 1 else pl.concat(parts).group_by(names).agg(pl.col("times").sum())
            )
        self.waiting, self.n_waiting = [], 0


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """What was counted of a released table, and a small table with all its different cells."""

    names: list[str]
    height: int
    columns: Columns
    classes: Classes
    frame: pl.DataFrame
    times: dict[str, pl.DataFrame]
    """For each column its different cells, `cell`, and how often each occurs, `times`."""
    records: Ints
    """The number of rows of each class, in the order of the first rows of `frame`."""
    findings: Findings | None = None
    """What was measured, for a table that was counted on a cluster: its classes are not here."""


@dataclass(slots=True)
class _Part:
    """What has been counted of some rows of a table."""

    names: list[str]
    policy: Policy
    form: str
    columns: Columns
    cells: dict[str, _Cells]
    pairs: dict[str, _Counter]
    people: _Counter
    ids: pl.DataFrame
    """The classes by the numbers of their cells, in the order in which they were met."""
    records: Ints
    height: int = 0

    @classmethod
    def begin(cls, names: list[str], policy: Policy, form: str) -> _Part:
        """Return the count of a table without rows."""
        columns = sort_columns(names, policy, form, 0)
        return cls(
            names=names,
            policy=policy,
            form=form,
            columns=columns,
            cells={name: _Cells() for name in names},
            pairs={name: _Counter(2 if columns.person is None else 3) for name in columns.sensitive},
            people=_Counter(2),
            ids=pl.DataFrame(
                schema={**{f"q{place}": pl.UInt32 for place in range(len(columns.quasi))}, "class": pl.Int64}
            ),
            records=np.zeros(0, dtype=np.int64),
        )

    def add(self, batch: pl.DataFrame) -> None:
        """Count some rows."""
        columns = self.columns
        self.height += batch.height
        coded = {name: self.cells[name].codes(batch[name]) for name in self.names}
        self.ids, own = _classes(self.ids, [coded[name] for name in columns.quasi], batch.height)
        grown = np.bincount(own, minlength=self.ids.height)
        grown[: len(self.records)] += self.records
        self.records = grown
        who = [] if columns.person is None else [coded[columns.person]]
        if who:
            self.people.add(own, *who)
        for name in columns.sensitive:
            self.pairs[name].add(own, *who, coded[name])

    def join(self, other: _Part) -> None:
        """Count the rows that another part has counted, as if they had come after those that were counted here."""
        if other.names != self.names:
            raise SchemaError("the files of the table do not have the same columns.")
        columns = self.columns
        self.height += other.height
        cells = {name: self.cells[name].join(other.cells[name]) for name in self.names}
        codes = [cells[name][other.ids[f"q{place}"].to_numpy()] for place, name in enumerate(columns.quasi)]
        self.ids, own = _classes(self.ids, codes, other.ids.height)
        grown = np.zeros(self.ids.height, dtype=np.int64)
        grown[: len(self.records)] = self.records
        grown[own] += other.records
        self.records = grown
        who = [] if columns.person is None else [cells[columns.person]]
        if who:
            self.people.join(other.people, own, *who)
        for name in columns.sensitive:
            self.pairs[name].join(other.pairs[name], own, *who, cells[name])

    def reduced(self) -> Reduced:
        """Return what was counted."""
        columns = sort_columns(self.names, self.policy, self.form, self.height)
        texts = {name: self.cells[name].texts["text"] for name in self.names}
        counted = {name: pl.DataFrame({"cell": texts[name], "times": self.cells[name].times}) for name in self.names}
        pairs = {name: counter.total() for name, counter in self.pairs.items()}
        classes = _as_classes(columns, self.records, self.people.total(), pairs, texts)
        small = _small(self.names, columns, self.ids, texts)
        return Reduced(self.names, self.height, columns, classes, small, counted, self.records)


def reduce(batches: Iterable[pl.DataFrame], policy: Policy, form: str) -> Reduced:
    """Return what the verifier counts of a released table with one row per record, read some rows at a time."""
    return _counted(batches, policy, form).reduced()


def reduce_files(files: Sequence[Callable[[], Iterable[pl.DataFrame]]], policy: Policy, form: str) -> Reduced:
    """Return what `reduce` returns of the rows of several files, one after the other, on all cores.

    The files are counted at the same time and joined in their order, so nothing depends on which is done first. A
    SchemaError is raised if they do not have the same columns in the same order.
    """
    whole: _Part | None = None
    for part in in_threads(lambda file: _counted(file(), policy, form), files):
        if whole is None:
            whole = part
        else:
            whole.join(part)
    assert whole is not None
    return whole.reduced()


def _counted(batches: Iterable[pl.DataFrame], policy: Policy, form: str) -> _Part:
    """Return the count of some rows; at least one batch is there, which may have none."""
    part: _Part | None = None
    for batch in batches:
        if part is None:
            part = _Part.begin(batch.columns, policy, form)
        part.add(batch)
    assert part is not None
    return part


def _classes(ids: pl.DataFrame, codes: list[Ints], height: int) -> tuple[pl.DataFrame, Ints]:
    """Return the classes met so far, the new ones among them, and the class of every row."""
    if not codes:
        return pl.DataFrame({"class": [0]}, schema={"class": pl.Int64}), np.zeros(height, dtype=np.int64)
    rows = pl.DataFrame({f"q{place}": pl.Series(one, dtype=pl.UInt32) for place, one in enumerate(codes)})
    keys = rows.columns
    new = rows.unique(maintain_order=True).join(ids, on=keys, how="anti")
    if new.height:
        ids = ids.vstack(new.with_columns(pl.Series("class", np.arange(ids.height, ids.height + new.height))))
    found: Ints = rows.join(ids, on=keys, how="left", maintain_order="left")["class"].to_numpy()
    return ids, found


def _as_classes(
    columns: Columns, records: Ints, people: pl.DataFrame, pairs: dict[str, pl.DataFrame], texts: dict[str, pl.Series]
) -> Classes:
    """Return the counts as equivalence classes."""
    by_class = pl.DataFrame({"class": np.arange(len(records)), "records": records})
    if columns.person is None:
        held = {
            name: pl.DataFrame({"class": pair["k0"], "text": texts[name].gather(pair["k1"]), "held": pair["times"]})
            for name, pair in pairs.items()
        }
        return Classes(by_class.with_columns(people="records"), held)
    who = pl.DataFrame({"class": people["k0"], "person": texts[columns.person].gather(people["k1"])})
    held = {
        name: pl.DataFrame(
            {
                "class": pair["k0"],
                "person": texts[columns.person].gather(pair["k1"]),
                "text": texts[name].gather(pair["k2"]),
            }
        )
        for name, pair in pairs.items()
    }
    counted = who.group_by("class").agg(people=pl.len().cast(pl.Int64))
    return with_people(Classes(by_class.join(counted, on="class"), held), who, columns)


def _small(names: list[str], columns: Columns, ids: pl.DataFrame, texts: dict[str, pl.Series]) -> pl.DataFrame:
    """Return a table with every class once, and every different cell of all other columns; its rows mean nothing."""
    found = {}
    for name in names:
        if name in columns.quasi:
            found[name] = texts[name].gather(ids[f"q{columns.quasi.index(name)}"])
        else:
            found[name] = texts[name]
    longest = max((len(column) for column in found.values()), default=0)
    return pl.DataFrame(
        {
            name: column
            if len(column) == longest
            else column.append(column.head(1).new_from_index(0, longest - len(column)))
            for name, column in found.items()
        }
    )
