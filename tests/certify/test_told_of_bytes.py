"""What Parquet and Arrow files hold besides their cells, told in exactly these words; and what they may hold."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from shoal.certify import hidden
from shoal.certify.hidden import check_hidden
from shoal.certify.reading import open_release
from shoal.errors import TableError
from shoal.tables import write_file
from tests.certify import releases
from tests.certify.test_forged_bytes import (
    ARROW,
    NAME,
    PARQUET,
    besides,
    in_arrow,
    in_parquet,
    note,
    table,
    under_null,
)

BEFORE = "the file holds more than its cells: "


def told(folder: Path, ending: str, data: bytes, *, ours: bool = False) -> list[str]:
    path = folder / f"r.{ending}"
    path.write_bytes(data)
    found = check_hidden(path, ours=ours)
    assert all((one.check, one.column, one.records) == ("file", None, 0) for one in found)
    assert all(one.message.startswith(BEFORE) for one in found)
    return [one.message.removeprefix(BEFORE) for one in found]


@pytest.mark.parametrize(
    ("forged", "message"),
    [
        ("notes of the table", "notes in its metadata"),
        ("notes of a column", "notes in the metadata of a column"),
        ("notes of a batch", "notes in its metadata"),
        ("a list", "a list of values that no row has"),
        ("a text that no view shows", "values under missing cells, or texts that no cell has"),
        ("a number under a missing cell", "values under missing cells, or texts that no cell has"),
    ],
)
def test_of_arrow_files(tmp_path, forged, message):
    assert message in told(tmp_path, "arrow", ARROW[forged]())


@pytest.mark.parametrize(
    ("forged", "message"),
    [
        ("notes of the table", "notes in its metadata"),
        ("notes of a column", "notes in the metadata of a column"),
        ("what pandas notes", "notes in its metadata"),
        ("a list", "a list of values that no row has"),
        ("categories", "notes in the metadata of a column"),
    ],
)
def test_of_parquet_files(tmp_path, forged, message):
    assert message in told(tmp_path, "parquet", PARQUET[forged]())


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view(), pa.binary_view()])
def test_texts_that_no_cell_has_are_found_in_every_kind_of_array(type_):
    assert not hidden._only_shown(besides(type_).column("number").chunk(0))
    assert hidden._only_shown(pa.array(["short", "a text that is long enough", None], type=type_))
    assert hidden._only_shown(pa.array([None, None], type=type_))
    assert hidden._only_shown(pa.array(["a text that is long enough", None], type=type_)[1:]) is False


def test_a_text_of_twelve_bytes_stands_in_the_view_itself():
    for text in ("x" * 12, "x" * 13):
        assert hidden._only_shown(pa.array([text], type=pa.string_view()))
    assert hidden._bytes(pa.array(["x" * 12, "y" * 13, None]), longer_than=12) == 13
    assert hidden._bytes(pa.array(["", "é", None])) == 2


def test_under_a_missing_number_lies_zero_or_a_number_that_is_shown():
    assert not hidden._only_shown(under_null().column("number").chunk(0))
    cells = b"".join(number.to_bytes(8, "little") for number in (7, 0, 7, 9))
    shown = pa.Array.from_buffers(pa.int64(), 4, [pa.py_buffer(b"\x0c"), pa.py_buffer(cells)])
    assert shown.to_pylist() == [None, None, 7, 9]
    assert hidden._only_shown(shown)
    assert hidden._only_shown(shown[1:])
    assert not hidden._only_shown(shown[:2])
    for plain in (pa.array([1, 2]), pa.nulls(3), pa.array([True, None, False])):
        assert hidden._only_shown(plain)


@pytest.mark.parametrize(
    ("note_", "categories"),
    [
        (b"2;lo2;hi", {"lo", "hi"}),
        (b"", set()),
        (b"3;a;b", {"a;b"}),
        (b"5;lo", {"", "no list of categories"}),
        (b"x;lo", {"", "no list of categories"}),
        (b"2;lox", {"", "no list of categories"}),
        (b"1234567890;lo", {"", "no list of categories"}),
        (b"0;2;hi", {"", "hi"}),
    ],
)
def test_categories_are_read_from_their_lengths(note_, categories):
    assert hidden._categories(note_) == categories


@pytest.mark.parametrize(
    ("key", "value", "good"),
    [
        (b"PARQUET:field_id", b"7", True),
        (b"PARQUET:field_id", b"-1", True),
        (b"PARQUET:field_id", b"12345678901", False),
        (b"PARQUET:field_id", b"Anna", False),
        (b"_PL_CATEGORICAL2", b"0;0;u32;", True),
        (b"_PL_CATEGORICAL2", b"0;0;u64;", False),
        (b"_PL_ENUM_VALUES2", b"3;flu4;cold", True),
        (b"_PL_ENUM_VALUES2", b"3;flu4;gout", False),
        (b"who", b"7", False),
    ],
)
def test_marks_of_columns_are_those_that_polars_and_parquet_put(key, value, good):
    shown = table()
    place = shown.schema.get_field_index("diagnosis")
    schema = shown.schema.set(place, shown.schema.field(place).with_metadata({key: value}))
    found = list(hidden._schema(schema, shown))
    assert found == ([] if good else ["notes in the metadata of a column"])


class Chunk:
    """A chunk of Parquet with statistics of one's choice."""

    def __init__(self, least: object, largest: object, *, there: bool = True) -> None:
        self.statistics = self if there else None
        self.has_min_max, self.min, self.max = True, least, largest


