"""Generated records on mixed columns for tests: means, medians, labels, hierarchies, and missing values in each."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.space.space import LINE, TREE, Axis, Space
from tests.oracles.mixed_loss import center_loss, mean_loss
from tests.ratio.instances import ANCESTORS, meeting_level

FLAT = np.column_stack((np.arange(6), np.zeros(6))).astype(np.int32)


def drawn(rng, n):
    """Averaged numbers, ordered values, labels and hierarchies: rows, the oracle's columns, and the space."""
    rows, columns, axes = [], [], []
    for j in range(int(rng.integers(1, 4))):
        kind = rng.choice(["mean", "median", "label", "hierarchy"])
        rows.append(rng.integers(0, int(rng.choice([2, 6])), n))
        if kind == "mean":
            columns.append(mean_loss)
            axes.append(Axis(f"c{j}", LINE))
        elif kind == "median":
            columns.append(center_loss(lambda x, c: Fraction(abs(int(x) - int(c)))))
            axes.append(Axis(f"c{j}", LINE, median=True))
        elif kind == "label":
            columns.append(center_loss(lambda x, c: Fraction(3 * int(x != c))))
            axes.append(Axis(f"c{j}", TREE, FLAT, np.array([0.0, 3.0])))
        else:
            columns.append(center_loss(lambda x, c: Fraction(int(meeting_level(np.array(x), np.array(c))))))
            axes.append(Axis(f"c{j}", TREE, ANCESTORS, np.array([0.0, 1.0, 2.0])))
    table = np.column_stack(rows)
    return table.tolist(), columns, Space(table.astype(float), tuple(axes), norm=1)


def with_gaps(rng, n):
    """Columns of every kind of which values are missing; medians may be published as missing by a vote."""
    columns, axes = [], []
    for j in range(int(rng.integers(1, 4))):
        kind = str(rng.choice(["mean", "median", "mode"]))
        gaps = str(rng.choice(["counted", "voted"])) if kind == "median" else "counted"
        values, missing = rng.integers(0, 5, n).astype(float), rng.random(n) < rng.choice([0.2, 0.6])
        if kind == "mode":
            columns.append(np.where(missing, 5.0, values))
            axes.append(Axis(f"c{j}", TREE, FLAT, np.array([0.0, 3.0]), gaps=gaps))
            continue
        # missing values stand at the mean of the others, and at the largest distance on the axis beside it
        stands = values[~missing].mean() if (~missing).any() else 0.0
        columns += [np.where(missing, stands, values), np.where(missing, 5.0, 0.0)]
        axes += [Axis(f"c{j}", LINE, median=kind == "median", gaps=gaps if missing.any() else "")]
        axes += [Axis(f"c{j}", LINE, median=kind == "median")]
    return Space(np.column_stack(columns), tuple(axes), norm=1)
