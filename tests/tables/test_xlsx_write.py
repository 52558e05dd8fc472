"""A written .xlsx file holds the cells and nothing else, and two other programs read the same cells from it."""

from __future__ import annotations

import zipfile
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import openpyxl
import polars as pl
import pytest
from hypothesis import given, settings
from python_calamine import CalamineWorkbook

import shoal
from shoal.certify.hidden_xlsx import FIXED, hidden_in_xlsx
from shoal.errors import TableError
from shoal.tables import ReadOptions, read, read_back, write_file, xlsx_writing
from shoal.tables.text import as_written
from tests.cli.running import shoal as command

FRAME = pl.DataFrame(
    {
        "=name": ["=1+1", "007", None, "[30, 40]", "+49 30"],
        "note": ["", " x ", "a\r\nb\x07\t<&>\"'", "_x0041_x0042_", None],
        "whole": [1, None, -(10**15), 0, 5],
        "long": [10**17, 1, 2, None, 4],
        "number": [0.1 + 0.2, 1e-300, None, 1e21, -5.0],
        "day": [date(1999, 12, 31), None, date(2024, 2, 29), date(1900, 3, 1), date(9999, 12, 31)],
        "early": [date(1850, 1, 1), None, date(2024, 2, 29), date(1900, 2, 28), date(1900, 1, 1)],
        "at": [
            datetime(2020, 1, 1),
            None,
            datetime(1999, 12, 31, 23, 59, 59, 999000),
            datetime(2020, 1, 1, 12),
            None,
        ],
        "fine": [datetime(2020, 1, 1, 0, 0, 0, 1), None, None, None, None],
        "yes": [True, False, None, True, True],
        "stay": [timedelta(hours=30), None, None, timedelta(0), timedelta(-1)],
        "label": pl.Series(["a", "b", None, "a", "a"], dtype=pl.Categorical),
    }
)
TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)


def written(frame: pl.DataFrame, folder: Path) -> Path:
    path = folder / "release.xlsx"
    path.unlink(missing_ok=True)
    write_file(frame, path)
    return path


def test_every_type_is_read_back_as_it_was(tmp_path: Path) -> None:
    found = read_back(written(FRAME, tmp_path))
    assert found.columns == FRAME.columns
    for column in as_written(FRAME).get_columns():
        assert found[column.name].to_list() == column.to_list(), column.name


@settings(max_examples=40)
@given(
    cells=st.lists(
        st.tuples(TEXTS, st.none() | st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=20
    )
)
def test_any_text_and_number_is_read_back(tmp_path_factory: pytest.TempPathFactory, cells: list[Any]) -> None:
    frame = pl.DataFrame(cells, schema={"a": pl.String, "b": pl.Float64}, orient="row").with_row_index("i")
    path = written(frame, tmp_path_factory.mktemp("any"))
    found = read_back(path)
    assert found["a"].to_list() == frame["a"].to_list()
    assert found["b"].cast(pl.Float64).to_list() == frame["b"].to_list()
    assert list(hidden_in_xlsx(path.read_bytes(), ours=True)) == []
    seen = CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()[1:]
    assert [row[1] or None for row in seen] == [text or None for text in frame["a"]]
    assert [None if row[2] == "" else row[2] for row in seen] == frame["b"].to_list()


def test_other_programs_see_texts_as_texts_numbers_as_numbers_and_days_as_days(tmp_path: Path) -> None:
    rows = list(openpyxl.load_workbook(written(FRAME, tmp_path)).active.iter_rows())
    assert [cell.value for cell in rows[0]] == FRAME.columns
    seen = {name: [row[place].value for row in rows[1:]] for place, name in enumerate(FRAME.columns)}
    assert seen["=name"] == FRAME["=name"].to_list()
    assert all(row[0].data_type in "sn" and row[0].number_format == "@" for row in rows[1:] if row[0].value)
    assert seen["number"] == FRAME["number"].to_list()
    assert seen["whole"] == FRAME["whole"].to_list()
    assert seen["yes"] == FRAME["yes"].to_list()
    assert [day and day.date() for day in seen["day"]] == FRAME["day"].to_list()
    assert seen["at"] == FRAME["at"].to_list()


def test_nothing_but_the_cells_is_in_the_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["left out", "kept"]}).filter(pl.col("a") == "kept")
    first = written(frame, tmp_path).read_bytes()
    assert list(hidden_in_xlsx(first, ours=True)) == []
    with zipfile.ZipFile(tmp_path / "release.xlsx") as packed:
        assert packed.namelist() == [*FIXED, "xl/worksheets/sheet1.xml"], "no properties, comments, names or texts"
        assert b"left out" not in b"".join(map(packed.read, packed.namelist()))
    assert written(frame, tmp_path).read_bytes() == first, "no time of writing"


