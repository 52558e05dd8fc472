"""Perturbing the columns of a table as its policy states, with all chance drawn from the secret of the release.

Only the rows that are released are perturbed, and only their values are used, so that nothing of a suppressed row is
published. Missing cells stay missing. Rows must be in their canonical order, in which the order of the input leaves
no trace. With a person column, the rows of a person with equal values are perturbed alike: otherwise their mean, or
the most frequent of them, would show the true value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.errors import SchemaError
from shoal.perturb.noise import with_noise
from shoal.perturb.pram import donors
from shoal.perturb.rank_swap import swapped
from shoal.policy import Perturbation, Policy
from shoal.policy.number_format import DECIMAL_COMMA
from shoal.secret import Secret
from shoal.tables.number_text import read_numbers, write_numbers
from shoal.tables.text import text_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ROWS_PER_COLUMN = 10
"""Noise for d columns needs at least this many times d + 1 rows: of few rows, the kept means and covariances would
give the values away."""
DIGITS = 12
"""The significant digits of a number with noise, if the policy does not give its decimals."""


def perturbed(frame: pl.DataFrame, as_read: pl.DataFrame, policy: Policy, rows: Ints, secret: Secret) -> pl.DataFrame:
    """Return `as_read` with the perturbed columns changed in `rows`; all other rows and columns are as they were.

    `frame` is the same table with numbers and dates as such. Raises SchemaError if the rows are too few, or a column
    does not have what its method needs.
    """
    found: dict[str, pl.Series] = {}
    frame = as_measured(frame, policy)
    people = None if policy.person is None else _codes(frame[policy.person])[rows]
    groups: dict[str, list[str]] = {}
    for name in policy.perturbed:
        asked = policy.columns[name].perturb
        assert asked is not None
        there = rows[as_read[name][rows].is_not_null().to_numpy()]
        own = None if people is None else people[as_read[name][rows].is_not_null().to_numpy()]
        if asked.method == "noise":
            groups.setdefault(asked.group or f" {name}", []).append(name)
        elif asked.method == "pram":
            source = _pram(name, asked, frame, as_read, policy, there, own, secret)
            found[name] = _taken(as_read[name], there, source)
        else:
            source = _rank_swap(name, asked, frame, policy, there, own, secret)
            found[name] = _taken(as_read[name], there, source)
    for names in groups.values():
        found |= _noise(names, frame, as_read, policy, rows, people, secret)
    return as_read.with_columns(found[name].alias(name) for name in found)


def as_measured(frame: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the table with perturbed texts in a format of numbers as numbers."""
    formats = {name: policy.columns[name].number for name in policy.perturbed}
    texts = [(name, form) for name, form in formats.items() if form is not None and frame[name].dtype == pl.String]
    return frame.with_columns(read_numbers(frame[name], form) for name, form in texts)


def _taken(column: pl.Series, rows: Ints, source: Ints) -> pl.Series:
    """Return the column in which each of the `rows` has the cell of the row at the place `source` among them."""
    from_row = np.arange(len(column))
    from_row[rows] = rows[source]
    return column[from_row]


def _pram(
    name: str,
    asked: Perturbation,
    frame: pl.DataFrame,
    as_read: pl.DataFrame,
    policy: Policy,
    rows: Ints,
    people: Ints | None,
    secret: Secret,
) -> Ints:
    """Return the places of the rows whose cells are taken."""
    if not len(rows):
        return rows
    strata = np.zeros(len(rows), dtype=np.int64) if asked.within is None else _codes(frame[asked.within])[rows]
    strata = np.unique(strata, return_inverse=True)[1].reshape(-1)
    holders = np.arange(len(rows)) if people is None else people
    size = np.bincount(np.unique(np.stack([strata, holders]), axis=1)[0])
    small = int((size < policy.k).sum())
    if small:
        where = "it" if asked.within is None else f"{small} of {len(size)} strata of {asked.within}"
        raise SchemaError(
            f"column {name}: PRAM draws from the values of at least k = {policy.k} people, and {where} has fewer.",
            "leave out within, or take a column of fewer values." if asked.within else "make it an identifier.",
        )
    units = _units(len(rows), people, [_codes(as_read[name])[rows], strata])
    n_units = int(units.max()) + 1
    chance, choice = (_uniform(secret, f"pram {what} of {name}", n_units) for what in ("chance", "choice"))
    return donors(strata, units, float(asked.keep or 0.0), chance, choice)


def _rank_swap(
    name: str,
    asked: Perturbation,
    frame: pl.DataFrame,
    policy: Policy,
    rows: Ints,
    people: Ints | None,
    secret: Secret,
) -> Ints:
    """Return the places of the rows whose cells are taken."""
    if people is not None and len(np.unique(people)) < len(people):
        raise SchemaError(
            f"column {name}: rank swapping would show one value of a person with several rows by several others.",
            "take noise or PRAM for it, which change equal values of a person alike.",
        )
    ranks = _ranks(frame[name], policy.columns[name].order)
    if ranks is None:
        raise SchemaError(
            f"column {name} has no order, and rank swapping exchanges values of nearby ranks.",
            "give it an order, or take PRAM for labels.",
        )
    window = int(np.floor(float(asked.window or 0.0) * len(rows) + 1e-9))
    if len(rows) and window < policy.k - 1:
        least = (policy.k - 1) / len(rows)
        raise SchemaError(
            f"column {name}: a window of {asked.window:g} reaches {window} ranks, fewer than k - 1 = {policy.k - 1}.",
            f"take a window of at least {np.ceil(least * 1e4) / 1e4:g}."
            if least <= 0.5
            else "the table is too small.",
        )
    streams = [secret.stream(f"rank swapping {what} of {name}", len(rows)) for what in ("ties", "choice")]
    return swapped(ranks[rows], window, streams[0], streams[1])


