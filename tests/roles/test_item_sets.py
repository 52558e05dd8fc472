"""Columns with several items in one cell are recognized by how items recur, and nothing else is taken for one."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal


def cells(choices: list[str], separator: str, n: int = 200, seed: int = 0) -> list[str]:
    chance = np.random.default_rng(seed)
    return [separator.join(chance.choice(choices, chance.integers(1, 5), replace=False)) for _ in range(n)]


def proposed(values: list[str], name: str = "diagnoses") -> shoal.Column:
    return shoal.profile(pl.DataFrame({name: values, "age": list(range(len(values)))})).policy.columns[name]


CODES = [f"{letter}{number:02d}" for letter in "EIJ" for number in range(10)]
DRUGS = ["insulin", "aspirin", "metformin", "statin", "ibuprofen", "heart rate monitor"]


def test_sets_are_proposed_as_quasi_identifiers_with_their_separator() -> None:
    for separator in (";", "|", ", "):
        found = proposed(cells(CODES, separator))
        assert (found.role, found.kind, found.separator) == ("quasi", "set", separator.strip())
        assert found.hierarchy is not None
    assert proposed(cells(DRUGS, ";"), "drugs").kind == "set"


def test_the_reason_says_the_evidence_and_no_item() -> None:
    profile = shoal.profile(pl.DataFrame({"drugs": cells(DRUGS, ";")}))
    assert "several of 6 items, separated by ';'" in profile.columns[0].reason
    assert not any(drug in profile.columns[0].reason for drug in DRUGS)


def test_names_numbers_parts_and_sentences_are_no_sets() -> None:
    chance = np.random.default_rng(0)
    first, last = chance.choice(["John", "Anna", "Eva"], 200), chance.choice(["Smith", "Miller", "Jones"], 200)
    assert proposed([f"{b}, {a}" for a, b in zip(first, last, strict=True)], "who").kind != "set"
    assert proposed(cells(["Anna", "Ben", "Clara", "David", "Eva"], ";"), "children").kind != "set"
    assert proposed([f"{a},{b}" for a, b in chance.integers(0, 9, (200, 2))], "weight").kind != "set"
    towns = ["Boston", "Leeds"] * 100
    streets = [f"{a}, {b}" for a, b in zip(chance.choice(["Main Street", "Hill"], 200), towns, strict=True)]
    assert proposed(streets, "where").kind != "set"
    assert proposed([f"came in at {n}; left at {n + 5}, fine" for n in range(200)], "remarks").kind != "set"


def test_of_two_sets_one_is_proposed_and_the_other_asked_about() -> None:
    profile = shoal.profile(pl.DataFrame({"diagnoses": cells(CODES, ";"), "drugs": cells(DRUGS, "|")}))
    assert [column.role for column in profile.policy.columns.values()] == ["quasi", "identifier"]
    assert "only one quasi-identifier can be a set" in dict(profile.questions)["drugs"]
    assert profile.policy.set_column == "diagnoses"
