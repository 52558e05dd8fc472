"""The paper's experiments run, and show what the paper shows."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.bench.mst import page, ratios, run, simulated


def test_the_simulated_sets_have_the_sizes_of_section_4():
    assert simulated(9)[0].shape == (20000, 10)
    assert simulated(20)[0].shape == (10000, 200)
    assert simulated(21)[0].shape == (1600, 10)
    points, cluster = simulated(1)
    assert 10 <= np.bincount(cluster).min() <= np.bincount(cluster).max() <= 100
    off = points - np.array([points[cluster == c].mean(axis=0) for c in range(200)])[cluster]
    assert off.std() == pytest.approx(0.01, rel=0.05)


def test_clusters_of_other_sizes_than_k_cost_the_fixed_size_methods_a_hundredfold():
    rows = {(row.data, row.what): row.measured for row in run(tables=(8,))}
    for number, multiple in ((21, True), (22, False), (25, True), (26, False)):
        fixed = min(rows[f"SIM_{number}", m] for m in ("D", "C"))
        tree = min(rows[f"SIM_{number}", m] for m in ("M-d", "M-c"))
        assert (fixed / tree < 2) == multiple
        assert (fixed / tree > 50) != multiple


@pytest.mark.deep
def test_figure_3_falls_from_far_above_1_to_below_1():
    rows = run(tables=(7,))
    measured = ratios(rows)["measured"]
    assert measured[0] > 30
    assert measured[-1] < 1
    assert "<polyline" in page(rows)


@pytest.mark.shared_data
def test_the_page_shows_printed_and_measured_figures(shared_data):
    rows = run(shared_data, tables=(6,))
    text = page(rows)
    assert text.count("<tr><td>") == len(rows) == 24
    assert "10.23" in text
    assert "http" not in text
