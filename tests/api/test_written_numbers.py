"""Numbers as people write them: found by the profile, kept in the release, read by the verifier."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certify.number_cells import read_number
from shoal.errors import SchemaError
from shoal.policy import Policy
from shoal.policy.number_format import NumberFormat
from shoal.roles import ColumnProfile, profile
from shoal.tables import read
from shoal.tables.number_text import write_number

STYLES: dict[str, dict[str, Any]] = {
    "german": {"decimal": ",", "thousands": ".", "decimals": 2},
    "english": {"thousands": ",", "decimals": 2},
    "french": {"decimal": ",", "thousands": " ", "decimals": 2},
    "swiss": {"thousands": "'", "decimals": 2},
    "weight": {"suffix": " kg", "decimals": 1},
    "percent": {"decimal": ",", "suffix": " %", "decimals": 1},
    "euro": {"decimal": ",", "thousands": ".", "prefix": "€ ", "decimals": 2},
    "dollar": {"thousands": ",", "prefix": "$"},
    "code of a currency": {"suffix": " EUR"},
}


def numbers(form: dict[str, Any], n_rows: int = 80) -> list[float]:
    rng = random.Random(5)
    top, decimals = 90 if "suffix" in form else 9_000_000, form.get("decimals", 0)
    drawn = [rng.uniform(0, top) if row % 3 else rng.uniform(0, 900 if top > 90 else 90) for row in range(n_rows)]
    return [round(number, decimals) if decimals else round(number) for number in drawn]


def source(path: Path, form: dict[str, Any]) -> list[float]:
    drawn, stated = numbers(form), NumberFormat.model_validate(form)
    rows = [
        f"{write_number(number, stated)}\t{('a', 'b', 'c')[row % 3]}\t{20 + row % 9}"
        for row, number in enumerate(drawn)
    ]
    path.write_text("size\tillness\tage\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return drawn


@pytest.mark.parametrize("style", STYLES)
def test_the_profile_finds_the_format_over_all_cells(tmp_path: Path, style: str) -> None:
    source(tmp_path / "x.tsv", STYLES[style])
    found = profile(read(tmp_path / "x.tsv")).columns[0]
    assert (found.role, found.kind) == ("quasi", "number")
    assert found.number == NumberFormat.model_validate(STYLES[style])


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
@pytest.mark.parametrize("style", STYLES)
def test_every_value_lies_in_its_published_cell_and_the_format_is_kept(
    tmp_path: Path, style: str, ranges: str
) -> None:
    drawn = source(tmp_path / "x.tsv", STYLES[style])
    policy = shoal.profile(tmp_path / "x.tsv").policy
    settings: dict[str, Any] = {"publication": "generalize", "ranges": ranges, "effort": 1}
    written = shoal.anonymize(tmp_path / "x.tsv", policy, **settings).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    form = NumberFormat.model_validate(STYLES[style])
    lines = (tmp_path / "out" / "release.csv").read_text(encoding="utf-8").splitlines()
    released = pl.read_csv(tmp_path / "out" / "release.csv", separator="\t", infer_schema=False)
    cells = released.select(pl.col("^size.*$")).rows()
    assert len(lines) == 81
    order, spans = written.mapping()["group"].to_list(), []
    for row in cells:
        between = ";" if "," in (form.decimal, form.thousands) else ","
        ends = re.fullmatch(rf"\[(.+?){between} (.+)\]", row[0])
        texts = row if len(row) == 2 else ends.groups() if ends else (row[0], row[0])
        for text in texts:
            value = read_number(text, form)
            assert value is not None
            assert write_number(value, form) == text  # the same decimals, marks and unit everywhere
        spans.append(tuple(float(read_number(text, form) or "nan") for text in texts))
    by_group = dict(zip(written.published.groups.tolist(), spans, strict=True))
    assert all(by_group[group][0] <= number <= by_group[group][1] for number, group in zip(drawn, order, strict=True))
    shoal.attack(tmp_path / "x.tsv", tmp_path / "out", policy, **{k: v for k, v in settings.items() if k != "effort"})


@pytest.mark.parametrize("style", ["german", "weight", "dollar"])
def test_means_have_the_format_and_the_decimals_of_the_column(tmp_path: Path, style: str) -> None:
    source(tmp_path / "x.tsv", STYLES[style])
    policy = shoal.profile(tmp_path / "x.tsv").policy
    shoal.anonymize(tmp_path / "x.tsv", policy, publication="aggregate", effort=1).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    form = NumberFormat.model_validate(STYLES[style])
    for text in pl.read_csv(tmp_path / "out" / "release.csv", separator="\t", infer_schema=False)["size"].to_list():
        assert write_number(read_number(text, form) or "", form) == text


def test_a_file_with_decimal_commas_has_them_in_its_ranges_too(tmp_path: Path) -> None:
    rows = [f"{150 + row % 30},{row % 10};{'ab'[row % 2]};{row % 7},5" for row in range(60)]
    (tmp_path / "x.csv").write_text("height;illness;stay\n" + "\n".join(rows) + "\n", encoding="utf-8")
    settings: dict[str, Any] = {"quasi": ["height", "stay"], "sensitive": "illness", "publication": "generalize"}
    shoal.anonymize(tmp_path / "x.csv", k=4, **settings).write(tmp_path / "out")
    text = (tmp_path / "out" / "release.csv").read_text(encoding="utf-8")
    assert re.search(r"\[\d+,\d; \d+,\d\]", text)
    assert ", " not in text
    assert "." not in text
    assert shoal.verify(tmp_path / "out").holds
    shoal.attack(tmp_path / "x.csv", tmp_path / "out", k=4, **settings)
    again = shoal.anonymize(
        tmp_path / "x.csv", k=4, quasi="height", sensitive="illness", other="stay", publication="aggregate"
    )
    assert again.table["height"].dtype == pl.Float64  # types stay numbers


@pytest.mark.parametrize("publication", ["generalize", "suppress"])
def test_decimals_that_all_cells_have_are_kept(tmp_path: Path, publication: str) -> None:
    """8839,40 is an amount in euros and cents, and 8839,4 is not; where cells differ, none is padded."""
    rows = [
        f"{8839 + row // 8 * 3},{row // 8 % 10}0;{row // 8},{'5' if row % 16 < 8 else '25'};{'ab'[row % 2]}"
        for row in range(64)
    ]
    (tmp_path / "x.csv").write_text("pay;stay;illness\n" + "\n".join(rows) + "\n", encoding="utf-8")
    settings: dict[str, Any] = {"quasi": ["pay", "stay"], "sensitive": "illness", "publication": publication}
    shoal.anonymize(tmp_path / "x.csv", k=8, **settings).write(tmp_path / "out")
    released = pl.read_csv(tmp_path / "out" / "release.csv", separator=";", infer_schema=False)
    assert set(released["pay"]) == {row.split(";")[0] for row in rows}
    assert set(released["stay"]) == {row.split(";")[1] for row in rows}
    shoal.anonymize(tmp_path / "x.csv", k=16, **settings).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    written = set(pl.read_csv(tmp_path / "out" / "release.csv", separator=";", infer_schema=False)["pay"])
    assert "[8839,00; 8842,10]" in written or publication == "suppress"
    shoal.attack(tmp_path / "x.csv", tmp_path / "out", k=16, **settings)


@pytest.mark.parametrize("cell", ["[48,6, 75,2]", "[75,2; 48,6]", "[48,6; 75,2; 80,1]", "[48;6, 75;2]"])
def test_a_range_of_decimal_commas_that_can_be_read_in_two_ways_is_refused(cell: str) -> None:
    frame = pl.DataFrame({"size": [cell] * 4, "ill": ["a", "b", "c", "d"]})
    policy = {"k": 4, "columns": {"size": {"role": "quasi", "number": {"decimal": ","}}, "ill": {"role": "other"}}}
    assert not shoal.verify(frame, policy).holds
    assert shoal.verify(frame.with_columns(size=pl.lit("[48,6; 75,2]")), policy).holds


def test_a_sensitive_number_is_published_as_read_and_compared_by_value(tmp_path: Path) -> None:
    rows = [
        f"{20 + row % 8}\t{('€ 1.200,00', '€ 1.200', '1.200,00 €')[0] if row % 2 else '€ 900,50'}"
        for row in range(40)
    ]
    (tmp_path / "x.tsv").write_text("age\tpay\n" + "\n".join(rows) + "\n", encoding="utf-8")
    number = {"decimal": ",", "thousands": ".", "prefix": "€ "}
    columns = {
        "age": {"role": "quasi"},
        "pay": {"role": "sensitive", "number": number, "bins": [1000], "diversity": {"l": 2}},
    }
    shoal.anonymize(tmp_path / "x.tsv", {"k": 4, "columns": columns}).write(tmp_path / "out")
    assert "€ 1.200,00" in (tmp_path / "out" / "release.csv").read_text(encoding="utf-8")
    assert shoal.verify(tmp_path / "out").holds


def of_cells(path: Path, cells: list[str]) -> ColumnProfile:
    path.write_text("x\ty\n" + "".join(f"{cell}\t1\n" for cell in cells), encoding="utf-8")
    return profile(read(path)).columns[0]


@pytest.mark.parametrize("mark", [".", ","])
def test_a_column_that_is_thousands_or_decimals_is_asked(tmp_path: Path, mark: str) -> None:
    found = of_cells(tmp_path / "x.tsv", [f"{1 + row % 9}{mark}{100 + row}" for row in range(60)])
    assert [question for question in found.questions if "thousands, or decimals?" in question]
    assert not of_cells(tmp_path / "x.tsv", [f"0{mark}{100 + row}" for row in range(60)]).questions


@pytest.mark.parametrize(
    "cells",
    [
        [f"0170 {100 + row} {200 + row}" for row in range(60)],  # telephone numbers
        [f"{100 + row} {300 + row} {200 + row}" for row in range(60)],
        [f"A{100 + row}" for row in range(60)],
        [f"{100 + row} B" for row in range(60)],
        [f"00{row:02}" for row in range(60)],
        [f"{1 + row % 28:02}.0{1 + row % 9}.19{row + 20}" for row in range(60)],
        ["72 kg", "160 lb"] * 30,
    ],
)
def test_codes_dates_and_mixed_units_are_no_numbers(tmp_path: Path, cells: list[str]) -> None:
    found = of_cells(tmp_path / "x.tsv", cells)
    assert found.number is None
    assert found.type == "text"


def test_cells_that_do_not_fit_the_format_are_counted_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("x\ty\n72 kg\ta\nzq7canary\tb\n", encoding="utf-8")
    policy = Policy.parse({"columns": {"x": {"role": "quasi", "number": {"suffix": " kg"}}, "y": {"role": "other"}}})
    with pytest.raises(SchemaError, match="1 of 2 cells are not numbers") as raised:
        shoal.anonymize(tmp_path / "x.tsv", policy)
    assert "canary" not in str(raised.value)


def test_units_and_codes_for_missing_go_together(tmp_path: Path) -> None:
    found = of_cells(tmp_path / "x.tsv", ["k.A.", "unbekannt", *(f"{50 + row % 40} kg" for row in range(60))])
    assert (found.number, found.missing) == (NumberFormat(suffix=" kg"), 2)
    policy = shoal.profile(tmp_path / "x.tsv").policy
    release = shoal.anonymize(tmp_path / "x.tsv", policy, k=5, publication="generalize")
    assert "k.A." not in release.table.write_csv()


def test_a_forged_cell_that_is_no_number_of_the_format_is_refused() -> None:
    columns = {"size": {"role": "quasi", "number": {"suffix": " kg"}}}
    for cell, holds in (
        ("[70 kg, 80 kg]", True),
        ("72 kg", True),
        ("*", True),
        ("[80 kg, 70 kg]", False),
        ("{70, 80}", False),
    ):
        found = shoal.verify(pl.DataFrame({"size": [cell] * 4}), {"k": 2, "columns": columns}, form="generalize")
        assert found.holds == holds, cell
