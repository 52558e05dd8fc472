"""What follows about a person's value in one column from every set of other columns that an attacker may know.

The attacker knows a person's original values in some quasi-identifiers. Candidates are all released rows whose cells
cover them. If all values among the candidates are the same, the person's value is certain; more generally the belief
in it is its share among the candidates. Sensitive values are published in the rows. Of a quasi-identifier only cells
are published, and a cell of s values counts for each of them with weight 1 / s.

Guarantee   With l above 1 no value is certain from any set: every class has l values, and so has every union of
            classes (PRIVACY-5). Of columns without l or t nothing is guaranteed; they are counted, too.
Complexity  Records x classes x columns, and all 2^c sets of c columns at once: people are summed by the mask of the
            columns in which a class fits, and then over all masks that contain a set. With more than COLUMNS columns
            several draws of COLUMNS of them are tried, and all columns together.

An attacker who knows more columns has fewer candidates, among them always the own class of a person in the release.
So a value that is certain from some set is certain from all columns together; smaller sets show how little knowledge
is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.measure.published_cells import LabelCells, NumberCells, PublishedCells
from shoal.measure.risk_result import Inference
from shoal.policy import Policy

COLUMNS = 10  # all sets of so many columns are tried
DRAWS = 3  # how many further choices of COLUMNS columns are tried if there are more
MOST_PAIRS = 1_000_000  # pairs of record and class, or of record and set, that are held at a time
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveValues:
    """A sensitive column: the class and code of every released row, and the code of every attacked record.

    A code of -1 is a missing value that does not count as one.
    """

    of_row: Ints
    codes: Ints
    own: Ints


def infer(
    cells: Mapping[str, PublishedCells],
    people: Ints,
    sensitive: Mapping[str, SensitiveValues],
    values: Mapping[str, Floats],
    policy: Policy,
    n: int,
    *,
    seed: int = 0,
) -> tuple[Inference, ...]:
    """Return for every column what follows about it from sets of the others, for `n` attacked records.

    `cells` compares them with the cells of every class, `people` are the people of every class, and `values` has the
    different original values of columns of numbers, in ascending order.
    """
    targets = [*sensitive, *cells]
    found = []
    for name in targets:
        known = [one for one in cells if one != name]
        shares = (
            _read(sensitive[name], people, _closeness(policy, name))
            if name in sensitive
            else _seen(cells[name], values.get(name), people)
        )
        results = [
            (panel, *_beliefs(panel, cells, shares, _limit(policy, name), n))
            for panel in _panels(known, seed)
            if panel
        ]
        if results:
            found.append(_inference(name, policy, shares, results))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Shares:
    """The weight in every class of each attacked record's own value (`of`), and of all values that count."""

    of: Any
    """A function of a slice of the records that returns an array (records, classes)."""
    counted: Floats
    reported: Bools
    """Whether each attacked record has a value that counts."""
    people: Floats
    close: Floats | None = None
    """The largest share of all people that t allows each record's own value; None if t does not bound it."""


def _read(values: SensitiveValues, people: Ints, t: float | None) -> _Shares:
    """Return the shares of a column that is published unchanged; `t` is that of the equal distance, or None."""
    kept = values.codes >= 0
    width = int(max(values.codes.max(initial=0), values.own.max(initial=0))) + 1
    from scipy import sparse

    ones = np.ones(int(kept.sum()))
    table = sparse.csc_array((ones, (values.of_row[kept], values.codes[kept])), shape=(len(people), width))
    table.sum_duplicates()

    def of(some: slice) -> Floats:
        own = values.own[some]
        found: Floats = table[:, np.maximum(own, 0)].toarray().T * (own >= 0)[:, None]
        return found

    counted = np.bincount(values.of_row[kept], minlength=len(people)).astype(np.float64)
    close = None
    if t is not None:
        total = np.bincount(values.codes[kept], minlength=width) / max(len(values.codes), 1)
        close = total[np.maximum(values.own, 0)] + t
    return _Shares(of, counted, values.own >= 0, people.astype(np.float64), close)


def _seen(cells: PublishedCells, values: Floats | None, people: Ints) -> _Shares:
    """Return the shares of a quasi-identifier, of which only cells are published."""
    if isinstance(cells, NumberCells):
        assert values is not None
        inside = np.searchsorted(values, cells.high, "right") - np.searchsorted(values, cells.low, "left")
        size = np.where(cells.hidden, len(values), np.where(np.isnan(cells.value), 0, np.maximum(inside, 1)))
        reported: Bools = ~np.isnan(cells.x)
    else:
        assert isinstance(cells, LabelCells)
        of_cell = np.repeat(np.arange(len(cells.hidden)), np.diff(cells.start))
        each = np.bincount(of_cell[cells.members != cells.missing], minlength=len(cells.hidden))
        each = np.where(cells.hidden, cells.n_labels - (cells.missing >= 0), each)
        size, reported = each[cells.cell], np.asarray(cells.codes != cells.missing, dtype=np.bool_)
    weight = np.where(size > 0, people / np.maximum(size, 1), 0.0)

    def of(some: slice) -> Floats:
        found: Floats = np.where(cells.fits(some) & reported[some, None], weight, 0.0)
        return found

    counted = np.where(size > 0, people, 0).astype(np.float64)
    return _Shares(of, counted, reported, people.astype(np.float64))