def test_a_row_without_any_value_is_a_row_of_a_release(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", None, "y", None], "b": [1, None, 2, None]})
    assert read_back(written(frame, tmp_path)).rows() == [("x", "1"), (None, None), ("y", "2"), (None, None)]
    empty = pl.DataFrame({"a": [None, None]}, schema={"a": pl.String})
    assert read_back(written(empty, tmp_path)).equals(empty)
    _, *rows = openpyxl.load_workbook(tmp_path / "release.xlsx").active.iter_rows(values_only=True)
    assert rows == [(None,), (None,)], "other readers see them too"
    assert list(hidden_in_xlsx((tmp_path / "release.xlsx").read_bytes(), ours=True)) == []


def test_what_a_spreadsheet_cannot_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableError, match="32767 characters"):
        write_file(pl.DataFrame({"a": ["x" * 32_768]}), tmp_path / "a.xlsx")
    monkeypatch.setattr(xlsx_writing, "MOST_ROWS", 2)
    with pytest.raises(TableError, match="at most 2 rows"):
        write_file(pl.DataFrame({"a": [1, 2, 3]}), tmp_path / "b.xlsx")
    assert not list(tmp_path.iterdir())


def people(path: Path) -> Path:
    """A hospital's workbook, with everything in it that must not get out."""
    made = openpyxl.Workbook()
    made.properties.creator = "Dr. Secret"
    sheet = made.active
    sheet.title = "Ward of Dr. Secret"
    sheet.append(("name", "zip", "age", "born", "ill"))
    for row in range(24):
        ill = ("=flu", "-cold", "+asthma")[row % 3]
        sheet.append((f"Person {row}", f"0106{row % 5}", 20 + row, date(1980, 1, 1 + row), ill))
        sheet.cell(row + 2, 5).data_type = "s"
    sheet["A2"].comment = openpyxl.comments.Comment("a comment on Secret", "Dr. Secret")
    made.defined_names["secret_name"] = openpyxl.workbook.defined_name.DefinedName("secret_name", attr_text="1")
    raw = made.create_sheet("Secret sheet")
    raw.append(("a secret cell",))
    made.save(path)
    return path


ROLES = ("--identifier", "name,born", "--quasi", "age,zip", "--sensitive", "ill")


def test_a_whole_run_from_a_workbook_to_a_workbook(tmp_path: Path) -> None:
    source, out = people(tmp_path / "in.xlsx"), tmp_path / "out"
    ran = command("anonymize", source, "-o", out, *ROLES, "-k", "4")
    assert (ran.code, ran.is_one_sentence) == (2, True)
    assert "2 sheets" in ran.err
    sheet = ("--sheet", "Ward of Dr. Secret")
    assert command("anonymize", source, "-o", out, *ROLES, "-k", "4", "-l", "2", *sheet).code == 0
    assert command("verify", out, "-q").code == 0
    assert command("verify", out / "release.xlsx", "-q").code == 0
    with zipfile.ZipFile(out / "release.xlsx") as packed:
        held = b"".join(map(packed.read, packed.namelist()))
    assert b"Secret" not in held + (out / "certificate.json").read_bytes()
    assert b"Person" not in held
    rows = list(openpyxl.load_workbook(out / "release.xlsx").active.iter_rows(values_only=True))
    assert rows[0] == ("zip", "age", "ill")
    assert {row[2] for row in rows[1:]} == {"=flu", "-cold", "+asthma"}
    assert all(isinstance(row[0], str) and "0106" in row[0] for row in rows[1:])
    assert (
        command("attack", source, out / "release.xlsx", "-p", out.with_name("out.private") / "policy.toml").code == 0
    )
    plan = out.with_name("out.private") / "plan.json"
    assert command("apply", plan, source, "-o", tmp_path / "next", *sheet, "--max-suppressed", "0.9").code == 0
    assert (tmp_path / "next" / "release.xlsx").exists()
    assert command("compare", source, *ROLES, "-k", "2,4", *sheet).code == 0
    assert command("profile", source, *sheet, "--write", tmp_path / "policy.toml").code == 0
    assert shoal.Policy.load(tmp_path / "policy.toml").source.sheet == "Ward of Dr. Secret"
    private = (out.with_name("out.private") / "policy.toml").read_text()
    assert "Ward of Dr. Secret" in private, "so that the release can be made again"


def test_a_release_is_written_as_its_source_or_as_asked(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 21, 30, 31] * 3})
    frame.write_csv(tmp_path / "in.csv")
    write_file(frame, tmp_path / "in.xlsx")
    roles = ("--quasi", "age", "-k", "3", "-q")
    assert command("anonymize", tmp_path / "in.csv", "-o", tmp_path / "a", *roles, "--format", "xlsx").code == 0
    assert shoal.verify(tmp_path / "a" / "release.xlsx").holds
    assert command("anonymize", tmp_path / "in.xlsx", "-o", tmp_path / "b", *roles, "--format", "csv").code == 0
    assert shoal.verify(tmp_path / "b" / "release.csv").holds
    assert command("anonymize", tmp_path / "in.xlsx", "-o", tmp_path / "c", *roles, "--excel").code == 0
    assert shoal.verify(tmp_path / "c" / "release.xlsx").holds


def test_text_cells_with_a_decimal_comma_are_numbers(tmp_path: Path) -> None:
    write_file(pl.DataFrame({"id": ["a", "b"], "dose": ["1,5", "2,25"]}), tmp_path / "in.xlsx")
    assert read(tmp_path / "in.xlsx").frame["dose"].to_list() == [1.5, 2.25]
    assert read(tmp_path / "in.xlsx", ReadOptions(decimal=".")).frame["dose"].to_list() == ["1,5", "2,25"]
