"""What is done beside Spark: on one worker's batches, on the numbers that come back, and before anything is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.certify import on_spark as door
from shoal.certify.findings import Claim, Failure
from shoal.certify.released_columns import sort_columns
from shoal.certify.spark import cells, rows
from shoal.certify.spark.count import Worst, _plain, _plain_or_same, check_scope
from shoal.certify.spark.measures import Pairs, _ordered_batches, cumulative_distance
from shoal.certify.spark.rows import Rows, counting, of_file
from shoal.errors import EngineError, ParameterError, SchemaError, TableError
from shoal.policy import Column, Policy

QUASI = {"role": "quasi"}
WITHOUT = "verify it without Spark, which reads it in parts."


def batch(**columns: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns)


# -- cells of classes --------------------------------------------------------------------------------------------


def looked(
    policy: dict[str, Any],
    names: list[str],
    *batches: list[list[Any]],
    form: str = "generalize",
    absent: tuple[str, ...] = (),
) -> list[dict[str, Any]]:
    """What is said of classes that are given as a number of records and cells."""
    parts = [
        pa.RecordBatch.from_arrays(
            [
                pa.array([bytes([place]) for place in range(len(one))]),
                pa.array([row[0] for row in one], pa.int64()),
                *(pa.array([row[1 + place] for row in one], pa.string()) for place in range(len(names))),
            ],
            names=["class", "records", *names],
        )
        for one in batches
    ]
    asked = Policy.parse({"k": 2, "columns": policy})
    told = list(cells._look(names, asked, form, frozenset(absent), iter(parts)))
    assert all(one.schema == pa.schema([("found", pa.string())]) for one in told)
    return [json.loads(text) for one in told for text in one.column(0).to_pylist()]


OPEN = {"age": QUASI | {"diversity": {"l": 3}}, "zip": QUASI}
OPEN_SET = {"check": "open-cells", "column": "age"}


def test_cells_that_are_not_what_the_policy_says_are_told_without_the_cells() -> None:
    numbers = {"age": QUASI | {"number": {"decimal": ","}}}
    wrong = [{"check": "columns", "column": "age"}]
    assert looked(numbers, ["age"], [[3, "1,5"], [2, "secret"]]) == wrong
    assert looked(numbers, ["age"], [], [[3, "1,5"]], [[2, "secret"]], [[2, "other"]]) == wrong * 2
    assert looked(numbers, ["age"], [[3, "1,5"], [2, None]]) == []
    assert looked(numbers, [], [[3], [2]]) == []


@pytest.mark.parametrize(
    ("cells", "measure", "groups", "records", "short"),
    [
        ([[3, "[1, 2]", "a"], [4, "{1, 2, 3}", "a"]], 2.0, 0, 0, False),
        ([[3, "7", "a"], [4, "[1, 2]", "a"]], 1.0, 1, 3, False),
        ([[3, "7", "a"], [4, "8", "b"], [5, "*", "b"]], 1.0, 2, 7, False),
        ([[3, None, "a"], [4, "{1, 2, 3}", "b"]], 0.0, 1, 3, False),
        ([[3, "{1, 2}", "a"]], 2.0, 0, 0, True),
        ([[3, "{1}", "a"], [4, "{1, 2, 3}", "a"]], 1.0, 1, 3, True),
    ],
)
def test_the_fewest_values_of_a_cell_are_counted_with_their_records(
    cells: list[list[Any]], measure: float, groups: int, records: int, short: bool
) -> None:
    said = {"open": "age", "measure": measure, "groups": groups, "records": records}
    assert looked(OPEN, ["age", "zip"], cells) == [said, *([OPEN_SET] if short else [])]


def test_open_cells_are_only_those_of_a_release_that_shows_them() -> None:
    one = [[3, "7", "a"]]
    assert looked(OPEN, ["age", "zip"], one, absent=("age",)) == []
    assert looked(OPEN, ["age", "zip"], one, absent=("zip",)) != []
    assert looked(OPEN, ["zip"], [[3, "a"]]) == []
    assert looked(OPEN, ["age", "zip"], one, form="aggregate") == []
    assert looked({"age": QUASI, "zip": QUASI}, ["age", "zip"], one) == []


def test_two_ends_are_one_cell() -> None:
    names = ["age_min", "age_max", "age_missing"]
    said = looked(OPEN, names, [[3, "1", "1", "false"], [4, "1", "2", "false"], [5, "1", "1", "true"]])
    assert said == [{"open": "age", "measure": 1.0, "groups": 2, "records": 8}]


def test_what_partitions_found_is_added_up() -> None:
    asked = Policy.parse({"k": 2, "columns": OPEN | {"pay": QUASI | {"diversity": {"l": 2}}}})
    names = ["age", "zip", "pay"]
    columns = sort_columns(names, asked, "generalize", 0)
    told = [
        {"open": "age", "measure": 2.0, "groups": 0, "records": 0},
        {"open": "age", "measure": 1.0, "groups": 2, "records": 7},
        {"open": "age", "measure": 1.5, "groups": 1, "records": 4},
        {"check": "columns", "column": "age"},
    ]
    plain = {"criterion": "open-cells", "asked": 2}
    nothing = {"measure": 0.0, "groups": 0, "records": 0}
    read = cast(Rows, None)
    assert cells._opened(told, read, columns, asked, "generalize") == [
        plain | {"column": "age", "measure": 1.0, "groups": 3, "records": 11},
        plain | {"column": "pay"} | nothing,
    ]
    assert cells._opened(told, read, columns, asked, "aggregate") == []
    less = sort_columns(["zip", "pay"], asked, "generalize", 0)
    assert [one["column"] for one in cells._opened(told, read, less, asked, "generalize")] == ["pay"]


# -- the distance of cumulative distributions --------------------------------------------------------------------


def by_definition(totals: list[int], steps: dict[int, int]) -> float:
    """The sum over all ranks of |F - G|, divided by their number less one, in fractions."""
    n, held = sum(totals), sum(steps.values())
    found = Fraction(0)
    for rank in range(len(totals)):
        below = Fraction(sum(times for one, times in steps.items() if one <= rank), held)
        found += abs(below - Fraction(sum(totals[: rank + 1]), n))
    return float(found / (len(totals) - 1))


CLASSES: list[dict[int, int]] = [
    {0: 1}, {4: 2}, {0: 3, 4: 3}, {1: 1, 2: 5, 3: 1}, {2: 9}, {0: 1, 1: 1, 2: 1, 3: 1, 4: 1}, {3: 2, 4: 1},
]  # fmt: skip
TOTALS = [[5, 1, 1, 1, 5], [1, 1, 1, 1, 1], [1, 20, 1, 3, 2], [3, 1, 4, 1, 5]]


@pytest.mark.parametrize("totals", TOTALS)
def test_the_ordered_distance_is_the_one_of_the_definition(totals: list[int]) -> None:
    ranks = np.array([rank for steps in CLASSES for rank in steps])
    held = np.array([times for steps in CLASSES for times in steps.values()])
    ends = np.cumsum([len(steps) for steps in CLASSES])
    reached = np.cumsum(totals) / sum(totals)
    expected = [by_definition(totals, steps) for steps in CLASSES]
    assert cumulative_distance(reached, ranks, held, ends).tolist() == pytest.approx(expected, abs=1e-12)
    for steps, one in zip(CLASSES, expected, strict=True):
        alone = cumulative_distance(
            reached, np.array(list(steps)), np.array(list(steps.values())), np.array([len(steps)])
        )
        assert alone.tolist() == pytest.approx([one], abs=1e-12)


def test_batches_of_classes_keep_their_class() -> None:
    reached = np.cumsum(TOTALS[0]) / sum(TOTALS[0])
    first = batch(**{
        "class": [b"a", b"b"], "ranks": [list(CLASSES[2]), list(CLASSES[3])],
        "held": [list(CLASSES[2].values()), list(CLASSES[3].values())],
    })  # fmt: skip
    second = batch(**{"class": [b"c"], "ranks": [[0]], "held": [[1]]})
    told = list(_ordered_batches(reached, iter([first, first.slice(0, 0), second])))
    assert [one.schema for one in told] == [pa.schema([("class", pa.binary()), ("measure", pa.float64())])] * 2
    assert [one.column(0).to_pylist() for one in told] == [[b"a", b"b"], [b"c"]]
    expected = [by_definition(TOTALS[0], CLASSES[place]) for place in (2, 3, 0)]
    assert [value for one in told for value in one.column(1).to_pylist()] == pytest.approx(expected)


def test_all_people_of_a_table_are_the_sum_of_its_values() -> None:
    totals = pl.DataFrame({"value": [0, 1], "held": [3, 4]})
    assert Pairs(cast(Rows, None), None, None, totals).all_held == 7


# -- findings ----------------------------------------------------------------------------------------------------


def worst(**changes: Any) -> Worst:
    plain: dict[str, Any] = {"criterion": "l-diversity", "column": "ill", "kind": "recursive", "c": 2.0}
    return Worst(**plain | {"count_missing": True, "asked": 2.5, "measure": 2.0, "groups": 1, "records": 3} | changes)


def test_a_worst_measure_is_a_claim_and_perhaps_a_failure() -> None:
    missed = worst()
    assert missed.claim("people") == Claim(
        criterion="l-diversity", column="ill", kind="recursive", c=2.0, count_missing=True, claimed=2.5, measured=2.0,
        unit="people", holds=False,
    )  # fmt: skip
    message = "l-diversity of ill: 1 of 7 groups (3 records) miss 2.5; the worst has 2"
    assert missed.failure(7) == Failure(check="l-diversity", column="ill", message=message, groups=1, records=3)
    k = worst(criterion="k-anonymity", column=None, asked=5)
    failure = k.failure(2)
    assert failure is not None
    assert failure.message == "k-anonymity: 1 of 2 groups (3 records) miss 5; the worst has 2"
    assert worst(groups=0).failure(7) is None
    assert worst(groups=0).claim("rows").holds
    assert worst(asked=None).failure(7) is None
    assert worst(asked=None).claim("rows").claimed == 0
    assert worst(measure=3.0, asked=2.0).claim("rows").measured == 3
    plain = Worst(criterion="k-anonymity", asked=2, measure=2.0, groups=0, records=0)
    assert (plain.column, plain.kind, plain.c, plain.count_missing) == (None, None, None, False)


CIRCLE = {"n": QUASI | {"kind": "place", "longitude": "e"}, "e": QUASI | {"kind": "place"}}


@pytest.mark.parametrize(
    ("columns", "more", "form", "told"),
    [
        ({"a": QUASI}, {}, "centers",
         "a release of centers has one row for each group, and is not counted on Spark."),
        ({"a": QUASI | {"kind": "set"}}, {}, "generalize",
         "a release with a column of sets is not counted on Spark."),
        ({"a": QUASI}, {"synthetic": "marginals"}, "generalize",
         "a release with synthetic rows is not counted on Spark."),
        (CIRCLE, {}, "generalize", "a release with areas of a map is not counted on Spark."),
        ({"b": QUASI, "a": QUASI | {"kind": "region", "map": {"edges": "a.csv"}}}, {}, "generalize",
         "a release with areas of a map is not counted on Spark."),
    ],
)  # fmt: skip
def test_what_is_not_counted_on_spark_is_said_before_it_is_begun(
    columns: dict[str, Any], more: dict[str, Any], form: str, told: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        check_scope(Policy.parse({"k": 2, "columns": columns} | more), form)
    assert (refused.value.message, refused.value.hint) == (told, WITHOUT)


def test_what_is_counted_on_spark_is_not_refused() -> None:
    for form in ("generalize", "aggregate", "suppress"):
        check_scope(Policy.parse({"k": 2, "columns": {"a": QUASI, "b": {"role": "sensitive"}}}), form)


@pytest.mark.parametrize(
    ("column", "texts", "plain"),
    [
        ({}, ["5", ">=6", None], ["5", ">=6", None]),
        ({"top": 6}, ["5", ">=6", None], ["5", "6", None]),
        ({"bottom": 6}, ["7", "<=6"], ["7", "6"]),
        ({"format": "%d.%m.%Y"}, ["01.02.2020", None], ["2020-02-01", None]),
        ({"number": {"decimal": ",", "thousands": "."}}, ["1.000,5"], ["1000.5"]),
        ({"number": {"decimal": ","}, "top": 6}, ["1,5", ">=6"], ["1.5", "6"]),
    ],
)
def test_values_are_compared_without_marks_and_formats(
    column: dict[str, Any], texts: list[str | None], plain: list[str | None]
) -> None:
    asked, given = Column(role="sensitive", **column), pl.Series("text", texts, dtype=pl.String)
    read = _plain(given, asked).to_list()
    assert [None if one is None else one.removesuffix(".0") for one in read] == plain
    assert _plain_or_same(given, asked).to_list() == read


def test_values_that_cannot_be_read_stay_as_they_are() -> None:
    given = pl.Series("text", ["1,5", "five"])
    assert _plain_or_same(given, Column(role="sensitive", number={"decimal": ","})).to_list() == ["1,5", "five"]


# -- rows as texts -----------------------------------------------------------------------------------------------


def test_cells_are_spelled_as_in_a_file() -> None:
    moments = [datetime(2020, 1, 1, 10, tzinfo=timezone(timedelta(hours=2))), None]
    made = pa.RecordBatch.from_arrays(
        [
            pa.array([1.0, None]),
            pa.array([date(2020, 1, 2), None]),
            pa.array([True, False]),
            pa.array(["ü", ""]),
            pa.array(moments, pa.timestamp("us", "Asia/Tokyo")),
            pa.array([datetime(2020, 1, 1, 10), None], pa.timestamp("us")),
        ],
        names=["x", "x.y", "X", "d", "e", "f"],
    )
    (told,) = rows._texts(iter([made.slice(0, 0), made]))
    assert told.schema == pa.schema([(f"c{place}", pa.string()) for place in range(6)])
    first, second = ([column[place].as_py() for column in told.columns] for place in (0, 1))
    assert first[:4] == ["1.0", "2020-01-02", "true", "ü"]
    assert first[4:] == ["2020-01-01T08:00:00+00:00", "2020-01-01T10:00:00"]
    assert second == [None, None, "false", "", None, None]


def test_a_cell_that_cannot_be_read_is_not_quoted() -> None:
    with pytest.raises(ValueError, match=r"^shoal cannot read a cell$"):
        list(rows._texts(iter([batch(a=[{"secret": 1}])])))


def test_row_groups_are_read_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3, 4, 5], "b": list("vwxyz")}), path, row_group_size=2)
    for numbers, expected in (([1], ["3", "4"]), ([2, 0], ["5", "1", "2"]), ([], [])):
        told = list(rows._row_groups(str(path), iter([batch(id=pa.array(numbers, pa.int64()))])))
        assert [one for part in told for one in part.column(0).to_pylist()] == expected
        assert all(part.schema.names == ["c0", "c1"] for part in told)


def test_columns_are_called_by_their_place() -> None:
    read = Rows(["a.b", "A", "a"], None, None)
    assert [read.column(name) for name in read.names] == ["c0", "c1", "c2"]


class Kept:
    """A frame that may be kept, and says so."""

    def __init__(self, *, gone: bool = False) -> None:
        self.level: Any = None
        self.gone, self.let_go = gone, False

    def persist(self, level: Any) -> Kept:
        self.level = level
        return self

    def unpersist(self) -> None:
        self.let_go = True
        if self.gone:
            raise RuntimeError


def test_what_workers_keep_is_let_go_of_even_if_a_session_has_ended() -> None:
    read, frames = Rows(["a"], None, None), [Kept(gone=True), Kept()]
    assert [read.keep(frame) for frame in frames] == frames
    assert read.kept == frames
    assert [(frame.level.useDisk, frame.level.useMemory) for frame in frames] == [(True, False)] * 2
    read.close()
    assert read.kept == []
    assert [frame.let_go for frame in frames] == [True, True]


@pytest.mark.parametrize(
    ("raised", "kind", "message", "hint"),
    [
        (RuntimeError("No module named shoal"), EngineError,
         "the Python of Spark's workers lacks Shoal or a package that it needs.",
         "install shoal[spark] on every node, and set PYSPARK_PYTHON to that Python."),
        (RuntimeError("x: shoal cannot read a cell in y"), TableError,
         "the released table has columns of types, or moments, that cannot be read.",
         "release it as numbers, dates and texts."),
        (KeyError("secret"), EngineError, "Spark could not count the released table (KeyError).",
         "see the state of the cluster and its workers' logs."),
    ],
)  # fmt: skip
def test_an_error_of_spark_is_one_sentence_without_cells(
    raised: Exception, kind: type[Any], message: str, hint: str
) -> None:
    with pytest.raises(kind) as told, counting():
        raise raised
    assert (told.value.message, told.value.hint) == (message, hint)
    assert told.value.__suppress_context__


def test_an_error_of_shoal_stays_what_it_is() -> None:
    with pytest.raises(SchemaError, match=r"^as it is$"), counting():
        raise SchemaError("as it is")
    with counting():
        pass


class Session:
    """A session that hands back what it is asked for."""

    def __init__(self) -> None:
        self.stopped = 0
        self.asked: list[Any] = []

    def range(self, *numbers: int) -> Session:
        self.asked.append(numbers)
        return self

    def mapInArrow(self, function: Any, schema: str) -> tuple[Any, str]:  # noqa: N802 (Spark's own name)
        return function, schema

    def stop(self) -> None:
        self.stopped += 1


@pytest.mark.parametrize(("size", "groups"), [(2, 3), (5, 1)])
def test_a_parquet_file_is_read_by_its_row_groups(
    tmp_path: Path, size: int, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3, 4, 5], "b": list("vwxyz")}), tmp_path / "t.PARQUET", row_group_size=size)
    monkeypatch.chdir(tmp_path)
    session = Session()
    read = of_file(Path("t.PARQUET"), session)
    assert (read.names, read.session, session.asked) == (["a", "b"], session, [(0, groups, 1, groups)])
    function, schema = read.frame
    assert schema == "c0 string, c1 string"
    monkeypatch.chdir("/")  # the workers are elsewhere
    (told,) = function(iter([batch(id=[0])]))
    assert told.column(0).to_pylist() == ["1", "2", "3", "4", "5"][:size]


def test_a_parquet_file_without_rows_is_one_empty_part(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "t.parquet")
    session = Session()
    of_file(tmp_path / "t.parquet", session)
    assert session.asked[0][3] == 1


def test_other_files_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "two.parquet")
    for name, kind, message, hint in (
        ("t.csv", ParameterError, "Spark verifies Parquet files only.", "verify this file without Spark."),
        ("t.parquet", TableError, "'t.parquet' is not a complete Parquet file.", "copy it again."),
    ):
        with pytest.raises(kind) as told:
            of_file(tmp_path / name, Session())
        assert (told.value.message, told.value.hint) == (message, hint)
    with pytest.raises(SchemaError):
        of_file(tmp_path / "two.parquet", Session())


# -- the door ----------------------------------------------------------------------------------------------------


def opened(*asked: Any) -> Any:
    with door.on_spark(*asked) as session:
        return session


FRAME = type("DataFrame", (), {"__module__": "pyspark.sql.dataframe", "sparkSession": "its own"})()
NO_PRESET = ("a preset is not checked on Spark.", "check it without Spark.")


@pytest.mark.parametrize(
    ("asked", "message", "hint"),
    [
        (("t.parquet", "dask", None, None), "engine=dask is not known.", 'leave it out, or take engine="spark".'),
        (("t.parquet", None, "local", None), "master is for Spark.", 'add engine="spark".'),
        (("t.parquet", "spark", "local", "hipaa"), *NO_PRESET),
        ((FRAME, None, None, "hipaa"), *NO_PRESET),
        ((pl.DataFrame(), "spark", "local", None),
         "Spark counts a Parquet file, the folder of a release, or a frame of its own.", None),
        (("t.parquet", "spark", None, None), 'engine="spark" needs the address of the cluster.',
         'give master="spark://host:7077", or local[4] for the cores of this computer.'),
    ],
)  # fmt: skip
def test_what_spark_cannot_be_asked_is_said(asked: tuple[Any, ...], message: str, hint: str | None) -> None:
    with pytest.raises(ParameterError) as told:
        opened(*asked)
    assert (told.value.message, told.value.hint) == (message, hint)


def test_without_spark_nothing_is_started() -> None:
    assert opened("t.parquet", None, None, None) is None
    assert opened(pl.DataFrame(), None, None, "hipaa") is None
    assert opened(FRAME, None, None, None) == opened(FRAME, "spark", None, None) == "its own"


@pytest.mark.parametrize("started", [True, False])
@pytest.mark.parametrize("failing", [True, False])
def test_a_session_that_was_started_here_is_ended(
    started: bool, failing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, masters = Session(), []

    def connect(master: str) -> tuple[Session, bool]:
        masters.append(master)
        return session, started

    monkeypatch.setattr(door, "connect", connect)
    for released in ("t.parquet", Path("t.parquet")):
        if failing:
            with pytest.raises(KeyError), door.on_spark(released, "spark", "local[2]", None):
                raise KeyError
        else:
            assert opened(released, "spark", "local[2]", None) is session
    assert masters == ["local[2]"] * 2
    assert session.stopped == (2 if started else 0)


def test_the_bytes_of_a_file_are_checked_here(tmp_path: Path) -> None:
    path, table = tmp_path / "release.parquet", pa.table({"a": ["x"]})
    pq.write_table(table.replace_schema_metadata({"note": "Ada"}), path)
    session = Session()
    told = [door.open_rows(str(path), session, ours=ours, with_cells=ours) for ours in (True, False)]
    assert [len(one.failures) for one in told] == [2, 1]
    assert [one.with_cells for one in told] == [True, False]
    for one in told:
        assert one.frame is None
        assert one.rows is not None
        assert (one.rows.names, one.rows.session) == (["a"], session)
        assert one.sha256 is not None
    with pytest.raises(ParameterError) as refused:
        door.open_rows(tmp_path / "release-00001-of-00002.parquet", session, ours=True, with_cells=True)
    assert (refused.value.message, refused.value.hint) == (
        "Spark counts a table in one file only.", "verify this release without Spark.",
    )  # fmt: skip


def test_a_file_that_cannot_be_opened_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "release.parquet"
    pq.write_table(pa.table({"a": ["x"]}), path)

    def refuse(asked: Path, *, follow: bool = False) -> str:
        assert (asked, follow) == (path, True)
        raise door.UnsafeError("is not there")

    monkeypatch.setattr(door, "sha256_of", refuse)
    with pytest.raises(TableError) as told:
        door.open_rows(path, Session(), ours=True, with_cells=True)
    assert told.value.message == "the file release.parquet is not there."
    assert told.value.hint == "check the path and its permissions."


def test_a_frame_of_spark_is_read_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def quiet() -> Iterator[None]:
        yield

    class Frame(Session):
        columns, sparkSession = ["a.b", "A"], "its own"  # noqa: N815

        def toDF(self, *names: str) -> Frame:  # noqa: N802
            self.asked.append(names)
            return self

    monkeypatch.setattr(rows, "without_warnings", quiet)
    frame = Frame()
    read = rows.of_frame(frame)
    assert (read.names, read.session, frame.asked) == (["a.b", "A"], "its own", [("c0", "c1")])
    assert read.frame == (rows._texts, "c0 string, c1 string")
    monkeypatch.setattr(door, "is_spark_frame", lambda released: released is frame)
    told = door.open_rows(frame, None, ours=True, with_cells=True)
    assert told.rows is not None
    assert (told.rows.names, told.with_cells, told.sha256, told.failures) == (["a.b", "A"], True, None, ())
    frame.columns = ["a", "a"]  # type: ignore[misc]
    with pytest.raises(SchemaError):
        rows.of_frame(frame)
