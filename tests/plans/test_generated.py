"""Plans of generated tables, applied to other tables of the same columns and counted by hand."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError, SchemaError
from tests.api import oracle
from tests.api.cases import Case, cases, frames
from tests.api.test_every_release import (
    anonymized,
    assert_all_rows_are_accounted_for,
    assert_cells_are_true_of_every_member,
    assert_people_are_numbered_one_to_one,
    assert_verified,
)


@settings(max_examples=30)
@given(data=st.data(), case=cases(sources=("polars", "csv")))
def test_a_plan_applied_to_another_table_says_only_what_is_true_and_holds(data: st.DataObject, case: Case) -> None:
    """The new table shares columns, types and some rows with the old one."""
    if case.settings["publication"] not in ("generalize", "suppress"):
        case = Case(case.frame, case.settings | {"publication": "generalize"}, case.source, case.format)
    with TemporaryDirectory() as name:
        folder = Path(name)
        release = anonymized(case, case.as_source(folder))
        assume(release is not None)
        assert release is not None
        measured = [n for n, column in case.columns.items() if column["role"] in ("quasi", "sensitive")]
        drawn = data.draw(frames(measured, case.frame.height))
        fresh = case.frame.with_columns(drawn.get_columns())
        table = pl.concat([case.frame, fresh][data.draw(st.integers(0, 1)) :])
        other = Case(table, case.settings | {"max_suppressed": 0.9}, case.source)
        join = data.draw(st.booleans())
        try:
            plan = shoal.Plan.load(_written(release, folder))
            again = shoal.apply(plan, other.as_source(folder), max_suppressed=0.9, join=join, seed=1)
        except InfeasibleError:
            event("refused")
            return
        except SchemaError:
            if case.source != "csv":  # where a column without values has no type
                raise
            return
        event(f"applied, {'joined' if join else 'not joined'}, {min(again.partition.n_groups, 3)} groups or more")
        again.write(folder / "out", format=case.format)
        file = next((folder / "out").glob("release.*"))
        rows = oracle.read_rows(file)
        groups = oracle.check(rows, other.settings, again.choice.form)
        assert_verified(again, file, groups)
        assert_all_rows_are_accounted_for(again, rows, other)
        assert_people_are_numbered_one_to_one(again, other)
        assert_cells_are_true_of_every_member(again, other)


def _written(release: shoal.Release, folder: Path) -> Path:
    path = folder / "plan.json"
    path.write_text(release.plan.dumps(), encoding="utf-8")
    return path
