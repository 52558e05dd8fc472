"""`read_release` gives back what a release says, in types: every true value is in what is read."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.results.typed_values import first_and_last_day
from tests.api.described import FILES, FORMATS, FORMS, GERMAN, LONG, SCRIPT, german, people, policy, write


def made(folder: Path, table: Any, asked: dict[str, Any], **written: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What is read of a release, and the original rows in the order of the released ones."""
    release = shoal.anonymize(table, asked | {"seed": 1}, secret=bytes(32))
    release.write(folder / "out", **written)
    original = table if isinstance(table, pl.DataFrame) else pl.read_csv(table, infer_schema=False)
    rows = release.order[release.published.rows] if len(release.published.rows) else []
    return shoal.read_release(folder / "out", midpoints=True), original[rows]


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_every_true_value_lies_in_what_is_read(tmp_path: Path, format: str, ranges: str) -> None:
    read, original = made(tmp_path, people(), policy("generalize", ranges=ranges), format=format)
    assert read.height == original.height == 60
    for name, dtype in (("age", pl.Int64), ("born", pl.Date)):
        low, high, missing, true = (*(read[f"{name}_{end}"] for end in ("min", "max", "missing")), original[name])
        assert low.dtype == high.dtype == dtype
        assert missing.dtype == pl.Boolean
        assert ((low <= true) & (true <= high) | (true.is_null() & missing)).fill_null(False).all()
        assert (low < high).any()
        assert ((read[f"{name}_mid"] >= low) & (read[f"{name}_mid"] <= high) | low.is_null()).all()
    assert read["age_missing"].any()
    assert not read["born_missing"].any()
    order = ["low", "mid", "high"]
    ends = zip(read[f"{LONG}_min"], read[f"{LONG}_max"], original[LONG], strict=True)
    assert all(order.index(low) <= order.index(true) <= order.index(high) for low, high, true in ends)
    labels = zip(read[SCRIPT].to_list(), read[f"{SCRIPT}_missing"], original[SCRIPT], strict=True)
    assert all(missing if true is None else true in own for own, missing, true in labels)
    assert read.schema[SCRIPT] == pl.List(pl.String)
    nodes = zip(read["zip"], read["zip_level"], original["zip"], strict=True)
    assert all(
        node == "*" or (true.startswith(node.rstrip("*")) and node.count("*") == level) for node, level, true in nodes
    )
    assert read["zip_level"].dtype == pl.Int64
    for name in ("illness", "cost", "code"):
        assert read[name].equals(original[name], check_dtypes=True), name


@pytest.mark.parametrize("format", FORMATS)
def test_means_are_read_in_the_type_of_the_column(tmp_path: Path, format: str) -> None:
    read, original = made(tmp_path, people(), policy("aggregate"), format=format)
    assert (read.schema["age"], read.schema["born"], read.schema[SCRIPT]) == (pl.Int64, pl.Date, pl.String)
    assert read["age_missing"].dtype == pl.Int64
    assert read["cost"].equals(original["cost"])
    sizes = read.group_by("age", "born").agg(pl.len(), pl.col("age_missing").first())
    assert (sizes["age_missing"] <= sizes["len"]).all()


@pytest.mark.parametrize("format", FORMATS)
def test_stars_are_null_and_missing_is_said(tmp_path: Path, format: str) -> None:
    read, original = made(tmp_path, people(), policy("suppress"), format=format)
    assert (read.schema["age"], read.schema["born"]) == (pl.Int64, pl.Date)
    shown = read["age"].is_not_null()
    assert (read["age"].filter(shown) == original["age"].filter(shown)).all()
    hidden = read["age_missing"].is_null()
    assert hidden.any()
    assert original["age"].filter(read["age_missing"].fill_null(False)).is_null().all()


@pytest.mark.parametrize("format", FORMATS)
def test_centers_are_read_with_their_people_and_their_values(tmp_path: Path, format: str) -> None:
    read, _ = made(tmp_path, people(), policy("centers"), format=format)
    assert read["people"].sum() == 60
    counted: dict[Any, int] = {}
    for cell in read["illness"].to_list():
        for one in cell:
            counted[one["value"]] = counted.get(one["value"], 0) + one["people"]
    assert counted == dict(people()["illness"].value_counts().rows())


