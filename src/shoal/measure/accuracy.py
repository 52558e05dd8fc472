"""Prediction accuracy that a release keeps: a model is trained on the release and tested on held-out original rows.

The model is ridge regression on the quasi-identifiers, of the number itself or of one indicator per label (the
largest decides): small, deterministic, and the same for both tables. A number enters as itself and its square, a
label as an indicator; a published range enters as its middle, a set as equal shares of its members. People who are
held out are in neither training set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.errors import ParameterError
from shoal.measure.column_views import Labels, Numbers, View
from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.measure.loss_result import Accuracy
from shoal.policy import Policy
from shoal.requirements.sensitive_codes import people_codes, sensitive_codes

HELD_OUT = 1 / 3  # share of the people whose rows are only used for testing
MAX_TRAIN, MAX_TEST = 20_000, 10_000  # the most rows used, which bounds the time on large tables
MAX_COLUMNS = 50  # the most quasi-identifiers used, the first ones
MAX_LABELS = 50  # the most labels distinguished in a column, the most frequent; the model predicts no others
FEW = 10  # a target of numbers with at most this many different values is predicted as a label
FARTHEST = 100.0  # standard deviations from the mean at which features are cut off
RIDGE = 1.0  # weight of the penalty on coefficients
LEAST_GAIN = 0.01  # with a smaller gain over guessing, the original table predicts nothing and a ratio would be noise


def accuracy(
    original: pl.DataFrame,
    policy: Policy,
    views: Sequence[View],
    labels: Ints,
    *,
    target: str | None = None,
    seed: int = 0,
) -> Accuracy | None:
    """Return the accuracy of both models on `target` (by default the first sensitive column).

    None if there is nothing to learn or to test: no target, no quasi-identifier, too few rows, or a single value.
    """
    target = _checked(policy, target)
    if target is None or not views:
        return None
    numeric, wanted = _wanted(original[target], policy, target)
    train, test = _split(original, policy, np.isfinite(wanted), seed)
    if not len(train) or not len(test) or np.ptp(wanted[train]) == 0:
        return None
    kept = labels[train] >= 0
    parts = [_features(view, train, test, labels[train[kept]]) for view in views[:MAX_COLUMNS]]
    originals, held_out, released = (np.hstack([part[i] for part in parts]) for i in range(3))
    judge = explained if numeric else predicted_right
    outcome, truth = (wanted[train][:, None], wanted[test]) if numeric else _indicators(wanted[train], wanted[test])
    baseline = judge(np.broadcast_to(outcome.mean(axis=0), (len(test), outcome.shape[1])), truth, outcome)
    by_original = judge(ridge(originals, outcome, held_out), truth, outcome)
    by_release = judge(ridge(released, outcome[kept], held_out), truth, outcome) if kept.any() else baseline
    return Accuracy(
        target=target,
        task="regression" if numeric else "classification",
        n_train=len(train),
        n_test=len(test),
        baseline=baseline,
        original=by_original,
        release=by_release,
        kept=(by_release - baseline) / (by_original - baseline) if by_original > baseline + LEAST_GAIN else None,
    )


def _checked(policy: Policy, target: str | None) -> str | None:
    """Return the target; raise a `ParameterError` if it is not published unchanged."""
    if target is None:
        return next((name for name in policy.sensitive if policy.columns[name].perturb is None), None)
    published = policy.unchanged
    if target not in published:
        raise ParameterError(
            f"target={target!r} is not a column that is published as it is.",
            f"choose one of: {', '.join(published)}." if published else "give a column the role sensitive or other.",
        )
    return target


def _wanted(values: pl.Series, policy: Policy, target: str) -> tuple[bool, Floats]:
    """Return whether the target is a number, and the number or code of every row; NaN if a number is missing."""
    column = policy.columns[target]
    if values.dtype.is_numeric() and column.bins is None and values.n_unique() > FEW:
        return True, values.cast(pl.Float64).to_numpy()
    return False, sensitive_codes(values, column, in_order=False).codes.astype(np.float64)


def _split(original: pl.DataFrame, policy: Policy, usable: Bools, seed: int) -> tuple[Ints, Ints]:
    """Return the rows to train on and the rows to test on; all rows of a person are on the same side."""
    chance = np.random.default_rng(seed)
    unit = people_codes(original[policy.person]) if policy.person else np.arange(len(original))
    held_out = (chance.random(int(unit.max(initial=-1)) + 1) < HELD_OUT)[unit]
    sides = np.flatnonzero(usable & ~held_out), np.flatnonzero(usable & held_out)
    train, test = (
        np.sort(chance.choice(side, most, replace=False)) if len(side) > most else side
        for side, most in zip(sides, (MAX_TRAIN, MAX_TEST), strict=True)
    )
    return train, test


def _features(view: View, train: Ints, test: Ints, groups: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the features of the training rows, of the held-out rows, and of what was published for `groups`."""
    if view.numbers is not None:
        return _number_features(view.numbers, train, test, groups)
    assert view.labels is not None
    return _label_features(view.labels, train, test, groups)


