"""Make the groups of a release that follows earlier ones, and the history that the next release will need."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shoal.caller import named, setting
from shoal.clock import Clock
from shoal.errors import ParameterError, SchemaError
from shoal.partition.methods.choose import Choice, choose
from shoal.pipeline.groups import Grouped
from shoal.pipeline.next_release.groups import by_groups
from shoal.pipeline.next_release.values import by_values
from shoal.pipeline.row_order import Rows
from shoal.policy import Following
from shoal.sequence import History, Promise, marks, read_history
from shoal.sequence.history import LAST, WHO

__all__ = ["After", "follow"]

After = History | str | Path


def follow(rows: Rows, after: After | None, clock: Clock) -> Grouped:
    """Return the groups of the next release of a sequence, or of the first one if `after` is None.

    Raises ParameterError if the method or form cannot be used in a sequence, SchemaError if nobody of the latest
    release is in the table.
    """
    policy = rows.policy
    asked = policy.sequence
    assert asked is not None
    _check_form(choose(policy), asked)
    if after is None:
        history = History.begin(policy)
    else:
        history = after if isinstance(after, History) else read_history(after)
        history.promise.require(Promise.of(policy))
    with clock("roles"):
        who = marks(rows.table.frame[asked.link], history.key)
    if history.number:
        latest = history.people.filter(pl.col(LAST) == history.number)
        if not latest[WHO].is_in(who.implode()).any():
            raise SchemaError(
                f"none of the {latest.height} people of the latest release is in the table.",
                f"see that {asked.link} is the same column, written in the same way; or begin anew, without "
                f"{named('after')}.",
            )
    way = by_values if asked.keep == "values" else by_groups
    return way(rows, history, who, clock)


def _check_form(choice: Choice, asked: Following) -> None:
    """Raise ParameterError if the method or the form of publication cannot be used in a sequence."""
    if asked.keep == "values" and choice.form == "aggregate":
        raise ParameterError(
            'keep = "values" makes other groups for every release, and means of two of them would reveal who left.',
            f"use {setting('publication', 'generalize')}.",
        )
    if choice.whole_columns or choice.form == "centers":
        what = setting("method", choice.method) if choice.whole_columns else setting("publication", "centers")
        raise ParameterError(
            f"groups must stay the same in a sequence of releases, which {what} does not support.",
            f"use {setting('method', 'forest')} and {setting('publication', 'generalize')}.",
        )
