"""One table and one policy, from points to a released table that was checked: what every run goes through."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from shoal import progress
from shoal.certify import Findings, verify
from shoal.clock import Clock
from shoal.errors import CertificateError, InfeasibleError
from shoal.measure import Loss, Risk, loss, risk
from shoal.partition.methods.choose import AROUND_RECORDS, Choice, choose
from shoal.partition.methods.run import cost_of, solve
from shoal.partition.repair.meet import GROWING, Wish, met, or_grown
from shoal.partition.repair.shake import unforeseen
from shoal.partition.result import Labels, Partition, number_groups, share_of
from shoal.pipeline.counted_values import counted
from shoal.pipeline.inputs import numbers_may_be_huge
from shoal.pipeline.shape import Shape, Spaces, subset
from shoal.policy import Policy
from shoal.publish import Published, prices_of, publish
from shoal.requirements import Records, Requirement
from shoal.requirements import build as build_requirements
from shoal.roles import compared
from shoal.secret import Secret
from shoal.space import Space
from shoal.tables import Table

SEARCHED, POLISHED = 0.6, 0.8
"""Parts of a time limit after which the first search ends where more than k is asked, and the exchanges that follow
where there is time to grow groups then."""
ROUNDS = 3
"""Times that groups are made again because rows were left out; then no more are."""
AGAIN = 0.2
"""Part of a time limit that making groups again has at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A table, what is asked of it, and the points on which it will be met."""

    table: Table
    asked: Policy
    """Resolved."""
    policy: Policy
    """With its seed, and with the levels of whole columns."""
    secret: Secret
    choice: Choice
    requirements: Sequence[Requirement]
    records: Records
    whole: Shape
    """Of all rows: groups are made in it."""
    shape: Shape
    """Of the rows that are released: they are published in it."""

    @classmethod
    def of(cls, table: Table, policy: Policy, secret: Secret, spaces: Spaces, clock: Clock) -> Task:
        """Tasks of one geometry share their space. The table stands in its own order."""
        with clock("roles"):
            requirements, records = build_requirements(policy, counted(table, policy))
            choice = choose(policy)
        with clock("points"):
            shape = Shape.of(table.frame, policy, choice, records.people, spaces)
        return cls(
            table=table,
            asked=policy,
            policy=shape.policy.model_copy(update={"seed": secret.seed}),
            secret=secret,
            choice=choice,
            requirements=requirements,
            records=records,
            whole=shape,
            shape=shape,
        )

    @property
    def wish(self) -> Wish:
        return Wish(
            choice=self.choice,
            space=self.whole.built.space,
            k=self.policy.k,
            requirements=self.requirements,
            records=self.records,
            max_suppressed=self.policy.max_suppressed,
            seed=self.secret.number("groups"),
            effort=self.policy.effort,
        )

    def groups(self) -> Partition:
        """Groups by the chosen method that meet every requirement, or grown for diversity if those lose less."""
        begun, limit = time.monotonic(), self.policy.time_limit
        growing = limit is not None and (1.0 - POLISHED) * limit >= GROWING * self.table.frame.height
        searched, polished = 1.0 if self.k_alone else SEARCHED, POLISHED if growing else 1.0
        wish = self.wish if limit is None else replace(self.wish, deadline=begun + polished * limit)
        first = None if limit is None else searched * limit
        try:
            usual = met(self._unforeseen(self.policy.max_suppressed, first), wish)
        except InfeasibleError:
            if not self.policy.max_suppressed:
                raise
            usual = met(self._unforeseen(0.0, first), wish)  # the others need what was left out
        return or_grown(usual, wish if limit is None else replace(wish, deadline=begun + limit))

    @property
    def k_alone(self) -> bool:
        """Nothing is asked but groups of k rows."""
        return len(self.requirements) == 1 and self.records.people is None

    def _unforeseen(self, max_suppressed: float, time_limit: float | None) -> Partition:
        """Groups by the chosen method which nobody can make again from the quasi-identifiers, if they will change."""
        found = self.solved(max_suppressed, time_limit)
        again = partial(self.solved, max_suppressed, time_limit)
        return unforeseen(found, self.wish, again, seed=self.secret.number("shake"))

    def solved(self, max_suppressed: float, time_limit: float | None = None, space: Space | None = None) -> Partition:
        """Groups by the chosen method, before what it does not know of is met."""
        policy = self.policy
        return solve(
            self.choice,
            self.whole.built.space if space is None else space,
            policy.k,
            requirements=self.requirements,
            records=self.records,
            seed=self.secret.number("groups"),
            effort=policy.effort,
            time_limit=time_limit,
            max_suppressed=max_suppressed,
        )

    def of_released_rows(self, partition: Partition, clock: Clock, rounds: int = ROUNDS) -> tuple[Task, Partition]:
        """The task and its groups once all that shapes a published cell is derived from the rows in these groups.

        Where rows were left out, the groups stay if they are as good in what the others alone have. Otherwise the
        others are grouped again by themselves, with what may still be left out; if that cannot be, all are kept.
        """
        if not partition.n_suppressed:
            return self, partition
        kept = np.flatnonzero(partition.labels >= 0)
        table = self.table.taken(kept)
        try:
            with clock("points"):
                shape = Shape.of(table.frame, self.asked, self.choice, subset(self.records.people, kept))
            if shape.takes_groups_of(self.whole, whole_columns=self.choice.whole_columns):
                return replace(self, shape=shape), self._in_units_of(shape, partition, kept)
            asked = self._for_the_others(partition, len(kept), rounds)
            inner = Task.of(table, asked, self.secret, {}, clock)
            with clock("groups"):
                again = inner.groups()
            inner, again = inner.of_released_rows(again, clock, rounds - 1)
        except InfeasibleError:
            everyone = replace(self, policy=self.policy.model_copy(update={"max_suppressed": 0.0}))
            with clock("groups"):
                return self, everyone.groups()
        labels = np.full(len(partition.labels), -1, dtype=np.int64)
        labels[kept] = again.labels
        around = again.centers is not None and again.centers.ndim == 1
        told = {name: partition.details[name] for name in ("left_out",) if name in partition.details}
        whole = again.without_claim(
            f"{partition.n_suppressed} rows were left out, and the others were grouped by themselves",
            labels=labels,
            lower_bound=0.0,
            theorem_cost=None,
            centers=kept[np.asarray(again.centers, dtype=np.int64)] if around else None,
            details={**again.details, **told},
        )
        levels = {
            "seed": self.secret.seed,
            "max_suppressed": self.policy.max_suppressed,
            "time_limit": self.policy.time_limit,
        }
        return replace(self, policy=inner.policy.model_copy(update=levels), shape=inner.shape), whole

    def in_shape_of(self, partition: Partition, clock: Clock) -> Task:
        """The task for groups that must stay as they are: cells are derived from the rows in them alone."""
        if not partition.n_suppressed:
            return self
        kept = np.flatnonzero(partition.labels >= 0)
        with clock("points"):
            shape = Shape.of(self.table.frame[kept], self.asked, self.choice, subset(self.records.people, kept))
        return replace(self, shape=shape)

    def _for_the_others(self, partition: Partition, n_kept: int, rounds: int) -> Policy:
        """What is asked of the rows that were not left out."""
        left = share_of(self.policy.max_suppressed, len(partition.labels)) - partition.n_suppressed
        limit = self.policy.time_limit
        return self.asked.model_copy(
            update={
                "max_suppressed": max(left, 0) / n_kept if rounds else 0.0,
                "time_limit": None if limit is None else AGAIN * limit,
            }
        )

    def _in_units_of(self, shape: Shape, partition: Partition, kept: Labels) -> Partition:
        """Radii as they are among the released rows, around records that are among them."""
        if self.choice.objective not in AROUND_RECORDS or partition.centers is None:
            return partition
        from shoal.partition.radius.gather import best_centers, radii_around

        partition = replace(partition, notes=(*partition.notes, "radii are published in units of the released rows"))
        space, labels = shape.built.space, partition.labels[kept]
        own = np.asarray(partition.centers, dtype=np.int64)
        if np.isin(own, kept).all():
            return replace(partition, radii=radii_around(space, labels, np.searchsorted(kept, own)))
        centers, radii = best_centers(space, labels)
        return replace(partition, centers=kept[centers], radii=radii)

    def published(self, partition: Partition, clock: Clock) -> tuple[Partition, Published, Findings]:
        """The released table, checked as anyone would check it.

        Groups that are published alike are one group to the reader. Where they share people, the one may miss what
        each of the others meets; then they are joined, and repaired as one.
        """
        form = self.choice.form
        while True:
            with clock("publish"):
                published = publish(
                    self.table.as_read,
                    self.policy,
                    partition,
                    self.shape.built.trees,
                    form=form,
                    secret=self.secret,
                    recodings=self.shape.built.recodings,
                    areas=self.shape.areas,
                )
            with clock("verify"):
                findings = verify(published.frame, self.policy, form=form)
            if findings.holds:
                prices = prices_of(published, partition.sizes)
                return replace(partition, notes=(*partition.notes, *prices)), published, findings
            alike = published.alike
            if self.policy.person is None or form == "centers" or len(np.unique(alike)) == len(alike):
                raise CertificateError(
                    "the release failed its own check; nothing was released.",
                    "this is a fault of Shoal: please report it with the policy and the shape of the table.",
                )
            labels = number_groups(np.where(partition.labels < 0, -1, alike[partition.labels]))
            joined = partition.without_claim(
                "groups that share people and are published alike were joined",
                labels=labels,
                cost=cost_of(self.choice, self.whole.built.space)(labels),
                centers=None,
                radii=None,
                theorem_cost=None,
            )
            with clock("groups"):
                partition = met(joined, replace(self.wish, max_suppressed=0.0))  # the shape is of these rows

    def measured(self, partition: Partition, published: Published, clock: Clock) -> tuple[Loss, Risk]:
        """What the release loses, and what risk is left."""
        with clock("measure"), progress.step("measures"), numbers_may_be_huge():
            lost = loss(self.table.frame, self.policy, published, partition.labels, trees=self.shape.built.trees)
            return lost, risk(compared(self.table, self.policy), self.policy, published, partition.labels)
