"""Accepting the proposed policy of a table with codes publishes only codes that exist, in any form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from tests.cli import running

N = 240


def survey() -> pl.DataFrame:
    """A table as a survey exports it: regions, sexes, occupations and marital states as numbers."""
    rng = np.random.default_rng(17)
    return pl.DataFrame(
        {
            "region": rng.choice([111, 112, 113, 114, 221, 222, 223, 331, 332], N),
            "sex": rng.integers(1, 3, N),
            "occupation": rng.choice(np.arange(10, 9_000, 241), N),
            "marital": rng.choice([1.0, 2.0, 3.0, 4.0, 9.0], N),
            "age": rng.integers(18, 95, N),
        }
    )


CODES = ("region", "sex", "occupation", "marital")


def members(cell: str) -> set[str]:
    return set(cell.strip("{}").split(", "))


def test_codes_of_an_accepted_proposal_are_published_as_sets_of_codes_that_exist(tmp_path: Path) -> None:
    file, policy, out = tmp_path / "survey.csv", tmp_path / "policy.toml", tmp_path / "out"
    survey().write_csv(file)
    assert running.shoal("profile", file, "--write", policy).code == 0
    assert 'kind = "label"' in policy.read_text(encoding="utf-8")
    assert running.shoal("anonymize", file, "--policy", policy, "--out", out).code == 0
    released = pl.read_csv(out / "release.csv", infer_schema=False)
    for name in CODES:
        known = set(pl.read_csv(file, infer_schema=False)[name])
        shown = set().union(*map(members, released[name].unique()))
        assert shown <= known, name
    assert released["age"].str.contains(r"^(\[\d+, \d+\]|\d+)$").all()


@pytest.mark.parametrize("form", ["auto", "aggregate", "generalize", "suppress"])
def test_without_a_policy_no_form_publishes_a_code_that_does_not_exist(form: str) -> None:
    table = survey()
    release = shoal.anonymize(table, quasi=table.columns, k=4, publication=form, effort=5, seed=1)
    for name in CODES:
        known = set(table[name].cast(pl.String)) | {"*"}
        shown = set().union(*map(members, release.table[name].cast(pl.String).unique()))
        assert shown <= known, name


def test_a_note_says_what_was_taken_as_a_code_and_how_to_change_it(tmp_path: Path) -> None:
    file = tmp_path / "survey.csv"
    survey().write_csv(file)
    flags = [flag for name in survey().columns for flag in ("--quasi", name)]
    told = running.shoal("anonymize", file, "--out", tmp_path / "out", *flags, "--effort", "5")
    assert "region: its name says that it is a code" in told.out + told.err
    assert 'kind = "number"' in told.out + told.err


def test_a_policy_that_says_number_gets_numbers() -> None:
    table = survey().select("region", "age")
    policy = {"k": 4, "seed": 1, "columns": {"region": {"role": "quasi", "kind": "number"}, "age": {"role": "quasi"}}}
    assert shoal.anonymize(table, policy).published.form == "aggregate"
