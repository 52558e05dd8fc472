"""Released tables that were made to be miscounted: texts that a lenient reader would take for what they are not."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.certify import Findings, verify
from shoal.policy import Column, Policy
from tests.certify import releases

SPELLINGS = ["01", "001", "+1", " 1", "1 ", "1.0", "1e0", "１", "0x1", "1_0", "-1", "0", "", "nan", "9" * 30, None]


def checks(findings: Findings) -> set[str]:
    return {failure.check for failure in findings.failures}


# -- the form ----------------------------------------------------------------------------------------------------


def raw() -> pl.DataFrame:
    """Three people, as they are: alone, and with a word that they stand for five."""
    return pl.DataFrame(
        {
            "age": ["31", "47", "52"],
            "city": ["A", "B", "C"],
            "diagnosis": ["flu: 3; cold: 2", "cold: 4; flu: 1", "flu: 2; cold: 3"],
            "people": ["5", "5", "5"],
            "radius": ["0.1", "0.1", "0.1"],
        }
    )


def test_a_raw_table_is_not_taken_for_centers_because_its_certificate_says_so(tmp_path):
    columns = {name: role for name, role in releases.ROLES.items() if name != "note"}
    asked = releases.policy(columns=columns)
    path, certificate = releases.written(
        tmp_path, raw(), asked.model_copy(update={"publication": "centers"}), "centers"
    )
    assert certificate.form == "centers"
    own = verify(path, asked)
    assert own.k == 1
    assert checks(own) >= {"columns", "certificate", "k-anonymity"}
    for publication in ("generalize", "aggregate", "suppress"):
        assert verify(path, asked.model_copy(update={"publication": publication})).k == 1
    for method in ("forest", "mdav", "best"):
        assert verify(path, asked.model_copy(update={"method": method})).k == 1
    assert verify(path, asked, form="generalize").k == 1
    assert verify(path, form="generalize").k == 1


def test_centers_are_counted_as_centers_where_the_policy_says_so(tmp_path):
    frame, asked = releases.centers()
    path, _ = releases.written(tmp_path, frame, asked, "centers")
    assert verify(path, asked).holds
    around = asked.model_copy(update={"publication": "auto", "objective": "radius"})
    assert verify(path, around).holds
    assert verify(frame, around).form == "centers"
    assert verify(frame, asked.model_copy(update={"publication": "auto"})).k == 1


def test_where_the_policy_leaves_it_open_the_cells_tell_means_from_ranges():
    means = pl.DataFrame({"age": ["20.5"] * 3 + ["31"] * 3, "s": ["a", "b", "a"] * 2})
    asked = Policy.parse({"k": 3, "columns": {"age": {"role": "quasi"}, "s": {"role": "sensitive"}}})
    assert verify(means, asked).form == "aggregate"
    assert verify(means.with_columns(age=pl.format("[{}, 40]", "age")), asked).form == "generalize"


# -- people ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", SPELLINGS)
def test_one_person_in_several_spellings_is_no_crowd(number):
    frame = pl.DataFrame({"person": ["1", "2", number] * 2, "age": ["20"] * 6, "s": ["a", "b", "c"] * 2})
    columns = {"person": {"role": "person"}, "age": {"role": "quasi"}, "s": {"role": "sensitive"}}
    findings = verify(frame, Policy.parse({"k": 2, "columns": columns}))
    assert "person" in checks(findings)


def test_persons_written_1_01_and_001_are_not_three(tmp_path):
    frame = pl.DataFrame({"person": ["1", "01", "001"], "age": ["20"] * 3, "s": ["a", "b", "c"]})
    columns = {"person": {"role": "person"}, "age": {"role": "quasi"}, "s": {"role": "sensitive"}}
    findings = verify(frame, Policy.parse({"k": 3, "columns": columns}))
    assert checks(findings) == {"person"}


@pytest.mark.parametrize("number", SPELLINGS)
def test_a_number_of_people_is_written_as_one(number):
    frame, asked = releases.centers()
    frame = frame.with_columns(people=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(number)).otherwise("people"))
    assert "people" in checks(verify(frame, asked))


@pytest.mark.parametrize(
    "radius", ["abc", "nan", "inf", "-1", "1e999", "", "0x10", "1.2.3", " 4", "Anna Meyer", None]
)
def test_a_radius_is_a_length(radius):
    frame, asked = releases.centers()
    frame[0, "radius"] = radius
    assert "people" in checks(verify(frame, asked))


@pytest.mark.parametrize("radius", ["0.0", "4.5", "4,5", "1e-7", "1.2e20", "12"])
def test_a_length_is_a_radius(radius):
    frame, asked = releases.centers()
    frame[0, "radius"] = radius
    assert verify(frame, asked).holds


def test_a_column_of_the_table_may_be_called_radius():
    frame, asked = releases.centers()
    frame = frame.drop("radius").with_columns(radius=pl.col("diagnosis"))
    for role in ("other", "sensitive"):
        own = asked.model_copy(update={"columns": {**asked.columns, "radius": Column(role=role)}})
        assert verify(frame, own).holds
    assert "people" in checks(verify(frame, asked))


@pytest.mark.parametrize("count", ["1" * 20, "05", "+5", "5.0", "٥"])
def test_a_multiset_counts_in_plain_numbers(count):
    frame, asked = releases.centers()
    frame[0, "diagnosis"] = f"flu: {count}"
    assert "people" in checks(verify(frame, asked))


# -- cells that are read as numbers, dates and areas ------------------------------------------------------------


@pytest.mark.parametrize("cell", ["inf", "1e999", "-inf", "infinity", "0x10", "1_000", "1/2", "five"])
def test_sensitive_numbers_are_numbers(cell):
    frame = releases.release().with_columns(diagnosis=pl.Series(["1", "2", cell] * 4))
    for column in (
        {"bins": [1.5], "closeness": {"t": 0.9}},
        {"closeness": {"t": 0.9, "distance": "ordered"}},
        {"hierarchy": {"widths": [5]}, "closeness": {"t": 0.9, "distance": "hierarchical"}},
    ):
        asked = releases.policy(columns=releases.ROLES | {"diagnosis": {"role": "sensitive"} | column})
        assert "columns" in checks(verify(frame, asked)), column


@pytest.mark.parametrize("cell", ["2024-01-01abc", "2024-13-01", "2024-1-1", "20240101", "0000-00-00", "soon"])
def test_sensitive_dates_are_dates(cell):
    frame = releases.release().with_columns(diagnosis=pl.Series(["2024-01-01", "2023-05-05", cell] * 4))
    column = {"hierarchy": {"periods": ["month"]}, "closeness": {"t": 0.9, "distance": "hierarchical"}}
    asked = releases.policy(columns=releases.ROLES | {"diagnosis": {"role": "sensitive"} | column})
    assert "columns" in checks(verify(frame, asked))


@pytest.mark.parametrize(
    "cells", [("[1, 2]", "[３, 4]"), ("1e400", "5"), ("[1, 2]", "[4, 1e9]"), ("nan", "1"), ("[2, 1]", "5")]
)
def test_places_are_places(cells):
    frame = pl.DataFrame({"lat": [cells[0]] * 3, "lon": [cells[1]] * 3, "s": ["a", "b", "c"]})
    columns = {
        "lat": {"role": "quasi", "longitude": "lon"},
        "lon": {"role": "quasi"},
        "s": {"role": "sensitive"},
    }
    assert "areas" in checks(verify(frame, Policy.parse({"k": 3, "columns": columns})))


@pytest.mark.parametrize("cell", ['{"\\q"}', "{north, north}", "{north,south}", "{}", '{"north}', "{north, east}"])
def test_regions_are_regions(tmp_path, cell):
    (tmp_path / "m.csv").write_text("region,neighbor\nnorth,south\nsouth,east\n")
    frame = pl.DataFrame({"region": [cell] * 3, "s": ["a", "b", "c"]})
    columns = {
        "region": {"role": "quasi", "map": {"edges": str(tmp_path / "m.csv")}},
        "s": {"role": "sensitive"},
    }
    assert "areas" in checks(verify(frame, Policy.parse({"k": 3, "columns": columns})))
