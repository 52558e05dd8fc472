"""The paper's experiments run, and show what the paper shows."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import TableError
from shoal.papers import mst_printed as printed
from shoal.papers.mst import Row, ratios, run, simulated
from shoal.papers.mst_page import page


def test_the_simulated_sets_have_the_sizes_of_section_4():
    assert simulated(9)[0].shape == (20000, 10)
    assert simulated(20)[0].shape == (10000, 200)
    assert simulated(21)[0].shape == (1600, 10)
    points, cluster = simulated(1)
    assert 10 <= np.bincount(cluster).min() <= np.bincount(cluster).max() <= 100
    off = points - np.array([points[cluster == c].mean(axis=0) for c in range(200)])[cluster]
    assert off.std() == pytest.approx(0.01, rel=0.05)


def test_a_folder_without_the_data_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(TableError, match=r"^Tarragona\.csv is not in the folder\.") as refused:
        run(tmp_path, tables=(6,))
    assert "Census.csv" in str(refused.value.hint)


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
    assert text.count("<small>") == len(rows) == 24
    assert text.count("<tr><td>") == 12
    assert "<small>10.23</small>10.23" in text
    assert "http" not in text


def test_the_page_has_all_tables_the_chart_and_what_to_know_of_odd_figures():
    rows = [
        Row(7, f"SIM_{number}", 4, what, figures[number - 1], 2 * figures[number - 1])
        for number in range(1, 9)
        for what, figures in printed.TABLE_7.items()
    ]
    rows += [Row(table, "SIM_9", 4, "M", 1.0, 2.0) for table in (5, 6, 8, 9, 10)]
    text = page(rows)
    assert text.count("<h2>Table") == 6
    assert text.count("<polyline") == 2
    assert "38.65" in text


def test_the_phases_of_table_9_add_up_as_printed():
    for total, tree, cutting in zip(*printed.TABLE_9.values(), strict=True):
        assert total == pytest.approx(tree + cutting, abs=2)


@pytest.mark.deep
def test_twenty_thousand_points_take_seconds_where_the_paper_took_minutes():
    rows = run(tables=(9,))
    assert [row.what for row in rows[:3]] == ["M, total, s", "M, tree, s", "M, cutting, s"]
    assert all(row.measured < row.printed / 20 for row in rows)
