"""What was left out does not show: every end, width, mask, rectangle, radius and legend comes from released rows."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.space.default_hierarchies import round_widths

N, OUT = 120, 6


def people(seed: int = 0, *, salary: int = 9_876_543) -> pl.DataFrame:
    """N people, and OUT who are far from them in every column and share one illness: they will be left out."""
    rng = np.random.default_rng(seed)
    near = {
        "salary": rng.integers(0, 60, N) * 1000,
        "zip": [f"02{code}" for code in rng.integers(10, 50, N)],
        "born": [dt.date(2020, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 900, N)],
        "lat": (47 + rng.random(N)).round(4),
        "lon": (8 + rng.random(N)).round(4),
        "town": [f"T{town:02d}" for town in rng.integers(0, 12, N)],
        "ill": rng.choice(["flu", "cold", "gout"], N),
    }
    far = {
        "salary": [salary + one for one in range(OUT)],
        "zip": ["99" + "9" * 20] * OUT,
        "born": [dt.date(1850, 1, 1)] * OUT,
        "lat": [-33.3221] * OUT,
        "lon": [150.7431] * OUT,
        "town": ["Nowhere", "T00", "T01", "T02", "T03", "T04"],
        "ill": ["flu"] * OUT,
    }
    return pl.concat([pl.DataFrame(near), pl.DataFrame(far)])


def policy(quasi, **asked):
    columns = {name: {"role": "identifier"} for name in people().columns}
    columns |= {name: {"role": "quasi"} | more for name, more in quasi.items()}
    columns["ill"] = {"role": "sensitive"}
    return {"k": 5, "seed": 1, "max_suppressed": 0.1, "diversity": {"l": 2}, "columns": columns} | asked


def released(
    quasi: dict[str, dict], table: pl.DataFrame | None = None, **asked
) -> tuple[shoal.Release, pl.DataFrame]:
    """A release of people of whom those far away are left out, and the rows that it kept."""
    table = people() if table is None else table
    release = shoal.anonymize(table, policy(quasi, **asked))
    kept = np.zeros(len(table), dtype=bool)
    kept[release.order[release.partition.labels >= 0]] = True
    assert not kept[N:].any()
    assert release.findings.holds
    return release, table.filter(kept)


PLACES = {"lat": {"kind": "place", "longitude": "lon"}, "lon": {"kind": "place"}}


@pytest.mark.parametrize("method", ["full-domain", "datafly"])
def test_a_salary_that_was_left_out_widens_no_interval(method):
    release, kept = released({"salary": {}}, method=method)
    cells = set(release.table["salary"])
    assert len(cells) > 3
    widths = {float(high) - float(low) for low, high in (re.findall(r"\d+", cell) for cell in cells)}
    assert widths <= set(round_widths(kept["salary"]))
    other, _ = released({"salary": {}}, people(salary=50_000_000), method=method)
    assert sorted(release.table["salary"]) == sorted(other.table["salary"])


def test_whole_columns_are_those_of_the_released_rows_alone():
    quasi = {"salary": {}, "born": {}, "zip": {"hierarchy": {"prefix": True}}}
    release, kept = released(quasi, method="full-domain")
    alone = shoal.anonymize(kept, policy(quasi, method="full-domain", max_suppressed=0))
    assert sorted(release.table.select(*quasi).rows()) == sorted(alone.table.select(*quasi).rows())
    assert release.partition.theorem is None


@pytest.mark.parametrize("method", ["forest", "full-domain"])
def test_the_length_of_a_code_that_was_left_out_does_not_show(method):
    quasi = {"zip": {"hierarchy": {"prefix": True}}, "salary": {}}
    release, kept = released(quasi, method=method, publication="generalize")
    longest = kept["zip"].str.len_chars().max()
    assert all(len(cell) <= longest for cell in release.table["zip"])
    assert any(cell.endswith("*") for cell in release.table["zip"])


@pytest.mark.parametrize("method", ["gather", "cellular"])
def test_radii_are_in_units_of_the_released_rows(method):
    quasi = {"salary": {}, "born": {}}
    release, kept = released(quasi, people()[:-3], method=method, diversity=None)
    numbers = kept.select("salary", pl.col("born").to_physical()).to_numpy().astype(float)
    scaled = numbers / np.ptp(numbers, axis=0)
    rows = release.order[release.partition.labels >= 0]
    own = people()[rows].select("salary", pl.col("born").to_physical()).to_numpy() / np.ptp(numbers, axis=0)
    labels = release.partition.labels[release.partition.labels >= 0]
    centers = people()[release.order[release.partition.centers]]
    at = centers.select("salary", pl.col("born").to_physical()).to_numpy() / np.ptp(numbers, axis=0)
    radii = np.zeros(len(at))
    np.maximum.at(radii, labels, np.sqrt(((own - at[labels]) ** 2).sum(axis=1)))
    shown = release.table["radius"].to_numpy()
    assert (shown >= radii.max() * (1 - 1e-9)).all() if method == "gather" else True
    assert shown.max() == pytest.approx(radii.max(), rel=0.02)
    there = {tuple(row) for row in kept.select(*quasi).rows()}
    assert set(release.table.select(*quasi).rows()) <= there
    assert len(scaled) == len(kept)


def test_a_legend_and_its_classes_are_those_of_the_released_rows():
    quasi = {"town": {"classes": 20}, "salary": {}}
    release, kept = released(quasi)
    alone = shoal.anonymize(kept, policy(quasi, max_suppressed=0))
    assert release.published.legends == alone.published.legends
    assert "Nowhere" not in release.legend_json()


def test_rectangles_are_cut_from_the_released_places(tmp_path):
    release, kept = released(PLACES | {"salary": {}})
    for name in ("lat", "lon"):
        ends = [float(end) for cell in release.table[name] for end in re.findall(r"-?[\d.]+", cell)]
        assert kept[name].min() - 0.1 <= min(ends)
        assert max(ends) <= kept[name].max() + 0.1
    release.write(tmp_path / "out")
    told = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    assert not re.search(r"-33|150\.7|9876543|Nowhere", told)


def test_where_the_others_need_who_was_left_out_all_are_kept(tmp_path):
    edges = tmp_path / "neighbors.csv"
    edges.write_text("one,other\n" + "".join(f"T{a:02d},T{a + 1:02d}\n" for a in range(11)) + "Nowhere,Elsewhere\n")
    table = people().with_columns(
        pl.when(pl.int_range(N + OUT) < N).then("town").otherwise(pl.lit("Nowhere")).alias("town")
    )
    release = shoal.anonymize(table, policy({"town": {"map": {"edges": edges}}, "salary": {}}))
    assert release.findings.holds
    assert release.partition.n_suppressed == 0


def test_places_hold_under_the_policy_that_was_asked_for(tmp_path):
    release, _ = released(PLACES | {"salary": {}})
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out", policy(PLACES | {"salary": {}})).holds
    assert shoal.verify(tmp_path / "out", tmp_path / "out.private" / "policy.toml").holds
