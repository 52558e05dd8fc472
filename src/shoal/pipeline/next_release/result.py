"""What `keep = "groups"` and `keep = "values"` share: the history of each row, the result, and the limit."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.caller import named, setting
from shoal.errors import InfeasibleError
from shoal.partition.result import Partition, share_of
from shoal.pipeline.task import Task
from shoal.policy import Following, Policy
from shoal.sequence import History
from shoal.sequence.history import GROUP, LAST, WHO

Ints = npt.NDArray[np.int64]
MADE_UP = -1
"""The number that stands for the input row of a counterfeit."""


def standing_of(history: History, who: pl.Series) -> tuple[Ints, Ints]:
    """Return the group of each row's person in the history, and the number of the last release with that person.

    People who are not in the history have -1 and 0.
    """
    known = who.alias(WHO).to_frame().join(history.people, on=WHO, how="left", maintain_order="left")
    return known[GROUP].fill_null(-1).to_numpy().astype(np.int64), known[LAST].fill_null(0).to_numpy().astype(
        np.int64
    )


def partition_of(task: Task, labels: Ints, notes: tuple[str, ...]) -> Partition:
    """Return the labels as a partition with their cost and `notes`, without a lower bound or a proved ratio."""
    return Partition(
        labels=labels,
        method=task.choice.method,
        objective=task.choice.minimizes,
        cost=task.problem.cost(labels),
        notes=notes,
    )


def sequence_remarks(before: History, after: History, n_present: int, policy: Policy) -> tuple[str, ...]:
    """Return notes on how many people stayed, and how many are new, for the private half of the certificate."""
    if not before.number:
        return ("this release is the first of a sequence",)
    latest = int((before.people[LAST] == before.number).sum())
    shown = after.people.filter(pl.col(LAST) == after.number)
    n_new = shown.join(before.people, on=WHO, how="anti").height
    return (
        f"this is release {after.number} of a sequence: of the {latest} people of the one before, "
        f"{shown.height - n_new} are shown again; {n_new} are new",
    )


def within_limit(policy: Policy, *, n_rows: int, thinned: int, waiting: int, back: int = 0, changed: int = 0) -> None:
    """Raise InfeasibleError, with counts and remedies, if more rows must be suppressed than the policy allows.

    The counts are the suppressed rows by reason: groups that became too small, new people who have to wait, people
    who were absent from an earlier release, and changed sensitive values.
    """
    asked = policy.sequence
    assert isinstance(asked, Following)
    left_out, allowed = thinned + waiting + back + changed, share_of(policy.max_suppressed, n_rows)
    if left_out == n_rows:
        raise InfeasibleError(
            "no row of this table can be published after the earlier releases.",
            f"begin anew, without {named('after')}.",
        )
    if left_out <= allowed:
        return
    frequent = "or with values too frequent " if asked.keep == "values" else ""
    why = [
        f"{n} {reason}"
        for n, reason in (
            (thinned, "of people whose groups have become too small"),
            (waiting, f"of new people, too few {frequent}to form groups"),
            (changed, "of people whose sensitive value is missing or no longer one of those in their earlier group"),
            (back, "of people who were absent from a release and cannot come back"),
        )
        if n
    ]
    needed = math.ceil(1000 * left_out / n_rows) / 1000
    ways = [f"allow it ({setting('max_suppressed', needed)})"]
    if asked.keep == "groups" and thinned:
        ways.append(f"begin with larger groups ({named('reserve')})")
    if asked.keep == "values" and thinned and not asked.counterfeits:
        ways.append(f"allow rows that are made up ({setting('counterfeits', True)})")
    raise InfeasibleError(
        f"{left_out} of {n_rows} rows would have to be left out, and {allowed} may be: {', '.join(why)}.",
        f"{', or '.join(ways)}.",
    )
