"""What analysts and attackers get from a released table: utility and the three questions, from one reading of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from shoal.certify.legend import Classes
from shoal.measure.column_views import trees_of
from shoal.measure.date_cells import dates_in_iso
from shoal.measure.questions.read import read_attacked
from shoal.measure.questions.result import Held, Questions
from shoal.measure.questions.sets import SetColumn
from shoal.measure.questions.three_questions import ask
from shoal.measure.released_table import read_release
from shoal.measure.utility.all_measures import measured
from shoal.measure.utility.result import Utility
from shoal.pipeline.inputs import numbers_may_be_huge
from shoal.policy import Policy
from shoal.space.hierarchy import Tree

PEOPLE = 500  # attacks for each question of a trial; `shoal attack` makes 2,000


@dataclass(frozen=True, slots=True)
class Analyzed:
    """The utility of a released table and, with a control, its risks; None for centers and tables without rows."""

    utility: Utility | None
    questions: Questions | None


def analyze(
    original: pl.DataFrame,
    released: pl.DataFrame,
    policy: Policy,
    legends: Mapping[str, Classes],
    control: pl.DataFrame | None,
    *,
    trees: Mapping[str, Tree] | None = None,
    targets: Sequence[str] | None = None,
    held: Held = "split",
    attempts: int = PEOPLE,
) -> Analyzed:
    """Return the utility of a released table as anyone can read it, and its risks by so many `attempts`, if any.

    `trees` are the hierarchies of the release, by default those of the policy. `held` says who the control are; its
    risks need one, unless that is "none".
    """
    released = dates_in_iso(released, policy)
    read = read_release(released, original, policy)
    if read.centers or not len(released):
        return Analyzed(None, None)
    with numbers_may_be_huge():
        grown = trees_of(original, policy) if trees is None else trees
        people = read_attacked(read, released, original, control, policy, grown, legends, given=held == "given")
        utility = measured(
            [column for column in people.columns if not isinstance(column, SetColumn)],
            people.n,
            policy,
            n_control=len(people.who) - people.n,
            targets=targets,
        )
        asked = attempts > 0 and (control is not None or held == "none")
        questions = ask(people, policy, held=held, attempts=attempts, seed=0) if asked else None
    return Analyzed(utility, questions)
