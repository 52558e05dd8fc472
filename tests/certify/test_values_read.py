"""The verifier's own reading of cells: what texts say, in which order they stand, and which levels lie above them."""

from __future__ import annotations

import time

import polars as pl
import pytest

import shoal
from shoal.certify.hierarchies import check_cut, levels_of, read_rows
from shoal.certify.rounded import check_rounded
from shoal.certify.sensitive_values import UnreadableError, values_of
from shoal.certify.spelling import meanings
from shoal.errors import ParameterError
from shoal.policy import Column, Policy
from tests.certify import releases


def key(text: str) -> str:
    found: str = meanings(pl.Series([text]))["key"][0]
    return found


# -- spelling ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", "."),
        ("-0.0", "."),
        ("+0", "."),
        ("0e5", "."),
        ("007", "7."),
        ("+7", "7."),
        (" 7 ", "7."),
        ("-7", "-7."),
        ("1.50", "1.5"),
        ("1,5", "1.5"),
        (".5", ".5"),
        ("5.", "5."),
        ("-0.5", "-.5"),
        ("1e0", "1."),
        ("1E+2", "100."),
        ("1.5e1", "15."),
        ("1,5e1", "15."),
        ("15e-1", "1.5"),
        ("-15e-1", "-1.5"),
        ("5e-1", ".5"),
        ("5e-3", ".005"),
        ("-5e-3", "-.005"),
        ("120e-1", "12."),
        ("1200e-1", "120."),
        (".5e1", "5."),
        ("5.e1", "50."),
        ("0012e1", "120."),
        ("1e500", "1" + "0" * 500 + "."),
        ("1e501", "1e501"),
        ("-1e501", "-1e501"),
        ("10e500", "1e501"),
        ("1e-500", "." + "0" * 499 + "1"),
        ("1e-501", "1e-501"),
        ("-12e-501", "-12e-501"),
        ("e5", "e5 "),
        ("1e1234567890", "1e1234567890 "),
        (".", ". "),
        ("-", "- "),
        ("", " "),
        ("a", "a "),
        (" a", " a "),
        ("2024-01-31", "2024-01-31T00:00:00."),
        (" 2024-01-31 ", "2024-01-31T00:00:00."),
        ("2024-01-31 00:00", "2024-01-31T00:00:00."),
        ("2024-02-31", "2024-02-31 "),
        ("2024-01-31T", "2024-01-31T "),
        ("0000-01-01", "0000-01-01 "),
        ("2024-01-31T10:00", "2024-01-31T10:00:00."),
        ("2024-01-31 10:00:00", "2024-01-31T10:00:00."),
        (" 2024-01-31 10:00:00 ", "2024-01-31T10:00:00."),
        ("2024-01-31T10:00:00.500", "2024-01-31T10:00:00.5"),
        ("2024-01-31T10:00Z", "2024-01-31T10:00:00.Z"),
        ("2024-01-31T10:00:00+00:00", "2024-01-31T10:00:00.Z"),
        ("2024-01-31T12:00:00.25+02:00", "2024-01-31T10:00:00.25Z"),
        ("2024-01-31T08:30-01:30", "2024-01-31T10:00:00.Z"),
        ("2024-13-31T10:00", "2024-13-31T10:00 "),
        ("0001-01-01T00:00+02:00", "0001-01-01T00:00+02:00 "),
    ],
)
def test_two_spellings_of_one_value_have_one_key(text, expected):
    assert key(text) == expected


def test_what_is_blank_or_no_number_is_missing():
    found = meanings(pl.Series(["", "  ", "nan", "NaN", "-NAN", "+nan", " nan ", "nano", "0", "x", "\t"]))
    assert found["missing"].to_list() == [True] * 7 + [False] * 4
    assert found.columns == ["bare", "missing", "number", "key"]


def test_numbers_are_read_with_either_point():
    assert meanings(pl.Series(["1,5", "1.5", " 2 ", "x", "1e3"]))["number"].to_list() == [1.5, 1.5, 2.0, None, 1000.0]


