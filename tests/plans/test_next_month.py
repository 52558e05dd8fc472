"""A plan and the file of the next month: which column keeps rows out is said, and dates that move with time fit."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.plans.moved_cells import _Mover
from shoal.plans.plan import Span
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
    with pytest.raises(
        InfeasibleError, match=r"Values are outside all cells of the plan in age \(4 rows\), admitted \(2 rows\)"
    ):
        shoal.apply(plan(), june)


def test_what_was_left_out_within_the_limit_is_said_by_column_too():
    june = month(5).with_columns(age=pl.when(pl.int_range(pl.len()) < 4).then(99).otherwise("age"))
    release = shoal.apply(plan(), june, max_suppressed=0.2)
    assert any("age (4 rows)" in note for note in release.certificate.notes)


def test_a_combination_that_no_class_has_is_no_fault_of_one_column():
    may = pl.DataFrame({"a": [1, 1, 1, 9, 9, 9], "b": ["x", "x", "x", "y", "y", "y"]})
    june = pl.DataFrame({"a": [1, 1, 1, 9, 9, 9, 9], "b": ["x", "x", "x", "y", "y", "y", "x"]})
    made = shoal.anonymize(may, quasi=["a", "b"], k=3, method="mondrian").plan
    with pytest.raises(InfeasibleError, match=r"No class has the combination of values of 1\."):
        shoal.apply(made, june)


def test_a_plan_says_at_once_that_later_dates_do_not_fit_it(tmp_path: Path):
    release = shoal.anonymize(month(5), **ROLES)
    (said,) = (note for note in release.certificate.notes if "admitted" in note and "plan" in note)
    assert 'relative_to={"admitted": "month"}' in said
    assert "no class contains dates of admitted" in release.to_html()
    month(5).write_csv(tmp_path / "may.csv")
    roles = ["--quasi", "age,admitted", "--sensitive", "ill", "-k", "3", "--method", "mondrian"]
    made = command("anonymize", str(tmp_path / "may.csv"), "-o", str(tmp_path / "may"), *roles)
    assert "--relative-to admitted=month" in " ".join(made.out.split())


def test_one_sentence_names_all_columns_of_later_dates():
    both = month(5).with_columns(seen=pl.col("admitted"))
    release = shoal.anonymize(both, **(ROLES | {"quasi": ["age", "admitted", "seen"]}))
    (said,) = (note for note in release.certificate.notes if "plan" in note)
    assert "no class contains dates of admitted and seen that come after" in said
    assert 'relative_to={"admitted": "month", "seen": "month"}: their classes' in said
    with pytest.raises(InfeasibleError) as refused:
        shoal.apply(release.plan, month(6).with_columns(seen=pl.col("admitted")))
    assert str(refused.value.hint).count("make the plan with") == 1


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
    assert "max_suppressed=0.217" in str(refused.value.hint)
    assert "--" not in str(refused.value.hint)
    month(5).write_csv(tmp_path / "may.csv")
    june.write_csv(tmp_path / "june.csv")
    roles = ["--quasi", "age,admitted", "--sensitive", "ill", "-k", "3", "--method", "mondrian"]
    made = command("anonymize", str(tmp_path / "may.csv"), "-o", str(tmp_path / "may"), *roles)
    assert made.code == 0, made.err
    done = command("apply", str(tmp_path / "may.private" / "plan.json"), str(tmp_path / "june.csv"), "-o",
                   str(tmp_path / "june"))  # fmt: skip
    assert done.code == 3
    assert "--max-suppressed 0.217" in done.err
    assert "admitted (9 rows)" in done.err


MOVING: dict[str, Any] = ROLES | {"relative_to": {"admitted": "month"}}


def held(release: shoal.Release[pl.DataFrame], dates: pl.Series) -> bool:
    """Whether every released row's date lies in the range that it is published in."""
    found = release.published.frame["admitted"].to_list()
    rows = release.order[release.published.rows]
    return all(_within(text, dates[int(row)]) for text, row in zip(found, rows, strict=True))


def _within(text: str, day: dt.date) -> bool:
    low, _, high = text.strip("[]").partition(", ")
    return low <= day.isoformat() <= (high or low)


def origin(release: shoal.Release[Any], column: str = "admitted") -> Any:
    return release.certificate.policy["columns"][column].get("origin")