def test_a_german_file_is_read_with_its_commas_dates_and_letters(tmp_path: Path) -> None:
    source = german(tmp_path / "klinik.csv")
    release = shoal.anonymize(source, GERMAN, secret=bytes(32))
    release.write(tmp_path / "out")
    read = shoal.read_release(tmp_path / "out")
    assert read.schema["Größe_min"] == pl.Float64
    assert read.schema["Geburt_min"] == pl.Date
    assert read["Geburt_min"].min() == date(1950, 1, 1)
    assert read["Kosten"].dtype == pl.Float64
    assert set(read["Diagnose"]) == {"Grippe", "Gürtelrose", "Röteln"}
    assert set(read["Straße <b>fett</b>"].explode()) == {"Nö", "Sü", "Ös"}
    assert read["Patient"].dtype == pl.Int64
    assert read["Größe_missing"].any()


def test_numbers_with_units_are_read_as_numbers(tmp_path: Path) -> None:
    lines = ["weight;pay;ill", *(f"{60 + row % 7},5 kg;€ 1.{row % 10}00,00;{'ab'[row % 2]}" for row in range(40))]
    source = tmp_path / "t.csv"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    units = {"decimal": ",", "suffix": " kg", "decimals": 1}
    pay = {"decimal": ",", "thousands": ".", "prefix": "€ ", "decimals": 2}
    columns = {
        "weight": {"role": "quasi", "kind": "number", "number": units},
        "pay": {"role": "sensitive", "kind": "number", "number": pay},
        "ill": {"role": "sensitive"},
    }
    shoal.anonymize(source, {"k": 12, "publication": "generalize", "columns": columns}).write(tmp_path / "out")
    read = shoal.read_release(tmp_path / "out")
    assert read["weight_min"].min() == 60.5
    assert (read["weight_max"] > read["weight_min"]).any()
    assert set(read["pay"]) == {1000 + 100 * row for row in range(10)}
    assert shoal.verify(tmp_path / "out").holds


def test_grids_and_periods_have_ends_levels_and_say_which_end_is_open(tmp_path: Path) -> None:
    asked = policy("generalize")
    asked["columns"]["age"] = {"role": "quasi", "kind": "number", "hierarchy": {"widths": [10, 20]}}
    asked["columns"]["born"] = {
        "role": "quasi",
        "kind": "date",
        "hierarchy": {"periods": ["month", "year", "decade"]},
    }
    asked["columns"] |= {name: {"role": "other"} for name in (LONG, "zip")}
    asked["columns"][SCRIPT] = {"role": "sensitive"}
    read, original = made(tmp_path, people(), asked)
    told = (read["age_min"] <= original["age"]) & (original["age"] <= read["age_max"])
    assert told.drop_nulls().all()
    wide = read["age_level"] > 0
    assert read["age_open"].filter(wide & read["age_min"].is_not_null()).all()
    assert wide.any()
    born = (read["born_min"] <= original["born"]) & (original["born"] <= read["born_max"])
    assert born.drop_nulls().all()
    assert read["born_min"].dtype == pl.Date


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        ("1984-02", date(1984, 2, 1), date(1984, 2, 29)),
        ("1984-12", date(1984, 12, 1), date(1984, 12, 31)),
        ("1984-Q4", date(1984, 10, 1), date(1984, 12, 31)),
        ("1984-Q1", date(1984, 1, 1), date(1984, 3, 31)),
        ("1984-W01", date(1984, 1, 2), date(1984, 1, 8)),
        ("1984", date(1984, 1, 1), date(1984, 12, 31)),
        ("1980s", date(1980, 1, 1), date(1989, 12, 31)),
    ],
)
def test_a_period_lies_between_its_first_and_last_day(period: str, first: date, last: date) -> None:
    assert first_and_last_day(period) == (first, last)


def places(n: int = 80) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {
            "lat": (47 + rng.random(n)).round(4),
            "lon": (8 + rng.random(n)).round(4),
            "ill": rng.choice(["flu", "cold"], n),
        }
    )


