"""A file that is read in parts has the rows of the file that is read whole, or is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShoalError, TableError
from shoal.tables import read_back, scan, write_file

CELLS = st.one_of(
    st.none(), st.sampled_from(["", "a", '"', "a\nb", "\r\n", "x,y", "'q'", "[1, 2]", "é"]), st.text(max_size=5)
)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=30), st.integers(40, 200), st.booleans())
def test_a_written_file_has_the_same_rows_in_parts(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str | None, str | None]], size: int, excel: bool
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    frame = pl.DataFrame(rows, schema={"one": pl.String, "two, or": pl.String}, orient="row")
    before = scan.PART, scan.ROWS
    try:
        scan.PART, scan.ROWS = size, 7
        for name in ("x.csv", "x.parquet", "x.arrow"):
            path = folder / name
            write_file(frame, path, excel=excel and name == "x.csv")
            whole = _read(lambda path=path: read_back(path))
            parts = _read(lambda path=path: pl.concat(list(scan.scan_back(path))))
            assert parts is None or (whole is not None and parts.equals(whole))
    finally:
        scan.PART, scan.ROWS = before


def _read(reading) -> pl.DataFrame | None:
    try:
        return reading()
    except ShoalError:
        return None


@given(data=st.text(alphabet="ab,;\"\n\r'", max_size=60), size=st.integers(4, 20))
def test_any_text_has_the_same_rows_in_parts_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, data: str, size: int
) -> None:
    """Also lone carriage returns, blank lines before the names, and quotes where none may be."""
    path = tmp_path_factory.mktemp("any") / "x.csv"
    path.write_bytes(data.encode())
    before = scan.PART
    try:
        scan.PART = size
        parts = _read(lambda: pl.concat(list(scan.scan_back(path))))
    finally:
        scan.PART = before
    if parts is not None:
        whole = _read(lambda: read_back(path))
        assert whole is not None
        assert parts.equals(whole)


def test_a_truncated_file_is_refused_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n1,2\n3,")
    with pytest.raises(TableError, match="does not end with a line end"):
        list(scan.scan_back(path))
    for name in ("x.parquet", "x.arrow"):
        write_file(pl.DataFrame({"a": ["x"] * 100}), tmp_path / name)
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-9])
        with pytest.raises(TableError, match="cannot be read in parts"):
            list(scan.scan_back(tmp_path / name))


def test_other_encodings_and_packed_files_are_not_read_in_parts(tmp_path: Path) -> None:
    for name in ("x.csv", "x.csv.gz", "x.parquet"):
        (tmp_path / name).touch()
    assert scan.is_scannable(tmp_path / "x.csv")
    assert scan.is_scannable(tmp_path / "x.parquet")
    assert not scan.is_scannable(tmp_path / "x.csv", scan.ReadOptions(encoding="cp1252"))
    assert not scan.is_scannable(tmp_path / "x.csv.gz")