# -- values ------------------------------------------------------------------------------------------------------


def values(texts: list[str | None], column: dict[str, object], **how: bool) -> list[tuple[str | None, int]]:
    """Texts with the places of their values: only which are equal and which come first matters."""
    given = Column.model_validate({"role": "sensitive"} | column)
    found = values_of(pl.Series(texts, dtype=pl.String), given, **({"ordered": False} | how))
    return found.with_columns(pl.col("value").rank("dense").cast(pl.Int64)).rows()


@pytest.mark.parametrize(
    ("texts", "column", "ordered", "expected"),
    [
        (["b", "a", "b"], {}, False, [("a", 1), ("b", 2), (None, 3)]),
        (["1", "1.0", "2"], {}, False, [("1", 1), ("1.0", 1), ("2", 2), (None, 3)]),
        (["1", " ", "2", None], {}, False, [(" ", 3), ("1", 1), ("2", 2), (None, 3)]),
        (["10", "9", "1,5"], {}, True, [("1,5", 1), ("10", 3), ("9", 2), (None, 4)]),
        (["10", "9", ""], {}, True, [("", 3), ("10", 2), ("9", 1), (None, 3)]),
        (["y", "x"], {"order": ["y", "x", "z"]}, True, [("x", 2), ("y", 1), (None, 3)]),
        (["1", "2", "3.5"], {"bins": [2.0, 3.0]}, False, [("1", 1), ("2", 2), ("3.5", 3), (None, 4)]),
        (["1", "nan"], {"bins": [2.0]}, True, [("1", 1), ("nan", 2), (None, 2)]),
        (["2024-01-31", "2023-12-31"], {}, True, [("2023-12-31", 1), ("2024-01-31", 2), (None, 3)]),
        (["09:00:00", "10:00:00", ""], {}, True, [("", 3), ("09:00:00", 1), ("10:00:00", 2), (None, 3)]),
        (
            ["2024-01-31 10:00", "2024-01-31T10:00:00", "2024-01-31 09:00"],
            {},
            True,
            [("2024-01-31 09:00", 1), ("2024-01-31 10:00", 2), ("2024-01-31T10:00:00", 2), (None, 3)],
        ),
        ([f"{2**60}", f"{2**60 + 1}"], {}, True, [(f"{2**60}", 1), (f"{2**60 + 1}", 2), (None, 3)]),
        (
            [f"{2**64 - 2}", f"{2**64 - 3}", f"{2**64 - 3}.0", "7", ""],
            {},
            True,
            [("", 4), (f"{2**64 - 3}", 2), (f"{2**64 - 3}.0", 2), (f"{2**64 - 2}", 3), ("7", 1), (None, 4)],
        ),
        (
            ["100000000000000000.02", "100000000000000000,01", "-3"],
            {},
            True,
            [("-3", 1), ("100000000000000000,01", 2), ("100000000000000000.02", 3), (None, 4)],
        ),
        (["", None], {}, True, [("", 1), (None, 1)]),
        ([None], {}, False, [(None, 1)]),
    ],
)
def test_texts_become_values_and_what_is_missing_is_the_last(texts, column, ordered, expected):
    assert values(texts, column, ordered=ordered) == expected


def test_leaves_of_a_hierarchy_are_the_texts_themselves():
    assert values(["1.0", "1", ""], {}, leaves=True) == [("", 1), ("1", 2), ("1.0", 3), (None, 4)]


@pytest.mark.parametrize(
    ("texts", "column", "unread", "expected"),
    [
        (["1", "x", "inf"], {"bins": [1.0]}, ["inf", "x"], "a number"),
        (["1", "x", ""], {}, ["x"], "a number"),
        (["2024-01-01", "5"], {}, ["2024-01-01"], "a number"),
        (["1.5", "-inf"], {}, ["-inf"], "a number"),
        (["0", "1e-" + "9" * 30], {}, ["0", "1e-" + "9" * 30], "a number"),
        (["b", "c"], {"order": ["a", "b"]}, ["c"], "in its order"),
    ],
)
def test_texts_that_are_no_values_are_told(texts, column, unread, expected):
    with pytest.raises(UnreadableError) as raised:
        values(texts, column, ordered=True)
    assert raised.value.texts.to_list() == unread
    assert (raised.value.expected, str(raised.value)) == (expected, expected)


