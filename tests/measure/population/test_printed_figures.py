"""Risk of single people beside the figures that the practice guide of sdcMicro prints for its example of ten people.

T. Benschop, C. Machingauta, M. Welch: Statistical Disclosure Control, A Practice Guide (IHSN), tables 4.1 and 4.5.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measure.population import minimal_uniques

KEYS = ["residence", "gender", "education", "labor"]
PEOPLE = pl.DataFrame(
    [
        ("urban", "f", "secondary incomplete", "employed", 180),
        ("urban", "f", "secondary incomplete", "employed", 180),
        ("urban", "f", "primary incomplete", "non-LF", 215),
        ("urban", "m", "secondary complete", "employed", 76),
        ("rural", "f", "secondary complete", "unemployed", 186),
        ("urban", "m", "secondary complete", "employed", 76),
        ("urban", "f", "primary complete", "non-LF", 180),
        ("urban", "m", "post-secondary", "unemployed", 215),
        ("urban", "f", "secondary incomplete", "non-LF", 186),
        ("urban", "f", "secondary incomplete", "non-LF", 76),
    ],
    schema=[*KEYS, "weight"],
    orient="row",
)
RISK = [0.0054, 0.0054, 0.0251, 0.0126, 0.0282, 0.0126, 0.0290, 0.0251, 0.0074, 0.0074]
SCORE = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
DIS = [0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0]


def test_individual_risks_are_those_that_are_printed() -> None:
    found = shoal.population_risk(PEOPLE, quasi=KEYS, weight="weight").rows
    assert found is not None
    assert [round(one, 4) for one in found["individual_risk"]] == RISK
    assert found["individual_risk"].mean() == pytest.approx(0.01582, abs=5e-6)  # the global risk


def test_scores_of_special_uniques_are_those_that_are_printed() -> None:
    found = shoal.population_risk(PEOPLE.drop("weight"), quasi=KEYS, population=1000, size=3).rows
    assert found is not None
    assert found["special_score"].to_list() == SCORE


def test_dis_scores_are_those_that_are_printed() -> None:
    """The guide's are spread by older scores (`original_scores = FALSE`), a sampling fraction of one percent.

    By these a minimal set of one of four columns counts 7/4, and one of two columns 1/2.
    """
    codes = np.stack([PEOPLE[name].rank("dense").to_numpy().astype(np.int64) for name in KEYS], axis=1)
    older = np.array([0, 0, 1.75, 0, 1.75 + 3 * 0.5, 0, 1.75, 1.75 + 2 * 0.5, 0, 0])
    assert minimal_uniques._dis(codes, older, 0.01) == pytest.approx(DIS, abs=5e-5)