@pytest.mark.parametrize("shape", ["rectangle", "circle"])
def test_places_are_read_as_bounds(tmp_path: Path, shape: str) -> None:
    columns = {
        "lat": {"role": "quasi", "kind": "place", "longitude": "lon", "shape": shape},
        "lon": {"role": "quasi"},
        "ill": {"role": "sensitive"},
    }
    read, original = made(tmp_path, places(), {"k": 5, "publication": "generalize", "columns": columns})
    assert shoal.verify(tmp_path / "out").holds
    for name in ("lat", "lon"):
        inside = (read[f"{name}_min"] <= original[name]) & (original[name] <= read[f"{name}_max"])
        assert inside.drop_nulls().all()
        assert read[f"{name}_min"].is_not_null().any()
        assert (read[f"{name}_max"] - read[f"{name}_min"]).max() < 1.5
        assert read[f"{name}_mid"].dtype == pl.Float64
    assert ("lat_radius_m" in read.columns) == (shape == "circle")


def test_regions_are_read_as_lists(tmp_path: Path) -> None:
    names = [f"r{place}" for place in range(8)]
    edges = tmp_path / "map.csv"
    edges.write_text("a,b\n" + "".join(f"r{place},r{place + 1}\n" for place in range(7)))
    wards = [names[row % 8 if row % 8 else row % 3] for row in range(50)]
    table = pl.DataFrame({"ward": wards, "ill": ["a", "b"] * 25})
    columns = {"ward": {"role": "quasi", "map": {"edges": str(edges)}}, "ill": {"role": "sensitive"}}
    read, original = made(tmp_path, table, {"k": 9, "columns": columns})
    assert shoal.verify(tmp_path / "out").holds
    assert all(own is None or true in own for own, true in zip(read["ward"].to_list(), original["ward"], strict=True))
    assert (read["ward"].list.len() > 1).any()


def test_classes_are_read_as_their_labels(tmp_path: Path) -> None:
    table = pl.DataFrame({"name": [f"n{row % 9}" if row % 10 else None for row in range(60)], "ill": ["a", "b"] * 30})
    columns = {"name": {"role": "quasi", "kind": "label", "classes": "k"}, "ill": {"role": "sensitive"}}
    read, original = made(tmp_path, table, {"k": 8, "columns": columns})
    lists = zip(read["name"].to_list(), read["name_missing"], original["name"], strict=True)
    assert all(own is None or (missing if true is None else true in own) for own, missing, true in lists)
    assert (read["name"].list.len() > 1).any()


def test_a_name_that_is_taken_gets_an_underscore(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [20 + row % 9 for row in range(30)], "age_min": ["x", "y"] * 15})
    columns = {"age": {"role": "quasi", "kind": "number"}, "age_min": {"role": "sensitive"}}
    read, original = made(tmp_path, table, {"k": 7, "publication": "generalize", "columns": columns})
    assert read.columns == ["age_min_", "age_max", "age_missing", "age_mid", "age_min"]
    assert read["age_min"].equals(original["age_min"])


@pytest.mark.parametrize("form", FORMS)
def test_other_libraries_get_the_same(tmp_path: Path, form: str) -> None:
    folder = write(tmp_path, form)
    read = shoal.read_release(folder)
    frame, table = shoal.read_release(folder, library="pandas"), shoal.read_release(folder, library="pyarrow")
    assert list(frame.columns) == table.column_names == read.columns
    assert len(frame) == table.num_rows == read.height
    with pytest.raises(shoal.ParameterError, match="library"):
        shoal.read_release(folder, library="numpy")  # type: ignore[call-overload]


def test_a_folder_that_was_changed_is_not_read(tmp_path: Path) -> None:
    folder = write(tmp_path, "generalize")
    table = folder / "release.csv"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("flu", "flux"), encoding="utf-8")
    with pytest.raises(shoal.CertificateError, match="not the certified ones"):
        shoal.read_release(folder)
    table.write_text(text, encoding="utf-8")
    assert shoal.read_release(table).height == 60
    (folder / "more.txt").write_text("x")
    with pytest.raises(shoal.CertificateError, match="does not list"):
        shoal.read_release(folder)


