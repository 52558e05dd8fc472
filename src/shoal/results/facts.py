"""From the groups that were made to the record that a certificate and a report are written from."""

from __future__ import annotations

from shoal.certify import Facts
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Partition


def facts_of(choice: Choice, partition: Partition, notes: tuple[str, ...] = ()) -> Facts:
    """All that is said of a partition; `notes` of the table come before its own."""
    details = partition.details
    return Facts(
        method=partition.method,
        objective=partition.objective,
        reason=choice.reason,
        n_groups=partition.n_groups,
        suppressed=partition.n_suppressed,
        counterfeits=details.get("counterfeits", 0),
        cost=partition.cost,
        lower_bound=partition.lower_bound,
        ratio_proved=partition.ratio_proved,
        theorem=partition.theorem,
        theorem_cost=partition.theorem_cost,
        notes=(*notes, *partition.notes),
        repair=details.get("repair"),
        left_out=tuple(details.get("left_out", ())),
        candidates=details.get("candidates"),
        timed_out=bool(details.get("timed_out", False)),
    )
