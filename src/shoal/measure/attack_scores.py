"""The score of every attacked record under every attack.

Guarantee   Every score is determined by a set of whole equivalence classes: a probability is 1 / the people in them.
Complexity  Records x classes x columns, in blocks of bounded memory.

A person with rows in several classes is counted in each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.measure.published_cells import PublishedCells
from shoal.requirements.counts import Counts

PAIRS_AT_ONCE = 2_000_000  # pairs of record and class that are compared at a time, which bounds the memory
_TIE = 1e-6  # distances within this of the smallest count as equal, as they are sums of single-precision numbers


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The published cells of every known column, the people in the classes, and the class of each attacked record.

    `own` is -1 for a suppressed record, and None if it is not known which released row belongs to which record.
    `silent[column]` says of each attacked record whether its sensitive value is missing, for columns in which missing
    is not counted as a value: there is then nothing to learn about it, and missing values of others hide nobody.
    """

    cells: Mapping[str, PublishedCells]
    counts: Counts
    own: Ints | None
    n: int
    silent: Mapping[str, Bools]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """One score per attacked record for every attack."""

    nearest: Floats
    full_join: Floats
    joins: Floats
    """An array of shape (n_subsets, n)."""
    homogeneity: Mapping[str, Floats]
    exclusion: Mapping[str, Floats]
    skewness: Mapping[str, Floats]


