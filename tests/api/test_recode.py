"""Recoding before groups are made: a release of a recoded table is that of a table recoded by hand, and says so."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.errors import SchemaError, ShoalError
from tests.fixed_secret import SECRET

N = 80
RNG = np.random.default_rng(11)
RARE = ["smith", "tailor", "falconer"]
TABLE = pl.DataFrame(
    {
        "age": [*RNG.integers(15, 90, N - 2).tolist(), 97, 103],
        "born": [dt.date(1930, 1, 1) + dt.timedelta(int(day)) for day in RNG.integers(0, 22_000, N)],
        "job": [*RNG.choice(["clerk", "nurse", "cook", "guard"], N - 4).tolist(), *RARE, "smith"],
        "pay": [*RNG.integers(900, 90_000, N - 1).tolist(), 7_654_321],
        "fee": [*RNG.integers(1, 50, N - 1).tolist(), 987_654],
    }
)
COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi", "kind": "number", "top": 90, "bottom": 18},
    "born": {"role": "quasi", "round": "month"},
    "job": {"role": "quasi", "merge": {"rare": RARE}},
    "pay": {"role": "sensitive", "top": 80_000, "round": 1000},
    "fee": {"role": "other", "top": 40},
}
POLICY: dict[str, Any] = {"k": 4, "columns": COLUMNS}


def by_hand(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(
        pl.col("age").clip(18, 90),
        pl.col("born").dt.truncate("1mo"),
        pl.col("job").replace(dict.fromkeys(RARE, "rare")),
        ((pl.col("pay") + 500) // 1000 * 1000).clip(upper_bound=80_000),
        pl.col("fee").clip(upper_bound=40),
    )


def plain(policy: dict[str, Any]) -> dict[str, Any]:
    """The policy without its recoding."""
    kept = {
        name: {key: value for key, value in column.items() if key in ("role", "kind")}
        for name, column in policy["columns"].items()
    }
    kept["job"]["kind"] = "label"
    return policy | {"columns": kept}


def unmarked(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.all().cast(pl.String).str.replace_all(r"[<>]=", ""))


FORMS = [(form, "brackets") for form in ("generalize", "aggregate", "centers", "suppress")]


@pytest.mark.parametrize(("publication", "ranges"), [*FORMS, ("generalize", "columns")])
def test_a_recoded_release_is_that_of_a_table_recoded_by_hand(publication: str, ranges: str) -> None:
    policy = POLICY | {"publication": publication, "ranges": ranges}
    recoded = shoal.anonymize(TABLE, policy, secret=SECRET)
    hand = shoal.anonymize(by_hand(TABLE), plain(policy), secret=SECRET)
    assert recoded.findings.holds
    assert recoded.findings.k == hand.findings.k
    assert recoded.partition.labels.tolist() == hand.partition.labels.tolist()
    assert (recoded.loss.gcp, recoded.partition.cost) == (hand.loss.gcp, hand.partition.cost)
    if publication != "centers":
        assert unmarked(recoded.table).equals(unmarked(hand.table))


@settings(max_examples=6, deadline=None)
@given(
    ages=st.lists(st.integers(-5, 120) | st.none(), min_size=12, max_size=30),
    top=st.integers(60, 110),
    bottom=st.integers(-2, 40),
    step=st.integers(1, 12),
)
def test_any_numbers_are_recoded_as_by_hand(ages: list[int | None], top: int, bottom: int, step: int) -> None:
    """Missing stays missing; rounding comes first, halves go up."""
    top, bottom = top // step * step, bottom // step * step
    table = pl.DataFrame({"age": pl.Series(ages, dtype=pl.Int64), "ill": [f"i{n % 3}" for n in range(len(ages))]})
    hand = [None if one is None else min(max((2 * one + step) // (2 * step) * step, bottom), top) for one in ages]
    asked: dict[str, Any] = {"role": "quasi", "kind": "number"}
    policy: dict[str, Any] = {"k": 3, "columns": {"age": asked, "ill": {"role": "sensitive"}}}
    recoding = {"top": top, "bottom": bottom, "round": step}
    one = shoal.anonymize(table, policy | {"columns": policy["columns"] | {"age": asked | recoding}}, secret=SECRET)
    other = shoal.anonymize(table.with_columns(age=pl.Series(hand, dtype=pl.Int64)), policy, secret=SECRET)
    assert one.partition.labels.tolist() == other.partition.labels.tolist()
    assert unmarked(one.table).equals(unmarked(other.table))


def test_the_order_of_rows_decides_nothing() -> None:
    shuffled = TABLE.sample(fraction=1.0, shuffle=True, seed=3)
    one, other = (shoal.anonymize(table, POLICY, secret=SECRET).table for table in (TABLE, shuffled))
    assert one.equals(other)


def test_no_true_value_beyond_a_limit_and_no_merged_label_is_in_the_public_folder(tmp_path) -> None:
    TABLE.write_csv(tmp_path / "in.csv")
    shoal.anonymize(tmp_path / "in.csv", POLICY).write(tmp_path / "out")
    public = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    for value in (b"103", b"7654321", b"7654000", b"987654", b"smith", b"tailor", b"falconer"):
        assert value not in public, value
    stated = json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]["columns"]
    assert stated["age"] == {"role": "quasi", "top": 90.0, "bottom": 18.0}
    assert stated["job"] == {"role": "quasi", "merge": {"rare": 3}}
    assert stated["pay"] == {"role": "sensitive", "top": 80000.0, "round": 1000.0}
    assert shoal.verify(tmp_path / "out").holds
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text())
    fields = {field["name"]: field for field in package["resources"][0]["schema"]["fields"]}
    assert "90 stands for 90 or more; 18 stands for 18 or less" in fields["age"]["description"]
    assert "rare stands for 3 values" in fields["job"]["description"]
    assert fields["pay"]["shoal"]["exact"] == 0  # every cell is rounded
    assert fields["fee"]["shoal"]["exact"] == TABLE.filter(pl.col("fee") < 40).height
    assert "Published as it was" not in fields["pay"]["description"] + fields["fee"]["description"]
    assert "falconer" in (tmp_path / "out.private" / "policy.toml").read_text()


def test_a_cell_at_the_top_reads_so_alone_in_a_range_and_in_a_sensitive_column() -> None:
    table = shoal.anonymize(TABLE, POLICY | {"publication": "generalize"}, secret=SECRET).table
    assert table["age"].str.contains(r"^\[\d+, >=90\]$").any()
    assert table["age"].str.contains(r"^\[<=18, \d+\]$").any()
    assert not table["age"].str.contains(r"(?:^|[^=])90|(?:^|[^=])\b18").any()
    assert (table["pay"] == ">=80000").any()
    assert (table["fee"] == ">=40").any()


TAMPERED = [
    ("age", ">=90", "97"),
    ("age", ">=90", "90"),
    ("age", ">=90", ">=97"),
    ("age", ">=90", "89"),
    ("age", "<=18", "17"),
    ("born", "-01]", "-02]"),
    ("job", "rare", "smith"),
    ("pay", ">=80000", "7654321"),
    ("pay", ">=80000", "80000"),
    ("pay", ">=80000", "80500"),
    ("pay", "000", "001"),
    ("fee", ">=40", "987654"),
    ("fee", ">=40", "a word"),
]


@pytest.mark.parametrize(("column", "said", "shown"), TAMPERED)
def test_verify_catches_a_cell_that_shows_more_than_the_recoding_allows(column: str, said: str, shown: str) -> None:
    policy = POLICY | {"k": 2, "publication": "generalize"}
    table = shoal.anonymize(TABLE, policy, secret=SECRET).table
    assert shoal.verify(table, policy).holds
    row = next(row for row, cell in enumerate(table[column]) if cell and said in cell)
    cell = table[column][row].replace(said, shown)
    # in every row of its class, so that k holds and only the recoding is broken
    changed = table.with_columns(pl.col(column).replace({table[column][row]: cell}))
    found = shoal.verify(changed, policy)
    expected = shown != "89"  # 89 lies within the limits: whether the cell was at the top, nobody can tell
    assert ("recoding" in [failure.check for failure in found.failures]) == expected
    assert found.holds != expected


@pytest.mark.parametrize(("column", "shown"), [("age_max", 97), ("age_min", 5), ("pay", 80_500), ("fee", 41)])
def test_verify_catches_a_number_beyond_a_limit_in_columns_for_programs(column: str, shown: int) -> None:
    policy = POLICY | {"ranges": "columns", "publication": "generalize"}
    table = shoal.anonymize(TABLE, policy, secret=SECRET).table
    assert table["age_max"].max() == 90
    assert shoal.verify(table, policy).holds
    changed = table.with_columns(pl.lit(shown).alias(column))
    assert "recoding" in [failure.check for failure in shoal.verify(changed, policy).failures]


def test_means_are_of_recoded_values_and_stay_within_the_limits() -> None:
    policy = POLICY | {"publication": "aggregate"}
    table = shoal.anonymize(TABLE, policy, secret=SECRET).table
    assert table["age"].dtype == pl.Int64
    assert table["age"].is_between(18, 90).all()
    beyond = table.with_columns(age=pl.lit(91))
    assert "recoding" in [failure.check for failure in shoal.verify(beyond, policy, form="aggregate").failures]


def test_l_and_t_count_recoded_values() -> None:
    """Everybody above the top has one value: two of them are not two values towards l."""
    table = pl.DataFrame({"age": [30] * 4 + [60] * 4, "pay": [91, 95, 99, 93, 10, 20, 30, 40]})
    columns = {"age": {"role": "quasi"}, "pay": {"role": "sensitive", "kind": "number", "top": 90}}
    release = shoal.anonymize(table, {"k": 4, "columns": columns, "diversity": {"l": 2}, "method": "forest"})
    assert release.findings.l["pay"] >= 2
    assert release.loss.gcp > 0  # people of both ages had to share a group
    released = pl.DataFrame({"age": ["30"] * 4 + ["60"] * 4, "pay": [">=90"] * 4 + ["10", "20", "30", "40"]})
    found = shoal.verify(released, {"k": 4, "columns": columns, "diversity": {"l": 2}}, form="generalize")
    assert found.l == {"pay": 1}
    ordered = {"k": 4, "columns": columns, "closeness": {"t": 0.9, "distance": "ordered"}}
    assert 0 < shoal.verify(released, ordered, form="generalize").t["pay"] < 0.9


def test_an_attack_compares_with_the_recoded_original(tmp_path) -> None:
    TABLE.write_csv(tmp_path / "in.csv")
    release = shoal.anonymize(tmp_path / "in.csv", POLICY)
    release.write(tmp_path / "out")
    found = shoal.attack(tmp_path / "in.csv", tmp_path / "out", tmp_path / "out.private" / "policy.toml", people=N)
    assert not found.exceeds
    hand = by_hand(TABLE)
    hand.write_csv(tmp_path / "hand.csv")
    same = shoal.attack(tmp_path / "hand.csv", unmarked(release.table), plain(POLICY), people=N)
    assert found.nearest.rate == pytest.approx(same.nearest.rate)
    with pytest.raises(SchemaError, match="how many values were merged, and not which"):
        shoal.attack(tmp_path / "in.csv", tmp_path / "out")


def test_a_plan_recodes_the_next_table_in_the_same_way(tmp_path) -> None:
    shoal.anonymize(TABLE, POLICY).write(tmp_path / "out")
    later = TABLE.with_columns(pl.when(pl.col("age") > 89).then(119).otherwise("age").alias("age"))
    release = shoal.apply(tmp_path / "out.private" / "plan.json", later)
    assert release.findings.holds
    assert release.table["age"].str.contains(">=90", literal=True).any()
    assert "119" not in "".join(release.table["age"].to_list())
    assert not release.table["job"].str.contains("smith").any()


def test_every_release_of_a_sequence_has_the_same_recoding() -> None:
    table = TABLE.with_columns(id=pl.int_range(N).cast(pl.String))
    policy = POLICY | {"columns": COLUMNS | {"id": {"role": "identifier"}}, "sequence": {"link": "id"}}
    first = shoal.anonymize(table, policy)
    again = shoal.anonymize(table, policy, after=first.history)
    assert again.findings.holds
    finer = policy | {"columns": policy["columns"] | {"age": {"role": "quasi", "kind": "number"}}}
    with pytest.raises(ShoalError, match="another recoding"):
        shoal.anonymize(table, finer, after=first.history)


def test_formats_of_numbers_and_dates_are_kept(tmp_path) -> None:
    days = [*range(1, 29)] * 2
    rows = [f"{day:02}.0{1 + day % 9}.19{30 + day % 60};{n}.{n % 9}00,50 €" for n, day in enumerate(days, 1)]
    (tmp_path / "in.csv").write_text("\n".join(["born;pay", *rows, ";"]), encoding="utf-8")
    money = {"decimal": ",", "thousands": ".", "suffix": " €"}
    columns = {
        "born": {"role": "quasi", "kind": "date", "format": "%d.%m.%Y", "bottom": "1940-01-01", "round": "month"},
        "pay": {"role": "sensitive", "number": money, "top": 50_000, "round": 1000},
    }
    release = shoal.anonymize(tmp_path / "in.csv", {"k": 3, "publication": "generalize", "columns": columns})
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    table = release.table
    assert table["born"].str.contains("<=01.01.1940", literal=True).any()
    assert set(table["pay"].drop_nulls().str.extract(r"(^>=50\.000 €$|^\d+\.000 €$|^0 €$)").is_null()) == {False}
    assert (table["pay"] == ">=50.000 €").any()


def test_a_date_with_a_comma_is_marked_before_its_quotes() -> None:
    texts = [f"Jan {1 + n % 28}, {1930 + n}" for n in range(40)]
    column = {"role": "quasi", "kind": "date", "format": "%b %d, %Y", "bottom": "1940-01-01"}
    policy = {"k": 7, "publication": "generalize", "columns": {"born": column}}
    release = shoal.anonymize(pl.DataFrame({"born": texts}), policy)
    assert release.findings.holds
    shown = set(release.table["born"])
    assert any(cell.startswith('[<="Jan') for cell in shown) or "<=Jan 1, 1940" in shown


def test_what_recoding_lost_is_told_beside_what_groups_lost() -> None:
    """Ten people from 0 to 90; from 50 on they are one value, half of them, 40 of 90 wide."""
    table = pl.DataFrame({"age": [10 * n for n in range(10)] * 3, "job": list("abcdefghij") * 3})
    columns = {
        "age": {"role": "quasi", "kind": "number", "top": 50},
        "job": {"role": "quasi", "kind": "label", "merge": {"z": ["a", "b"]}},
    }
    loss = shoal.anonymize(table, {"k": 3, "columns": columns, "publication": "generalize"}).loss
    age, job = loss.recoded
    assert (age.at_top, age.at_bottom, age.cells, job.merged) == (15, 0, 15, 6)
    assert age.lost == pytest.approx(0.5 * 40 / 90)
    assert job.lost == pytest.approx(0.2 * 2 / 10)
    assert loss.recoding == pytest.approx((age.lost + job.lost) / 2)
    assert loss.gcp == 0  # every group agrees in the recoded table
    exact = {column.name: column.exact for column in loss.columns}
    assert exact == {"age": pytest.approx(0.5), "job": pytest.approx(0.8)}


WRONG = [
    ("age", {"top": 10, "bottom": 20}, "bottom must be below top"),
    ("age", {"round": 0}, "greater than 0"),
    ("age", {"round": -5}, "greater than 0"),
    ("age", {"top": 91, "round": 5}, "multiples of round"),
    ("age", {"top": 90.5}, "whole numbers, and top is not"),
    ("age", {"round": 2.5}, "whole numbers, and round is not"),
    ("age", {"round": "month"}, "round does not fit its kind, number"),
    ("age", {"top": "1999-01-01"}, "top does not fit its kind, number"),
    ("age", {"top": 90, "hierarchy": {"widths": [5]}}, "without a hierarchy"),
    ("age", {"round": 5, "round_ranges": 10}, "do not go together"),
    ("age", {"top": 95, "round_ranges": 10}, "multiples of round_ranges"),
    ("born", {"top": 90}, "top does not fit its kind, date"),
    ("born", {"top": "1980-01-01", "round": 5}, "all be of numbers, or all of dates"),
    ("job", {"top": 90}, "top is for numbers and dates"),
    ("job", {"kind": "label", "top": 90}, "belong to numbers or dates"),
    ("job", {"merge": {"clerk": ["smith", "tailor"]}}, "a label that merge makes is in"),
    ("job", {"merge": {"a": ["smith"], "b": ["smith"]}}, "names a value twice"),
    ("job", {"merge": {"a": []}}, "merge names new labels"),
    ("job", {"merge": {"a": ["smith"], "smith": ["cook"]}}, "makes a new label of values"),
    ("job", {"merge": {"a": 3}}, "how many values were merged, and not which"),
    ("fee", {"role": "identifier", "top": 3}, "belongs to a column that is published"),
    ("fee", {"top": "2020-01-01"}, "top does not fit its kind, number"),
]


@pytest.mark.parametrize(("column", "asked", "sentence"), WRONG)
def test_wrong_settings_get_one_sentence(column: str, asked: dict[str, Any], sentence: str) -> None:
    columns = {name: {"role": one["role"]} for name, one in COLUMNS.items()}
    columns[column] = columns[column] | asked
    columns["job"] = {"publish_rare": True} | columns["job"]
    with pytest.raises(ShoalError, match=sentence) as refused:
        shoal.anonymize(TABLE, {"k": 4, "columns": columns})
    assert not any(value in str(refused.value) for value in ("smith", "7654321", "falconer"))


def test_values_to_merge_that_are_not_there_are_counted_and_not_named() -> None:
    columns = COLUMNS | {"job": {"role": "quasi", "merge": {"rare": ["smith", "tailor", "falconer", "miller"]}}}
    release = shoal.anonymize(TABLE, POLICY | {"columns": columns})
    assert "column 'job': 1 of 4 values to be merged are not in the table." in release.notes


def test_a_method_that_publishes_intervals_is_refused() -> None:
    """[90, 95) would be said of somebody of 97."""
    with pytest.raises(ShoalError, match="publishes intervals, and age has a top"):
        shoal.anonymize(TABLE, POLICY | {"method": "full-domain"})
    merged = {"k": 4, "columns": {"job": COLUMNS["job"]}, "method": "full-domain", "max_suppressed": 0.1}
    assert shoal.anonymize(TABLE.select("job"), merged).findings.holds


def test_the_report_finds_people_by_recoded_values_as_if_they_had_been_recoded_by_hand(tmp_path) -> None:
    """A value that is written with a mark or a decimal comma is still the value of the recoded original."""
    rows = [f"{15 + n % 80};{900 + 37 * n},5;{n % 60}" for n in range(80)]
    (tmp_path / "in.csv").write_text("\n".join(["age;pay;fee", *rows]))
    columns = {
        "age": {"role": "quasi", "kind": "number", "top": 90},
        "pay": {"role": "sensitive", "top": 3500},
        "fee": {"role": "other", "top": 50},
    }
    release = shoal.anonymize(tmp_path / "in.csv", {"k": 4, "publication": "generalize", "columns": columns})
    found = release.risk.singled
    assert (found.unique, found.tried) == (80, 80)
    assert found.isolated >= 65  # all but those whose pay and fee are both at their tops
    assert "lost by recoding before that: " in str(release)


def test_flags_recode_on_the_command_line(tmp_path) -> None:
    TABLE.write_csv(tmp_path / "in.csv")
    flags = [
        *("--quasi", "age,job,born", "--sensitive", "pay", "--other", "fee", "--top", "age=90", "--bottom", "age=18"),
        *("--merge", f"job=rare:{','.join(RARE)}", "--round", "born=month", "--round", "pay=1000"),
        *("--top", "pay=80000", "--top", "fee=40", "--publication", "generalize", "--k", "4", "--quiet"),
    ]
    done = CliRunner().invoke(app, ["anonymize", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out"), *flags])
    assert done.exit_code == 0, done.output
    stated = json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]["columns"]
    assert stated["age"] == {"role": "quasi", "top": 90.0, "bottom": 18.0}
    assert (stated["born"]["round"], stated["job"]["merge"]) == ("month", {"rare": 3})
    bad = CliRunner().invoke(
        app, ["anonymize", str(tmp_path / "in.csv"), "-o", str(tmp_path / "x"), "--merge", "job"]
    )
    assert bad.exit_code == 2
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("role", ["sensitive", "other"])
@pytest.mark.parametrize("recoding", [{"round": 100}, {"top": 3000}, {"round": 100, "top": 3000}])
def test_the_text_of_the_file_does_not_come_back(role: str, recoding: dict[str, Any], tmp_path) -> None:
    """Cells such as 1234.50 are published as they were read, to the letter, unless they are recoded."""
    pay = [f"{1000 + 101 * n}.50" for n in range(40)]
    (tmp_path / "in.csv").write_text("\n".join(["age,pay", *(f"{20 + n % 8},{one}" for n, one in enumerate(pay))]))
    columns = {"age": {"role": "quasi"}, "pay": {"role": role, **recoding}}
    shoal.anonymize(tmp_path / "in.csv", {"k": 3, "columns": columns}).write(tmp_path / "out")
    released = (tmp_path / "out" / "release.csv").read_text()
    hidden = pay if "round" in recoding else [one for one in pay if float(one) >= 3000]
    assert not any(one in released or one.removesuffix("0") in released for one in hidden)
    assert shoal.verify(tmp_path / "out").holds


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
@pytest.mark.parametrize("column", [{"top": 80}, {"bottom": 30}, {"top": 80, "bottom": 30, "round": 10}])
def test_a_column_with_stars_marks_its_tops_however_ranges_are_written(
    tmp_path: Path, column: dict[str, Any], ranges: str
) -> None:
    """`ranges` is about ranges: a column of stars and values is one of texts, so its limits are marked."""
    ages = [81, 85, 99, 80, 30, 21, 11, 19, 50, 51, 64, 40]
    (tmp_path / "in.csv").write_text("\n".join(["age,ill", *(f"{age},{age % 3}" for age in ages)]))
    columns = {"age": {"role": "quasi", "kind": "number", **column}, "ill": {"role": "sensitive"}}
    asked = {"k": 3, "publication": "suppress", "ranges": ranges, "method": "forest", "columns": columns}
    release = shoal.anonymize(tmp_path / "in.csv", asked)
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    cells = set(release.table["age"].to_list())
    typed = set(shoal.read_release(tmp_path / "out")["age"].to_list())
    assert typed == {None if cell == "*" else int(cell.removeprefix(">=").removeprefix("<=")) for cell in cells}
    assert ("top" not in column) or ">=80" in cells
    assert ("bottom" not in column) or "<=30" in cells


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_hidden_cells_beside_a_top_are_texts_and_marked_in_any_notation(ranges: str, tmp_path: Any) -> None:
    """The verifier expected numbers without a mark, and refused what it should accept."""
    policy = POLICY | {"publication": "suppress", "ranges": ranges, "k": 2}
    columns = COLUMNS | {"age": COLUMNS["age"] | {"round": 10, "top": 60, "bottom": 20}}
    release = shoal.anonymize(TABLE, policy | {"columns": columns}, secret=SECRET)
    assert ">=60" in release.published.frame["age"].to_list()
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    file = tmp_path / "out" / "release.csv"
    unmarked_ = file.read_text(encoding="utf-8").replace(">=60", "60")
    (tmp_path / "forged.csv").write_text(unmarked_, encoding="utf-8")
    failures = shoal.verify(tmp_path / "forged.csv", policy | {"columns": columns}).failures
    assert any("recoded" in failure.message for failure in failures)


LARGE = 2**63 - 1


@pytest.mark.parametrize(
    ("dtype", "asked", "last"),
    [
        (pl.Int64, {"round": 5, "top": 50}, "50"),
        (pl.UInt64, {"top": 50}, "50"),
        (pl.UInt64, {"round": 10}, str(2**63 + 2)),
    ],
)
def test_numbers_that_need_more_room_while_they_are_rounded_are_released(
    dtype: Any, asked: dict[str, Any], last: str
) -> None:
    """Numbers near the end of 64 bits are rounded beyond it and then limited: an error of pyarrow stopped the run."""
    pay = [7, 22, 31, 31, 40, LARGE] * 4
    table = pl.DataFrame({"a": range(24), "b": [row % 5 for row in range(24)], "pay": pl.Series(pay, dtype=dtype)})
    columns = {name: {"role": "quasi", "kind": "number"} for name in ("a", "b")} | {"pay": {"role": "other", **asked}}
    release = shoal.anonymize(table, {"k": 2, "publication": "generalize", "columns": columns})
    assert sorted(unmarked(release.table)["pay"], key=int)[-1] == last


def test_numbers_that_are_rounded_beyond_64_bits_are_refused_in_one_sentence() -> None:
    table = pl.DataFrame({"a": [1, 2, 3, 4], "pay": [-7, 22, 31, LARGE]})
    columns = {"a": {"role": "quasi", "kind": "number"}, "pay": {"role": "sensitive", "round": 10}}
    with pytest.raises(SchemaError, match="more than 64 bits"):
        shoal.anonymize(table, {"k": 2, "columns": columns})


@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
@pytest.mark.parametrize(
    ("cells", "asked", "last"),
    [
        ([LARGE - 2, None, 5], {"bottom": 2.0**63}, "9223372036854776000"),
        ([LARGE, None, 5], {"top": 1e18}, "1000000000000000000"),
        ([LARGE, None, 5], {"top": 2.0**63, "bottom": -(2.0**63)}, str(LARGE)),
        ([-LARGE, None, 5], {"bottom": -1e17}, "5"),
        ([2**53 + 1, None, 5], {"top": 2**53 + 4}, str(2**53 + 1)),
    ],
)
def test_limits_at_the_end_of_64_bits_are_met_as_they_are_written(
    cells: list[int | None], asked: dict[str, Any], last: str, role: str
) -> None:
    """A limit is the number that the policy prints, in the table as in the check; both ended in errors."""
    table = pl.DataFrame({"a": range(24), "pay": pl.Series(cells * 8, dtype=pl.Int64)})
    columns = {
        "a": {"role": "quasi", "kind": "number"},
        "pay": {"role": role, "kind": "number", "publish_rare": True, **asked},
    }
    columns["pay"] = {key: value for key, value in columns["pay"].items() if key != "kind" or role != "other"}
    release = shoal.anonymize(table, {"k": 2, "publication": "suppress", "columns": columns})
    assert release.findings.holds
    shown = [text for text in unmarked(release.table)["pay"] if text not in (None, "*")]
    assert max(map(int, shown)) == int(last) or role == "quasi"


@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
@pytest.mark.parametrize("asked", [{"bottom": 1e300}, {"top": -1e300}, {"top": -(2.0**63)}, {"bottom": 2.0**64}])
def test_values_that_would_become_a_limit_beyond_64_bits_are_refused_in_one_sentence(
    role: str, asked: dict[str, Any]
) -> None:
    table = pl.DataFrame({"a": range(4), "pay": [-LARGE, 22, 31, LARGE]})
    columns = {"a": {"role": "quasi", "kind": "number"}, "pay": {"role": role, **asked}}
    with pytest.raises(SchemaError, match="more than 64 bits"):
        shoal.anonymize(table, {"k": 2, "columns": columns})


@pytest.mark.parametrize("name", ["top", "bottom", "round"])
def test_a_limit_with_more_digits_than_are_kept_is_refused(name: str) -> None:
    """Limits are doubles: 2**53 + 1 would have become 2**53 without a word."""
    with pytest.raises(ShoalError, match="more digits than"):
        shoal.Policy.parse({"k": 2, "columns": {"pay": {"role": "sensitive", name: 2**53 + 1}}})
