"""The requirements beyond k in the form that the kernels of the search read: types of records, and limits on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.kernels.group_limits import BAND, CLOSENESS, DISTINCT, ENTROPY, FREQUENCY, RECURSIVE, Limits, shortages
from shoal.partition.result import Floats, Labels
from shoal.requirements import (
    AlphaAnonymity,
    LDiversity,
    Records,
    Requirement,
    ShareLimit,
    TCloseness,
    values_counted,
)

MOST_STEPS_OF_ORDER = 64
"""The ordered distance sums over all values but the last. With more values than this, neighboring ones are taken
together here; groups are checked by the real distance in the end."""
KINDS = {"distinct": DISTINCT, "frequency": FREQUENCY, "entropy": ENTROPY, "recursive": RECURSIVE}


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """The type of each record, and the limits that every group must keep, counted in rows."""

    types: Labels
    limits: Limits

    @classmethod
    def of(cls, requirements: Sequence[Requirement], records: Records, *, stricter: float = 0.0) -> Balance:
        """Return the limits of all requirements beyond k; each t is lowered by `stricter`."""
        asked = [one for one in requirements if isinstance(one, TCloseness | LDiversity | ShareLimit)]
        columns = [_counted(one, records) for one in asked]
        values = np.stack(columns, axis=1) if columns else np.zeros((records.n_rows, 0), dtype=np.int64)
        found, types = np.unique(values, axis=0, return_inverse=True)
        types = types.reshape(-1).astype(np.int64)
        counts = np.bincount(types, minlength=len(found)).astype(np.float64)
        lowest, highest = _bands(asked, found, counts)
        features, weights, whole, of_limit = _features(asked, records, found, counts)
        return cls(
            types,
            Limits(
                kind=np.array([_kind(one) for one in asked], dtype=np.int64),
                bound=np.array([_bound(one, stricter) for one in asked], dtype=np.float64),
                second=np.array([getattr(one, "c", None) or 0.0 for one in asked], dtype=np.float64),
                codes=np.ascontiguousarray(found.T.astype(np.int64)),
                lowest=lowest,
                highest=highest,
                feature_limit=of_limit,
                weights=weights,
                whole=whole,
                start=np.concatenate(([0], np.cumsum([len(one) for one in features]))).astype(np.int64),
                features=np.concatenate([np.zeros(0, np.int64), *features]),
            ),
        )

    def work(self) -> tuple[Floats, Floats]:
        """Return work space for one thread: for features, and for values."""
        return np.zeros(len(self.limits.weights)), np.zeros(int(self.limits.codes.max(initial=0)) + 1)

    def shortages(self, labels: Labels) -> Floats:
        """Return by how much each group 0, 1, ... misses the limits; 0 if it meets all of them."""
        order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
        return shortages(self.limits, labels, self.types, int(labels.max()) + 1, order, *self.work())


def _counted(asked: LDiversity | TCloseness | ShareLimit, records: Records) -> Labels:
    """Return the code of the value of each record that a requirement counts; -1 if it counts none."""
    if isinstance(asked, LDiversity):
        return values_counted(asked, records)
    codes, missing = records.sensitive[asked.column], records.missing.get(asked.column)
    if isinstance(asked, AlphaAnonymity) and missing is not None:
        return np.where(codes == missing, -1, codes)
    return codes


def _kind(asked: Requirement) -> int:
    if isinstance(asked, ShareLimit):
        return BAND
    return KINDS[asked.kind] if isinstance(asked, LDiversity) else CLOSENESS


def _bound(asked: Requirement, stricter: float) -> float:
    return max(0.0, asked.asked - stricter) if isinstance(asked, TCloseness) else asked.asked


def _bands(
    asked: Sequence[LDiversity | TCloseness | ShareLimit], found: Labels, counts: Floats
) -> tuple[Floats, Floats]:
    """Return the lowest and the highest share of every value, for each limit on shares; from 0 to 1 for others."""
    n_values = int(found.max(initial=0)) + 1
    lowest, highest = np.zeros((len(asked), n_values)), np.ones((len(asked), n_values))
    for i, one in enumerate(asked):
        if isinstance(one, ShareLimit):
            there = found[:, i] >= 0
            total = np.bincount(found[there, i], weights=counts[there], minlength=n_values)
            lowest[i], highest[i] = one.band(total / max(total.sum(), 1.0))
    return lowest, highest


def _features(
    asked: Sequence[LDiversity | TCloseness | ShareLimit], records: Records, found: Labels, counts: Floats
) -> tuple[list[Labels], Floats, Floats, Labels]:
    """Return the features of each type, their weights, their shares of the table, and the limit each belongs to."""
    each: list[list[int]] = [[] for _ in found]
    weights: list[float] = []
    of_limit: list[int] = []

    def listed(nodes: Labels, weight: float, limit: int) -> None:
        """Add one feature for every different node, which the types with that node have."""
        kept, place = np.unique(nodes, return_inverse=True)
        for one, feature in zip(each, place.reshape(-1).tolist(), strict=True):
            one.append(len(weights) + feature)
        weights.extend([weight] * len(kept))
        of_limit.extend([limit] * len(kept))

    for i, one in enumerate(asked):
        if not isinstance(one, TCloseness):
            continue
        codes = found[:, i]
        if one.distance == "equal":
            listed(codes, 0.5, i)
        elif one.distance == "hierarchical":
            totals = np.bincount(codes, weights=counts).astype(np.int64)
            levels = records.ancestors[one.column].counting(totals)
            for nodes in levels:
                listed(nodes[codes], 0.5 / len(levels), i)
        else:
            rank = np.unique(codes, return_inverse=True)[1].reshape(-1)
            n_steps = int(rank.max(initial=0))
            ends = np.unique(np.linspace(0, n_steps, min(n_steps, MOST_STEPS_OF_ORDER) + 1).astype(np.int64))
            for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
                for v in np.flatnonzero(rank <= begin).tolist():
                    each[v].append(len(weights))
                weights.append((end - begin) / n_steps)
                of_limit.append(i)
    features = [np.array(one, dtype=np.int64) for one in each]
    whole = np.zeros(len(weights))
    for one_type, count in zip(features, counts.tolist(), strict=True):
        whole[one_type] += count
    return features, np.array(weights), whole / max(counts.sum(), 1.0), np.array(of_limit, dtype=np.int64)
