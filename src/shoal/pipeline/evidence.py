"""Evidence for a release that was just made: attacks and analyses on it, and on a trial release with a control.

The release itself is attacked. Where the policy draws a sample, the people whom it left out are the control.
Otherwise half of the people, or of a sample of them in a large table, are held out of a trial release that is made in
the same way and not published, and are its control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from shoal import progress
from shoal.certify.legend import Classes
from shoal.clock import Clock
from shoal.errors import ShoalError
from shoal.measure.evidence import Evidence, Measured, NoTrial
from shoal.measure.questions.result import Held, Questions
from shoal.pipeline.control import control_rows, n_people, split_off, trial_policy
from shoal.pipeline.inputs import resolve_roles
from shoal.pipeline.selection import Selected, rows_where
from shoal.pipeline.trial_analysis import analyze
from shoal.policy import Policy
from shoal.publish import Published
from shoal.results.release import Release
from shoal.roles import compared
from shoal.space.hierarchy import Tree
from shoal.tables import Table

ATTEMPTS = 1_000  # attacks for each question: intervals of 95 % are then at most 3 points wide to each side
TRIAL_PEOPLE = 20_000  # people of a trial and its control together, so that a trial of any table takes seconds
HELD_OUT = 0.5  # the share of these people who are the control, as many as are in the trial
STEPS = 3  # of the progress: release, synthetic rows, trial
SEED = 0  # nothing of this is published, and the same table gives the same evidence
Again = Callable[[Table, Policy], Release[Any]]
"""A function that makes a release of other rows in the same way."""


def find_evidence(
    release: Release[Any],
    table: Table,
    selected: Selected,
    whole: Table,
    asked: Policy,
    again: Again,
    *,
    planned: bool,
) -> Evidence:
    """Return the evidence for a release of `table`, which has the columns as they were compared.

    `selected` are the rows before roles were resolved, of all rows `whole` of the source.
    """
    original, policy = compared(table, release.policy), release.policy
    others = _left_out(selected, whole, asked)
    control = None if others is None else control_rows(others, asked)
    held: Held = "none" if control is None else "left out"
    with progress.step("evidence", total=STEPS) as advance:
        found = _measure(original, release.published.frame, policy, legends_of(release.published), control,
                         trees=release.trees, held=held)  # fmt: skip
        advance(1)
        made_up = (
            None if policy.synthetic is None
            else _measure(original, release.synthetic_rows(), policy, {}, control, trees=None, held=held)
        )  # fmt: skip
        advance(1)
        why: NoTrial = (
            "centers" if found.questions is None
            else "control" if control is not None
            else "sequence" if asked.sequence is not None
            else "plan" if planned
            else ""
        )  # fmt: skip
        trial = None
        if not why:
            trial = _trial(selected.table, asked, again)
            why = "refused" if trial is None else ""
        advance(1)
    return Evidence(
        release=found, synthetic=made_up, trial=trial, n_people=n_people(selected.table, asked), no_trial=why
    )


def legends_of(published: Published) -> dict[str, Classes]:
    """Return the labels of the classes of every column that is published in classes."""
    return {name: list(classes) for name, classes in published.legends.items()}


def _measure(
    original: pl.DataFrame,
    released: pl.DataFrame,
    policy: Policy,
    legends: Mapping[str, Classes],
    control: pl.DataFrame | None,
    *,
    trees: Mapping[str, Tree] | None,
    held: Held,
) -> Measured:
    found = analyze(original, released, policy, legends, control, trees=trees, held=held, attempts=ATTEMPTS)
    return Measured(utility=found.utility, questions=found.questions)


def _left_out(selected: Selected, whole: Table, asked: Policy) -> Table | None:
    """Return people whom the sample of the policy left out, at most as many as it took; None if it has none."""
    if asked.sample is None:
        return None
    rest = np.setdiff1d(rows_where(whole, asked), selected.rows)
    if not len(rest):
        return None
    others = whole.taken(rest)
    there, enough = n_people(others, asked), n_people(selected.table, asked)
    return others if there <= enough else split_off(others, asked, 1 - enough / there, seed=SEED)[0]


def _trial(table: Table, asked: Policy, again: Again) -> Questions | None:
    """Return the questions asked of a trial release, with a control; None if half of the people cannot be one."""
    policy = trial_policy(asked)
    there = n_people(table, asked)
    try:
        with progress.unheard():
            some = table if there <= TRIAL_PEOPLE else split_off(table, asked, 1 - TRIAL_PEOPLE / there, seed=SEED)[0]
            rest, others = split_off(some, asked, HELD_OUT, seed=SEED)
            release = again(rest, policy)
            read, resolved = resolve_roles(rest, policy, Clock())
            control = control_rows(others, policy)
    except ShoalError:  # such as too few people for k; nothing but the trial is lost
        return None
    return analyze(
        compared(read, resolved),
        release.published.frame,
        resolved,
        legends_of(release.published),
        control,
        trees=release.trees,
        held="split",
        attempts=ATTEMPTS,
    ).questions