def scores(scene: Scene, subsets: Sequence[tuple[str, ...]]) -> Scores:
    """Return the scores of all attacks; the join is also tried on every one of `subsets`."""
    sensitive = scene.counts.sensitive
    found = Scores(
        np.zeros(scene.n),
        np.zeros(scene.n),
        np.zeros((len(subsets), scene.n)),
        {name: np.zeros(scene.n) for name in sensitive},
        {name: np.zeros(scene.n) for name in sensitive},
        {name: np.zeros(scene.n) for name in sensitive},
    )
    step = max(1, PAIRS_AT_ONCE // max(len(scene.counts.people), 1))
    for begin in range(0, scene.n, step):
        _score_block(scene, subsets, slice(begin, min(begin + step, scene.n)), found)
    return found


def matched(scene: Scene) -> Iterator[Bools]:
    """Yield, block by block, which classes may hold each record: those that fit, or the nearest ones if none fits.

    If it is known which released row belongs to which record, that is the record's own class alone.
    """
    n_classes = len(scene.counts.people)
    step = max(1, PAIRS_AT_ONCE // max(n_classes, 1))
    for begin in range(0, scene.n, step):
        some = slice(begin, min(begin + step, scene.n))
        if scene.own is not None:
            yield scene.own[some, None] == np.arange(n_classes)
            continue
        shape = (some.stop - some.start, n_classes)
        fitting, distance = np.ones(shape, dtype=bool), np.zeros(shape, dtype=np.float32)
        for cells in scene.cells.values():
            fit, apart = cells.compare(some)
            fitting &= fit
            distance += apart
        yield np.where(fitting.any(axis=1, keepdims=True), fitting, _close(distance))


def _close(distance: npt.NDArray[np.float32]) -> Bools:
    """Return which classes are nearest to each record; ties are all included."""
    return np.asarray(distance <= distance.min(axis=1, keepdims=True, initial=np.inf) + _TIE)


def _score_block(scene: Scene, subsets: Sequence[tuple[str, ...]], some: slice, found: Scores) -> None:
    """Compute the scores of some records and write them to `found`."""
    shape = (some.stop - some.start, len(scene.counts.people))
    fitting, distance = np.ones(shape, dtype=bool), np.zeros(shape, dtype=np.float32)
    tried = list(dict.fromkeys(name for subset in subsets for name in subset))
    masks = np.zeros(shape, dtype=np.int64)
    for name, cells in scene.cells.items():
        fit, apart = cells.compare(some)
        fitting &= fit
        distance += apart
        if name in tried:
            masks |= fit.astype(np.int64) << tried.index(name)
    close = _close(distance)
    found.full_join[some] = _chance(_people(scene, fitting), _holds_own(scene, fitting, some))
    found.nearest[some] = _chance(_people(scene, close), _holds_own(scene, close, some))
    wanted = np.array([sum(1 << tried.index(name) for name in subset) for subset in subsets], dtype=np.int64)
    found.joins[:, some] = _join(scene, masks, wanted, len(tried), some)
    likely = np.where(fitting.any(axis=1, keepdims=True), fitting, close)
    right = _holds_own(scene, likely, some)
    for name in scene.counts.sensitive:
        silent = scene.silent.get(name)
        n_values, gain = _beliefs(
            scene.counts, name, likely, None if silent is None else scene.counts.missing.get(name)
        )
        reported = right if silent is None else right & ~silent[some]
        found.homogeneity[name][some], found.skewness[name][some] = (n_values == 1) & reported, gain * right
        found.exclusion[name][some] = (n_values <= 2) & (n_values > 0) & reported


def _join(scene: Scene, masks: Ints, wanted: Ints, n_tried: int, some: slice) -> Floats:
    """Return the probability of success for every subset and record. Bit j of a mask says that a class fits in column
    j.

    People are counted once per mask; the people of a subset are those of all masks that have its bits.
    """
    n, n_masks = len(masks), 1 << n_tried
    slots = (np.arange(n)[:, None] * n_masks + masks).ravel()
    weights = np.broadcast_to(scene.counts.people.astype(np.float64), masks.shape).ravel()
    by_mask = np.bincount(slots, weights=weights, minlength=n * n_masks).reshape(n, n_masks)
    holds = (np.arange(n_masks)[:, None] & wanted) == wanted
    people = (by_mask @ holds.astype(np.float64)).T
    if scene.own is None:
        return _chance(people, people > 0)
    own = scene.own[some]
    mine = np.where(own >= 0, masks[np.arange(n), own], 0) if masks.shape[1] else np.zeros(n, dtype=np.int64)
    return _chance(people, (mine & wanted[:, None]) == wanted[:, None])


def _people(scene: Scene, classes: Bools) -> Floats:
    """Return how many people are in the given classes of each record."""
    original, found = np.nonzero(classes)
    return np.bincount(original, weights=scene.counts.people[found], minlength=len(classes)).astype(np.float64)


def _chance(people: Floats, right: Bools) -> Floats:
    """Return the probability to pick the right person among so many, where `right` says that person is among them."""
    return np.where(right, 1.0 / np.maximum(people, 1.0), 0.0)


def _holds_own(scene: Scene, classes: Bools, some: slice) -> Bools:
    """Return whether a record's own class is among the classes; if that is not known, whether there are any."""
    if scene.own is None:
        return np.asarray(classes.any(axis=1))
    own = scene.own[some]
    return np.asarray((own >= 0) & classes[np.arange(len(own)), own]) if classes.shape[1] else own < -1


def _beliefs(counts: Counts, name: str, classes: Bools, missing: int | None) -> tuple[Ints, Floats]:
    """Return the number of sensitive values in the classes, and the largest gain over a share in the release.

    The code `missing` is none of the values. It is counted in the shares, as t-closeness counts it.
    """
    frequencies, total = counts.sensitive[name], counts.totals[name]
    from scipy import sparse

    table = sparse.csr_array(
        (frequencies.weights, frequencies.keys, frequencies.start), shape=(len(frequencies.start) - 1, len(total))
    )
    people = sparse.csr_array(classes.astype(np.float64)) @ table
    original = np.repeat(np.arange(len(classes)), np.diff(people.indptr))
    gains = people.data / people.sum(axis=1)[original] - (total / total.sum())[people.indices]
    value = people.indices != (-1 if missing is None else missing)
    largest = np.zeros(len(classes))
    np.maximum.at(largest, original[value], gains[value])
    return np.bincount(original[value], minlength=len(classes)).astype(np.int64), largest