def _panels(known: Sequence[str], seed: int) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield choices of columns whose sets are all tried; a column may be several that are known together."""
    if len(known) <= COLUMNS:
        yield tuple((name,) for name in known)
        return
    yield (tuple(known),)
    chance = np.random.default_rng(seed)
    yield tuple((name,) for name in known[:COLUMNS])
    for _ in range(DRAWS):
        drawn = np.sort(chance.choice(len(known), COLUMNS, replace=False))
        yield tuple((known[place],) for place in drawn)


def _beliefs(
    panel: Sequence[tuple[str, ...]],
    cells: Mapping[str, PublishedCells],
    shares: _Shares,
    limit: float | None,
    n: int,
) -> tuple[Bools, Bools]:
    """Return for every set of the panel and every record whether its value is certain, and likelier than `limit`.

    Bit j of a set says that it has the panel's column j.
    """
    n_sets, n_classes = 1 << len(panel), len(shares.counted)
    certain, likely = (np.zeros((n_sets, n), dtype=bool) for _ in range(2))
    step = max(1, MOST_PAIRS // max(n_classes, n_sets))
    for begin in range(0, n, step):
        some = slice(begin, min(begin + step, n))
        b = some.stop - some.start
        masks = np.zeros((b, n_classes), dtype=np.int64)
        for place, names in enumerate(panel):
            fits = np.logical_and.reduce([cells[name].fits(some) for name in names])
            masks |= fits.astype(np.int64) << place
        slots = (np.arange(b)[:, None] * n_sets + masks).ravel()
        own, all_ = (
            _over_supersets(_by_mask(slots, weights, n_sets, b))
            for weights in (shares.of(some), np.broadcast_to(shares.counted, masks.shape))
        )
        reported = (own > 0) & shares.reported[some, None]
        certain[:, some] = (reported & (own >= all_ * (1 - _EQUAL))).T
        if limit is not None:
            likely[:, some] = (reported & (own > all_ * (limit + _EQUAL))).T
        if shares.close is not None:
            anyone = _over_supersets(_by_mask(slots, np.broadcast_to(shares.people, masks.shape), n_sets, b))
            likely[:, some] |= (reported & (own > anyone * (shares.close[some, None] + _EQUAL))).T
    return certain, likely


def _by_mask(slots: Ints, weights: Floats, n_sets: int, n: int) -> Floats:
    """Return the sum of the weights of every record's classes, by the mask of the columns in which they fit."""
    found = np.bincount(slots, weights=weights.ravel(), minlength=n * n_sets).astype(np.float64)
    return found.reshape(n, n_sets)


def _over_supersets(by_mask: Floats) -> Floats:
    """Return for every set the sum over all masks that contain it."""
    n, n_sets = by_mask.shape
    for place in range(n_sets.bit_length() - 1):
        halves = by_mask.reshape(n, -1, 2, 1 << place)
        halves[:, :, 0] += halves[:, :, 1]
    return by_mask


def _limit(policy: Policy, name: str) -> float | None:
    """Return the largest share that l allows a value among the candidates; None if it does not bound shares.

    With a person column the shares are those of rows, about which l guarantees nothing.
    """
    asked = policy.diversity_of(name)
    if asked is None or policy.person is not None or asked.count_missing:
        return None
    if asked.kind == "frequency":
        return 1.0 / asked.l
    return asked.c / (1 + asked.c) if asked.c is not None and asked.l >= 2 else None


def _closeness(policy: Policy, name: str) -> float | None:
    """Return t of the equal distance, which bounds how far a share is from the whole; None if it is not required."""
    asked = policy.closeness_of(name)
    return asked.t if asked is not None and policy.distance_of(name) == "equal" and policy.person is None else None


def _inference(
    name: str,
    policy: Policy,
    shares: _Shares,
    results: Sequence[tuple[Sequence[tuple[str, ...]], Bools, Bools]],
) -> Inference:
    """Return the counts over all sets that were tried."""
    best: tuple[int, int, tuple[str, ...]] = (0, 0, ())
    ever, above = (np.zeros(len(shares.reported), dtype=bool) for _ in range(2))
    most = max(len(panel) if len(panel) > 1 else 1 for panel, _, _ in results)
    by_size = np.zeros((most + 1, len(shares.reported)), dtype=bool)
    n_sets = 0
    for panel, certain, likely in results:
        ever |= certain.any(axis=0)
        above |= likely.any(axis=0)
        together = any(len(names) > 1 for names in panel)
        for number in range(len(certain)):
            known = tuple(one for place, names in enumerate(panel) if number >> place & 1 for one in names)
            n_sets += bool(known) and not (together and not number)
            if not together:
                by_size[number.bit_count()] |= certain[number]
            best = max(best, (int(certain[number].sum()), -len(known), known))
    asked = policy.diversity_of(name)
    promise = 0.0 if asked is not None and asked.l > 1 and not asked.count_missing else None
    return Inference(
        column=name,
        role="sensitive" if name in policy.sensitive else "quasi",
        attempts=int(shares.reported.sum()),
        n_sets=n_sets,
        certain=int(ever.sum()),
        certain_by_size=tuple(int(row.sum()) for row in np.logical_or.accumulate(by_size, axis=0)),
        known=best[2],
        certain_by_known=best[0],
        likely=int(above.sum()),
        promise=promise,
        exceeds=bool(above.any() or (promise is not None and ever.any())),
    )
