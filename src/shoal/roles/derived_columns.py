"""Finding columns that are published unchanged and follow from others: a length of stay from two dates, for example.

Whoever knows the other columns knows such a value; and if the others are generalized, it reveals what was hidden.

Guarantee   A remark names columns only, never a value. Relations of numbers and dates are reported if they hold in at
            least 95% of the rows, those of labels if they hold in all rows; rows with missing cells do not count.
Complexity  Relations are searched in at most `SAMPLE` rows, spread evenly, and those found are confirmed on all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.roles.distinct_values import encode

SAMPLE = 2_000  # the number of rows in which relations are searched
FEWEST = 20  # in fewer rows, a relation may hold by chance, and none is reported
VARYING = 10  # at least this many rows must have another value than the most frequent one
HOLDS = 0.95  # a relation of numbers must hold in this share of rows; a few cells may be wrong
QUICK, QUICKLY = 64, 0.6  # the number of rows checked first, and the share of them in which a relation must hold
MOST = 40  # differences and sums are tried for at most this many columns of numbers and dates

Floats = npt.NDArray[np.float64]


def derived(
    frame: pl.DataFrame,
    raw: Sequence[str],
    known: Sequence[str],
    read: Mapping[str, Callable[[pl.Series], pl.Series]] | None = None,
) -> dict[str, str]:
    """Return, for each column in `raw` that is related to columns in `known`, a clause that states the relation.

    `raw` are the columns that are published unchanged, `known` the quasi-identifiers. Either may follow from the
    other. `read` converts the cells of some columns, such as texts to dates; all rows of a column are converted only
    if a relation holds in the sample.
    """
    names = [*raw, *known]
    if frame.height < FEWEST:
        return {}
    step = -(-frame.height // SAMPLE)
    some = _Columns(frame.select(names).gather_every(step), read or {})
    whole = some if step == 1 else _Columns(frame, read or {})
    found = {}
    for name in raw:
        for clause, holds in _relations(name, raw, known, some):
            if holds(some) and (whole is some or holds(whole)):
                found[name] = clause
                break
    return found


class _Columns:
    """The columns of a frame as integer codes, and as floats if they are numbers or dates; each is computed once."""

    def __init__(self, frame: pl.DataFrame, read: Mapping[str, Callable[[pl.Series], pl.Series]]) -> None:
        self.frame, self.read = frame, read
        self._values: dict[str, pl.Series] = {}
        self._numbers: dict[str, Floats] = {}
        self._codes: dict[str, npt.NDArray[np.int64]] = {}

    def values(self, name: str) -> pl.Series:
        """Return the cells, converted if the column has to be."""
        if name not in self._values:
            values = self.frame[name]
            self._values[name] = self.read[name](values) if name in self.read else values
        return self._values[name]

    def numbers(self, name: str) -> Floats:
        """Return numbers, or days for dates; NaN where missing."""
        if name not in self._numbers:
            values = self.values(name)
            if isinstance(values.dtype, pl.Datetime):
                values = values.cast(pl.Datetime("us")).to_physical() / 86_400e6
            self._numbers[name] = values.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return self._numbers[name]

    def codes(self, name: str) -> npt.NDArray[np.int64]:
        """Return a code per value; -1 where missing."""
        if name not in self._codes:
            values = self.values(name)
            codes = encode(values).codes.astype(np.int64)
            self._codes[name] = np.where(values.is_null().to_numpy(), -1, codes)
        return self._codes[name]

    def are_numbers(self, name: str) -> bool:
        dtype = self.values(name).dtype
        return dtype.is_numeric() or dtype in (pl.Date, pl.Datetime)


Relation = tuple[str, Callable[[_Columns], bool]]


def _relations(name: str, raw: Sequence[str], known: Sequence[str], some: _Columns) -> Iterator[Relation]:
    """Yield every relation to try for a column, as a clause and a test; the most specific relations come first."""
    if some.are_numbers(name):
        numbers = [one for one in (*known, *raw) if one != name and some.are_numbers(one)][:MOST]
        for other in (one for one in numbers if one in known):
            yield f"is {other} and a fixed number", _by_numbers(_is_offset, name, other)
            yield f"is a multiple of {other}", _by_numbers(_is_multiple, name, other)
        for first, second in permutations(numbers, 2):
            if first in known or second in known:
                yield f"is {first} minus {second}", _by_numbers(_is_difference, name, first, second)
        for first, second in combinations(numbers, 2):
            if first in known or second in known:
                yield f"is {first} plus {second}", _by_numbers(_is_sum, name, first, second)
    for other in known:
        yield f"is another name of {other}", _by_codes(_is_recode, name, other)
        yield f"follows from {other}", _by_codes(_follows, name, other)
        yield f"tells {other}: {other} can be read off {name}", _by_codes(_follows, other, name)


def _by_numbers(holds: Callable[..., bool], *names: str) -> Callable[[_Columns], bool]:
    return lambda columns: holds(*(columns.numbers(name) for name in names))


def _by_codes(holds: Callable[..., bool], *names: str) -> Callable[[_Columns], bool]:
    return lambda columns: holds(*(columns.codes(name) for name in names))


def _is_recode(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64]) -> bool:
    return _follows(x, y) and _follows(y, x)


def _is_difference(x: Floats, y: Floats, z: Floats) -> bool:
    return _is_sum(x, y, -z)


def _is_offset(x: Floats, y: Floats) -> bool:
    return _same(x, y) or _same(x, -y)


def _is_multiple(x: Floats, y: Floats) -> bool:
    there = np.isfinite(x) & np.isfinite(y) & (y != 0)
    if np.count_nonzero(there) < FEWEST:
        return False
    return _same(x, y * float(np.median(x[there] / y[there])))


def _is_sum(x: Floats, y: Floats, z: Floats) -> bool:
    """Return whether x is y + z plus a constant, and neither y nor z is nearly constant."""
    return _same(x, y + z) and _varies(y) and _varies(z)


def _varies(values: Floats) -> bool:
    present = values[np.isfinite(values)]
    if len(present) < FEWEST:
        return False
    _, counts = np.unique(present, return_counts=True)
    return int(counts.max()) <= 0.9 * len(present)


def _same(x: Floats, y: Floats) -> bool:
    """Return whether x and y differ by a constant in nearly all rows, and also in nearly all rows with rarer values.

    Rarer values are those of x other than the most frequent one. If x is whole and y is not, as with the number of
    days between two times, a difference of up to one is allowed for rounding.
    """
    if _clearly_differ(x, y):
        return False
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    if len(x) < FEWEST:
        return False
    rounded = bool((x % 1 == 0).all()) and not bool((y % 1 == 0).all())
    gap = x - y
    near = np.abs(gap - np.median(gap)) <= (1.0 if rounded else 1e-9 * max(1.0, float(np.abs(y).max())))
    values, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    rare = place.reshape(-1) != int(counts.argmax())
    if len(values) < 3 or np.count_nonzero(rare) < VARYING:
        return False
    if rounded and float(np.ptp(x)) < 10:
        return False  # so few whole numbers are within one of nearly any column by chance
    return bool(near.mean() >= HOLDS and near[rare].mean() >= HOLDS)


def _clearly_differ(x: Floats, y: Floats) -> bool:
    """Return whether the first rows already show that x and y do not differ by a constant; most pairs end here."""
    gap = x[:QUICK] - y[:QUICK]
    gap = gap[np.isfinite(gap)]
    return len(gap) >= FEWEST and float(np.mean(np.abs(gap - np.median(gap)) <= 1.0)) < QUICKLY


def _follows(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64]) -> bool:
    """Return whether rows with the same value of y always have the same value of x, although x varies.

    Only rows whose value of y occurs more than once are compared; they must be at least half of all rows.
    """
    there = (x >= 0) & (y >= 0)
    x, y = x[there], y[there]
    if len(x) < FEWEST:
        return False
    repeated = np.bincount(y)[y] > 1
    x, y = x[repeated], y[repeated]
    if len(x) < FEWEST or 2 * len(x) < len(repeated):
        return False
    counts = np.bincount(x)
    if len(x) - int(counts.max()) < VARYING:
        return False
    pairs = np.unique(x * (int(y.max()) + 1) + y)
    return len(pairs) == len(np.unique(y))


def advice(name: str, clause: str) -> str:
    """Return the sentence about a column that follows from others, with what to write into the policy."""
    return (
        f"column {name} {clause}. Published as it is, it shows what is generalized there, and whoever knows those "
        'columns knows it. Write role = "quasi" for it, or role = "identifier" to leave it out.'
    )


def unique_advice(name: str, alone: int, n_rows: int, *, date: bool, number: bool) -> str:
    """Return the sentence about a sensitive column in which some values occur in one row only."""
    coarser = 'round = "month"' if date else "round = 100, or a step that fits" if number else "merge"
    return (
        f"column {name} is sensitive, and {alone} of {n_rows} rows are the only ones with their value: whoever knows "
        f"it, from a bill or a log, finds the row, and l counts values that hardly differ as different. Make it "
        f'coarser ({coarser}), or write role = "quasi".'
    )
