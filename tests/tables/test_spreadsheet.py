"""A release for spreadsheets: nothing in it runs, and it reads back as what it was."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given

import shoal
from shoal.errors import ParameterError
from shoal.tables import read_back, write_file
from shoal.tables.spreadsheet import guarded, unguarded
from tests.cli.running import shoal as command

RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
TEXTS = st.none() | st.text(st.sampled_from([*RISKY, "'", "1", ".", "e", "ä", '"', ","]), max_size=4)


def frames(cells: st.SearchStrategy[str | None]) -> st.SearchStrategy[pl.DataFrame]:
    columns = st.lists(st.tuples(cells, cells), min_size=1, max_size=4)
    return columns.map(lambda rows: pl.DataFrame(rows, schema={"a": pl.String, "=b": pl.String}, orient="row"))


def _is_number(text: str) -> bool:
    """Return whether a text is a number with either decimal mark, which a spreadsheet takes for nothing else."""
    try:
        return text.strip() == text and math.isfinite(float(text.replace(",", ".")))
    except (ValueError, OverflowError):
        return False


@given(frame=frames(TEXTS))
def test_guarding_is_undone_and_nothing_risky_is_left(frame: pl.DataFrame) -> None:
    safe = guarded(frame)
    for text in [*safe.columns, *(cell for row in safe.iter_rows() for cell in row if cell)]:
        assert not text.startswith(RISKY) or _is_number(text), text
    assert unguarded(safe).equals(frame)
    assert unguarded(safe).columns == frame.columns


@given(frame=frames(TEXTS))
def test_reading_back_never_makes_one_text_of_two(frame: pl.DataFrame) -> None:
    """Also of a file that somebody else wrote with the mark of UTF-8."""
    read = unguarded(frame)
    for before, after in zip(frame.get_columns(), read.get_columns(), strict=True):
        assert before.n_unique() == after.n_unique()


@given(frame=frames(TEXTS))
def test_files(tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame) -> None:
    path = tmp_path_factory.mktemp("excel") / "release.csv"
    write_file(frame, path, excel=True)
    assert path.read_bytes()[:3] == b"\xef\xbb\xbf"
    assert read_back(path).equals(frame)


def test_a_whole_run(tmp_path: Path) -> None:
    notes = ["=1+1", "-5", "@Zoë", "'quoted", "+3.50", "-x", "plain", "\tx"]
    frame = pl.DataFrame({"age": [30, 31] * 4, "=label": ["=a", "-b"] * 4, "dose": [-1.5, 2.0] * 4, "note": notes})
    source, out = tmp_path / "in.csv", tmp_path / "out"
    write_file(frame, source)
    (tmp_path / "levels.csv").write_text("=a,first,*\n-b,second,*\n", encoding="utf-8")
    policy = {
        "k": 4,
        "columns": {
            "age": {"role": "quasi"}, "dose": {"role": "other"}, "note": {"role": "other", "publish_rare": True},
            "=label": {"role": "sensitive", "hierarchy": str(tmp_path / "levels.csv")},
        },
        "closeness": {"t": 0.9, "distance": "hierarchical"},
        "diversity": {"l": 2},
    }  # fmt: skip
    release = shoal.anonymize(source, policy).write(out, excel=True)
    with (out / "release.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["age", "'=label", "dose", "note"]
    assert sorted(row[3] for row in rows) == sorted(
        ["'=1+1", "-5", "'@Zoë", "''quoted", "+3.50", "'-x", "plain", "'\tx"]
    )
    assert {row[2] for row in rows} == {"-1.5", "2.0"}
    assert sorted(read_back(out / "release.csv")["note"]) == sorted(notes)
    assert shoal.verify(out).holds
    assert shoal.verify(out, policy).l == release.findings.l == {"=label": 2}


def test_the_command_and_what_it_is_not_for(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out"
    source.write_text("age,note\n30,=1\n30,=2\n31,@x\n31,@y\n", encoding="utf-8")
    roles = ("--quasi", "age", "--other", "note", "--publish-rare", "note", "-k", "2", "--publication", "generalize")
    assert command("anonymize", source, *roles, "--out", out, "--excel").code == 0
    assert b"'=1" in (out / "release.csv").read_bytes()
    assert command("verify", out).code == 0
    plan = tmp_path / "out.private" / "plan.json"
    assert command("apply", plan, source, "--out", tmp_path / "again", "--excel").code == 0
    assert b"'@x" in (tmp_path / "again" / "release.csv").read_bytes()
    assert command("anonymize", source, *roles, "--out", tmp_path / "plain").code == 0
    assert b"\n30,=1\n" in (tmp_path / "plain" / "release.csv").read_bytes()
    ran = command("anonymize", source, *roles, "--out", tmp_path / "no", "--excel", "--format", "parquet", "-q")
    assert (ran.code, ran.is_one_sentence) == (2, True)
    with pytest.raises(ParameterError, match="CSV"):
        shoal.anonymize(pl.DataFrame({"a": [1, 1]}), k=2, quasi=["a"]).write(
            tmp_path / "no", format="arrow", excel=True
        )