def _number_features(numbers: Numbers, train: Ints, test: Ints, groups: Ints) -> tuple[Floats, Floats, Floats]:
    """Return features of numbers: the standardized number, its square, and whether it is missing."""
    learned = numbers.x[train]
    there = learned[np.isfinite(learned)]
    mean, scale = (float(there.mean()), float(there.std()) or 1.0) if len(there) else (0.0, 1.0)

    def powers(values: Floats) -> Floats:
        # released values may be far from the training values, and their squares would leave no digits for the rest
        z = np.clip(np.nan_to_num((values - mean) / scale), -FARTHEST, FARTHEST)
        return np.column_stack([z, z**2, np.isnan(values)])

    return powers(learned), powers(numbers.x[test]), powers(numbers.value[groups])


def _label_features(labels: Labels, train: Ints, test: Ints, groups: Ints) -> tuple[Floats, Floats, Floats]:
    """Return features of labels: an indicator per frequent label, or equal shares for a published set."""
    counts = np.bincount(labels.codes[train], minlength=len(labels.domain))
    slot = np.empty(len(labels.domain), dtype=np.int64)
    slot[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(slot)), MAX_LABELS)
    width = min(len(slot), MAX_LABELS + 1)
    seen, inverse = np.unique(labels.cell[groups], return_inverse=True)
    sizes = labels.sizes[seen]
    row = np.repeat(np.arange(len(seen)), sizes)
    entry = np.arange(len(row)) + np.repeat(labels.start[seen] - (np.cumsum(sizes) - sizes), sizes)
    shares = np.zeros((len(seen), width))
    np.add.at(shares, (row, slot[labels.members[entry]]), 1.0 / sizes[row])
    one = np.eye(width)
    return one[slot[labels.codes[train]]], one[slot[labels.codes[test]]], shares[inverse]


def ridge(features: Floats, outcome: Floats, held_out: Floats) -> Floats:
    """Return predictions for `held_out` by least squares with a penalty on the coefficients, not on the mean."""
    middle, level = features.mean(axis=0), outcome.mean(axis=0)
    centered = features - middle
    gram = centered.T @ centered + RIDGE * np.eye(features.shape[1])
    slopes = np.linalg.solve(gram, centered.T @ (outcome - level))
    predicted: Floats = level + (held_out - middle) @ slopes
    return predicted


def _indicators(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return one indicator column per label, the most frequent first, and the column of every test label (-1 if
    none).
    """
    codes, counts = np.unique(train, return_counts=True)
    shown = codes[np.argsort(-counts, kind="stable")][:MAX_LABELS]
    return (train[:, None] == shown).astype(np.float64), np.where(
        np.isin(test, shown), (test[:, None] == shown).argmax(axis=1), -1
    ).astype(np.float64)


def predicted_right(predicted: Floats, truth: Floats, outcome: Floats) -> float:
    """Return the share of labels that are predicted right."""
    return float(np.mean(predicted.argmax(axis=1) == truth))


def explained(predicted: Floats, truth: Floats, outcome: Floats) -> float:
    """Return R², the share of the squared distance from the training mean that is explained."""
    apart = float(((truth - outcome.mean()) ** 2).sum())
    return 1.0 - float(((truth - predicted[:, 0]) ** 2).sum()) / apart if apart else 0.0
