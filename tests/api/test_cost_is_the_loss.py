"""What the search minimizes, what the bound is about, what is measured and what is reported are one cost.

Whatever is minimized over cells, the cost in the certificate is the sum over rows and columns of what the published
cells lose, times the weight of the column: computed here from the measures, which look at the published cells alone.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from tests.fixed_secret import secret

MEASURE = {"ncp": "ncp", "information": "information", "levels": "level"}


def a_policy(rng: np.random.Generator, n: int) -> tuple[pl.DataFrame, dict[str, dict]]:
    """A random table with columns of every kind, and the settings of its columns."""
    sizes = ["none", "few", "some", "many", "all"]
    made = {
        "age": (rng.integers(0, int(rng.choice([3, 30])), n), {"kind": "number"}),
        "income": (np.exp(rng.normal(3, 1, n)).round(int(rng.choice([0, 2]))), {"kind": "number"}),
        "day": (pl.Series(rng.integers(0, 400, n)).cast(pl.Date), {"kind": "date"}),
        "size": ([sizes[i] for i in rng.integers(1, 4, n)], {"kind": "ordered", "order": sizes}),
        "grade": (rng.choice([1, 2, 4, 9], n), {"kind": "ordered"}),
        "town": ([f"t{i}" for i in rng.zipf(1.5, n) % 40], {"kind": "label", "publish_rare": True}),
        "code": ([f"{i:03d}" for i in rng.integers(0, 300, n)], {"kind": "hierarchy", "hierarchy": {"prefix": True}}),
        "weight": (rng.integers(40, 99, n), {"kind": "hierarchy", "hierarchy": {"widths": [5, 20]}}),
    }
    chosen = rng.choice(list(made), int(rng.integers(1, 5)), replace=False).tolist()
    columns = {
        name: {"role": "quasi", "weight": float(rng.choice([0.5, 1.0, 3.0]))} | made[name][1] for name in chosen
    }
    return pl.DataFrame({name: made[name][0] for name in chosen}), columns


def released(table: pl.DataFrame, columns: dict[str, dict], **asked) -> shoal.Release:
    policy = {"publication": "generalize", "method": "forest", "k": 3, "effort": 5, "columns": columns} | asked
    return shoal.anonymize(table, policy, secret=secret())


def assert_cost_is_loss(release: shoal.Release, measure: str) -> None:
    weights = {name: column.weight for name, column in release.policy.columns.items()}
    lost = sum(weights[one.name] * getattr(one, measure) * release.loss.n_rows for one in release.loss.columns)
    found = release.certificate
    assert float(found.cost) == pytest.approx(lost, rel=1e-9, abs=1e-9)
    assert found.lower_bound is None or found.lower_bound <= found.cost


@pytest.mark.parametrize("loss", ["ncp", "information"])
@pytest.mark.parametrize("method", ["forest", "pairs", "triples", "mondrian", "mondrian-relaxed"])
def test_the_cost_is_what_the_published_cells_lose(loss, method):
    rng = np.random.default_rng(len(loss + method))
    for _ in range(4):
        table, columns = a_policy(rng, 60)
        k = {"pairs": 2, "triples": 3}.get(method, 4)
        assert_cost_is_loss(released(table, columns, method=method, loss=loss, k=k), MEASURE[loss])


@pytest.mark.parametrize("loss", ["ncp", "information"])
def test_the_cost_of_one_level_per_column_is_what_the_published_nodes_lose(loss):
    rng = np.random.default_rng(len(loss))
    for _ in range(4):
        table, columns = a_policy(rng, 60)
        assert_cost_is_loss(released(table, columns, method="full-domain", loss=loss), MEASURE[loss])


def test_a_hidden_cell_costs_everything():
    rng = np.random.default_rng(4)
    for _ in range(4):
        table, columns = a_policy(rng, 60)
        assert_cost_is_loss(released(table, columns, publication="suppress"), "ncp")


@pytest.mark.parametrize("loss", ["ncp", "information"])
def test_a_hierarchy_with_nodes_of_many_sizes_costs_what_its_nodes_lose(loss, tmp_path):
    """Above 64 different numbers of leaves they were rounded up, and the bound exceeded the cost of a release."""
    leaves = [(f"{node:03d}-{leaf:03d}", f"node {node:03d}") for node in range(2, 90) for leaf in range(node)]
    file = tmp_path / "places.csv"
    file.write_text("\n".join(f"{leaf},{node}" for leaf, node in leaves), encoding="utf-8")
    rng = np.random.default_rng(1)
    some = [leaves[i][0] for i in rng.integers(0, len(leaves), 400)]
    columns = {"place": {"role": "quasi", "kind": "hierarchy", "hierarchy": {"file": str(file)}}}
    assert_cost_is_loss(released(pl.DataFrame({"place": some}), columns, loss=loss), MEASURE[loss])


def test_an_order_costs_by_the_places_that_the_policy_lists():
    order = [f"step {i:02d}" for i in range(21)]
    table = pl.DataFrame({"step": [order[i % 5] for i in range(30)], "other": [i // 3 for i in range(30)]})
    columns = {"step": {"role": "quasi", "kind": "ordered", "order": order}, "other": {"role": "quasi"}}
    for loss in ("ncp", "information"):
        assert_cost_is_loss(released(table, columns, loss=loss), MEASURE[loss])
