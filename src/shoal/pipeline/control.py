"""The control of attacks: people who are not in the release, given or split off the table before it is made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import progress
from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.pipeline.inputs import resolve_roles
from shoal.policy import Policy
from shoal.roles import compared
from shoal.tables import Table
from shoal.tables.text import text_of

Ints = npt.NDArray[np.int64]
_WAY_OUT = "give a share such as 0.5, or a table of people who were not released."


def split_off(table: Table, policy: Policy, share: float, *, seed: int) -> tuple[Table, Table]:
    """Return the table without a random share of its people, and those people: the control.

    All rows of a person are on the same side.
    """
    if not 0 < share < 1:
        raise ParameterError(f"control={share:g} is not a share between 0 and 1.", _WAY_OUT)
    chance = np.random.default_rng(seed)
    unit = _units(table, policy)
    there = int(unit.max(initial=-1)) + 1
    held = np.zeros(there, dtype=bool)
    held[chance.permutation(there)[: round(share * there)]] = True
    if not held.any() or held.all():
        raise ParameterError(f"control={share:g} of {there} people leaves one side empty.", _WAY_OUT)
    return table.taken(np.flatnonzero(~held[unit])), table.taken(np.flatnonzero(held[unit]))


def n_people(table: Table, policy: Policy) -> int:
    """Return the number of people, or of rows without a person column."""
    return int(_units(table, policy).max(initial=-1)) + 1


def _units(table: Table, policy: Policy) -> Ints:
    """Return the number of the person of every row."""
    if policy.person is None or policy.person not in table.columns:
        return np.arange(len(table), dtype=np.int64)
    _, unit = np.unique(text_of(table.frame[policy.person]).fill_null("").to_numpy(), return_inverse=True)
    return unit.astype(np.int64)


def trial_policy(asked: Policy) -> Policy:
    """Return the policy of a trial release of some of the selected people, of which nothing is published."""
    nothing = {"where": None, "sample": None, "population": None, "synthetic": None, "metadata": None}
    return with_rare_labels(asked).model_copy(update={"evidence": False} | nothing)


def with_rare_labels(asked: Policy) -> Policy:
    """Return the policy for some of the people, by which labels that one of them has are no fault.

    A label that one person has in half of the table may be that of several in the whole.
    """
    columns = {
        name: column.model_copy(update={"publish_rare": True})
        if column.publish_rare is False and column.role not in ("identifier", "person")
        else column
        for name, column in asked.columns.items()
    }
    return asked.model_copy(update={"columns": columns})


def control_rows(others: Table, asked: Policy) -> pl.DataFrame:
    """Return the rows of the control, read and recoded as the table is."""
    there = set(others.columns)
    missing = [name for name in asked.columns if name not in there and asked.columns[name].role != "identifier"]
    if missing:
        raise ParameterError(
            f"the control has no column {missing[0]}.", "give people with all columns of the original table."
        )
    columns = {name: column for name, column in asked.columns.items() if name in there}
    kept = asked.model_copy(update={"columns": columns})
    with progress.unheard():  # what is to be said of the columns was said of the table
        table, resolved = resolve_roles(others, kept, Clock())
    return compared(table, resolved)


def as_share(control: object) -> float | None:
    """Return the share of people to split off if the control is a number; None if it is a table."""
    if isinstance(control, bool) or not isinstance(control, int | float | str | Path):
        return None
    try:
        return float(str(control))
    except ValueError:
        return None
