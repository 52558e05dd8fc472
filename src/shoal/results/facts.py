"""Collect the facts about a partition that certificates and reports state."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from shoal.certify import Facts
from shoal.certify.proved import GROWN, THEOREMS
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Partition


def facts_of(
    choice: Choice, partition: Partition, notes: tuple[str, ...] = (), origins: Mapping[str, date] | None = None
) -> Facts:
    """Return the facts about a partition; `notes` on the table come before those of the partition.

    `origins` are the first days from which dates are counted, by column. Groups grown for diversity keep the theorem
    of the method they replaced, which also holds for them; but a certificate can name a theorem of its own method
    only, so theirs claims none.
    """
    elsewhere = partition.method == GROWN and THEOREMS.get(partition.theorem or "", (GROWN,))[0] != GROWN
    return Facts(
        method=partition.method,
        objective=partition.objective,
        reason=choice.reason,
        n_groups=partition.n_groups,
        suppressed=partition.n_suppressed,
        counterfeits=partition.counterfeits,
        cost=partition.cost,
        lower_bound=partition.lower_bound,
        ratio_proved=None if elsewhere else partition.ratio_proved,
        theorem=None if elsewhere else partition.theorem,
        theorem_cost=None if elsewhere else partition.theorem_cost,
        notes=(*notes, *partition.notes),
        repair=None if partition.repair is None else partition.repair.as_dict(),
        left_out=partition.outlier_curve,
        candidates=partition.candidates,
        origins=origins or {},
        timed_out=partition.timed_out,
    )
