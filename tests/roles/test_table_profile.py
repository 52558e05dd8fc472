"""The profile of whole tables: roles, risk, the policy it suggests, and that no cell is in it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.roles import Profile, assign, profile, suggest_policy
from shoal.tables.table import Origin, Table


def table(frame: pl.DataFrame) -> Table:
    return Table(frame, Origin("polars"))


def hospital(n_rows: int = 400, n_people: int = 150, seed: int = 4) -> pl.DataFrame:
    """Visits: several per person, with the identifiers that a hospital keeps."""
    rng = np.random.default_rng(seed)
    person = rng.integers(0, n_people, n_rows)
    born = [date(1930, 1, 1) + timedelta(days=int(p) * 173) for p in person]
    names = np.array(
        [f"{a}{b} {c}" for a in "KLMNP" for b in "aeiou" for c in ("Quill", "Vane", "Thorn", "Ash", "Roe", "Pike")]
    )
    return pl.DataFrame(
        {
            "PatientID": [f"H{p:05}" for p in person],
            "Nachname": names[person % len(names)],
            "e-mail": [f"q{p}@canary.example" for p in person],
            "birth_date": born,
            "admission": [str(date(2024, 1, 1) + timedelta(days=int(d))) for d in rng.integers(0, 300, n_rows)],
            "zip": [f"0{z}" for z in rng.integers(2100, 2160, n_rows)],
            "sex": rng.choice(["female", "male"], n_rows),
            "age": rng.integers(0, 100, n_rows),
            "blood_sodium": rng.normal(140, 3, n_rows),
            "diagnosis": rng.choice(["J45canary", "I10canary", "E11canary"], n_rows),
            "visit_no": np.arange(n_rows),
            "remarks": [f"seen by doctor canary on day {d} and sent home" for d in range(n_rows)],
        }
    )


def roles(found: Profile) -> dict[str, str]:
    return {column.name: column.role for column in found.columns}


def test_a_hospital_table_gets_the_roles_that_a_steward_would_give() -> None:
    found = profile(table(hospital()))
    assert roles(found) == {
        "PatientID": "person",
        "Nachname": "identifier",
        "e-mail": "identifier",
        "birth_date": "quasi",
        "admission": "quasi",
        "zip": "quasi",
        "sex": "quasi",
        "age": "quasi",
        "blood_sodium": "quasi",
        "diagnosis": "sensitive",
        "visit_no": "identifier",
        "remarks": "identifier",
    }
    assert found.person == "PatientID"
    n_people = hospital()["PatientID"].n_unique()
    assert f"it repeats: {n_people} people in 400 rows" in found.columns[0].reason


def test_classes_are_counted_in_people_where_there_is_a_person_column() -> None:
    frame = hospital()
    alone = frame.group_by("birth_date").agg(pl.col("PatientID").n_unique().alias("people"), pl.len().alias("rows"))
    expected = alone.filter(pl.col("people") == 1)["rows"].sum()
    found = {one.columns: one for one in profile(table(frame)).uniqueness.combinations}
    assert found[("birth_date",)].unique_rows == expected == 400  # a day of birth per person, however many visits
    rows_alone = frame.filter(pl.len().over("birth_date") == 1).height
    assert rows_alone < 100  # counting rows would have missed most of them


def test_without_a_person_column_the_risk_is_that_of_rows() -> None:
    frame = pl.DataFrame({"sex": ["m", "m", "m", "f", "f"], "town": ["a", "a", "b", "b", "b"]})
    risk = profile(table(frame), k=3).risk
    assert (risk.columns, risk.classes, risk.unique_rows, risk.rows_below_k) == (("sex", "town"), 3, 1, 5)
    assert (risk.smallest, risk.highest, risk.average) == (1, 1.0, 3 / 5)


def test_with_a_person_column_the_risk_is_that_of_people() -> None:
    rows = [(f"p{at % 12}", "m" if at % 12 < 4 else "f") for at in range(24)]
    frame = pl.DataFrame(rows, schema=["patient_id", "sex"], orient="row")
    risk = profile(table(frame)).risk
    assert (risk.classes, risk.unique_rows, risk.rows_below_k, risk.smallest) == (2, 0, 8, 4)
    assert (risk.highest, risk.average) == (1 / 4, (8 / 4 + 16 / 8) / 24)


def test_one_of_several_codes_that_repeat_is_the_person_and_the_others_go() -> None:
    frame = hospital().with_columns(ssn=pl.col("PatientID").str.replace("H", "1234"))
    found = profile(table(frame.select("ssn", "PatientID", "sex")))
    assert roles(found) == {"ssn": "identifier", "PatientID": "person", "sex": "quasi"}
    assert profile(table(frame.select("ssn", "sex"))).person == "ssn"


def test_a_code_that_never_repeats_is_an_identifier_and_no_person_column() -> None:
    frame = pl.DataFrame({"patient_id": range(30), "sex": ["f", "m"] * 15})
    assert profile(table(frame)).person is None
    few = pl.DataFrame({"patient_id": [1, 2, 3] * 10, "sex": ["f", "m"] * 15})
    assert profile(table(few)).person is None


def test_the_order_of_rows_changes_nothing() -> None:
    frame = hospital()
    assert profile(table(frame)) == profile(table(frame.sample(fraction=1, shuffle=True, seed=9)))


def test_what_is_suggested_is_a_policy_that_reads_back_and_fits_the_table() -> None:
    frame = table(hospital())
    policy, comments = suggest_policy(profile(frame))
    text = policy.dumps(comments=comments)
    assert Policy.loads(text) == policy
    assert assign(frame, policy).person == "PatientID"
    assert policy.k == 5
    assert policy.columns["zip"].hierarchy is not None
    assert policy.columns["zip"].hierarchy.prefix
    assert policy.columns["birth_date"].kind == policy.columns["admission"].kind == "date"
    assert policy.columns["birth_date"].hierarchy is None
    assert "# date of a person's life (HIPAA Safe Harbor C): the column's name says so\n" in text
    assert "# text, 60 different values\n[columns.zip]" in text


def test_two_values_per_group_are_asked_for_where_that_costs_little() -> None:
    even, uneven = ["a", "b", "c", "d"] * 10, ["a"] * 39 + ["b"]
    frame = pl.DataFrame({"diagnosis": even, "religion": uneven, "income": [1] * 40, "sex": ["m", "f"] * 20})
    policy, _ = suggest_policy(profile(table(frame)))
    assert policy.sensitive == ["diagnosis", "religion", "income"]
    asked = [policy.diversity_of(name) for name in policy.sensitive]
    assert [wish.l if wish else None for wish in asked] == [2, None, None]


def test_no_cell_is_in_the_profile_the_policy_or_its_comments() -> None:
    frame = hospital()
    found = profile(table(frame))
    policy, comments = suggest_policy(found)
    written = json.dumps(found.to_dict(), ensure_ascii=False) + policy.dumps(comments=comments)
    assert "canary" not in written
    cells = {str(cell) for name in frame.columns for cell in frame[name] if len(str(cell)) > 4}
    assert len(cells) > 1_000
    assert not [cell for cell in cells if cell in written]


def test_the_profile_is_plain_json() -> None:
    found = profile(table(hospital()))
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["n_rows"] == 400
    assert plain["columns"][0]["name"] == "PatientID"
    assert plain["risk"]["columns"] == list(found.risk.columns)
    assert plain["uniqueness"]["combinations"][0]["unique_rows"] == found.uniqueness.combinations[0].unique_rows


EMPTY = pl.DataFrame({"name": [], "age": [], "x": []}, schema={"name": pl.String, "age": pl.Int64, "x": pl.Date})
HOSTILE = {
    "no rows": EMPTY,
    "one row": pl.DataFrame({"name": ["Zq"], "age": [3], "x": ["zq7"]}),
    "one column": pl.DataFrame({"x": [1, 2, 2]}),
    "constant": pl.DataFrame({"x": ["zq7"] * 50, "y": [4] * 50}),
    "nulls": pl.DataFrame({name: [None] * 30 for name in ("x", "y", "email")}).cast({"y": pl.Float64}),
    "odd names": pl.DataFrame({"": [1, 2], " ": ["a", "b"], 'say "hi"\n': [1, 2], "[x]": [1, 2], "\x7f": [0, 1]}),
    "odd types": pl.DataFrame(
        {
            "c": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "e": pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
            "d": pl.Series([1, 2, None], dtype=pl.Decimal(10, 2)),
            "t": pl.Series([date(2020, 1, 1), None, None]).cast(pl.Datetime("ms", "UTC")),
            "u": pl.Series([2**64 - 1, 0, None], dtype=pl.UInt64),
            "f": [1e300, -1e300, 5e-324],
            "b": [True, None, False],
            "s": ["", " ", None],
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_tables_at_the_edge_are_profiled_and_get_a_policy_that_fits(case: str) -> None:
    frame = HOSTILE[case]
    found = profile(table(frame))
    policy, comments = suggest_policy(found)
    assert "zq7" not in json.dumps(found.to_dict())
    assert Policy.loads(policy.dumps(comments=comments)) == policy
    assert assign(table(frame), policy).quasi == policy.quasi
    assert found.risk.unique_rows <= frame.height


def test_a_table_without_rows_has_no_risk() -> None:
    risk = profile(table(EMPTY)).risk
    assert (risk.classes, risk.smallest, risk.highest, risk.average) == (0, 0, 0.0, 0.0)


def test_nulls_only_are_one_class() -> None:
    found = profile(table(HOSTILE["nulls"]))
    assert roles(found) == {"x": "quasi", "y": "quasi", "email": "identifier"}
    assert (found.risk.classes, found.risk.smallest) == (1, 30)
    assert [column.missing for column in found.columns] == [30, 30, 30]
    assert found.columns[0].distinct == 0


CELLS: dict[str, st.SearchStrategy[Any]] = {
    "numbers": st.integers(-(10**12), 10**12),
    "fractions": st.floats(allow_nan=False, allow_infinity=False),
    "texts": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    "dates": st.dates(),
    "iso": st.dates().map(str),
    "flags": st.booleans(),
}
NAMES = st.sampled_from(["id", "age", "zip", "name", "diagnosis", "city", "x", "Ort", "phone", "", "dob", "code"])


@given(data=st.data(), n_rows=st.integers(0, 12), names=st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_any_table_gets_a_policy_that_fits_it(data: st.DataObject, n_rows: int, names: list[str]) -> None:
    def column() -> list[Any]:
        cells = CELLS[data.draw(st.sampled_from(sorted(CELLS)))]
        return data.draw(st.lists(st.none() | cells, min_size=n_rows, max_size=n_rows))

    frame = table(pl.DataFrame({name: column() for name in names}))
    policy, comments = suggest_policy(profile(frame))
    assert Policy.loads(policy.dumps(comments=comments)) == policy
    if policy.quasi:
        assert assign(frame, policy).named("quasi", "person", "sensitive", "identifier") == names


def test_k_below_two_means_nothing() -> None:
    with pytest.raises(ParameterError, match="k=1"):
        profile(table(EMPTY), k=1)


@pytest.mark.shared_data
def test_adult_has_eight_quasi_identifiers_and_one_sensitive_column(shared_data: Path) -> None:
    frame = pl.read_csv(shared_data / "adult" / "adult.csv", separator=";")
    found = profile(table(frame))
    assert {column.name: column.role for column in found.columns} == dict.fromkeys(frame.columns, "quasi") | {
        "salary-class": "sensitive"
    }
    quasi = [name for name in frame.columns if name != "salary-class"]
    sizes = frame.group_by(quasi).len()["len"]
    assert found.risk.columns == tuple(quasi)
    assert found.risk.classes == len(sizes)
    assert found.risk.unique_rows == int((sizes == 1).sum())
    assert found.risk.rows_below_k == int(sizes.filter(sizes < 5).sum())
    best = found.uniqueness.combinations[-1]
    pairs = [one for one in found.uniqueness.combinations if len(one.columns) == 2]
    assert len(best.columns) == 3
    assert pairs[0].unique_rows == max(
        int((frame.group_by(a, b).len()["len"] == 1).sum()) for at, a in enumerate(quasi) for b in quasi[at + 1 :]
    )
    assert "35 rows are above 89" in found.columns[1].reason


def test_ten_thousand_columns_are_profiled_within_the_said_limit() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(rng.integers(0, 9, (40, 10_000)), schema=[f"c{at}" for at in range(10_000)])
    started = time.process_time()
    found = profile(table(frame))
    assert time.process_time() - started < 60  # a bound on work, with room for a slow machine
    assert len(found.columns) == 10_000
    assert "over the 24 columns with the most different values, of 10000" in found.uniqueness.limits[0]
    assert found.risk.unique_rows == 40


@pytest.mark.deep
def test_a_million_rows_of_twelve_columns_are_profiled_in_seconds() -> None:
    rng = np.random.default_rng(2)
    domains = (2, 2, 5, 9, 16, 90, 100, 50, 1_000, 30_000, 25_000, 365)
    frame = pl.DataFrame({f"c{at}": rng.integers(0, n, 1_000_000) for at, n in enumerate(domains)})
    started = time.process_time()
    found = profile(table(frame))
    assert time.process_time() - started < 30  # of both cores
    assert found.uniqueness.limits == ()


def test_profiles_can_be_compared_and_changed() -> None:
    found = profile(table(hospital()))
    assert replace(found, k=6) != found
    with pytest.raises(AttributeError):
        found.k = 6  # type: ignore[misc]


def test_a_sensitive_column_that_others_may_know_is_asked_about() -> None:
    table = pl.DataFrame({"religion": ["a", "b"] * 20, "pregnant": ["y", "n"] * 20, "diagnosis": ["x", "z"] * 20})
    found = {column.name: column for column in profile(Table(table, Origin("polars"))).columns}
    for name in ("religion", "pregnant"):
        (question,) = found[name].questions
        assert 'role = "quasi" with diversity' in question
    assert found["diagnosis"].questions == ()