def test_a_plan_relative_to_the_month_holds_the_file_of_the_next_one():
    may = shoal.anonymize(month(5), **MOVING)
    assert origin(may) == "2024-05-01"
    for number in (6, 7, 12):
        later = shoal.apply(may.plan, month(number))
        assert later.partition.n_suppressed == 0
        assert later.findings.holds
        assert held(later, month(number)["admitted"])
        assert origin(later) == f"2024-{number:02}-01"


def test_the_first_release_is_the_same_with_and_without_it():
    settings = {"secret": b"1" * 32, "seed": 1}
    plain, moving = (shoal.anonymize(month(5), **asked, **settings) for asked in (ROLES, MOVING))
    assert plain.published.frame.equals(moving.published.frame)
    assert not any("of no use" in note for note in moving.certificate.notes)


def test_discharges_in_the_month_after_move_with_the_admissions():
    """Of May all are discharged in May, of the shorter June some in July: both columns move by one month."""

    def stays(number: int) -> pl.DataFrame:
        table = month(number, 120)
        days = [day + dt.timedelta(days=i % 4) for i, day in enumerate(table["admitted"])]
        return table.with_columns(discharged=pl.Series(days))

    both = {"quasi": ["age", "admitted", "discharged"], "relative_to": {"admitted": "month", "discharged": "month"}}
    may, june = stays(5), stays(6)
    assert may["discharged"].max() == dt.date(2024, 5, 31)
    assert (june["discharged"] >= dt.date(2024, 7, 1)).sum() >= 3  # k people: the newest month of this column is July
    release = shoal.apply(plan(may, **both), june, max_suppressed=0.1)
    columns = release.certificate.policy["columns"]
    assert [str(columns[name]["origin"]) for name in ("admitted", "discharged")] == ["2024-06-01", "2024-06-01"]


def test_a_stray_date_does_not_move_the_classes_and_is_left_out():
    stray = month(6).with_columns(
        admitted=pl.when(pl.int_range(pl.len()) == 0).then(dt.date(2099, 1, 1)).otherwise("admitted")
    )
    release = shoal.apply(plan(**MOVING), stray, max_suppressed=0.1)
    assert origin(release) == "2024-06-01"
    assert not any("2099" in str(cell) for cell in release.table["admitted"])


def test_rows_that_are_left_out_do_not_decide_what_is_the_newest_month():
    """Three people of August are of ages that no class has: with them the newest month would be another one."""
    made = plan(pl.concat([month(5), month(6), month(7)]), **MOVING)
    july = pl.concat([month(6), month(7), month(8)])
    some = july.tail(60).head(3).with_columns(age=pl.lit(120, dtype=pl.Int64))
    table = pl.concat([july.head(120), some])
    release = shoal.apply(made, table, max_suppressed=0.6)
    assert origin(release) == "2024-07-01"
    without = shoal.apply(made, table.head(120), max_suppressed=0.6)
    assert origin(without) == "2024-07-01"
    assert sorted(set(release.table["admitted"])) == sorted(set(without.table["admitted"]))


def test_a_declared_origin_is_taken_and_stated():
    may = shoal.anonymize(month(5), **MOVING)
    mixed = pl.concat([month(6), month(7).head(5)])
    with pytest.raises(InfeasibleError) as refused:
        shoal.apply(may.plan, mixed, max_suppressed=0.2)
    assert 'origin={"admitted": "YYYY-MM-DD"}' in str(refused.value.hint)
    release = shoal.apply(may.plan, mixed, origin={"admitted": "2024-06-01"}, max_suppressed=0.2)
    assert origin(release) == "2024-06-01"
    assert len(release.table) >= 54


def test_the_origin_of_the_first_table_is_not_that_of_the_next():
    may = shoal.anonymize(month(5), **MOVING, origin={"admitted": "2024-05-01"})
    assert origin(shoal.apply(may.plan, month(6))) == "2024-06-01"


