"""A table and a policy as a problem: the points that are grouped, what the groups must meet, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.clock import Clock
from shoal.partition.methods.choose import Choice, choose
from shoal.partition.methods.problem import Budget, Problem
from shoal.pipeline.counted_values import counted
from shoal.pipeline.shape import Shape, Spaces
from shoal.policy import Policy
from shoal.requirements import Records, Requirement
from shoal.requirements import build as build_requirements
from shoal.secret import Secret
from shoal.space import Space
from shoal.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A table, what is asked of it, and the problem on whose points it will be met."""

    table: Table
    """In its own row order."""
    asked: Policy
    """Resolved: every column has its role and its kind."""
    policy: Policy
    """What is published under: with its seed, and with the levels of whole columns."""
    secret: Secret
    problem: Problem
    """Of all rows."""
    whole: Shape
    """Of all rows: groups are made in it."""
    shape: Shape
    """Of the rows that are released: they are published in it."""

    @property
    def choice(self) -> Choice:
        """Which method makes the groups, and in which form they are published."""
        return self.problem.choice

    @property
    def space(self) -> Space:
        """The points of all rows."""
        return self.problem.space

    def budget(self) -> Budget:
        """The work that the policy allows, its time beginning now."""
        seed = self.secret.number("groups")
        return Budget(effort=self.policy.effort, time_limit=self.policy.time_limit, seed=seed)

    def with_max_suppressed(self, share: float) -> Task:
        """The same task, where another share of the rows may be left out."""
        return replace(self, problem=replace(self.problem, max_suppressed=share))


def build_task(table: Table, policy: Policy, secret: Secret, clock: Clock, spaces: Spaces | None = None) -> Task:
    """The problem that a resolved policy makes of a table; tasks with one dictionary of `spaces` build each once."""
    with clock("roles"):
        requirements, records = build_requirements(policy, counted(table, policy))
        choice = choose(policy)
    with clock("points"):
        shape = Shape.of(table.frame, policy, choice, records.people, spaces)
    return task_in(shape, table, policy, secret, choice, requirements, records)


def task_in(
    shape: Shape,
    table: Table,
    policy: Policy,
    secret: Secret,
    choice: Choice,
    requirements: Sequence[Requirement],
    records: Records,
) -> Task:
    """The task on the points of a shape that was derived from all rows."""
    problem = Problem(
        choice=choice,
        space=shape.built.space,
        k=policy.k,
        requirements=requirements,
        records=records,
        max_suppressed=policy.max_suppressed,
    )
    seeded = shape.policy.model_copy(update={"seed": secret.seed})
    return Task(table=table, asked=policy, policy=seeded, secret=secret, problem=problem, whole=shape, shape=shape)
