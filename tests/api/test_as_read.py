"""What is published as it is comes back from the released file as the text that was read, sign by sign."""

from __future__ import annotations

import csv
import io
from itertools import product
from pathlib import Path

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given, settings

import shoal
from shoal.certify.spelling import meanings
from shoal.requirements.spelling import exact_places, one_spelling
from shoal.tables import read_back

FORMS = ("generalize", "aggregate", "suppress")

NUMBERS = st.sampled_from(
    ["250.00", "250.0", "250", "1.1", "1.10", "12e3", "1E+2", "1e-07", ".5", "5.", "-0.0", "0.0", "007", "+1", " 3 "]
) | st.decimals(-99, 99, places=2).map(str)
SHAPES = {
    "numbers": NUMBERS,
    "with NaN": NUMBERS | st.sampled_from(["NaN", "nan", "-NAN"]),
    "long": st.integers(10**14, 10**30).map(str),
    "dates": st.dates().map(str),
    "moments": st.datetimes().map(lambda moment: moment.isoformat(timespec="minutes").replace("T", " ")),
    "offsets": st.sampled_from(
        ["2024-03-31T23:30:00+02:00", "2024-03-31T00:30:00-11:00", "2024-03-31T10:00Z", "2024-03-31T10:00:00.50Z"]
    ),
    "midnights": st.sampled_from(
        [
            "2024-03-31",
            "2024-03-31 00:00",
            " 2024-03-31",
            "2024-02-30",
            "2024-02-30 00:00",
            "0000-01-01",
            "0000-01-01 00:00",
        ]
    ),
    "anything": st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=8),
}


