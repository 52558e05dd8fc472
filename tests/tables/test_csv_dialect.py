"""What is found out about a CSV file, and what is asked instead of guessed."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.errors import ParameterError, TableError
from shoal.tables import Dialect, ReadOptions, Table, read

Read = Callable[..., Table]


@pytest.fixture
def csv(tmp_path: Path) -> Read:
    def read_text(content: str | bytes, name: str = "table.csv", **options: object) -> Table:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(path, ReadOptions(**options))  # type: ignore[arg-type]

    return read_text


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_each_separator_is_found(csv: Read, mark: str) -> None:
    table = csv(f'a{mark}b{mark}c\n1{mark}"x,;|\t"{mark}3\n')
    assert table.columns == ["a", "b", "c"]
    assert table.frame.rows() == [(1, "x,;|\t", 3)]
    assert table.origin.dialect is not None
    assert table.origin.dialect.separator == mark


def test_a_separator_inside_quotes_does_not_count(csv: Read) -> None:
    table = csv('a;b\n"x, y, z";1\n"x; y";2\n')
    assert table.frame.rows() == [("x, y, z", 1), ("x; y", 2)]


def test_a_tab_wins_over_commas_in_texts(csv: Read) -> None:
    assert csv("name, first\tage, years\nDoe, Jo\t5, 1\n").columns == ["name, first", "age, years"]


def test_two_separators_that_fit_equally_are_refused(csv: Read) -> None:
    with pytest.raises(TableError, match="',' and ';'") as caught:
        csv("size, cm;weight, kg\n1,5;70,2\n")
    assert "separator=" in str(caught.value)
    assert csv("size, cm;weight, kg\n1,5;70,2\n", separator=";").frame.rows() == [(1.5, 70.2)]


def test_one_column_needs_no_separator(csv: Read) -> None:
    assert csv("age\n1\n2\n").frame.rows() == [(1,), (2,)]
    assert csv("note\nx\ty\n", "note.tsv", has_header=True, separator=",").frame.rows() == [("x\ty",)]
    assert csv("note\nx, y\n", "note.tsv").frame.rows() == [("x, y",)]


def test_blank_lines_are_missing_values_in_one_column_and_nothing_in_several(csv: Read) -> None:
    assert csv("a\nx\n\ny\n").frame["a"].to_list() == ["x", None, "y"]
    assert csv("a,b\nx,1\n\ny,2\n\n").frame.rows() == [("x", 1), ("y", 2)]


def test_apostrophes_quote_where_they_enclose_cells(csv: Read) -> None:
    assert csv("a,b\n'x, y',1\n'z',2\n").frame["a"].to_list() == ["x, y", "z"]
    assert csv("a,b\n's-Gravenhage,1\nz,2\n").frame["a"].to_list() == ["'s-Gravenhage", "z"]


def test_quotes_are_text_where_no_cell_begins_with_one(csv: Read) -> None:
    table = csv('pipe,n\n5" wide,1\n7" wide,2\n3",3\n')
    assert table.frame["pipe"].to_list() == ['5" wide', '7" wide', '3"']
    assert table.origin.dialect is not None
    assert table.origin.dialect.quote == ""


def test_options_override_what_would_be_found(csv: Read) -> None:
    assert csv("a;b\n1;2\n", separator=",").frame.rows() == [("1;2",)]
    assert csv('a,b\n"x",1\n', quote="").frame["a"].to_list() == ['"x"']
    assert csv("a,b\n1,2\n", has_header=False).frame.rows() == [("a", "b"), ("1", "2")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_encodings_are_found(csv: Read, encoding: str) -> None:
    table = csv("name,n\nZoë,1\n中文,2\n".encode(encoding))
    assert table.columns == ["name", "n"]
    assert table.frame["name"].to_list() == ["Zoë", "中文"]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_other_encodings_are_read_when_named_and_when_not(csv: Read, encoding: str) -> None:
    content = "name,n\nZoë,1\n".encode(encoding)
    assert csv(content).frame["name"].to_list() == ["Zoë"]
    assert csv(content, encoding=encoding).frame["name"].to_list() == ["Zoë"]


def test_a_wrong_encoding_is_refused_with_the_place(csv: Read) -> None:
    with pytest.raises(TableError, match="not ascii at byte 6"):
        csv("a,b\nZoë,1\n", encoding="ascii")
    with pytest.raises(TableError, match="not utf-16"):
        csv(b"a,b\n1", encoding="utf-16")


@pytest.mark.parametrize("first", ["sep=;\n", "sep=;\r\n", "\ufeffsep=;\n"])
def test_a_line_that_tells_a_spreadsheet_the_separator_is_no_line_of_the_table(csv: Read, first: str) -> None:
    table = csv(first + "a;b,c\n1;2,5\n3;4,5\n")
    assert (table.columns, table.origin.dialect.separator) == (["a", "b,c"], ";")
    assert table.frame.rows() == [(1, 2.5), (3, 4.5)]
    with pytest.raises(TableError, match="line 4 has 1 cell"):
        csv(first + "a;b\n1;2\n3\n")


@pytest.mark.parametrize("name", ["table.csv.gz", "table.tsv.gz", "TABLE.CSV.GZ"])
def test_gzip_is_unpacked(csv: Read, name: str) -> None:
    assert csv(gzip.compress(b"a,b\n1,2\n"), name).frame.rows() == [(1, 2)]


def test_the_header_may_span_lines_and_be_quoted(csv: Read) -> None:
    assert csv('"a\nb","c, d","e ""f"""\n1,2,3\n').columns == ["a\nb", "c, d", 'e "f"']