@pytest.mark.parametrize(
    ("least", "largest", "cells", "good"),
    [
        ("a", "c", ["a", "b", "c", None], True),
        ("a", "d", ["a", "b", "c"], False),
        ("0", "c", ["a", "b", "c"], False),
        (1, 3, [3, 1, 2], True),
        (0, 3, [3, 1, 2], False),
        (1, 4, [3, 1, 2], False),
        (1.5, 2.5, [1.5, float("nan"), 2.5], True),
        (date(2024, 1, 1), date(2024, 1, 2), [date(2024, 1, 1), date(2024, 1, 2)], True),
        (date(2024, 1, 1), date(2024, 1, 3), [date(2024, 1, 1), date(2024, 1, 2)], False),
        ("x" * 32 + "b", "x" * 32 + "b", ["x" * 40], True),
        ("x" * 31 + "b", "x" * 40, ["x" * 40], False),
        ("a", "a", [None, None], False),
    ],
)
def test_statistics_are_those_of_the_cells(least, largest, cells, good):
    kind = pa.string() if isinstance(least, str) else None
    found = set(hidden._statistics(Chunk(least, largest), pa.chunked_array([pa.array(cells, type=kind)])))
    assert found == (set() if good else {"statistics that are not those of its cells"})
    assert list(hidden._statistics(Chunk(least, largest, there=False), pa.chunked_array([pa.array(cells)]))) == []


def test_a_note_in_place_of_the_maker_is_found(tmp_path):
    data = in_parquet(table())
    made = b"parquet-cpp-arrow version"
    assert told(tmp_path, "parquet", data) == []
    forged = data.replace(made, b"Anna Meyer <HIV> " + made[17:])
    assert told(tmp_path, "parquet", forged) == ["a note in place of the program that wrote it"]


def test_the_layout_of_ones_own_files_is_told(tmp_path):
    write_file(releases.release(), tmp_path / "own.parquet")
    data = (tmp_path / "own.parquet").read_bytes()
    assert told(tmp_path, "parquet", data, ours=True) == []
    loose = in_parquet(table())
    assert told(tmp_path, "parquet", loose) == []
    assert "lists or statistics beside a column" in told(tmp_path, "parquet", loose, ours=True)
    length = int.from_bytes(data[-8:-4], "little")
    footer = len(data) - 8 - length
    gap = data[:footer] + b"x" + data[footer:]
    assert told(tmp_path, "parquet", gap) == []
    assert told(tmp_path, "parquet", gap, ours=True) == ["bytes that belong to no column"]
    groups = in_parquet(table(), row_group_size=5, use_dictionary=False, write_statistics=False)
    assert told(tmp_path, "parquet", groups, ours=True) in ([], ["bytes that belong to no column"])


def test_a_stream_of_arrow_is_read_too(tmp_path):
    import io

    from pyarrow import ipc

    for shown, expected in ((table(), []), (note(table()), ["notes in the metadata of a column"])):
        sink = io.BytesIO()
        with ipc.new_stream(sink, shown.schema) as writer:
            writer.write_table(shown)
        assert list(hidden._arrow(pa.py_buffer(sink.getvalue()))) == expected


def test_csv_holds_its_cells_alone(tmp_path):
    (tmp_path / "r.csv").write_text("a\n1\n")
    assert check_hidden(tmp_path / "r.csv", ours=True) == []


# -- reading -----------------------------------------------------------------------------------------------------


def test_a_file_that_is_there_and_damaged_is_a_failure(tmp_path):
    (tmp_path / "r.csv").write_text('a,b\n1,2\n3,"4\n')
    found = open_release(tmp_path / "r.csv")
    assert found.frame is None
    assert found.sha256 is not None
    assert [one.check for one in found.failures] == ["file"]
    assert found.failures[0].message.startswith("the file cannot be read: ")
    assert not found.failures[0].message.endswith(".")
    with pytest.raises(TableError, match="no file"):
        open_release(tmp_path / "gone.csv")
    (tmp_path / "good.csv").write_text("a,b\n1,\n")
    good = open_release(str(tmp_path / "good.csv"))
    assert good.failures == ()
    assert good.frame is not None
    assert good.frame.rows() == [("1", None)]
    (tmp_path / "link.csv").symlink_to(tmp_path / "good.csv")
    assert open_release(tmp_path / "link.csv").sha256 == good.sha256
    frame = open_release(pl.DataFrame({"a": [1.5, None]}))
    assert frame.sha256 is None
    assert frame.frame is not None
    assert frame.frame.rows() == [("1.5",), (None,)]


def test_what_a_file_hides_is_told_with_its_cells(tmp_path):
    (tmp_path / "r.arrow").write_bytes(in_arrow(note(table())))
    found = open_release(tmp_path / "r.arrow")
    assert found.frame is not None
    assert [one.message for one in found.failures] == [BEFORE + "notes in the metadata of a column"]
    assert NAME not in str(found.failures)
    (tmp_path / "r.parquet").write_bytes(in_parquet(table()))
    assert open_release(tmp_path / "r.parquet").failures == ()
    assert len(open_release(tmp_path / "r.parquet", ours=True).failures) >= 1