def _noise(
    names: Sequence[str],
    frame: pl.DataFrame,
    as_read: pl.DataFrame,
    policy: Policy,
    rows: Ints,
    people: Ints | None,
    secret: Secret,
) -> Mapping[str, pl.Series]:
    """Return the columns of one group with noise; each pattern of missing cells is perturbed by itself.

    Then the means of all cells that are there, and the covariances of all rows that have both, are kept as well.
    """
    for name in names:
        if not frame[name].dtype.is_numeric():
            raise SchemaError(
                f"column {name} is not a column of numbers, and noise is added to numbers.",
                "take PRAM for labels, or rank swapping for dates and orders.",
            )
    whole = frame.select(pl.col(name).cast(pl.Float64) for name in names)[rows].to_numpy()
    found = whole.copy()
    pattern = np.isnan(whole) @ (1 << np.arange(len(names), dtype=np.int64))
    for one in np.unique(pattern).tolist():
        own = np.array([place for place in range(len(names)) if not one >> place & 1], dtype=np.int64)
        at = np.flatnonzero(pattern == one)
        if not len(own):
            continue
        holders, counted = (len(at), "rows") if people is None else (len(np.unique(people[at])), "people")
        least = max(policy.k, ROWS_PER_COLUMN * (len(own) + 1))
        if holders < least:
            raise SchemaError(
                f"noise for {', '.join(names[place] for place in own.tolist())}: {holders} {counted} have just these "
                f"values, and their means and covariances are kept only of at least {least}.",
                "leave out group, so that every column is perturbed by itself, or take PRAM."
                if len(names) > 1
                else "take PRAM or rank swapping, or make the column an identifier.",
            )
        values = whole[np.ix_(at, own)]
        units = _units(len(at), None if people is None else people[at], [_rows_as_codes(values)])
        label = f"noise for {' and '.join(names)}, pattern {one}"
        normal = _normal(secret, label, (int(units.max()) + 1, len(own)))[units]
        spread = float(getattr(policy.columns[names[0]].perturb, "spread", None) or 0.0)
        found[np.ix_(at, own)] = with_noise(values, spread, normal)
    return {name: _written(name, found[:, place], as_read[name], policy, rows) for place, name in enumerate(names)}


def _written(name: str, values: Floats, before: pl.Series, policy: Policy, rows: Ints) -> pl.Series:
    """Return the column with numbers of the stated decimals, or of about 12 digits; suppressed rows are null."""
    asked = policy.columns[name].perturb
    assert asked is not None
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    decimals = asked.decimals
    if decimals is None:
        decimals = max(0, DIGITS - 1 - int(np.floor(np.log10(largest)))) if largest > 0 else 0
    whole = np.full(len(before), np.nan)
    whole[rows] = np.round(values, decimals) if decimals < 300 else values
    column = pl.Series(name, whole).fill_nan(None)
    if asked.decimals == 0 and largest < 2**53:
        column = column.cast(pl.Int64)
    form = policy.columns[name].number
    return column if form is None or form == DECIMAL_COMMA else write_numbers(column, form)


def _units(n: int, people: Ints | None, cells: Sequence[Ints]) -> Ints:
    """Return numbers 0, 1, ... of what is perturbed alike: every row, or a person's rows with equal cells."""
    if people is None:
        return np.arange(n)
    _, numbers = np.unique(np.stack([people, *cells]), axis=1, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64)


def _rows_as_codes(values: Floats) -> Ints:
    return np.unique(values, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _codes(column: pl.Series) -> Ints:
    """Return equal numbers for equal cells, in an order that does not depend on the order of rows; missing is one."""
    text = text_of(column)
    return text.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()


def _ranks(column: pl.Series, order: Sequence[str] | None) -> Ints | None:
    """Return the rank of each value of a number, a date or a column with an order; None if there is no order."""
    if order is not None:
        place = {label: rank for rank, label in enumerate(order)}
        return np.array([place.get(label, -1) for label in column.cast(pl.String).to_list()], dtype=np.int64)
    if not (column.dtype.is_numeric() or column.dtype.is_temporal()):
        return None
    return column.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()


def _uniform(secret: Secret, label: str, n: int) -> Floats:
    """Return independent uniform numbers in [0, 1)."""
    return (secret.stream(label, n) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _normal(secret: Secret, label: str, shape: tuple[int, int]) -> Floats:
    """Return independent standard normal numbers."""
    from scipy.special import ndtri

    found: Floats = ndtri(_uniform(secret, label, shape[0] * shape[1]) + 2.0**-54).reshape(shape)
    return found