def test_a_first_line_that_looks_like_data_is_asked_about(csv: Read) -> None:
    with pytest.raises(TableError, match="looks like data") as caught:
        csv("34,Berlin,2001-02-03\n35,Bonn,2002-02-03\n")
    assert "has_header" in str(caught.value)
    assert "34" not in str(caught.value).split("/")[-1]  # the folder may have any number in its name
    assert csv("1,x\n2,y\n", has_header=False).columns == ["column_1", "column_2"]
    assert csv("1,x\n2,y\n", has_header=True).columns == ["1", "x"]


@pytest.mark.parametrize(
    "content",
    [
        "Ada,f,flu\nBen,m,flu\nCem,f,cold\n",
        "flu\ncold\nflu\n",
        "name,sex\nAda,f\nname,sex\nBen,m\n",  # two files in one
    ],
)
def test_a_first_line_whose_texts_come_again_is_asked_about(csv: Read, content: str) -> None:
    with pytest.raises(TableError, match="looks like data"):
        csv(content)
    assert csv(content, has_header=True).columns == content.splitlines()[0].split(",")


@pytest.mark.parametrize("content", ["apples,pears\napples,\n,pears\n", "name,other\nAda,x\nBen,other\n"])
def test_ticked_boxes_and_one_chance_are_no_data_in_the_first_line(csv: Read, content: str) -> None:
    assert csv(content).columns == content.splitlines()[0].split(",")


@pytest.mark.parametrize("content", ["country,2019,2020\nDE,1,2\n", "id,1,2\n5,6,7\n", "a,b\nx,y\n", "a,b\n"])
def test_a_first_line_of_names_is_taken_as_such(csv: Read, content: str) -> None:
    assert csv(content).columns == content.splitlines()[0].split(",")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"separator": ",,"}, "separator"),
        ({"separator": "\n"}, "separator"),
        ({"separator": ""}, "separator"),
        ({"quote": "é"}, "quote"),
        ({"separator": ",", "quote": ","}, "same character"),
        ({"decimal": ";"}, "decimal"),
        ({"encoding": "klingon"}, "klingon"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, str], part: str) -> None:
    with pytest.raises(ParameterError, match=part):
        ReadOptions(**options)  # type: ignore[arg-type]


def test_the_dialect_is_kept_for_writing(csv: Read) -> None:
    assert csv("a;b\n1,5;x\n").origin.dialect == Dialect(";", '"', ",")
