"""The verifier's own reading of synthetic rows: which values can be drawn from which cells, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.certify.synthetic import check_synthetic
from shoal.policy import Policy
from shoal.tables import write_file

Cells = dict[str, list[Any]]
AGE: dict[str, Any] = {"age": {"role": "quasi"}}


def told(
    folder: Path,
    released: dict[str, list[Any]],
    drawn: dict[str, list[Any]],
    columns: dict[str, Any],
    **settings: Any,
) -> list[tuple[Any, ...]]:
    """What is said of a synthetic table beside a release: check, column, message and records of every failure."""
    policy = Policy.parse({"k": 2, "publication": "generalize", "columns": columns} | settings)
    before, after = (pl.DataFrame(one, schema=dict.fromkeys(one, pl.String)) for one in (released, drawn))
    (folder / "synthetic.csv").unlink(missing_ok=True)
    write_file(after, folder / "synthetic.csv")
    found = check_synthetic(folder / "release.csv", before, policy, None)
    return [(one.check, one.column, one.message, one.records) for one in found]


def outside(folder: Path, cell: str | None, values: list[str | None], **column: Any) -> list[str | None]:
    """Which of the values cannot be drawn from a cell."""
    asked = {"age": {"role": "quasi"} | column, "note": {"role": "other"}}
    wrong = []
    for value in values:
        rows = {"age": [value, value], "note": ["x", "x"]}
        found = told(folder, {"age": [cell, cell], "note": ["x", "x"]}, rows, asked)
        words = "synthetic.csv: 2 values of age are not in the released cell of their row"
        assert found in ([], [("synthetic", "age", words, 2)])
        wrong += [value] if found else []
    return wrong


@pytest.mark.parametrize(
    ("cell", "inside", "beyond"),
    [
        ("[1, 5]", ["1", "5", "3", "2.5", "2,5", "+1", "1.", "1e0", ".2e1"], ["0.9", "5.1", None, "x", "[1, 5"]),
        ("[-5, -1]", ["-5", "-1", "-3"], ["-5.1", "-0.9", "3"]),
        ("[1, 5)", ["1", "4.9"], ["5", "5.0"]),
        ("[5, 5)", ["5"], ["5.1", "4.9"]),
        ("[1; 5]", ["1", "5", "3"], ["6"]),
        ("[1,5; 2,5]", ["1,5", "2,0", "2,5"], ["2,6", "1,4"]),
        ("[1, 5] or missing", ["1", None], ["6", "missing"]),
        ("[1, x]", [], ["1", "x"]),
        ("[x, 5]", [], ["5", "1"]),
        ("7", ["7", "7.0", "7e0"], ["8", None]),
        ("x or missing", ["x", None, "x or missing"], ["y", "or missing"]),
        ("x", ["x"], [None, "y", "X", "XX"]),
        (None, [None], ["x", "None"]),
        ("{a, b}", ["a", "b", "'a"], ["c", None, "{a, b}", "a, b", "'c", "XaX"]),
        ("{a, b} or missing", ["a", "b", None], ["c", "missing"]),
        ('{"a, c", b}', ["a, c", "b"], ["a", "c", '"a, c"']),
        ('{"=a", b}', ["=a", "'=a"], ["a"]),
        ('{"a\\"c", b}', ['a"c'], ["a"]),
        ("2020", ["2020-01-01", "2020-12-31", "2020"], ["2021-01-01", "2019-12-31", "2021"]),
        ("2020-02", ["2020-02-01", "2020-02-29"], ["2020-03-01", "2020-01-31"]),
        ("2020-11", ["2020-11-01", "2020-11-30"], ["2020-12-01", "2020-10-31"]),
        ("2020-12", ["2020-12-01", "2020-12-31"], ["2021-01-01", "2020-11-30"]),
        ("2020-Q1", ["2020-01-01", "2020-03-31"], ["2020-04-01", "2019-12-31"]),
        ("2020-Q2", ["2020-04-01", "2020-06-30"], ["2020-07-01", "2020-03-31"]),
        ("2020-Q4", ["2020-10-01", "2020-12-31"], ["2021-01-01", "2020-09-30"]),
        ("2020-Q5", [], ["2020-12-31"]),
        ("2020-W02", ["2020-01-06", "2020-01-12"], ["2020-01-05", "2020-01-13"]),
        ("2020-W54", [], ["2020-12-31"]),
        ("1990s", ["1990-01-01", "1999-12-31"], ["1989-12-31", "2000-01-01"]),
        ("0s", [], ["0001-01-01", "0005-01-01"]),
        ("9999", ["9999"], ["9999-06-01"]),
        ("2020-13", [], ["2020-12-31"]),
        ("[2020-01-01, 2020-01-03]", ["2020-01-01", "2020-01-03"], ["2019-12-31", "2020-01-04", "2020-02-30"]),
        (
            "[2020-01-01T10:00:00, 2020-01-01T12:00:00]",
            ["2020-01-01T10:00", "2020-01-01 11:59:59.5", "2020-01-01T12:00:00Z", "2020-01-01T13:30:00+01:30"],
            ["2020-01-01", "2020-01-01T09:59:59", "2020-01-01T12:00:01", "2020-01-01T13:30:00+01:29"],
        ),
        (
            "[2020-01-01T10:00:00, 2020-01-01T12:00:00]",
            ["2020-01-01T09:00:00-01:00", "2020-01-01T08:30:30-03:29"],
            ["2020-01-01T10:00:00-02:01", "2020-01-01T12:00:00Y", "2020-01-01T1.1.1", "2020-01-01T1_1"],
        ),
    ],
)  # fmt: skip
def test_a_value_can_be_drawn_from_its_cell_or_is_refused(
    tmp_path: Path, cell: str | None, inside: list[str | None], beyond: list[str | None]
) -> None:
    assert outside(tmp_path, cell, [*inside, *beyond]) == beyond


HOSTILE = [
    "NaN", "nan", "sNaN", "-NaN123", "Infinity", "1e9999999999", "１", "2020-01-01T1e999999", "2020-01-01TNaN",
    "2020-01-01T00:00+NaN", "2020-01-01T00:00-1e999999", "2020-01-01T:", "9999999-01-01", '"', "[", "{",
]  # fmt: skip


@pytest.mark.parametrize("cell", ["[1, 5]", "[2020-01-01, 2020-12-31]", "[2020-01-01T10:00, 2020-01-01T12:00]", "7"])
def test_a_text_that_is_no_number_and_no_time_is_refused_and_breaks_nothing(tmp_path: Path, cell: str) -> None:
    """Decimal reads more than numbers: to compare NaN, or to multiply what is too large, is an error of its own."""
    assert outside(tmp_path, cell, [*HOSTILE]) == HOSTILE


@pytest.mark.parametrize("cell", HOSTILE)
def test_a_cell_that_is_no_range_is_kept_as_it_is(tmp_path: Path, cell: str) -> None:
    assert outside(tmp_path, cell, [cell, "3", "2020-06-01"]) == ["3", "2020-06-01"]
    assert outside(tmp_path, f"[{cell}, 5]", ["3", "2020-06-01"]) == ["3", "2020-06-01"]


def test_places_of_an_order_lie_between_the_ends(tmp_path: Path) -> None:
    order = {"kind": "ordered", "order": ["none", "low", "a, b", "high"]}
    assert outside(tmp_path, "[none, low]", ["none", "low", "high", "1"], **order) == ["high"]
    assert outside(tmp_path, '[low, "a, b"]', ["low", "a, b", "none", "high"], **order) == ["none", "high"]


def test_marks_of_the_top_are_taken_off_before_values_are_compared(tmp_path: Path) -> None:
    assert outside(tmp_path, "[60, >=90]", ["60", ">=90", "91", "59"], top=90.0) == ["91", "59"]


def test_dates_and_numbers_are_read_as_the_policy_writes_them(tmp_path: Path) -> None:
    dates = {"format": "%d.%m.%Y"}
    assert outside(tmp_path, "[01.02.2020, 03.02.2020]", ["02.02.2020", "04.02.2020"], **dates) == ["04.02.2020"]
    number = {"number": {"decimal": ",", "thousands": "."}}
    assert outside(tmp_path, "[1.000,5; 2.000]", ["1.000,5", "1.500", "2.001"], **number) == ["2.001"]


def test_cells_that_cannot_be_read_are_told_of_the_release_and_of_the_rows(tmp_path: Path) -> None:
    column = {"day": {"role": "quasi", "format": "%d.%m.%Y"}, "pay": {"role": "quasi", "number": {"decimal": ","}}}
    sound = {"day": ["01.02.2020"] * 2, "pay": ["1,5"] * 2}
    assert told(tmp_path, sound, sound, column) == []
    for name in sound:
        broken = sound | {name: ["?"] * 2}
        for released, drawn in ((broken, sound), (sound, broken)):
            found = told(tmp_path, released, drawn, column)
            assert {(check, column) for check, column, _, _ in found} == {("synthetic", name)}
            assert len(found) == 2
            assert found[0][2].startswith(f"synthetic.csv: column {name}")
            assert found[1][3] == 2


def test_a_hidden_cell_says_nothing_so_that_another_cell_was_drawn_from(tmp_path: Path) -> None:
    def found(cells: list[str], values: list[str | None]) -> int:
        return sum(one[3] for one in told(tmp_path, {"age": cells}, {"age": values}, AGE))

    assert found(["*", "[1, 2]", "[8, 9]"], ["9", "1", "8"]) == 0
    assert found(["*", "[1, 2]", "[8, 9]"], ["5", "1", "8"]) == 1
    assert found(["*", "[1, 2]", "[8, 9]"], ["*", "8", "9"]) == 2
    assert found(["*", "*"], [None, None]) == 0
    assert found(["*", "*"], [None, "1"]) == 1


def test_two_ends_are_one_range_and_a_third_column_says_whether_a_value_may_be_missing(tmp_path: Path) -> None:
    def found(values: list[str | None], beside: list[str] | None = None, **more: Any) -> list[tuple[Any, ...]]:
        cells = {"age_min": ["1", "4", None], "age_max": ["2", "6", None]}
        cells |= {} if beside is None else {"age_missing": beside}
        drawn: dict[str, list[Any]] = {"age": values} | dict.fromkeys(more, beside)
        return told(tmp_path, cells, drawn, AGE | more, ranges="columns")

    assert found(["1", "6", None]) == []
    assert [one[3] for one in found(["3", "3", "3"])] == [3]
    assert [one[3] for one in found([None, "4", None])] == [1]
    assert found([None, "4", None], ["true", "false", "false"]) == []
    assert [one[3] for one in found(["1", None, None], ["true", "false", "false"])] == [1]
    assert [one[3] for one in found([None, "4", None], ["true"] * 3, age_missing={"role": "other"})] == [1]


def test_longitudes_go_around_the_earth_and_latitudes_do_not(tmp_path: Path) -> None:
    place = {"lat": {"role": "quasi", "kind": "place", "longitude": "lon"}, "lon": {"role": "quasi"}}
    for value, wrong in (("179", 0), ("170", 0), ("180", 0), ("-180", 0), ("-170", 0), ("0", 1), ("-169", 1),
                         ("169", 1), ("181", 1), ("-181", 1)):  # fmt: skip
        cells = {"lat": ["[1, 2]"], "lon": ["[170, -170]"]}
        assert len(told(tmp_path, cells, {"lat": ["1"], "lon": [value]}, place)) == wrong, value
    cells = {"lat": ["[2, 1]"], "lon": ["[1, 2]"]}
    assert [one[1] for one in told(tmp_path, cells, {"lat": ["2"], "lon": ["1"]}, place)] == ["lat"]
    assert [one[1] for one in told(tmp_path, cells, {"lat": ["2"], "lon": ["3"]}, place)] == ["lat", "lon"]


def test_classes_of_labels_are_drawn_by_the_legend(tmp_path: Path) -> None:
    legend = {"age": [{"class": "a +1", "labels": ["a", "b"]}, {"class": "c +1", "labels": ["c", None]}]}
    (tmp_path / "legend.json").write_text(json.dumps(legend), encoding="utf-8")
    merged = {"classes": 2}
    assert outside(tmp_path, "a +1", ["a", "b", "c", "a +1", None], **merged) == ["c", "a +1", None]
    assert outside(tmp_path, "c +1", ["c", None, "a"], **merged) == ["a"]
    assert outside(tmp_path, "{a +1, c +1}", ["a", "b", "c", None, "a +1"], **merged) == ["a +1"]
    assert outside(tmp_path, "{a +1, d}", ["a", "d", "c"], **merged) == ["c"]


COLUMNS: dict[str, Any] = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}, "note": {"role": "other"}}
RELEASED = {"age": ["[1, 2]"] * 2 + ["[3, 4]"] * 2, "ill": ["flu", "cold", "flu", None], "note": ["1", "2", "3", "4"]}
DRAWN = {"age": ["1", "2", "3", "4"], "ill": ["cold", "flu", None, "flu"], "note": ["2", "1", "3", "4"]}
SHAPE = "synthetic.csv has other columns or another number of rows than were drawn"


def test_every_group_keeps_the_values_of_other_columns_as_often_as_it_has_them(tmp_path: Path) -> None:
    def words(name: str) -> str:
        return f"synthetic.csv: groups have other values of {name} than in the release"

    assert told(tmp_path, RELEASED, DRAWN, COLUMNS) == []
    exchanged = DRAWN | {"ill": ["cold", None, "flu", "flu"]}
    assert told(tmp_path, RELEASED, exchanged, COLUMNS) == [("synthetic", "ill", words("ill"), 0)]
    twice = DRAWN | {"note": ["2", "2", "3", "4"], "ill": ["cold", "cold", None, "flu"]}
    assert told(tmp_path, RELEASED, twice, COLUMNS) == [
        ("synthetic", "ill", words("ill"), 0), ("synthetic", "note", words("note"), 0),
    ]  # fmt: skip


def test_sets_stay_in_their_group_too(tmp_path: Path) -> None:
    columns = {"age": {"role": "quasi"}, "drugs": {"role": "quasi", "kind": "set"}}
    cells = {"age": ["[1, 2]"] * 2 + ["[3, 4]"] * 2, "drugs": ["a;b", "a", "a", "b"]}
    drawn = {"age": ["1", "2", "3", "4"], "drugs": ["a", "a;b", "b", "a"]}
    assert told(tmp_path, cells, drawn, columns, m=1) == []
    drawn = {"age": ["1", "2", "3", "4"], "drugs": ["a;b", "b", "a", "a"]}
    assert [one[1] for one in told(tmp_path, cells, drawn, columns, m=1)] == ["drugs"]


def test_columns_and_rows_are_those_of_the_release(tmp_path: Path) -> None:
    fewer = {name: cells[:3] for name, cells in DRAWN.items()}
    less = {name: cells for name, cells in DRAWN.items() if name != "note"}
    for drawn in (fewer, less, DRAWN | {"name": ["x"] * 4}, {**less, "Note": DRAWN["note"]}):
        assert told(tmp_path, RELEASED, drawn, COLUMNS) == [("synthetic", None, SHAPE, 0)]
    turned = dict(reversed(DRAWN.items()))
    order = "synthetic.csv has its columns in another order than the release"
    assert told(tmp_path, RELEASED, turned, COLUMNS) == [("synthetic", None, order, 0)]
    ends = {"age_min": ["1"] * 4, "age_max": ["4"] * 4} | {name: RELEASED[name] for name in ("ill", "note")}
    kept = DRAWN | {"ill": RELEASED["ill"]}
    assert told(tmp_path, ends, kept, COLUMNS, ranges="columns") == []
    moved = {name: kept[name] for name in ("ill", "age", "note")}
    assert told(tmp_path, ends, moved, COLUMNS, ranges="columns") == [("synthetic", None, order, 0)]


def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "synthetic.csv").write_bytes(b'age\n"1\n')
    found = check_synthetic(
        tmp_path / "release.csv", pl.DataFrame({"age": ["1"]}), Policy.parse({"columns": AGE}), None
    )
    assert [one.check for one in found] == ["file"]


def test_the_file_has_the_layout_that_shoal_writes(tmp_path: Path) -> None:
    """Statistics beside a column may be those of suppressed records."""
    frame = pl.DataFrame({"age": ["1", "2"]})
    policy = Policy.parse({"k": 2, "publication": "generalize", "columns": AGE})
    released = pl.DataFrame({"age": ["[1, 2]"] * 2})
    write_file(frame, tmp_path / "synthetic.parquet")
    assert check_synthetic(tmp_path / "release.parquet", released, policy, None) == []
    frame.write_parquet(tmp_path / "synthetic.parquet", statistics=True)
    found = check_synthetic(tmp_path / "release.parquet", released, policy, None)
    assert {one.check for one in found} == {"file"}
    assert "the file holds more than its cells: lists or statistics beside a column" in [one.message for one in found]


def test_the_file_is_in_the_encoding_of_the_release(tmp_path: Path) -> None:
    policy = Policy.parse({"k": 2, "publication": "generalize", "columns": {"town": {"role": "quasi"}}})
    released = pl.DataFrame({"town": ["{Köln, Ulm}"] * 2})
    for encoding, codec in (("windows-1250", "cp1250"), (None, "utf-8")):
        (tmp_path / "synthetic.csv").write_bytes("town\nKöln\nUlm\n".encode(codec))
        assert check_synthetic(tmp_path / "release.csv", released, policy, encoding) == []
    (tmp_path / "synthetic.csv").write_bytes("town\nŁódź\nUlm\n".encode("cp1250"))
    cells = pl.DataFrame({"town": ["{Łódź, Ulm}"] * 2})
    assert check_synthetic(tmp_path / "release.csv", cells, policy, "windows-1250") == []
    assert check_synthetic(tmp_path / "release.csv", cells, policy, "windows-1252") != []


def test_a_range_of_one_longitude_holds_no_other(tmp_path: Path) -> None:
    """Only a range that ends before it begins crosses the date line."""
    place = {"lat": {"role": "quasi", "kind": "place", "longitude": "lon"}, "lon": {"role": "quasi"}}
    cells = {"lat": ["[1, 2]"], "lon": ["[5, 5]"]}
    for value, wrong in (("5", 0), ("100", 1), ("-100", 1)):
        assert len(told(tmp_path, cells, {"lat": ["1"], "lon": [value]}, place)) == wrong
