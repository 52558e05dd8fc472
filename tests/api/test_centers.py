"""Groups published as centers: the paper's figures through the front door, and outliers that are left out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal

# Figure 1 a of the paper, with alpha = 20, beta = 1, gamma = 90, delta = 60.
FIGURE_1 = pl.DataFrame(
    {
        "age": [20, 22, 60, 60, 60],
        "place": [1, 1, 93, 90, 87],
        "disease": ["Flu", "Flu", "Hypertension", "Flu", "Cold"],
    }
)
PLAIN = {
    "k": 2,
    "columns": {
        "age": {"role": "quasi", "scale": 1.0},
        "place": {"role": "quasi", "scale": 1.0},
        "disease": {"role": "sensitive"},
    },
}


def rows(method: str) -> list[tuple[object, ...]]:
    return shoal.anonymize(FIGURE_1, PLAIN, method=method, seed=1).table.sort("age", "place").rows()


def test_figure_1_c_gather_publishes_center_people_diseases_and_the_largest_radius_only():
    first, second = rows("gather")
    assert first[0] in (20, 22)
    assert first[1:] == (1, 2, 3.0, "Flu: 2")
    assert second == (60, 90, 3, 3.0, "Cold: 1; Flu: 1; Hypertension: 1")


def test_figure_1_d_cells_publish_each_their_own_radius():
    first, second = rows("cellular")
    assert first[0] in (20, 22)
    assert first[1:] == (1, 2, 2.0, "Flu: 2")  # around one of the two; around their midpoint the figure has 1
    assert second == (60, 90, 3, 3.0, "Cold: 1; Flu: 1; Hypertension: 1")


@pytest.mark.parametrize("method", ["gather", "cellular"])
def test_a_published_radius_reaches_everybody_and_gives_no_distance_away_exactly(method: str):
    rng = np.random.default_rng(2)
    table = pl.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60)})
    release = shoal.anonymize(table, k=4, quasi=["x", "y"], method=method, seed=1)
    exact, shown = release.partition.radii, release.table["radius"].to_numpy()
    if method == "gather":
        exact = np.full(len(shown), exact.max())
    assert (np.sort(shown) >= np.sort(exact)).all()
    assert (np.sort(shown) <= 1.01 * np.sort(exact)).all()
    assert not np.isin(shown, exact).any()
    assert all(float(f"{radius:.3g}") == radius for radius in shown)


def test_figure_3_a_5_cell_distorts_4_entries_where_5_anonymity_hides_20():
    table = pl.DataFrame(np.vstack((np.ones(4), 1 - np.eye(4))).astype(int), schema=["a", "b", "c", "d"])
    columns = {name: {"role": "quasi", "kind": "label"} for name in table.columns}
    hidden = shoal.anonymize(table, {"k": 5, "columns": columns}, publication="suppress", seed=1).table
    assert sum((hidden[name] == "*").sum() for name in hidden.columns) == 20
    cell = shoal.anonymize(table, {"k": 5, "columns": columns}, method="cellular", seed=1).table
    assert cell.rows() == [("1", "1", "1", "1", 5, 1.0)] or cell.rows() == [(1, 1, 1, 1, 5, 1.0)]
    center = cell.row(0)[:4]
    assert (
        sum(str(value) != str(shown) for row in table.rows() for value, shown in zip(row, center, strict=True)) == 4
    )


@pytest.mark.parametrize("method", ["gather", "cellular"])
def test_groups_that_were_joined_for_l_still_have_a_record_as_center_and_a_radius(method: str):
    table = pl.DataFrame({"x": [0, 1, 2, 3, 50, 51, 52, 53], "d": ["a", "a", "a", "a", "b", "b", "b", "b"]})
    columns = {"x": {"role": "quasi", "scale": 1.0}, "d": {"role": "sensitive", "diversity": {"l": 2}}}
    release = shoal.anonymize(table, {"k": 2, "columns": columns}, method=method, seed=1)
    assert release.partition.theorem is None
    partition, x = release.partition, table["x"].to_numpy()[release.order]
    expected = set()
    for group, center in enumerate(partition.centers):
        members = x[partition.labels == group]
        assert x[center] in members
        assert partition.radii[group] == np.abs(members - x[center]).max() > 40
        radius = partition.radii.max() if method == "gather" else partition.radii[group]
        expected.add((x[center], len(members), radius))
    assert {row[:3] for row in release.table.rows()} == expected


OUTLIERS = [777100071, 777300073, 777900079]


@pytest.fixture(scope="module")
def crowd() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": [*rng.integers(20, 60, 297).tolist(), *OUTLIERS],
            "weight": [*rng.integers(50, 90, 297).tolist(), 50, 90, 70],
            "disease": ["flu", "cold", "asthma"] * 98 + ["flu"] * 3 + ["rarest"] * 3,
        }
    )


ROLES = {"quasi": ["age", "weight"], "sensitive": ["disease"]}


@pytest.mark.parametrize("method", ["gather", "cellular"])
def test_what_leaving_out_outliers_bought_is_told_at_home_and_nobody_left_out_is_in_a_public_file(
    method: str, crowd: pl.DataFrame, tmp_path: Path
):
    release = shoal.anonymize(crowd, k=5, method=method, max_suppressed=0.02, seed=1, **ROLES)
    assert 3 <= release.partition.n_suppressed <= 6
    release.write(tmp_path / "out")
    for file in (tmp_path / "out").rglob("*"):
        text = file.read_text(encoding="utf-8")
        assert not any(secret in text for secret in [*map(str, OUTLIERS), "rarest"])
        assert "left_out" not in text
        assert "theorem_cost" not in text
    private = json.loads((tmp_path / "out.private" / "certificate.json").read_text(encoding="utf-8"))
    curve = private["left_out"]
    assert [point["allowed"] for point in curve] == [0, 0.01, 0.02, 0.05]
    costs = [point["cost"] for point in curve]
    assert costs == sorted(costs, reverse=True)
    assert costs[1] < 0.5 * costs[0]
    assert costs[2] == release.partition.cost
    assert float(private["theorem_cost"]) >= float(private["cost"])
    page = (tmp_path / "out.private" / "report.html").read_text(encoding="utf-8")
    assert "Cost by share of suppressed rows" in page
    assert "Cost before improvement (theorem)" in page
    assert not any(str(secret) in page for secret in OUTLIERS)


def test_without_suppression_there_is_no_curve(crowd: pl.DataFrame):
    release = shoal.anonymize(crowd, k=5, method="gather", seed=1, **ROLES)
    assert release.certificate.left_out == ()
    assert "Cost by share of suppressed rows" not in release.to_html()


def test_a_comparison_sweeps_the_share_that_may_be_left_out(crowd: pl.DataFrame):
    found = shoal.compare(
        crowd, k=[5], methods=["gather", "cellular"], max_suppressed=[0, 0.01, 0.05], seed=1, **ROLES
    )
    assert found.table.select("method", "max_suppressed").rows() == [
        (method, share) for method in ("gather", "cellular") for share in (0, 0.01, 0.05)
    ]
    for method in ("gather", "cellular"):
        costs = found.table.filter(pl.col("method") == method)["cost"].to_list()
        assert costs[0] > costs[1] >= costs[2]
        assert found.table.filter(pl.col("method") == method)["suppressed_share"].max() <= 0.05
    assert "share of rows that may be suppressed" in found.to_html()


def test_one_share_is_a_setting_like_any_other(crowd: pl.DataFrame):
    found = shoal.compare(crowd, k=[5], methods=["gather"], max_suppressed=0.02, seed=1, **ROLES)
    assert found.table["max_suppressed"].to_list() == [0.02]
    assert "share of rows that may be suppressed" not in found.to_html()
