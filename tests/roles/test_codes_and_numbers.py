"""Codes are labels, scales are ordered, what is measured or counted is a number: by name and by content."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.roles import ColumnProfile

N = 600
RNG = np.random.default_rng(7)


def pick(values: Any, n: int = N) -> list[Any]:
    """`n` cells, each of the values at least once."""
    cells = list(values)
    return cells + [cells[at] for at in RNG.integers(0, len(cells), n - len(cells))]


def spread(low: int, high: int) -> list[int]:
    """Whole numbers between two ends, most of them in the middle, as measurements are."""
    return np.clip(np.rint(RNG.normal((low + high) / 2, (high - low) / 6, N)), low, high).astype(int).tolist()


ICD10 = [f"{letter}{n:02d}.{n % 7}" for letter in "CIJ" for n in range(10, 60)]
ATC = [f"{letter}{n:02d}AB{n:02d}" for letter in "ACN" for n in range(1, 12)]
OCC2 = [n * 37 % 9000 + 10 for n in range(120)]

# name of the column, cells, kind, role
EXAMPLES: list[tuple[str, list[Any], str | None, str]] = [
    # codes
    ("sex", pick([1, 2]), "label", "quasi"),
    ("Geschlecht", pick([1.0, 2.0]), "label", "quasi"),
    ("gender", pick([0, 1, 2]), "label", "quasi"),
    ("region", pick([111, 112, 113, 210, 305, 420]), "label", "quasi"),
    ("REGION_CD", pick(range(1, 13)), "label", "quasi"),
    ("occ", pick(OCC2), "label", "quasi"),
    ("occupation_code", pick(OCC2), "label", "quasi"),
    ("Beruf", pick(OCC2), "label", "quasi"),
    ("industry", pick(range(10, 990, 7)), "label", "quasi"),
    ("Branche", pick(range(1, 22)), "label", "quasi"),
    ("race", pick([1, 2, 3, 4, 5]), "label", "quasi"),
    ("RAC1P", pick(range(1, 10)), "label", "quasi"),
    ("marital", pick([1, 2, 3, 4, 5, 6]), "label", "quasi"),
    ("MARST", pick([1, 2, 3, 4, 5, 6]), "label", "quasi"),
    ("marital_status", pick([1, 2, 3, 4, 5]), "label", "quasi"),
    ("Familienstand", pick([1, 2, 3, 4, 9]), "label", "quasi"),
    ("state", pick(range(1, 57)), "label", "quasi"),
    ("statefip", pick(range(1, 57)), "label", "quasi"),
    ("Bundesland", pick(range(1, 17)), "label", "quasi"),
    ("Kreis", pick(range(1001, 1090)), "label", "quasi"),
    ("county", pick(range(1, 254, 2)), "label", "quasi"),
    ("employment_status", pick([1, 2, 3, 4]), "label", "quasi"),
    ("loan_status", pick([0, 1, 2]), "label", "quasi"),
    ("country", pick([4, 8, 12, 56, 276, 840]), "label", "quasi"),
    ("nationality", pick(range(0, 200, 3)), "label", "quasi"),
    ("ward", pick(range(1, 31)), "label", "quasi"),
    ("smoker", pick([0, 1]), "label", "quasi"),
    ("is_veteran", pick([0.0, 1.0]), "label", "quasi"),
    ("flag_7", pick([0, 1]), "label", "quasi"),
    ("v12", pick([1, 2]), "label", "quasi"),
    ("var3", pick([11, 12, 13, 21, 22, 31]), "label", "quasi"),
    ("k4_2", pick([n * 113 % 997 for n in range(40)]), "label", "quasi"),
    ("education_type", pick([1, 2, 3, 4]), "label", "quasi"),
    ("visit_type", pick([1, 2, 3]), "label", "quasi"),
    ("hospital", pick(range(1, 15)), "label", "quasi"),
    # scales
    ("satisfaction", pick([1, 2, 3, 4, 5]), "ordered", "quasi"),
    ("Zufriedenheit", pick(range(0, 11)), "ordered", "quasi"),
    ("q17", pick([1, 2, 3, 4, 5]), "ordered", "quasi"),
    ("self_rated_health", pick([1.0, 2.0, 3.0, 4.0, 5.0]), "ordered", "quasi"),
    ("genhlth", pick([1, 2, 3, 4, 5]), "ordered", "quasi"),
    ("educ", pick([2, 10, 20, 30, 40, 50, 60, 73, 81, 91, 111, 123]), "ordered", "quasi"),
    ("education-num", pick(range(1, 17)), "ordered", "quasi"),
    ("Bildungsniveau", pick([1, 2, 3, 4]), "ordered", "quasi"),
    ("ASA", pick([1, 2, 3, 4]), "ordered", "quasi"),
    ("NYHA", pick([1, 2, 3, 4]), "ordered", "quasi"),
    ("grade", pick([1, 2, 3, 4, 5, 6]), "ordered", "quasi"),
    ("tumor_stage", pick([0, 1, 2, 3, 4]), None, "sensitive"),
    ("rating", pick([1, 2, 3, 4, 5]), "ordered", "quasi"),
    ("age_group", pick([1, 2, 3, 4, 5, 6, 7]), "ordered", "quasi"),
    ("pain_score", pick(range(0, 11)), "ordered", "quasi"),
    ("risk", pick(["low", "medium", "high"]), "ordered", "quasi"),
    ("Risiko", pick(["niedrig", "mittel", "hoch"]), "ordered", "quasi"),
    ("sport", pick(["never", "rarely", "sometimes", "often"]), "ordered", "quasi"),
    ("Sport", pick(["Nie", "Selten", "Manchmal", "Oft"]), "ordered", "quasi"),
    ("opinion_3", pick(["strongly disagree", "disagree", "neutral", "agree"]), "ordered", "quasi"),
    ("Meinung", pick(["trifft nicht zu", "trifft eher nicht zu", "trifft zu"]), "ordered", "quasi"),
    ("shirt", pick(["S", "M", "L", "XL"]), "ordered", "quasi"),
    ("ward_name", pick(["low", "medium", "garden"]), "label", "quasi"),
    # numbers
    ("age", pick(range(18, 96)), "number", "quasi"),
    ("Alter", spread(18, 95), "number", "quasi"),
    ("children", pick(range(0, 7)), "number", "quasi"),
    ("number_of_children", pick([0, 1, 2, 3, 4]), "number", "quasi"),
    ("Anzahl_Kinder", pick([0, 1, 2, 3]), "number", "quasi"),
    ("year", pick(range(2010, 2022)), "number", "quasi"),
    ("Geburtsjahr", pick(range(1930, 2005)), "number", "quasi"),
    ("systolic_bp", spread(90, 200), "number", "quasi"),
    ("blood pressure", spread(60, 120), "number", "quasi"),
    ("Blutdruck", spread(90, 200), "number", "quasi"),
    ("heart_rate", spread(45, 140), "number", "quasi"),
    ("height", spread(150, 200), "number", "quasi"),
    ("weight", spread(45, 140), "number", "quasi"),
    ("weight_kg", spread(45, 140), "number", "quasi"),
    ("years_of_schooling", pick(range(0, 21)), "number", "quasi"),
    ("hours-per-week", pick(range(1, 99)), "number", "quasi"),
    ("household_size", pick([1, 2, 3, 4, 5, 6]), "number", "quasi"),
    ("Haushaltsgröße", pick([1, 2, 3, 4, 5, 6]), "number", "quasi"),
    ("capital-gain", pick([0, 0, 0, 594, 2174, 3103, 5178, 7298, 7688, 14084, 15024, 99999]), "number", "quasi"),
    ("stay_days", pick(range(0, 15)), "number", "quasi"),
    ("num_visits", pick(range(0, 10)), "number", "quasi"),
    ("rooms", pick(range(1, 9)), "number", "quasi"),
    ("temperature", RNG.normal(37, 0.5, N).round(1).tolist(), "number", "quasi"),
    ("m17", spread(0, 400), "number", "quasi"),
    ("sqft", (np.array(spread(40, 300)) * 10).tolist(), "number", "quasi"),
    ("income", (RNG.lognormal(10, 1, N) // 100 * 100).astype(int).tolist(), None, "sensitive"),
    # surveys
    ("weight", RNG.random(N).tolist(), None, "identifier"),
    ("fnlwgt", RNG.integers(12_000, 900_000, N).tolist(), None, "identifier"),
    ("PERWT", pick(range(5, 400)), None, "identifier"),
    ("Hochrechnungsfaktor", RNG.normal(800, 200, N).tolist(), None, "identifier"),
    ("survey_weight", pick([0.5, 1.0, 2.0]), None, "identifier"),
    ("household_id", pick(range(1000, 1250)), None, "identifier"),
    ("hhid", pick([f"H{n}" for n in range(250)]), None, "identifier"),
    ("Haushaltsnummer", pick(range(1, 251)), None, "identifier"),
    ("pernum", pick(range(1, 9)), None, "identifier"),
    ("lfd_nr", list(range(N)), None, "identifier"),
    ("seqno", pick(range(1, 300)), None, "identifier"),
    ("order_number", pick(range(5000, 5400)), None, "identifier"),
    ("x7", RNG.integers(10**9, 10**10, N).tolist(), None, "identifier"),
    # codes that begin with the larger unit
    ("zip", pick(range(1001, 99_950, 211)), "hierarchy", "quasi"),
    ("PLZ", pick([float(n) for n in range(1067, 99_998, 331)]), "hierarchy", "quasi"),
    ("postcode", pick(range(1010, 9990, 20)), "hierarchy", "quasi"),
    ("zip_code", pick([f"{n:05d}" for n in range(1001, 99_000, 311)]), "hierarchy", "quasi"),
    ("fips", pick(range(1001, 56_045, 301)), "hierarchy", "quasi"),
    ("AGS", pick(range(1_001_000, 16_077_056, 60_001)), "hierarchy", "quasi"),
    ("icd10", pick(ICD10), "hierarchy", "sensitive"),
    ("Hauptdiagnose", pick(ICD10), "hierarchy", "sensitive"),
    ("k1", pick(ICD10), "hierarchy", "quasi"),
    ("icd9", pick([f"{n}.{n % 9}" for n in range(140, 240)] + ["V57", "E812.1"]), "hierarchy", "sensitive"),
    ("atc", pick(ATC), "hierarchy", "sensitive"),
    ("c_3", pick(ATC), "hierarchy", "quasi"),
    ("naics", pick([52, 522, 5221, 52211, 522110, 61, 611, 6113, 722511]), "hierarchy", "quasi"),
    ("nace", pick([f"{n:02d}.{n % 9 + 1}" for n in range(10, 60)]), "hierarchy", "quasi"),
    ("naics", pick([str(n) for n in range(5221, 7226, 13)]), "hierarchy", "quasi"),
    ("PLZ", pick([str(n) for n in range(10_115, 99_998, 331)]), "hierarchy", "quasi"),
    ("isco08", pick([110, 210, *range(1111, 9600, 131)]), "hierarchy", "quasi"),
    ("soc", pick([f"{n}-{n * 97 % 9000 + 1000}" for n in range(11, 53, 2)]), "hierarchy", "quasi"),
    ("cpt_code", pick(range(10_021, 99_500, 499)), "hierarchy", "sensitive"),
]  # fmt: skip


def profiled(name: str, cells: list[Any]) -> ColumnProfile:
    # null and other columns beside it, because a table of one column is none
    (found, _) = shoal.profile(pl.DataFrame({name: cells, "beside": ["a", "b"] * (len(cells) // 2)})).columns
    return found


@pytest.mark.parametrize(("name", "cells", "kind", "role"), EXAMPLES, ids=[f"{e[0]}-{e[2]}-{e[3]}" for e in EXAMPLES])
def test_what_a_column_is(name: str, cells: list[Any], kind: str | None, role: str) -> None:
    found = profiled(name, cells)
    assert found.role == role, found.reason
    if role == "quasi" or kind is not None:
        assert found.kind == kind, found.reason


def test_there_are_enough_examples() -> None:
    assert len(EXAMPLES) >= 100


@pytest.mark.parametrize(
    ("name", "cells", "kind", "role"),
    [e for e in EXAMPLES if e[3] == "quasi"],
    ids=[e[0] for e in EXAMPLES if e[3] == "quasi"],
)
def test_a_policy_without_a_kind_takes_the_same(name: str, cells: list[Any], kind: str, role: str) -> None:
    from shoal.clock import Clock
    from shoal.pipeline.inputs import resolve_roles
    from shoal.policy import Policy
    from shoal.tables import read

    table = read(pl.DataFrame({name: cells}))
    _, resolved = resolve_roles(table, Policy.parse({"columns": {name: {"role": role}}}), Clock())
    assert resolved.columns[name].kind == kind
