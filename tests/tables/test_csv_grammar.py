"""The reader agrees with RFC 4180, letter by letter, on what a file says and on what is no CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.tables import ReadOptions, csv_file, read
from shoal.tables import quotes as quotes_module
from shoal.tables.csv_file import csv_as_text

Rows = list[list[str | None]]


def grammar(text: str) -> Rows | None:
    """Rows of cells by the book, None for an empty cell; None altogether if the text does not follow the book."""
    rows: Rows = []
    row: list[str | None] = []
    place = 0
    while place < len(text):
        if text[place] == '"':
            cell, place = "", place + 1
            while True:
                end = text.find('"', place)
                if end < 0:
                    return None
                cell, place = cell + text[place:end], end + 1
                if text[place : place + 1] != '"':
                    break
                cell, place = cell + '"', place + 1
            row.append(cell)
        else:
            start = place
            while place < len(text) and text[place] not in ",\n":
                if text[place] == '"':
                    return None
                place += 1
            row.append(text[start:place] or None)
        if place == len(text) or text[place] == "\n":
            rows.append(row)
            row = []
        elif text[place] != ",":
            return None
        elif place + 1 == len(text):
            rows.append([*row, None])
        place += 1
        if place < len(text) and text[place - 1] == "," and text[place] == "\n":
            rows.append([*row, None])
            row = []
            place += 1
    return rows


def test_the_oracle_itself() -> None:
    assert grammar('a,"b ""c"", d"\n,\n') == [["a", 'b "c", d'], [None, None]]
    assert grammar('"",x') == [["", "x"]]
    assert grammar("a,") == [["a", None]]
    assert grammar('"two\nlines"\n') == [["two\nlines"]]
    for broken in ('"', 'a"', '"a"b', '""a', 'a,"b\n'):
        assert grammar(broken) is None


@pytest.mark.parametrize("chunk", [1, 2, 7, 1 << 24])
@given(text=st.text(alphabet='aa,,"""\n', min_size=1, max_size=24))
@example(text='a,a\n"a,a",a\n')
@example(text='""a,a')
def test_the_same_rows_or_a_refusal(chunk: int, text: str) -> None:
    expected = grammar(text)
    if expected is not None:
        width = next((len(row) for row in expected if row != [None]), 0)
        expected = [row for row in expected if row != [None] or width == 1]
        if not width or any(len(row) != width for row in expected):
            expected = None
    options = ReadOptions(separator=",", quote='"', has_header=False)
    before = quotes_module._CHUNK
    quotes_module._CHUNK = chunk
    try:
        found: Rows | None = [list(row) for row in csv_as_text(text.encode(), Path("t.csv"), options)[0].rows()]
    except TableError:
        found = None
    finally:
        quotes_module._CHUNK = before
    assert found == expected


def test_rows_that_cross_the_blocks_of_the_reader_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.tables.csv_file._LONGEST_ROW", 128)
    rng = np.random.default_rng(0)
    cells = ["", "plain", 'a "quoted" word', "two\nlines", "comma, comma", "\n\n", '""', "ünïcödé"]
    rows = [[cells[place] for place in rng.integers(0, len(cells), 4)] for _ in range(3000)]
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["a", "b", "c", "d"], *rows])
    frame = read(tmp_path / "table.csv").frame
    assert frame.fill_null("").rows() == [tuple(row) for row in rows]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_without_any_quote_are_read_whole_across_blocks(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [[str(at), "x" * (at % 7) or None, "ä"] for at in range(2_000)]
    path = tmp_path / "plain.csv"
    path.write_bytes(end.join(["a,b,c", *(",".join(cell or "" for cell in row) for row in rows), ""]).encode())
    for block in (1 << 10, 1 << 20):  # rows end anywhere in a block
        monkeypatch.setattr(csv_file, "_BLOCK", block)
        assert list(map(list, csv_as_text(path.read_bytes(), path, ReadOptions())[0].iter_rows())) == rows