# -- hierarchies -------------------------------------------------------------------------------------------------


def levels(texts: list[str | None], hierarchy: object) -> list[list[int]]:
    column = Column.model_validate({"role": "sensitive", "hierarchy": hierarchy})
    return [nodes.tolist() for nodes in levels_of("s", texts, column)]


@pytest.mark.parametrize(
    ("texts", "hierarchy", "expected"),
    [
        (["1", "3", "7", None], {"widths": [5]}, [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]),
        (["0.3", "0.2", "0,31"], {"widths": [0.1]}, [[0, 1, 2], [0, 1, 0], [0, 0, 0]]),
        (["1", "2", "6", "11"], {"widths": [5, 10]}, [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]),
        (["1", "6"], {"widths": [5, 10]}, [[0, 1], [0, 0]]),  # a level that joins nothing, and one that is a root
        (
            ["A", "A01", "A01.1", "A02.1", "B01.1"],  # a code that ends at a cut belongs to its unit
            {"prefix": True, "cuts": [1, 3]},
            [[0, 1, 2, 3, 4], [0, 1, 1, 2, 3], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]],
        ),
        (
            ["10001", "10002-1234", "10101", "11201", "90001", "x", "y"],  # what is no ZIP code is in no area
            {"prefix": True, "areas": "us-zip3"},
            [[0, 1, 2, 3, 4, 5, 6], [0, 0, 1, 2, 3, 4, 4], [0, 0, 0, 1, 2, 3, 3], [0, 0, 0, 0, 1, 2, 2], [0] * 7],
        ),
        (["2024-01-31", "2024-02-01", "2023-02-01"], {"periods": ["year"]}, [[0, 1, 2], [0, 0, 1], [0, 0, 0]]),
        (
            ["2024-01-31T10:00", "2024-01-31 11:00", "2024-03-31", "2024-04-01"],
            {"periods": ["day", "quarter"]},
            [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]],
        ),
        (["2024-12-29", "2024-12-30", "2025-01-05"], {"periods": ["week"]}, [[0, 1, 2], [0, 1, 1], [0, 0, 0]]),
        (["2024-01-31", "2024-01-01", "2024-02-01"], {"periods": ["month"]}, [[0, 1, 2], [0, 0, 1], [0, 0, 0]]),
        (["2019-01-01", "2010-01-01", "2020-01-01"], {"periods": ["decade"]}, [[0, 1, 2], [0, 0, 1], [0, 0, 0]]),
        (["12", "13", "2", None], {"prefix": True}, [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]),
        (["1", "12", "13"], {"prefix": True}, [[0, 1, 2], [0, 1, 1], [0, 0, 0]]),
        (["121", "122", "131", "2"], {"prefix": True}, [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]),
        ([None], {"prefix": True}, [[0], [0]]),
    ],
)
def test_the_levels_that_count(texts, hierarchy, expected):
    assert levels(texts, hierarchy) == expected


