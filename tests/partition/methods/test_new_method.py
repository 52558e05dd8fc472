"""The recipe of docs/architecture.md is true: a method is its function and one record in the table of methods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.method_table import METHODS, MethodRecord
from shoal.partition import Partition
from shoal.partition.generalization.forest import generalization_cost
from shoal.partition.group_labels import number_groups
from shoal.space import Space

RECORD = MethodRecord(
    name="toy",
    family="generalization",
    objective="generalization",
    function=f"{__name__}:toy",
    summary="records in order, cut into groups of k",
)
ROLES = {"quasi": ["age", "sex"], "sensitive": ["illness"], "identifier": ["name"]}


def toy(space: Space, k: int) -> Partition:
    """Records sorted by their values; every k of them are a group, and the last one has those that remain."""
    groups = np.arange(len(space)) // k
    groups[groups == len(space) // k] -= 1
    labels = np.empty(len(space), dtype=np.int64)
    labels[np.lexsort(space.coordinates.T)] = groups
    return Partition(
        labels=number_groups(labels),
        method="toy",
        objective="generalization",
        cost=generalization_cost(space, labels),
    )


@pytest.fixture(autouse=True)
def in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "toy", RECORD)


def people() -> pl.DataFrame:
    n = 60
    return pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(n)],
            "age": [20 + (i * 37) % 50 for i in range(n)],
            "sex": ["fm"[i % 2] for i in range(n)],
            "illness": [["flu", "asthma", "fracture"][(i * i) % 3] for i in range(n)],
        }
    )


@pytest.mark.parametrize("more", [{}, {"l": 2}, {"publication": "suppress"}], ids=["k", "l", "suppress"])
def test_a_new_method_makes_releases_that_are_verified(tmp_path, more) -> None:
    policy = shoal.Policy.loads('method = "toy"')
    assert shoal.Policy.loads(policy.dumps()).method == "toy"
    release = shoal.anonymize(people(), policy, k=4, **ROLES, **more)
    assert release.choice.reason == "toy was asked for"
    release.write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out" / "release.csv", release.policy)
    assert found.holds
    assert found.k >= 4
    assert release.certificate.method == "toy"


@pytest.mark.parametrize("exchanges", ["always", "never"])
def test_the_record_says_whether_records_are_exchanged_after_it(monkeypatch, exchanges) -> None:
    monkeypatch.setitem(METHODS, "toy", replace(RECORD, exchanges=exchanges))
    one_ill = people().with_columns(illness=pl.Series(["flu", "asthma"] * 10 + ["flu"] * 40))
    release = shoal.anonymize(one_ill, method="toy", k=4, l=2, **ROLES)
    assert any("moved a little by chance" in note for note in release.partition.notes) == (exchanges == "always")


def test_the_record_says_which_k_it_is_for(monkeypatch) -> None:
    monkeypatch.setitem(METHODS, "toy", replace(RECORD, only_k=2))
    with pytest.raises(shoal.ParameterError, match="makes groups of at least 2; the policy asks for 4"):
        shoal.anonymize(people(), method="toy", k=4, **ROLES)
    compared = shoal.compare(people(), k=[2, 4], methods=["toy", "mondrian"], **ROLES)
    assert [(one.method, one.k) for one in compared.trials] == [("toy", 2), ("mondrian", 2), ("mondrian", 4)]


def test_without_a_record_there_is_no_such_method(monkeypatch) -> None:
    monkeypatch.delitem(METHODS, "toy")
    with pytest.raises(shoal.ParameterError, match="method: input should be 'auto'"):
        shoal.Policy.loads('method = "toy"')
