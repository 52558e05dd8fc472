"""A plan and the file of the next month: which column keeps rows out, said when the plan is made and when it is used."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import progress
from shoal.errors import InfeasibleError
from tests.cli.running import shoal as command

ROLES: dict[str, Any] = {"quasi": ["age", "admitted"], "sensitive": "ill", "k": 3, "method": "mondrian"}


def month(number: int, n: int = 60) -> pl.DataFrame:
    """Admissions of one month of 2024; ages are the same every month."""
    return pl.DataFrame(
        {
            "age": [20 + (7 * i) % 50 for i in range(n)],
            "admitted": [dt.date(2024, number, 1 + (i * 5) % 28) for i in range(n)],
            "ill": ["a" if i % 2 else "b" for i in range(n)],
        }
    )


class Heard:
    """Collects the notes of a run."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    @contextmanager
    def step(self, name: str, total: int | None) -> Iterator[progress.Advance]:
        yield lambda _amount: None


def plan(table: pl.DataFrame | None = None, **settings: Any) -> shoal.Plan:
    return shoal.anonymize(month(5) if table is None else table, **(ROLES | settings)).plan


def test_the_column_that_keeps_every_row_out_is_named_with_its_count():
    with pytest.raises(InfeasibleError) as refused:
        shoal.apply(plan(), month(6))
    assert "60 of 60 rows would have to be left out" in refused.value.message
    assert "admitted (60 rows)" in refused.value.message
    assert "age (" not in refused.value.message
    assert "relative_to" in str(refused.value.hint)


def test_each_column_is_counted_and_so_are_combinations_that_no_class_has():
    june = month(5).with_columns(
        age=pl.when(pl.int_range(pl.len()) < 4).then(99).otherwise("age"),
        admitted=pl.when(pl.int_range(pl.len()) < 2).then(dt.date(2030, 1, 1)).otherwise("admitted"),
    )
    with pytest.raises(InfeasibleError, match=r"no value of the plan holds those of age \(4 rows\), admitted \(2 rows\)"):
        shoal.apply(plan(), june)


def test_what_was_left_out_within_the_limit_is_said_by_column_too():
    june = month(5).with_columns(age=pl.when(pl.int_range(pl.len()) < 4).then(99).otherwise("age"))
    release = shoal.apply(plan(), june, max_suppressed=0.2)
    assert any("age (4 rows)" in note for note in release.certificate.notes)


def test_a_combination_that_no_class_has_is_no_fault_of_one_column():
    may = pl.DataFrame({"a": [1, 1, 1, 9, 9, 9], "b": ["x", "x", "x", "y", "y", "y"]})
    june = pl.DataFrame({"a": [1, 1, 1, 9, 9, 9, 9], "b": ["x", "x", "x", "y", "y", "y", "x"]})
    made = shoal.anonymize(may, quasi=["a", "b"], k=3, method="mondrian").plan
    with pytest.raises(InfeasibleError, match=r"no class has 1 in this combination"):
        shoal.apply(made, june)


def test_a_plan_says_at_once_that_later_dates_do_not_fit_it():
    heard = Heard()
    with progress.watch(heard):
        release = shoal.anonymize(month(5), **ROLES)
    said = [note for note in heard.notes if "admitted" in note and "plan" in note]
    assert len(said) == 1
    assert "relative_to" in said[0]
    assert said[0] in release.certificate.notes
    assert said[0][0:20] in release.to_html() or said[0][1:20] in release.to_html()


@pytest.mark.parametrize(
    ("columns", "settings"),
    [
        ({"admitted": "birth_date"}, {}),
        ({}, {"publication": "aggregate", "method": "auto"}),
        ({}, {"method": "full-domain", "hierarchy": {"admitted": {"periods": ["month", "year"]}}}),
    ],
    ids=["a birth date stays", "means have no plan", "levels hold any date"],
)
def test_nothing_is_said_where_later_tables_fit_or_there_is_no_plan(
    columns: dict[str, str], settings: dict[str, Any]
):
    quasi = ["age", columns.get("admitted", "admitted")]
    release = shoal.anonymize(month(5).rename(columns), **(ROLES | {"quasi": quasi} | settings))
    assert not any("later" in note for note in release.certificate.notes)


def test_the_way_out_is_in_the_words_of_the_caller(tmp_path: Path):
    later = pl.int_range(pl.len()) < 9
    june = month(5).with_columns(admitted=pl.when(later).then(month(6)["admitted"]).otherwise("admitted"))
    with pytest.raises(InfeasibleError) as refused:
        shoal.apply(plan(), june)
    assert "max_suppressed=0.15" in str(refused.value.hint)
    assert "--" not in str(refused.value.hint)
    month(5).write_csv(tmp_path / "may.csv")
    june.write_csv(tmp_path / "june.csv")
    roles = ["--quasi", "age,admitted", "--sensitive", "ill", "-k", "3", "--method", "mondrian"]
    made = command("anonymize", str(tmp_path / "may.csv"), "-o", str(tmp_path / "may"), *roles)
    assert made.code == 0, made.err
    done = command("apply", str(tmp_path / "may.private" / "plan.json"), str(tmp_path / "june.csv"), "-o",
                   str(tmp_path / "june"))  # fmt: skip
    assert done.code == 3
    assert "--max-suppressed 0.15" in done.err
    assert "admitted (9 rows)" in done.err
