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
    if policy.person is None or policy.person not in table.columns:
        unit: Ints = np.arange(len(table), dtype=np.int64)
    else:
        _, unit = np.unique(text_of(table.frame[policy.person]).fill_null("").to_numpy(), return_inverse=True)
    n_people = int(unit.max(initial=-1)) + 1
    held = np.zeros(n_people, dtype=bool)
    held[chance.permutation(n_people)[: round(share * n_people)]] = True
    if not held.any() or held.all():
        raise ParameterError(f"control={share:g} of {n_people} people leaves one side empty.", _WAY_OUT)
    return table.taken(np.flatnonzero(~held[unit])), table.taken(np.flatnonzero(held[unit]))


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
