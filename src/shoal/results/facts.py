"""Collect the facts about a partition that certificates and reports state."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from shoal.certify import Facts
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Partition


def facts_of(
    choice: Choice, partition: Partition, notes: tuple[str, ...] = (), origins: Mapping[str, date] | None = None
) -> Facts:
    """Return the facts about a partition; `notes` on the table come before those of the partition.

    `origins` are the first days from which dates are counted, by column.
    """
    return Facts(
        method=partition.method,
        objective=partition.objective,
        reason=choice.reason,
        n_groups=partition.n_groups,
        suppressed=partition.n_suppressed,
        counterfeits=partition.counterfeits,
        cost=partition.cost,
        lower_bound=partition.lower_bound,
        ratio_proved=partition.ratio_proved,
        theorem=partition.theorem,
        theorem_cost=partition.theorem_cost,
        notes=(*notes, *partition.notes),
        repair=None if partition.repair is None else partition.repair.as_dict(),
        left_out=partition.outlier_curve,
        candidates=partition.candidates,
        origins=origins or {},
        timed_out=partition.timed_out,
    )