@pytest.mark.parametrize(
    "setting",
    [
        {"round_ranges": "month"},
        {"hierarchy": {"periods": ["month"]}},
        {"hierarchy": {"periods": ["day", "month", "quarter", "year"]}, "relative_to": "year"},
        {"relative_to": "week"},
        {"relative_to": "week", "hierarchy": {"periods": ["week"]}},
        {"relative_to": "quarter", "round_ranges": "quarter"},
    ],
    ids=["rounded", "months", "years", "weeks", "weeks as nodes", "quarters"],
)
def test_periods_and_rounded_ends_move_with_it(setting: dict[str, Any], tmp_path: Path):
    column = {"role": "quasi", "relative_to": "month"} | setting
    policy = {"k": 3, "publication": "generalize", "method": "mondrian",
              "columns": {"age": {"role": "quasi"}, "admitted": column, "ill": {"role": "sensitive"}}}  # fmt: skip
    period = column["relative_to"]
    months = {"month": 1, "quarter": 3, "year": 12, "week": 1}[period]
    later = month(5).with_columns(pl.col("admitted").dt.offset_by("35d" if period == "week" else f"{months}mo"))
    first = shoal.anonymize(month(5), policy)
    release = shoal.apply(first.plan, later)
    assert release.partition.n_suppressed == 0
    assert release.write(tmp_path / "later").findings.holds
    assert shoal.verify(tmp_path / "later").holds


def test_times_formats_two_columns_suppression_and_joined_classes_move_too():
    for asked in ({"ranges": "columns"}, {"publication": "suppress", "k": 2}):
        made = shoal.anonymize(month(5), **(MOVING | asked)).plan
        assert shoal.apply(made, month(6), max_suppressed=0.3).findings.holds
    timed = pl.col("admitted").cast(pl.Datetime("us")) + pl.duration(hours=13)
    made = plan(month(5).with_columns(timed), **MOVING)
    release = shoal.apply(made, month(6).with_columns(timed))
    assert release.partition.n_suppressed == 0
    assert "2024-06" in release.table["admitted"][0]
    joined = shoal.apply(plan(**MOVING), month(6).head(20), join=True)
    assert all("2024-06" in cell for cell in joined.table["admitted"])
    german = pl.col("admitted").dt.strftime("%d.%m.%Y")
    policy = {"k": 3, "method": "mondrian", "columns": {
        "age": {"role": "quasi"}, "ill": {"role": "sensitive"},
        "admitted": {"role": "quasi", "kind": "date", "format": "%d.%m.%Y", "relative_to": "month"}}}  # fmt: skip
    first = shoal.anonymize(month(5).with_columns(german), policy)
    release = shoal.apply(first.plan, month(6).with_columns(german))
    assert all(".06.2024" in cell for cell in release.table["admitted"])


def test_a_person_counts_once_for_the_newest_month():
    rows = month(5).with_columns(who=pl.int_range(pl.len()))
    extra = rows.head(1).with_columns(admitted=pl.lit(dt.date(2024, 6, 3)))
    table = pl.concat([rows, extra, extra, extra])
    release = shoal.anonymize(table, **MOVING, person="who")
    assert origin(release) == "2024-05-01"


@pytest.mark.parametrize("period", ["month", "quarter", "year"])
def test_ranges_that_cover_a_month_cover_it_after_any_move(period: str):
    for first in range(1, 13, {"month": 1, "quarter": 3, "year": 12}[period]):
        for cut in range(1, 28):
            months = [dt.date(2023, first, 1), dt.date(2023, first, cut), dt.date(2023, first, cut + 1)]
            end = (dt.date(2023, first, 28) + dt.timedelta(days=4)).replace(day=1) - dt.timedelta(days=1)
            spans = [Span(low=str(months[0]), high=str(months[1])), Span(low=str(months[2]), high=str(end))]
            step = {"month": 1, "quarter": 3, "year": 12}[period]
            for steps in (1, 2, 5, 13):
                total = first - 1 + steps * step
                to = dt.date(2023 + total // 12, total % 12 + 1, 1)
                move = _Mover(period, dt.date(2023, first, 1), to, (None,))  # type: ignore[arg-type]
                after = [move(span) for span in spans]
                last = (to.replace(day=28) + dt.timedelta(days=4)).replace(day=1) - dt.timedelta(days=1)
                days = [to + dt.timedelta(days=n) for n in range((last - to).days + 1)]
                for day in days:
                    assert any(one.low <= str(day) <= one.high for one in after if isinstance(one, Span))


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ({"role": "sensitive", "relative_to": "month"}, "quasi-identifier of dates"),
        ({"role": "quasi", "kind": "number", "relative_to": "month"}, "quasi-identifier of dates"),
        ({"role": "quasi", "origin": "2024-05-01"}, "belongs to relative_to"),
        ({"role": "quasi", "relative_to": "month", "origin": "2024-05-02"}, "first day of a month"),
        ({"role": "quasi", "relative_to": "month", "round_ranges": "quarter"}, "cannot move with it"),
        ({"role": "quasi", "relative_to": "month", "hierarchy": {"periods": ["month", "decade"]}}, "cannot move"),
        ({"role": "quasi", "kind": "date", "relative_to": "week", "format": "%Y-%m"}, "a month or longer"),
    ],
)
def test_settings_that_do_not_fit_are_one_sentence(column: dict[str, Any], told: str):
    with pytest.raises(ParameterError, match=told):
        shoal.Policy.parse({"columns": {"x": column}})


