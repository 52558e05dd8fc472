"""Whether groups are better made for requirements on values from the start than repaired."""

from __future__ import annotations

import numpy as np

from shoal.partition.methods.problem import Problem
from shoal.partition.result import Labels
from shoal.requirements import LDiversity, ShareLimit, TCloseness, count

MOST_REPAIRED = 0.5
"""If groups with more than this share of the records miss a requirement, only the groups made for it are considered:
a repair would change nearly all groups, at many times the work."""


def balances(problem: Problem) -> bool:
    """Return whether balanced cuts may be made: generalization by its default method, requirements on values."""
    record = problem.choice.record
    asked = any(isinstance(one, LDiversity | TCloseness | ShareLimit) for one in problem.requirements)
    return asked and record.objective == "generalization" and record.stands_for_objective


def share_failing(labels: Labels, problem: Problem) -> float:
    """Return the share of the records in groups that miss a requirement."""
    counts = count(labels, problem.records)
    met = np.logical_and.reduce([one.holds(counts) for one in problem.requirements])
    sizes = np.bincount(labels[labels >= 0], minlength=len(met))
    return float(sizes[~met].sum() / max(sizes.sum(), 1))
