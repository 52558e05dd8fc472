"""l and t for single columns: `l={"occupation": 3}` in Python, `-l occupation=3` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.policy.keywords import as_policy
from tests.cli.running import shoal as command

TWO: dict[str, Any] = {"quasi": "age", "sensitive": ["occupation", "income"]}


def people(n: int = 60) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + i % 40 for i in range(n)],
            "occupation": [["cook", "clerk", "nurse", "judge"][i * 7 % 4] for i in range(n)],
            "income": [1000 * (1 + i * 5 % 9) for i in range(n)],
        }
    )


def test_each_column_gets_its_own_and_the_others_nothing():
    policy = as_policy(None, TWO | {"l": {"occupation": 3}, "t": {"income": 0.2}})
    assert policy.diversity is None
    assert policy.closeness is None
    occupation, income = (policy.columns[name] for name in TWO["sensitive"])
    assert occupation.diversity == shoal.Diversity(l=3)
    assert occupation.closeness is None
    assert income.diversity is None
    assert income.closeness is not None
    assert income.closeness.t == 0.2


def test_kinds_are_those_of_the_named_columns_and_a_policy_keeps_what_is_not_named():
    base = as_policy(None, TWO | {"l": 2})
    policy = as_policy(base, {"l": {"occupation": 3}, "l_kind": "entropy"})
    assert policy.diversity_of("occupation") == shoal.Diversity(l=3, kind="entropy")
    assert policy.diversity_of("income") == shoal.Diversity(l=2)
    again = as_policy(policy, {"l": {"occupation": 4}})
    assert again.diversity_of("occupation") == shoal.Diversity(l=4, kind="entropy")


def test_a_quasi_identifier_is_sensitive_by_its_own_l():
    policy = as_policy(None, {"quasi": ["age", "occupation"], "l": {"occupation": 3}})
    assert policy.sensitive_quasi == ["occupation"]
    both = as_policy(None, {"quasi": ["age", "occupation"], "sensitive": "occupation", "l": {"occupation": 3}})
    assert both.sensitive_quasi == ["occupation"]
    assert both.diversity is None


def test_a_name_without_a_role_and_a_value_out_of_range_are_one_sentence():
    with pytest.raises(SchemaError, match="salary, which has no role"):
        as_policy(None, TWO | {"l": {"salary": 2}})
    with pytest.raises(ParameterError):
        as_policy(None, TWO | {"t": {"income": 2}})
    with pytest.raises(ParameterError, match="sensitive column or a quasi-identifier"):
        as_policy(None, {"quasi": "age", "other": "ward", "l": {"ward": 2}})


def test_a_release_meets_what_is_asked_of_each():
    release = shoal.anonymize(people(), **TWO, k=4, l={"occupation": 3}, t={"income": 0.3})
    claims = {(claim.criterion, claim.column, claim.claimed) for claim in release.certificate.claims}
    assert claims == {
        ("k-anonymity", None, 4),
        ("l-diversity", "occupation", 3),
        ("t-closeness", "income", 0.3),
    }


def test_the_flags_say_the_same(tmp_path: Path):
    people().write_csv(tmp_path / "people.csv")
    call = ["anonymize", str(tmp_path / "people.csv"), "-o", str(tmp_path / "out"), "-k", "4", "--quasi", "age",
            "--sensitive", "occupation,income"]  # fmt: skip
    done = command(*call, "-l", "occupation=3", "-l", "income=2", "-t", "income=0.3", "--json")
    assert done.code == 0, done.err
    claims = {(one["criterion"], one["column"], one["claimed"]) for one in done.json["claims"]}
    assert claims == {
        ("k-anonymity", None, 4),
        ("l-diversity", "income", 2),
        ("l-diversity", "occupation", 3),
        ("t-closeness", "income", 0.3),
    }
    policy = json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]["columns"]
    assert policy["occupation"]["diversity"]["l"] == 3
    for wrong in (["-l", "many"], ["-l", "occupation=many"], ["-l", "2", "-l", "occupation=3"]):
        refused = command(*call, *wrong)
        assert refused.code == 2
        assert "-l 2" in refused.err or "occupation=3" in refused.err
    assert command(*call, "-l", "2").code == 0