def test_a_column_that_is_no_date_is_refused_by_its_name():
    with pytest.raises(SchemaError, match=r"'age': relative_to is for dates"):
        shoal.anonymize(month(5), **(ROLES | {"relative_to": {"age": "month"}}))


def test_the_plan_is_read_as_it_was_written_and_a_forged_origin_is_refused():
    made = plan(**MOVING)
    assert shoal.Plan.parse(json.loads(made.dumps())) == made
    forged = json.loads(made.dumps()) | {"origins": {"age": "2024-05-01"}}
    with pytest.raises(ParameterError, match="origin"):
        shoal.Plan.parse(forged)


def test_flags_and_a_sequence(tmp_path: Path):
    month(5).write_csv(tmp_path / "may.csv")
    month(6).write_csv(tmp_path / "june.csv")
    roles = ["--quasi", "age,admitted", "--sensitive", "ill", "-k", "3", "--relative-to", "admitted=month"]
    roles += ["--publication", "generalize"]
    made = command("anonymize", str(tmp_path / "may.csv"), "-o", str(tmp_path / "may"), *roles)
    assert made.code == 0, made.err
    for given in ([], ["--origin", "admitted=2024-06-01"]):
        done = command("apply", str(tmp_path / "may.private" / "plan.json"), str(tmp_path / "june.csv"), "-o",
                       str(tmp_path / "june"), "--max-suppressed", "0.5", *given)  # fmt: skip
        assert done.code == 0, done.err
        assert command("verify", str(tmp_path / "june")).code == 0
        told = json.loads((tmp_path / "june" / "certificate.json").read_text())["policy"]["columns"]["admitted"]
        assert (told["relative_to"], told["origin"]) == ("month", "2024-06-01")
    named = month(5).with_columns(who=pl.int_range(pl.len()).cast(pl.String))
    first = shoal.anonymize(named, **MOVING, identifier="who", link="who")
    again = pl.concat([named, month(6).with_columns(who=(pl.int_range(pl.len()) + 100).cast(pl.String))])
    second = shoal.anonymize(again, **MOVING, identifier="who", link="who", after=first.history)
    assert (origin(first), origin(second)) == ("2024-05-01", "2024-06-01")


@pytest.mark.parametrize("method", ["full-domain", "datafly"])
@pytest.mark.parametrize("period", ["week", "month", "quarter", "year"])
@pytest.mark.parametrize("missing", [False, True])
def test_levels_that_nobody_gave_move_with_the_period(
    method: str, period: str, missing: bool, tmp_path: Path
) -> None:
    days = pl.date_range(dt.date(2024, 1, 1), dt.date(2024, 3, 30), eager=True)
    table = pl.DataFrame({"day": days, "sex": ["f", "m"] * 45})
    table = table.with_columns(day=pl.lit(None, dtype=pl.Date)) if missing else table
    release = shoal.anonymize(table, k=3, method=method, quasi=["day", "sex"], relative_to={"day": period})
    release.write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release").holds


def test_who_asks_for_moving_dates_and_gets_no_plan_is_told_so() -> None:
    days = [dt.date(2024, 1, 1 + at % 28) for at in range(60)]
    table = pl.DataFrame({"admitted": days, "age": [20 + at % 40 for at in range(60)]})
    asked = {"k": 5, "columns": {"admitted": {"role": "quasi", "relative_to": "month"}, "age": {"role": "quasi"}}}
    told = [
        [
            one
            for one in shoal.anonymize(table, asked | {"publication": form}).certificate.notes
            if "no plan is made" in one
        ]
        for form in ("aggregate", "generalize")
    ]
    assert [len(found) for found in told] == [1, 0]
    assert "admitted" in told[0][0]
