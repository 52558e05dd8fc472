"""`pairs` and `triples` as methods of a policy: each for its own k, from the table to the command."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from tests.cli.running import Ran
from tests.cli.running import shoal as run

KINDS = {"pairs": 2, "triples": 3}


@pytest.fixture
def table() -> pl.DataFrame:
    chance = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": chance.integers(20, 60, 41),
            "town": chance.choice(["Ulm", "Bonn", "Jena", "Hof"], 41),
            "ill": chance.choice(["flu", "gout", "cold"], 41),
        }
    )


@pytest.mark.parametrize(("method", "k"), KINDS.items())
@pytest.mark.parametrize("columns", [["age"], ["age", "town"]])
def test_a_factor_is_published_and_verified_with_the_ratio_of_its_theorem(table, method, k, columns):
    own = table.select(*columns, "ill")
    release = shoal.anonymize(own, k=k, quasi=columns, sensitive=["ill"], method=method, seed=1)
    assert release.findings.holds
    halves = columns == ["age"]
    ratio = {"pairs": (Fraction(3, 2), 2), "triples": (2, 3)}[method][0 if halves else 1]
    proved = release.partition
    assert (proved.method, proved.ratio_proved) == (method, ratio)
    assert proved.theorem == f"{method.upper()}-{1 if halves else 2}"
    assert proved.sizes.min() >= k
    assert proved.lower_bound <= proved.cost <= proved.theorem_cost <= float(ratio) * proved.lower_bound


def anonymized(table: pl.DataFrame, folder: Path, *options: str) -> Ran:
    """`shoal anonymize` of the table into `folder / "out"`."""
    table.write_csv(folder / "table.csv")
    roles = ["--quasi", "age,town", "--sensitive", "ill"]
    return run("anonymize", folder / "table.csv", "--out", folder / "out", *roles, *options)


@pytest.mark.parametrize(("method", "k"), [("pairs", 3), ("pairs", 5), ("triples", 2), ("triples", 4)])
def test_another_k_is_one_sentence_with_the_way_out(table, method, k, tmp_path: Path):
    with pytest.raises(ParameterError, match=f"method={method} makes groups of at least {KINDS[method]}") as err:
        shoal.anonymize(table, k=k, quasi=["age", "town"], sensitive=["ill"], method=method)
    assert f"the policy asks for {k}" in str(err.value)
    assert "method=forest" in str(err.value)
    told = anonymized(table, tmp_path, "-k", str(k), "--method", method)
    assert told.code == 2
    assert told.is_one_sentence
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("method", "k"), KINDS.items())
def test_the_command_publishes_a_factor(table, method, k, tmp_path: Path):
    assert anonymized(table, tmp_path, "-k", str(k), "--method", method, "-q").code == 0
    counts = pl.read_csv(tmp_path / "out" / "release.csv").group_by("age", "town").len()["len"]
    assert counts.min() >= k


def test_compare_shows_every_method_of_generalization_with_its_loss_where_it_applies(table):
    methods = ["forest", "pairs", "triples", "mondrian", "mondrian-relaxed", "full-domain", "datafly"]
    found = shoal.compare(table, k=[2, 3, 5], methods=methods, quasi=["age", "town"], sensitive=["ill"], seed=1)
    shown = {(trial.method, trial.k) for trial in found.trials}
    anywhere = {(name, k) for name in methods for k in (2, 3, 5) if name not in KINDS}
    assert shown == anywhere | {("pairs", 2), ("triples", 3)}
    assert all(0 < trial.loss < 1 for trial in found.trials)
    with pytest.raises(ParameterError, match="method=pairs makes groups of at least 2"):
        shoal.compare(table, k=[5], methods=["pairs"], quasi=["age", "town"], sensitive=["ill"])
