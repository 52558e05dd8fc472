"""One table and one policy, from points to a released table that was checked: what every run goes through."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal import progress
from shoal.certify import Findings, verify
from shoal.clock import Clock
from shoal.errors import CertificateError, InfeasibleError
from shoal.measure import Loss, Risk, loss, risk
from shoal.partition.choose import Choice, choose
from shoal.partition.geography import Area, areas_of, axes_of
from shoal.partition.meet import GROWING, Wish, met, or_grown
from shoal.partition.recode import recode
from shoal.partition.result import Partition, number_groups
from shoal.partition.solve import cost_of, solve
from shoal.policy import Policy
from shoal.publish import Published, publish
from shoal.requirements import Records, Requirement
from shoal.requirements import build as build_requirements
from shoal.sources import numbers_may_be_huge
from shoal.space import Built, build_space, with_levels
from shoal.tables import Table

Spaces = dict[tuple[int, str, bool, bool, int], Built]
"""Of one table, by norm, scale, whether all columns are trees, what nodes cost, and k where classes depend on it."""

SEARCHED, POLISHED = 0.6, 0.8
"""Parts of a time limit after which the first search ends where more than k is asked, and the exchanges that follow
where there is time to grow groups then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A table, what is asked of it, and the points on which it will be met."""

    table: Table
    policy: Policy
    """Resolved, with its seed."""
    seed: int
    choice: Choice
    requirements: Sequence[Requirement]
    records: Records
    built: Built
    areas: Mapping[str, Area]
    """Of regions with a map and of places, where these are generalized."""

    @classmethod
    def of(cls, table: Table, policy: Policy, spaces: Spaces, clock: Clock) -> Task:
        """Tasks of one geometry share their space."""
        seed = policy.seed if policy.seed is not None else secrets.randbits(63)
        with clock("roles"):
            requirements, records = build_requirements(policy, table.frame)
            choice = choose(policy)
            if choice.whole_columns:
                policy = with_levels(policy, table.frame)
        with clock("points"):
            in_areas = choice.form == "generalize" and not choice.whole_columns
            areas = areas_of(table.frame, policy) if in_areas else {}
            k = policy.k if policy.recoded or areas else 0
            geometry = (choice.norm, choice.scale, choice.whole_columns, choice.by_leaves, k)
            if geometry not in spaces:
                spaces[geometry] = build_space(
                    table.frame,
                    policy,
                    norm=choice.norm,
                    scale=choice.scale,
                    only_trees=choice.whole_columns,
                    by_leaves=choice.by_leaves,
                    recodings=recode(table.frame, policy, records.people),
                    given=axes_of(areas),
                )
        return cls(
            table=table,
            policy=policy.model_copy(update={"seed": seed}),
            seed=seed,
            choice=choice,
            requirements=requirements,
            records=records,
            built=spaces[geometry],
            areas=areas,
        )

    @property
    def wish(self) -> Wish:
        return Wish(
            choice=self.choice,
            space=self.built.space,
            k=self.policy.k,
            requirements=self.requirements,
            records=self.records,
            max_suppressed=self.policy.max_suppressed,
            seed=self.seed,
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
            usual = met(self.solved(self.policy.max_suppressed, first), wish)
        except InfeasibleError:
            if not self.policy.max_suppressed:
                raise
            usual = met(self.solved(0.0, first), wish)  # the others need what was left out
        return or_grown(usual, wish if limit is None else replace(wish, deadline=begun + limit))

    @property
    def k_alone(self) -> bool:
        """Nothing is asked but groups of k rows."""
        return len(self.requirements) == 1 and self.records.people is None

    def solved(self, max_suppressed: float, time_limit: float | None = None) -> Partition:
        """Groups by the chosen method, before what it does not know of is met."""
        policy = self.policy
        return solve(
            self.choice,
            self.built.space,
            policy.k,
            requirements=self.requirements,
            records=self.records,
            seed=self.seed,
            effort=policy.effort,
            time_limit=time_limit,
            max_suppressed=max_suppressed,
        )

    def published(self, partition: Partition, clock: Clock) -> tuple[Partition, Published, Findings]:
        """The released table, checked as anyone would check it.

        Groups that are published alike are one group to the reader. Where they share people, the one may miss what
        each of the others meets; then they are joined, and repaired as one.
        """
        form = self.choice.form
        while True:
            with clock("publish"):
                published = publish(
                    self.table.frame,
                    self.policy,
                    partition,
                    self.built.trees,
                    form=form,
                    seed=self.seed,
                    recodings=self.built.recodings,
                    areas=self.areas,
                )
            with clock("verify"):
                findings = verify(published.frame, self.policy, form=form)
            if findings.holds:
                return partition, published, findings
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
                cost=cost_of(self.choice, self.built.space)(labels),
                centers=None,
                radii=None,
                theorem_cost=None,
            )
            with clock("groups"):
                partition = met(joined, self.wish)

    def measured(self, partition: Partition, published: Published, clock: Clock) -> tuple[Loss, Risk]:
        """What the release loses, and what risk is left."""
        with clock("measure"), progress.step("measures"), numbers_may_be_huge():
            lost = loss(self.table.frame, self.policy, published, partition.labels, trees=self.built.trees)
            return lost, risk(self.table.frame, self.policy, published, partition.labels)
