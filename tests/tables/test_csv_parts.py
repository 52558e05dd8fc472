"""A CSV file that is read in parts has the rows and types that it has when it is read whole."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShoalError, TableError
from shoal.tables import csv_parts
from shoal.tables.csv_file import read_csv
from shoal.tables.csv_parts import CsvParts, copy_as_utf8
from shoal.tables.infer import typed_columns
from shoal.tables.infer_parts import PartTypes
from shoal.tables.options import ReadOptions

CELLS = [
    "", '""', "1", "-2", "07", "+3", "1.5", "2,5", "1.234", "1,234", "12345678901234567890", "nan", "NaN", "inf",
    "1e5", "1E5", "2020-01-31", "2020-02-30", "2020-01-31 10:00", "2020-01-31T10:00:30.5", "2020-01-31T10:00:00Z",
    " 4 ", "a", "é", "x y", '"say ""no"""', '"two\nlines"', '"a;b"',
]  # fmt: skip
KINDS = [["1", "2", "", " 4 "], ["1.5", "-0.25", "nan", "1"], ["2,5", "1,25", "3"], ["1.234", "2.345"],
         ["2020-01-31", "2021-12-01", ""], ["2020-01-31 10:00", "2020-01-31T10:00:30.5"],
         ["2020-01-31T10:00:00Z", "2020-06-01T10:00+02:00"], ["07", "8"], ['""', "1"], ["nan", ""],
         CELLS]  # fmt: skip


def in_parts(path: Path, options: ReadOptions) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Return the texts and the typed columns of a file, found part by part."""
    copy = io.BytesIO()
    options = copy_as_utf8(path, options, copy)
    parts = CsvParts.of(copy.getvalue(), path, options)
    types = PartTypes(parts.names)
    frames = list(parts.frames("types"))
    for frame in frames:
        types.add(frame)
    decided = types.decided(parts.dialect.separator, options.decimal)
    typed = pl.concat([typed_columns(frame, decided.kinds) for frame in frames])
    return pl.concat(frames), {column.name: column for column in typed.get_columns()}


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Return a CSV file of some columns of any kinds, with any separator and line end."""
    separator = draw(st.sampled_from(",;\t"))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*(st.sampled_from(kind) for kind in kinds)), min_size=1, max_size=30))
    lines = [separator.join(f"name{place}" for place in range(len(kinds)))]
    lines += [
        separator.join(f'"{cell}"' if separator in cell and cell[0] != '"' else cell for cell in row) for row in rows
    ]
    return end.join(lines).encode() + draw(st.sampled_from(["", end])).encode()


@given(files(), st.integers(12, 60), st.sampled_from([None, ".", ","]), st.sampled_from([(), ("nan",), ("1", "a")]))
def test_rows_and_types_are_those_of_the_whole_file(tmp_path_factory, data, size, decimal, null_values) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_bytes(data)
    options = ReadOptions(decimal=decimal, null_values=null_values, has_header=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_parts, "PART", size)
        try:
            whole = read_csv(path, options)
        except ShoalError as error:
            if "infinite" in str(error):  # the types are found, and then the cells refused
                return
            with pytest.raises(type(error), match=str(error).split(".")[0].replace("(", r"\(")[:20]):
                in_parts(path, options)
            return
        texts, typed = in_parts(path, options)
    expected = whole.frame.with_columns(whole.texts.get_columns())
    assert texts.equals(expected, null_equal=True)
    found = {name: column.fill_nan(None) if column.dtype.is_float() else column for name, column in typed.items()}
    assert set(found) == set(whole.texts.columns)
    for name, column in found.items():
        assert (column + 0.0 if column.dtype.is_float() else column).equals(whole.frame[name], null_equal=True)


def test_no_part_ends_between_the_two_characters_of_a_line_end(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "t.csv").write_bytes(b'name0\r\n"two\nlines"\r\n"x"\r\n')
    for size in range(8, 30):
        monkeypatch.setattr(csv_parts, "PART", size)
        assert in_parts(tmp_path / "t.csv", ReadOptions())[0].rows() == [("two\nlines",), ("x",)]


