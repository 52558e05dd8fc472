"""What Spark counts is what the verifier counts, also on random tables and on tables broken on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certify.formulas import hierarchical_distance, ordered_distance
from shoal.certify.spark.measures import cumulative_distance
from shoal.engines.spark.engine import SparkEngine
from shoal.errors import EngineError, ParameterError
from tests.spark_cluster import SOCKETS, Cluster

pytestmark = SOCKETS

CELLS = ["[1, 2]", "{a, b} or missing", None, "", "*", "1:x", "-", "1", "1.0"]


def as_spark(engine: SparkEngine, frame: pl.DataFrame) -> Any:
    kinds = ", ".join(f"`{name}` {'double' if frame.schema[name].is_float() else 'string'}" for name in frame.columns)
    return engine.session.createDataFrame(frame.rows(), kinds)


def random_table(seed: int, n_rows: int, *, people: bool) -> pl.DataFrame:
    """Few different cells, so that classes are of all sizes; every kind of sensitive value; missing cells."""
    random = np.random.default_rng(seed)

    def some(cells: list[Any]) -> list[Any]:
        return [cells[place] for place in random.integers(0, len(cells), n_rows)]

    frame = pl.DataFrame(
        {
            "age": some(CELLS[: int(random.integers(1, 5))]),
            "Age": some(CELLS[int(random.integers(0, 8)) :]),
            "ill": some(["flu", "cold", "gout", None, "1", "1.0", " "]),
            "pay": some([10.5, 20.0, 30.25, 1e20, None]),
            "job": some(["a1", "a2", "b1", None]),
            "town": some(["x", "y", "z", "z", "z", None]),
        },
        schema_overrides=dict.fromkeys(("age", "Age", "ill", "job", "town"), pl.String),
    )
    if people:
        numbers = [str(number) for number in random.integers(1, 4, n_rows)]
        frame = frame.with_columns(who=pl.Series(numbers))
    return frame


def random_policy(seed: int, *, people: bool) -> dict[str, Any]:
    """Requirements of every kind, some of which hold."""
    random = np.random.default_rng([7, seed])

    def one(*choices: Any) -> Any:
        return choices[int(random.integers(0, len(choices)))]

    kinds = [
        {"l": 2},
        {"l": 1.5, "kind": "frequency"},
        {"l": 1.5, "kind": "entropy"},
        {"l": 2, "kind": "recursive", "c": 1.5},
    ]
    kinds = [kinds[place] | {"count_missing": bool(random.integers(0, 2))} for place in random.permutation(4)]
    columns = {
        "age": {"role": "quasi"},
        "Age": {"role": "quasi"},
        "ill": {"role": "sensitive", "diversity": kinds[0], "closeness": {"t": 0.3, "distance": "equal"}},
        "pay": {"role": "sensitive", "diversity": kinds[1], "closeness": {"t": 0.3, "distance": "ordered"}},
        "job": {
            "role": "sensitive",
            "diversity": kinds[2],
            "closeness": {"t": 0.3, "distance": "hierarchical"},
            "hierarchy": {"prefix": True},
        },
        "town": {
            "role": "sensitive",
            "diversity": kinds[3],
            "disclosure": one(
                {"alpha": 0.6, "values": ["z"]}, {"beta": 1.0, "kind": one("basic", "enhanced")}, {"delta": 1}
            ),
        },
    }
    if people:
        columns["who"] = {"role": "person"}
    keys = one({}, {"keys": {"first": {"columns": ["age"], "k": 3}}})
    return {"k": 2, "columns": columns, **keys}


def assert_same_findings(found: shoal.Findings, want: shoal.Findings) -> None:
    assert (found.rows, found.groups, found.k, found.form, found.unit) == (
        want.rows, want.groups, want.k, want.form, want.unit,
    )  # fmt: skip
    assert found.l == pytest.approx(want.l, abs=2e-9)
    assert found.t == pytest.approx(want.t, abs=2e-9)
    assert [(one.name, one.kind, one.holds) for one in found.claims] == [
        (one.name, one.kind, one.holds) for one in want.claims
    ]
    assert [one.measured for one in found.claims] == pytest.approx([one.measured for one in want.claims], abs=2e-9)
    assert [(one.check, one.column, one.groups, one.records) for one in found.failures] == [
        (one.check, one.column, one.groups, one.records) for one in want.failures
    ]
    assert [one.message.split(";")[0] for one in found.failures] == [
        one.message.split(";")[0] for one in want.failures
    ]


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.deep) for seed in (0, *range(2, 150)))])
def test_spark_finds_what_the_verifier_finds(spark: SparkEngine, seed: int) -> None:
    people = seed % 2 == 1
    frame, policy = random_table(seed, 8 + 5 * (seed % 7), people=people), random_policy(seed, people=people)
    found = shoal.verify(as_spark(spark, frame), policy, form="generalize")
    assert_same_findings(found, shoal.verify(frame, policy, form="generalize"))


def test_a_table_broken_on_purpose_is_refused(spark: SparkEngine) -> None:
    """Each of these passes for more than it is where nulls are skipped, or where a text is read too kindly."""
    policy = {
        "k": 2,
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive", "diversity": {"l": 2}}},
    }
    person = {"k": 2, "columns": policy["columns"] | {"who": {"role": "person"}}}
    plain = {  # missing is not empty, and no second value; nor is another spelling
        "age": ["a", "a", None, "", "b", "b", "c", "c", "d", "d"],
        "ill": ["x", "y", "x", "y", "x", None, "1", "1.0", "x", "y"],
        "name": ["Ann", *[None] * 9],
    }
    numbered = {  # one person spelled in two ways, a missing person, and one person twice
        "age": ["a", "a", "b", "b", "c", "c", "d", "d"],
        "ill": ["x", "y"] * 4,
        "who": ["1", "1\n", "1", None, "1", "1", "1", "2"],
    }
    wrong = []
    tables: list[tuple[dict[str, Any], dict[str, Any]]] = [(plain, policy), (numbered, person)]
    for cells, asked in tables:
        frame = pl.DataFrame(cells, schema_overrides=dict.fromkeys(cells, pl.String))
        found = shoal.verify(as_spark(spark, frame), asked, form="generalize")
        assert_same_findings(found, shoal.verify(frame, asked, form="generalize"))
        wrong.append([(failure.check, failure.groups) for failure in found.failures])
    assert wrong[0] == [("columns", 0), ("k-anonymity", 2), ("l-diversity", 4)]
    assert wrong[1] == [("person", 2), ("k-anonymity", 1)]


@pytest.mark.deep
def test_a_release_is_verified_on_a_cluster_with_its_whole_folder(
    spark: SparkEngine, spark_cluster: Cluster, tmp_path: Path
) -> None:
    from shoal.datasets import hospital

    table = hospital(200).select("birth_date", "sex", "diagnosis")
    release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis", l=2)
    release.write(tmp_path / "out", format="parquet")
    found = shoal.verify(tmp_path / "out", engine="spark", master=spark_cluster.master)
    assert found == shoal.verify(tmp_path / "out")
    assert found.holds
    assert found.files
    (tmp_path / "out" / "more.txt").write_text("x")
    assert not shoal.verify(tmp_path / "out", engine="spark", master=spark_cluster.master).holds


def test_what_spark_does_not_count_is_said(spark: SparkEngine, tmp_path: Path) -> None:
    policy = {"k": 2, "columns": {"age": {"role": "quasi"}}}
    frame = as_spark(spark, pl.DataFrame({"age": ["1", "1"]}))
    with pytest.raises(ParameterError, match="one row for each group"):
        shoal.verify(frame, policy, form="centers")
    with pytest.raises(ParameterError, match="a preset is not checked on Spark"):
        shoal.verify(frame, policy, preset="hipaa-safe-harbor")
    with pytest.raises(ParameterError, match="needs the address of the cluster"):
        shoal.verify(tmp_path, policy, engine="spark")
    with pytest.raises(ParameterError, match="master is for Spark"):
        shoal.verify(tmp_path, policy, master="local[1]")


@pytest.mark.parametrize("seed", range(200))
def test_the_forms_that_spark_computes_are_those_of_the_verifier(seed: int) -> None:
    """Sums of cumulative distances, and means over the levels of a tree, beside quantiles and moves at nodes."""
    random = np.random.default_rng(seed)
    m, n_classes = int(random.integers(2, 9)), int(random.integers(1, 6))
    held = random.integers(0, 4, (n_classes, m))
    held[np.arange(n_classes), random.integers(0, m, n_classes)] += 1
    of_class, value = np.nonzero(held)
    pairs = pl.DataFrame({"class": of_class, "value": value, "held": held[of_class, value]})
    totals = held.sum(axis=0)
    ranks = np.cumsum(totals > 0) - 1
    reached = np.cumsum(totals[totals > 0]) / totals.sum()
    ends = np.cumsum((held > 0).sum(axis=1))
    if len(reached) > 1:
        found = cumulative_distance(reached, ranks[value], pairs["held"].to_numpy(), ends)
        want = ordered_distance(pairs).sort("class")["measure"].to_numpy()
        np.testing.assert_allclose(found, want, atol=1e-12)
    leaves = np.arange(m)
    levels = [leaves, leaves // 2, leaves // 4, np.zeros(m, dtype=np.int64)]
    values = pl.DataFrame({"value": leaves})
    want = hierarchical_distance(pairs, values, levels).sort("class")["measure"].to_numpy()
    shares, whole = held / held.sum(axis=1, keepdims=True), totals / totals.sum()
    found = np.zeros(n_classes)
    for level in levels[:-1]:
        nodes = np.eye(m)[:, : level.max() + 1] * 0
        nodes[leaves, level] = 1
        found += np.maximum(shares @ nodes - whole @ nodes, 0).sum(axis=1) / (len(levels) - 1)
    np.testing.assert_allclose(found, want, atol=1e-12)


def test_a_cell_that_breaks_a_worker_is_not_shown(spark: SparkEngine) -> None:
    frame = spark.session.sql("select 'a cell of Jane Doe' as age, named_struct('x', 'Jane Doe') as other")
    with pytest.raises((EngineError, shoal.TableError)) as raised:
        shoal.verify(frame, {"k": 2, "columns": {"age": {"role": "quasi"}, "other": {"role": "other"}}})
    assert "Jane" not in str(raised.value)