@pytest.mark.parametrize(
    ("text", "hierarchy", "expected"),
    [
        ("1e999", {"widths": [5]}, "a number"),
        ("x", {"widths": [5]}, "a number"),
        ("", {"widths": [5]}, "a number"),
        ("2024-1-1", {"periods": ["day"]}, "a date"),
        ("2024-02-30", {"periods": ["day"]}, "a date"),
    ],
)
def test_what_has_no_place_in_a_hierarchy_is_told(text, hierarchy, expected):
    with pytest.raises(UnreadableError) as raised:
        levels(["2024-01-01" if "periods" in hierarchy else "1", text], hierarchy)
    assert raised.value.texts.to_list() == [text]
    assert raised.value.expected == expected


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_file_of_levels_may_be_separated_as_tables_are(tmp_path, separator):
    text = "\ufeff\nflu;lung;chest;*\nasthma;lung;chest;*\ngout;joint;limb;*\nrash;skin;limb;*\n\n"
    (tmp_path / "h.csv").write_text(text.replace(";", separator), encoding="utf-8")
    found = levels(["flu", "asthma", "gout", "rash", None], str(tmp_path / "h.csv"))
    assert found == [[0, 1, 2, 3, 4], [0, 0, 1, 2, 3], [0, 0, 1, 1, 2], [0, 0, 0, 0, 0]]
    with pytest.raises(UnreadableError) as raised:
        levels(["flu", "cold"], str(tmp_path / "h.csv"))
    assert (raised.value.texts.to_list(), raised.value.expected) == (["cold"], "in its hierarchy h.csv")


def test_a_cell_of_a_hierarchy_may_hold_a_line_end_and_a_separator(tmp_path):
    (tmp_path / "h.csv").write_bytes(b'"a;\r\nb";x\r\nc;x\r\n')
    assert read_rows("s", tmp_path / "h.csv") == [["a;\r\nb", "x"], ["c", "x"]]


@pytest.mark.parametrize("text", ["a;b\nc\n", "a;b\na;c\n"])
def test_a_file_that_is_no_table_of_levels_is_told(tmp_path, text):
    (tmp_path / "h.csv").write_text(text)
    with pytest.raises(ParameterError) as raised:
        read_rows("s", tmp_path / "h.csv")
    assert raised.value.message == "the hierarchy h.csv of s is no table with one line per value."
    assert raised.value.hint == "give every value one line, and all lines as many cells."


def test_a_file_of_levels_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / "latin.csv").write_bytes(b"\xff\xfe\xfa")
    for name in ("absent.csv", "latin.csv"):
        with pytest.raises(ParameterError) as raised:
            read_rows("s", tmp_path / name)
        assert raised.value.message == f"the hierarchy {name} of s cannot be read, so t cannot be re-checked."
        assert raised.value.hint == "put the file beside the certificate, or give the policy that names it."
    (tmp_path / "link.csv").symlink_to(tmp_path / "h.csv")
    (tmp_path / "h.csv").write_text("a;b\n")
    assert read_rows("s", tmp_path / "link.csv") == [["a", "b"]]


def test_what_is_not_a_tree_is_told(tmp_path):
    (tmp_path / "h.csv").write_text("a;x;1\nb;x;2\nc;y;2\n")
    with pytest.raises(ParameterError) as raised:
        levels(["a", "b", "c"], str(tmp_path / "h.csv"))
    assert raised.value.message == "the hierarchy of s is not a tree."
    assert raised.value.hint == "values that share a node must share all levels above it."


@pytest.mark.parametrize("form", ["generalize", "centers"])
def test_lines_of_values_that_were_not_released_are_counted(tmp_path, form):
    (tmp_path / "h.csv").write_text("flu;*\ncold;*\nnull;*\ngout;*\nrash;*\n")
    close = {"t": 0.5, "distance": "hierarchical"}
    column = {"role": "sensitive", "hierarchy": str(tmp_path / "h.csv"), "closeness": close}
    columns = {"q": {"role": "quasi"}, "gone": column, "other": {"role": "sensitive"}, "s": column}
    columns["p"] = {"role": "sensitive", "hierarchy": {"prefix": True}, "closeness": close}
    columns["e"] = {"role": "sensitive", "hierarchy": str(tmp_path / "h.csv"), "closeness": {"t": 0.5}}
    cells = ["flu: 2; cold: 1", "flu: 1; null: 1", None] if form == "centers" else ["flu", "cold", None]
    frame = pl.DataFrame(dict.fromkeys(("other", "s", "p", "e"), cells))
    found = check_cut(frame, Policy.parse({"k": 2, "columns": columns}), form)
    message = "the hierarchy h.csv of s has 3 values that the release does not have"
    assert [(one.check, one.column, one.message) for one in found] == [("folder", "s", message)]


