"""The verifier's own reading of legends: which are sound, which cells they explain, and in which words they fail."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from shoal.certify.legend import check_legend, read_legend, used_classes

SOUND = [
    {"class": "A", "labels": ["A"]},
    {"class": "B +2", "labels": ["B", "C", None]},
    {"class": None, "labels": [None]},
]


def one(name: object, *labels: object) -> dict[str, object]:
    return {"class": name, "labels": list(labels)}


def told(folder: Path, legend: object, cells: list[str | None], columns: tuple[str, ...] = ("city",)) -> list[object]:
    path = folder / "legend.json"
    path.write_text(legend if isinstance(legend, str) else json.dumps(legend), encoding="utf-8")
    frame = pl.DataFrame({"city": cells}, schema={"city": pl.String})
    found = check_legend(frame, columns, path)
    return [(failure.check, failure.column, failure.message, failure.groups, failure.records) for failure in found]


@pytest.mark.parametrize(
    ("classes", "cells"),
    [
        ([one("A", "A"), one("B +1", "B", "C")], ["A", "B +1", "*"]),
        ([one("A", "A"), one(None, None)], ["A", None]),
        ([one("A", "A"), one(None, None)], ["{A, null}"]),
        ([one("A", "A"), one("B +1", "B", "C")], ["{A, B +1}", "A"]),
        ([one("a, b", "a, b"), one("A", "A")], ['{"a, b", A}']),
        ([one('say "x"', 'say "x"'), one("A", "A")], ['{"say \\"x\\"", A}']),
        ([one("B +1 (2)", "B", "C"), one("B +1", "B", "D")][:1], ["B +1 (2)"]),
        ([one('"" +1', "", "C")], ['"" +1']),
        ([one("a b +1", " a   b ", "C")], ["a b +1"]),
        ([one("B +1", None, "B")], ["B +1"]),
        ([one("x" * 24 + " +1", "x" * 24, "y")], ["x" * 24 + " +1"]),
        ([one("x" * 23 + "… +1", "x" * 25, "y")], ["x" * 23 + "… +1"]),
    ],
)
def test_a_sound_legend_explains_every_cell(tmp_path, classes, cells):
    assert told(tmp_path, {"city": classes}, cells) == []


LABELS = "labels of city are in more than one class"
NAMES = "classes of city have a name that their labels do not give them"
UNUSED = "classes of city are in the legend and in no cell"


@pytest.mark.parametrize(
    ("classes", "cells", "message", "records"),
    [
        ([one("A +1", "A", "B"), one("B +2", "B", "C", "A")], ["A +1", "B +2"], f"2 {LABELS}", 0),
        ([one("A +1", "A", "B"), one("A +1", "C", "A")], ["A +1"], "1 classes of city share a name", 0),
        ([one("A", "B")], ["A"], f"1 {NAMES}", 0),
        ([one(None, "B", "C")], [None], f"1 {NAMES}", 0),
        ([one("A +1", None, None)], ["A +1"], f"1 {NAMES}", 0),
        ([one("B +2", "B", "C")], ["B +2"], f"1 {NAMES}", 0),
        ([one("B +1 (x)", "B", "C")], ["B +1 (x)"], f"1 {NAMES}", 0),
        ([one("B +1 (2) ", "B", "C")], ["B +1 (2) "], f"1 {NAMES}", 0),
        ([one("x" * 25 + " +1", "x" * 25, "y")], ["x" * 25 + " +1"], f"1 {NAMES}", 0),
        ([one("A", "A"), one("B", "B"), one("C", "C")], ["A", "*"], f"2 {UNUSED}", 0),
        ([one("A", "A"), one(None, None)], ["A"], f"1 {UNUSED}", 0),
        ([one("A", "A")], ["A", "B", "B", "C"], "column city has 2 values that the legend does not explain", 3),
        ([one("A", "A")], ["A", None], "column city has 1 values that the legend does not explain", 1),
        ([one("A", "A")], ["A", "{A, B}"], "column city has 1 values that the legend does not explain", 1),
        ([one("A", "A")], ["A", "{A"], "column city has 1 values that the legend does not explain", 1),
        ([one("A", "A")], ["A", "{A,A}"], "column city has 1 values that the legend does not explain", 1),
        ([one("A", "A")], ["A", '{"\\q"}'], "column city has 1 values that the legend does not explain", 1),
        ([one("A", "A")], ["A", "{A, null}"], "column city has 1 values that the legend does not explain", 1),
    ],
)
def test_what_is_wrong_is_told_and_counted(tmp_path, classes, cells, message, records):
    found = told(tmp_path, {"city": classes}, cells)
    assert ("legend", "city", message, 0, records) in found
    assert len(found) <= 3


def test_columns_that_are_not_in_classes_are_counted_and_absent_ones_passed_over(tmp_path):
    message = "legend.json speaks of 2 columns that are not published in classes"
    legend = {"city": [one("A", "A")], "name": [], "street": []}
    assert told(tmp_path, legend, ["A"]) == [("legend", None, message, 0, 0)]
    assert told(tmp_path, {"city": [one("A", "A")]}, ["A"], ("gone", "city")) == []
    unexplained = ("legend", "city", "column city has 1 values that the legend does not explain", 0, 1)
    assert told(tmp_path, {}, ["A"]) == [unexplained]


@pytest.mark.parametrize(
    "legend",
    ["", "[]", '{"city": 5}', {"city": [{"class": "A"}]}, {"city": [{"labels": ["A"]}]}, {"city": ["A"]},
     {"city": [one("A", "A") | {"more": 1}]}, {"city": [one("A")]}, {"city": [one("A", 5)]}, {"city": [one(5, "A")]},
     {"city": [{"class": "A", "labels": "A"}]}, '{"city": [], "city": []}', '{"city": [NaN]}'],
)  # fmt: skip
def test_what_says_anything_else_is_no_legend(tmp_path, legend):
    message = "legend.json is not beside the release, or cannot be read"
    assert told(tmp_path, legend, ["A"]) == [("legend", None, message, 0, 0)]
    assert read_legend(tmp_path / "legend.json") is None


def test_a_legend_is_read_class_by_class_and_through_no_link(tmp_path):
    (tmp_path / "legend.json").write_text(json.dumps({"city": SOUND}), encoding="utf-8")
    classes = [("A", ("A",)), ("B +2", ("B", "C", None)), (None, (None,))]
    assert read_legend(tmp_path / "legend.json") == {"city": classes}
    (tmp_path / "link").symlink_to(tmp_path / "legend.json")
    assert read_legend(tmp_path / "link") is None
    assert read_legend(tmp_path / "absent") is None
    (tmp_path / "latin").write_bytes(b'{"\xff": []}')
    assert read_legend(tmp_path / "latin") is None


def test_classes_are_used_alone_and_in_sets():
    cells = pl.Series(["A", "{B, null}", '{"C", D}', "{E", "*", None])
    assert used_classes(cells, ["A", "B", "C", "D", "E", "F"]) == {"A", "B", "C", "D"}
    assert used_classes(pl.Series(["{A, null}"]), [None, "A"]) == {None, "A"}
    assert used_classes(pl.Series(["{A, B}"]), ["{A, B}", "A"]) == {"{A, B}"}


def test_a_column_may_be_called_count(tmp_path):
    (tmp_path / "legend.json").write_text(json.dumps({"count": [one("A", "A")]}), encoding="utf-8")
    assert check_legend(pl.DataFrame({"count": ["A", "A"]}), ["count"], tmp_path / "legend.json") == []