def test_a_column_is_written_alike_only_if_every_part_is() -> None:
    types = PartTypes(["a", "b", "c"])
    types.add(pl.DataFrame({"a": ["1.5"], "b": ["2"], "c": ["2020-01-01"]}))
    types.add(pl.DataFrame({"a": ["1.50"], "b": ["3"], "c": [None]}, schema_overrides={"c": pl.String}))
    decided = types.decided(",", None)
    assert decided.kinds == {"a": "point", "b": "integer", "c": "date"}
    assert decided.as_written == {"b", "c"}
    types.add(pl.DataFrame({"a": ["1"], "b": ["2.5"], "c": ["2020-01-01"]}))
    assert types.decided(",", None).as_written == {"c"}
    assert types.decided(",", None).plain == {"b", "c"}


def test_what_cannot_be_decided_in_the_first_part_is_decided_by_a_later_one() -> None:
    types = PartTypes(["a", "b"])
    types.add(pl.DataFrame({"a": ["1"], "b": ["1,234"]}))
    types.add(pl.DataFrame({"a": ["x"], "b": ["0,5"]}))
    decided = types.decided(";", None)
    assert (decided.kinds, decided.decimal) == ({"b": "comma"}, ",")
    assert types.decided(",", None).decimal == "."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings_marks_and_gzip_are_copied_as_utf8(tmp_path: Path, encoding: str, packed: bool) -> None:
    data = "sep=;\nname;alter\nJosé;3\nÄnne;4\n".encode(encoding)
    path = tmp_path / ("table.csv.gz" if packed else "table.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    options = ReadOptions(encoding="cp1252" if encoding == "cp1252" else None)
    texts, typed = in_parts(path, options)
    assert texts.rows() == [("José", "3"), ("Änne", "4")]
    assert list(typed) == ["alter"]


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"a,b\n1,2\n\xff,3\n", "t.csv", "is not utf-8"),
        (b"a,b\n1,\x002\n", "t.csv", "NUL byte"),
        (gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "t.csv.gz", "not a whole gzip file"),
        (b"a,b\n1,2\n", "t.csv.gz", "not a whole gzip file"),
        (gzip.compress(b"", mtime=0), "t.csv.gz", "is empty"),
        (b"", "t.csv", "is empty"),
        (b"a,b\n1,2\n3\n", "t.csv", "line 3 has 1 cell; the first line has 2"),
        (b'a,b\n1,2\n3,"4\n', "t.csv", "line 3 is never closed"),
        (b'a,b\n1,"2"x\n', "t.csv", "line 2 has a quote in the middle"),
        (b"a,a\n1,2\n", "t.csv", "more than once"),
        (b"1,2\n3,4\n", "t.csv", "looks like data"),
    ],
)
def test_what_is_no_table_is_refused_with_the_line(tmp_path: Path, data: bytes, name: str, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ShoalError, match=said) as raised:
        in_parts(tmp_path / name, ReadOptions())
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_a_file_that_grows_while_it_is_copied_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 10)

    class Growing(io.BytesIO):
        def write(self, data) -> int:  # type: ignore[no-untyped-def,override]
            with path.open("ab") as file:
                file.write(b"3,4\n")
            return super().write(data)

    with pytest.raises(TableError, match="changed while it was read"):
        copy_as_utf8(path, replace(ReadOptions()), Growing())


def test_a_quoted_cell_longer_than_a_part_is_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_parts, "PART", 16)
    cell = "one\ntwo\n" * 40
    (tmp_path / "t.csv").write_text(f'a,b\n1,"{cell}"\n2,x\n', encoding="utf-8")
    texts, _ = in_parts(tmp_path / "t.csv", ReadOptions())
    assert texts.rows() == [("1", cell), ("2", "x")]
