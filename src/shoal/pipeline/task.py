"""Turn a table and a policy into a grouping problem: points, requirements and cost."""

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
    """A table with its policy, and the grouping problem that they define."""

    table: Table
    """The table in canonical row order."""
    asked: Policy
    """The resolved policy, in which every column has its role and its kind."""
    policy: Policy
    """The policy of the release: `asked` with its seed, and with the levels and grids derived from the rows."""
    secret: Secret
    problem: Problem
    """The grouping problem of all rows."""
    whole: Shape
    """The shape derived from all rows, in which groups are made."""
    shape: Shape
    """The shape derived from the released rows, in which they are published."""

    @property
    def choice(self) -> Choice:
        """The method that makes the groups, and the form in which they are published."""
        return self.problem.choice

    @property
    def space(self) -> Space:
        """The points of all rows."""
        return self.problem.space

    def budget(self) -> Budget:
        """Return the effort and time that the policy allows, with the time starting now."""
        seed = self.secret.number("groups")
        return Budget(effort=self.policy.effort, time_limit=self.policy.time_limit, seed=seed)

    def with_max_suppressed(self, share: float) -> Task:
        """Return the same task with another largest share of rows that may be suppressed."""
        return replace(self, problem=replace(self.problem, max_suppressed=share))


def build_task(table: Table, policy: Policy, secret: Secret, clock: Clock, spaces: Spaces | None = None) -> Task:
    """Return the task of a table under a resolved policy.

    Tasks of the same table that are given the same dictionary `spaces` build each space only once.
    """
    # If rows may be suppressed, whether the others meet the requirements is found when groups are made.
    check = policy.max_suppressed == 0 or policy.sequence is not None
    with clock("roles"):
        requirements, records = build_requirements(policy, counted(table, policy), check=check)
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
    """Return the task whose points are those of `shape`, which must be derived from all rows."""
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