def test_a_release_without_a_codebook_is_named_with_the_way_out(tmp_path: Path) -> None:
    folder = write(tmp_path, "generalize")
    path = folder / "certificate.json"
    told = json.loads(path.read_text())
    for name in ("codebook.html", "datapackage.json"):
        (folder / name).unlink()
        del told["files"][name]
    path.write_text(json.dumps(told))
    with pytest.raises(shoal.ParameterError, match="earlier version") as raised:
        shoal.read_release(folder)
    assert "write the release again" in str(raised.value.hint)
    path.unlink()
    with pytest.raises(shoal.ParameterError, match="no certificate"):
        shoal.read_release(folder)


def test_times_of_a_period_end_with_its_last_moment(tmp_path: Path) -> None:
    noon = datetime(2024, 1, 1, 12)
    at = [noon] * 9 + [noon + timedelta(hours=7 * row) for row in range(30)]
    columns = {"at": {"role": "quasi", "kind": "date", "hierarchy": {"periods": ["day", "month"]}}}
    read, original = made(
        tmp_path, pl.DataFrame({"at": at}), {"k": 3, "publication": "generalize", "columns": columns}
    )
    assert isinstance(read.schema["at_min"], pl.Datetime)
    assert ((read["at_min"] <= original["at"]) & (original["at"] <= read["at_max"])).all()
    assert {0, 1} <= set(read["at_level"])
    days = read.filter(pl.col("at_level") == 1)
    assert (days["at_max"] - days["at_min"]).unique().to_list() == [timedelta(days=1, microseconds=-1)]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_beyond_a_top_a_range_has_no_end(tmp_path: Path, ranges: str, format: str) -> None:
    table = pl.DataFrame({"age": [20 + 2 * row for row in range(50)], "pay": [100 * row for row in range(50)]})
    columns = {
        "age": {"role": "quasi", "kind": "number", "top": 90, "bottom": 30},
        "pay": {"role": "sensitive", "top": 4000},
    }
    asked = {"k": 4, "publication": "generalize", "ranges": ranges, "columns": columns}
    read, original = made(tmp_path, table, asked, format=format)
    assert ((read["age_min"] <= original["age"]) & (original["age"] <= read["age_max"])).all()
    assert read["age_max"].max() == math.inf
    assert read["age_min"].min() == -math.inf
    assert read["age_mid"].is_between(30, 90).all()
    assert read["pay"].equals(original["pay"].clip(upper_bound=4000))


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_the_release_of_an_applied_plan_is_described_and_read_too(tmp_path: Path, ranges: str) -> None:
    """A plan does not tell dates and places from numbers, nor regions from labels."""
    edges = tmp_path / "map.csv"
    edges.write_text("a,b\nr0,r1\nr1,r2\nr2,r3\n")
    table = places().with_columns(
        pl.Series("born", [date(1960 + row % 9, 1, 1) for row in range(80)]),
        pl.Series("ward", [f"r{row % 4}" for row in range(80)]),
        pl.Series("zip", [f"0{row % 5}" for row in range(80)]),
    )
    columns = {
        "lat": {"role": "quasi", "kind": "place", "longitude": "lon"},
        "lon": {"role": "quasi", "kind": "place"},
        "ill": {"role": "sensitive"},
        "born": {"role": "quasi"},
        "ward": {"role": "quasi", "map": {"edges": str(edges)}},
        "zip": {"role": "quasi", "hierarchy": {"prefix": True}},
    }
    asked = {"k": 4, "publication": "generalize", "ranges": ranges, "columns": columns}
    plan = shoal.anonymize(table, asked).plan
    shoal.apply(plan, table, max_suppressed=0.9).write(tmp_path / "out")
    read = shoal.read_release(tmp_path / "out")
    assert read.schema["born_min"] == pl.Date
    assert read.schema["lat_min"] == pl.Float64
    assert read.schema["ward"] == pl.List(pl.String)
    assert "zip_level" in read.columns


def test_a_column_called_like_a_radius_is_none(tmp_path: Path) -> None:
    columns = {
        "lat": {"role": "quasi", "kind": "place", "longitude": "lon"},
        "lon": {"role": "quasi", "kind": "place"},
        "lat_radius_m": {"role": "sensitive"},
    }
    table = places().rename({"ill": "lat_radius_m"})
    read, original = made(tmp_path, table, {"k": 5, "publication": "generalize", "columns": columns})
    assert read["lat_radius_m"].equals(original["lat_radius_m"])
    assert "lat_min" in read.columns
