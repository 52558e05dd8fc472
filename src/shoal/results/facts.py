"""Collect the facts about a partition that certificates and reports state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date

from shoal.certify import ClassFacts, Facts, KeepsMore
from shoal.certify.proved import GROWN, SHARES, THEOREMS
from shoal.partition.column_classes.areas import Area
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Partition
from shoal.space import Recoding


def classes_of(recodings: Mapping[str, Recoding], areas: Mapping[str, Area]) -> tuple[ClassFacts, ...]:
    """Return the facts about the classes of labels and the areas of a release, by column."""
    labels = [
        ClassFacts(
            column=one.column,
            n_classes=len(one.people),
            least=one.least,
            largest=int(one.people.max(initial=0)),
            lower_bound=int(one.lower_bound),
            ratio_proved=one.ratio_proved,
            theorem=one.theorem,
        )
        for one in recodings.values()
    ]
    return (*labels, *(
        ClassFacts(
            column=one.column,
            n_classes=len(one.held),
            least=one.least,
            largest=int(one.held.max(initial=0)),
            lower_bound=one.bound,
            ratio_proved=one.ratio_proved,
            theorem=one.theorem,
        )
        for one in areas.values()
        if len(one.held)  # too few people for an area have none
    ))  # fmt: skip


def facts_of(
    choice: Choice,
    partition: Partition,
    notes: tuple[str, ...] = (),
    origins: Mapping[str, date] | None = None,
    classes: tuple[ClassFacts, ...] = (),
) -> Facts:
    """Return the facts about a partition; `notes` on the table come before those of the partition.

    `origins` are the first days from which dates are counted, by column. Groups grown for diversity keep the theorem
    of the method they replaced, which also holds for them; but a certificate can name a theorem of its own method
    only, or one on shares of values, so theirs claims no other.
    """
    own = partition.theorem in SHARES or THEOREMS.get(partition.theorem or "", (GROWN,))[0] == GROWN
    elsewhere = partition.method == GROWN and not own
    other = partition.less_generalized
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
        classes=classes,
        keeps_more=None if other is None else KeepsMore(**asdict(other)),
        timed_out=partition.timed_out,
    )