# -- rounded ranges ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "cell", "good"),
    [
        (5, "10", True),
        (5, "[10, 15]", True),
        (5, "[10, 16]", False),
        (5, "[11, 15]", False),
        (5, "11", False),
        (5, "-10", True),
        (5, "*", True),
        (5, None, True),
        (5, "x", False),
        (5, "", False),
        (0.1, "0.3", True),
        (0.1, "0,3", True),
        (0.1, "0.35", False),
        (5, "1" + "0" * 300, True),
        (5, "1" + "0" * 300 + "1", False),
        ("day", "2024-01-31", True),
        ("day", "2024-01-31T00:00:00", True),
        ("day", "2024-01-31 00:00:00.000", True),
        ("day", "2024-01-31T00:00:00+02:00", True),
        ("day", "2024-01-31T00:00:01", False),
        ("day", "2024-02-30", False),
        ("day", "5", False),
        ("week", "2024-01-01", True),
        ("week", "2024-01-02", False),
        ("month", "[2024-02-01, 2024-03-01]", True),
        ("month", "[2024-02-01, 2024-03-02]", False),
        ("quarter", "2024-04-01", True),
        ("quarter", "2024-05-01", False),
        ("quarter", "2024-04-02", False),
        ("year", "2024-01-01", True),
        ("year", "2024-02-01", False),
        ("decade", "2020-01-01", True),
        ("decade", "2024-01-01", False),
    ],
)
def test_ends_are_rounded_as_stated(step, cell, good):
    columns = {"a": {"role": "quasi"}, "q": {"role": "quasi", "round_ranges": step}, "s": {"role": "sensitive"}}
    policy = Policy.parse({"k": 2, "columns": columns})
    message = "column q: 2 cells have ends that are not rounded as stated"
    expected = [] if good else [("ranges", "q", message, 2)]
    for names in (["q"], ["q_min", "q_max"]):
        cells = {name: [cell, "*"] if len(names) == 2 else [cell, cell] for name in names}
        found = check_rounded(pl.DataFrame(cells | {"a": ["1.23", "4"]}), policy)
        assert [(one.check, one.column, one.message, one.records) for one in found] == expected


def test_ranges_of_releases_are_checked_where_they_are_generalized():
    columns = releases.ROLES | {"age": {"role": "quasi", "round_ranges": 10}}
    found = releases.inspect(releases.release(), releases.policy(columns=columns), form="generalize")
    assert [(one.check, one.records) for one in found.failures] == [("ranges", 9)]
    assert releases.inspect(releases.release(), releases.policy(columns=columns), form="suppress").holds


@pytest.mark.parametrize("cell", ['"', '"01.02.2020', '"\\x"', "01.02.2020x"])
@pytest.mark.parametrize("form", ["generalize", "aggregate"])
def test_a_quote_that_does_not_end_is_no_date_and_is_refused(cell: str, form: str) -> None:
    column = {"role": "quasi", "format": "%d.%m.%Y", "top": "2020-12-31"}
    found = shoal.verify(pl.DataFrame({"day": [cell] * 2}), {"k": 2, "columns": {"day": column}}, form=form)
    assert {failure.column for failure in found.failures} == {"day"}


def test_instants_are_the_same_wherever_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["2020-01-01T10:00+02:00", "2020-01-01T08:00Z", "2020-01-01T10:00Z"]
    keys = meanings(pl.Series(texts))["key"].to_list()
    assert keys[0] == keys[1] != keys[2]
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert meanings(pl.Series(texts))["key"].to_list() == keys
    finally:
        monkeypatch.undo()
        time.tzset()


def test_only_blanks_around_a_number_are_taken_off() -> None:
    texts = ["1e0", " 1e0 ", "\t1e0", "X1e0", "1e0X", "1e0\u00a0"]
    keys = meanings(pl.Series(texts))["key"].to_list()
    assert keys[0] == keys[1]
    assert len(set(keys)) == 5