def written(rows: list[list[str]]) -> str:
    """CSV in which every cell of the columns under test is quoted, so that blanks and empty texts are there."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return out.getvalue()


@st.composite
def files(draw: st.DrawFn) -> list[list[str]]:
    """Rows of age, two columns of one shape each, and a number that says which row it was."""
    n = draw(st.integers(6, 14))
    columns = [
        draw(st.lists(SHAPES[draw(st.sampled_from(sorted(SHAPES)))], min_size=n, max_size=n)) for _ in range(2)
    ]
    return [[str(20 + place % 3), *cells, f"row {place}"] for place, cells in enumerate(zip(*columns, strict=True))]


ROLES = {"age": "quasi", "value": "sensitive", "note": "other", "row": "other"}


def roles(**more: object) -> dict[str, object]:
    return {"k": 2, "quasi": ["age"], "sensitive": ["value"], "other": ["note", "row"], "seed": 1} | more


def cells(frame: pl.DataFrame) -> dict[str, tuple[str | None, str | None]]:
    return {row: (value, note) for value, note, row in frame.select("value", "note", "row").iter_rows()}


@settings(max_examples=15)
@given(rows=files(), form=st.sampled_from(FORMS))
def test_every_cell_comes_back_as_it_was_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], form: str
) -> None:
    folder = tmp_path_factory.mktemp("as_read")
    source = folder / "in.csv"
    source.write_text(written([["age", "value", "note", "row"], *rows]), encoding="utf-8")
    given_cells = {row: (value, note) for _, value, note, row in rows}
    as_typed = {name: {"role": role, "publish_rare": True} for name, role in ROLES.items() if name != "age"}
    asked = {"k": 2, "seed": 1, "columns": {"age": {"role": "quasi"}} | as_typed}
    release = shoal.anonymize(source, asked, publication=form).write(folder / "out")
    assert cells(read_back(folder / "out" / "release.csv")) == given_cells
    assert shoal.verify(folder / "out").holds
    if form != "aggregate":
        applied = shoal.apply(release.plan, source, seed=2).write(folder / "again")
        assert cells(read_back(folder / "again" / "release.csv")) == given_cells
        assert applied.findings.holds


def ages(cells: list[str], extra: str = "") -> str:
    lines = [f"{30 + place % 2},{cell}" for place, cell in enumerate(cells)]
    return "age,code" + extra + "\n" + "\n".join(lines) + "\n"


def test_multisets_of_centers_hold_the_texts(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(ages(["250.00", "250.0", "1.10", "1.1"]), encoding="utf-8")
    release = shoal.anonymize(tmp_path / "in.csv", k=4, quasi=["age"], sensitive=["code"], publication="centers")
    assert release.table["code"].to_list() == ["1.1: 1; 1.10: 1; 250.0: 1; 250.00: 1"]


@pytest.mark.parametrize("publication", ["generalize", "aggregate"])
def test_labels_read_as_they_were_read(tmp_path: Path, publication: str) -> None:
    (tmp_path / "in.csv").write_text(ages(["250.00", "250.00", "250.10", "250.00"]), encoding="utf-8")
    policy = {"k": 4, "columns": {"age": {"role": "other"}, "code": {"role": "quasi", "kind": "label"}}}
    policy["columns"]["code"]["publish_rare"] = True
    release = shoal.anonymize(tmp_path / "in.csv", policy, publication=publication)
    expected = "{250.00, 250.10}" if publication == "generalize" else "250.00"
    assert set(release.table["code"]) == {expected}


def test_leaves_of_a_hierarchy_match_by_text(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(ages(["250.00", "250.0", "250.00", "250.0"]), encoding="utf-8")
    (tmp_path / "codes.csv").write_text("250.00,diabetes,*\n250.0,other,*\n", encoding="utf-8")
    hierarchy = {"hierarchy": str(tmp_path / "codes.csv")}
    policy = {"k": 2, "columns": {"age": {"role": "other"}, "code": {"role": "quasi", **hierarchy}}}
    release = shoal.anonymize(tmp_path / "in.csv", policy)
    assert set(release.table["code"]) == {"250.00", "250.0"}


def test_an_order_is_listed_as_the_file_writes_it(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(ages(["1.10", "1.9", "1.10", "1.9"]), encoding="utf-8")
    columns = {"age": {"role": "quasi"}, "code": {"role": "sensitive", "order": ["1.9", "1.10"]}}
    policy = {"k": 4, "columns": columns, "closeness": {"t": 0.9, "distance": "ordered"}}
    assert shoal.anonymize(tmp_path / "in.csv", policy).findings.holds


def test_a_decimal_comma_stays_and_bins_use_the_number(tmp_path: Path) -> None:
    lines = [f"{30 + place % 2};{cell}" for place, cell in enumerate(["1,10", "1,1", "9,0", "9,00"])]
    (tmp_path / "in.csv").write_text("age;dose\n" + "\n".join(lines) + "\n", encoding="utf-8")
    columns = {"age": {"role": "quasi"}, "dose": {"role": "sensitive", "bins": [5.0]}}
    policy = {"k": 4, "columns": columns, "diversity": {"l": 2}}
    release = shoal.anonymize(tmp_path / "in.csv", policy).write(tmp_path / "out")
    back = read_back(tmp_path / "out" / "release.csv")
    assert sorted(back["dose"]) == ["1,1", "1,10", "9,0", "9,00"]
    assert release.findings.l == {"dose": 2}
    assert shoal.verify(tmp_path / "out").l == {"dose": 2}


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@pytest.mark.parametrize(
    "texts",
    [
        ["5", "5.0", "5.00", "5e0"],
        ["2024-03-31T23:30:00+02:00", "2024-03-31T21:30:00Z"] * 2,
        ["2024-03-31 23:30", "2024-03-30 23:30"] * 2,
    ],
)
def test_spellings_of_one_value_never_raise_l(tmp_path: Path, texts: list[str], distance: str) -> None:
    """Whoever counts, before or after, l is that of the values and not of how they are spelled."""
    numbers, moments = ["7", "8"], ["2024-01-01T10:00:00+00:00", "2024-01-02T10:00:00Z"]
    local = ["2024-01-01T10:00", "2024-01-02T10:00"]
    rows = texts + (numbers if texts[0][:2] != "20" else moments if texts[0][-3:] == ":00" else local)
    (tmp_path / "in.csv").write_text(ages(rows), encoding="utf-8")
    policy = {"k": 2, "columns": {"age": {"role": "quasi"}, "code": {"role": "sensitive"}}}
    policy |= {"closeness": {"t": 1.0, "distance": distance}}
    release = shoal.anonymize(tmp_path / "in.csv", policy, k=6).write(tmp_path / "out")
    expected = 4 if texts[1] == "2024-03-30 23:30" else 3
    assert release.findings.l == {"code": expected}
    assert shoal.verify(tmp_path / "out").l == {"code": expected}


@pytest.mark.parametrize(("asked", "expected"), [({}, 2), ({"l": 2}, 2), ({"l": 2, "count_missing": True}, 3)])
@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_spellings_of_missing_count_once_or_not_at_all(
    tmp_path: Path, distance: str, asked: dict[str, object], expected: int
) -> None:
    (tmp_path / "in.csv").write_text(ages(["NaN", "nan", "", "", "7", "8"]), encoding="utf-8")
    policy = {"k": 6, "columns": {"age": {"role": "quasi"}, "code": {"role": "sensitive"}}}
    policy |= {"closeness": {"t": 1.0, "distance": distance}} | ({"diversity": asked} if asked else {})
    release = shoal.anonymize(tmp_path / "in.csv", policy).write(tmp_path / "out")
    assert release.findings.l == {"code": expected}
    assert shoal.verify(tmp_path / "out").l == {"code": expected}


def test_null_values_are_written_empty(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(ages(["1.10", "NA", "1.1", "NA"]), encoding="utf-8")
    shoal.anonymize(tmp_path / "in.csv", k=2, quasi=["age"], other=["code"], null_values=["NA"]).write(tmp_path / "o")
    back = read_back(tmp_path / "o" / "release.csv")["code"].to_list()
    assert sorted(back, key=str) == ["1.1", "1.10", None, None]


def test_a_frame_keeps_its_types() -> None:
    frame = pl.DataFrame({"age": [30, 31, 30, 31], "dose": [1.5, 2.0, 1.5, 2.0], "stay": [3, 4, 5, 6]})
    table = shoal.anonymize(frame, k=2, quasi=["age"], sensitive=["dose"], other=["stay"]).table
    assert table["dose"].dtype == pl.Float64
    assert table["stay"].dtype == pl.Int64


def test_whole_numbers_of_a_file_stay_numbers_where_no_text_is_lost(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(ages(["7", "8", "7", "8"]), encoding="utf-8")
    assert shoal.anonymize(tmp_path / "in.csv", k=2, quasi=["age"], other=["code"]).table["code"].dtype == pl.Int64


@settings(max_examples=200)
@given(
    texts=st.lists(
        NUMBERS
        | SHAPES["with NaN"]
        | SHAPES["offsets"]
        | SHAPES["moments"]
        | SHAPES["midnights"]
        | SHAPES["anything"]
    )
)
def test_those_who_enforce_and_those_who_verify_read_texts_alike(texts: list[str]) -> None:
    values = pl.Series("value", texts, dtype=pl.String)
    enforced, verified = one_spelling(values).to_list(), meanings(values)
    keys = [None if missing else key for missing, key in verified.select("missing", "key").iter_rows()]
    for one, other in product(range(len(texts)), repeat=2):
        assert (enforced[one] == enforced[other]) == (keys[one] == keys[other])


@pytest.mark.parametrize("t", [0.05, 0.3])
def test_numbers_that_one_float_stands_for_are_several_to_an_ordered_t(tmp_path: Path, t: float) -> None:
    values = [f"0.1000000000000000000{last}" for last in range(1, 5)]
    rows = [f"{20 + row // 4},{values[row // 2 % 4]}\n" for row in range(32)]
    (tmp_path / "in.csv").write_text("age,value\n" + "".join(rows), encoding="utf-8")
    closeness = {"t": t, "distance": "ordered"}
    columns = {"age": {"role": "quasi"}, "value": {"role": "sensitive", "closeness": closeness}}
    release = shoal.anonymize(tmp_path / "in.csv", {"k": 4, "seed": 1, "columns": columns})
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    assert set(read_back(tmp_path / "out" / "release.csv")["value"]) == set(values)


def test_an_ordered_t_is_not_met_by_numbers_that_only_floats_take_for_one() -> None:
    numbers = pl.Series("x", [1.0, 1.0, 2.0, None])
    texts = pl.Series("x", ["1.00000000000000000002", "1", "2.0", ""])
    assert exact_places(texts, numbers).to_list() == [1, 0, 2, None]
    assert exact_places(pl.Series("x", ["1", "1.0", "2.0", ""]), numbers).equals(numbers, null_equal=True)
