"""The paper's experiments run, and show what the paper shows."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import TableError
from shoal.papers import mst_printed as printed
from shoal.papers.mst import Row, n_partitions, ratios, run, simulated
from shoal.papers.mst_page import page
from shoal.partition.microaggregation.mst import spanning_tree
from tests.oracles.groupings import groupings


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
    rows += [Row(table, "SIM_9", 4, "M", 1.0, 2.0) for table in (5, 6, 8, 9, 10, 11)]
    text = page(rows)
    assert text.count("<h2>Table") == 7
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


def test_table_11_is_as_printed_and_counts_what_is_enumerated():
    rows = run(tables=(11,))
    assert len(rows) == 24
    for row in rows:
        assert row.measured == pytest.approx(row.printed, rel=0 if row.printed < 1e12 else 5e-4), row
    for n in range(1, 10):
        for k in (2, 3, 4):
            small = [blocks for blocks in groupings(range(n), k) if max(map(len, blocks)) < 2 * k]
            assert n_partitions(n, k) == len(small)
    text = page(rows)
    assert "182285304201" in text
    assert "1.163e+263" in text


def test_trees_that_are_not_cut_further_are_the_star_shaped_ones():
    """Appendix B: no edge can be cut if and only if a vertex has only trees of fewer than k vertices around it."""
    rng = np.random.default_rng(0)
    seen = {True: 0, False: 0}
    for _ in range(300):
        n, k = int(rng.integers(1, 14)), int(rng.integers(2, 6))
        parent = [int(rng.integers(max(0, i - int(rng.integers(1, 9))), i)) for i in range(1, n)]
        edges = [(i, above) for i, above in enumerate(parent, start=1)]
        irreducible = all(min(sizes_without(n, edges, edge)) < k for edge in edges)
        around = {v: [sizes_without(n, edges, edge)[edge.index(v)] for edge in edges if v in edge] for v in range(n)}
        # of the two sizes the one at the place of v is that of its own side: the tree around it has the others
        star = any(all(n - own < k for own in sizes) for sizes in around.values())
        assert irreducible == star
        seen[star] += 1
    assert min(seen.values()) > 50


def sizes_without(n, edges, edge):
    """The sizes of the two trees that are left without an edge, that of its first end first."""
    side, grown = {edge[0]}, True
    while grown:
        grown = False
        for a, b in edges:
            if (a, b) != edge and (a in side) != (b in side):
                side |= {a, b}
                grown = True
    return len(side), n - len(side)


def test_the_groups_of_the_tree_cannot_be_cut_further():
    rng = np.random.default_rng(1)
    for _ in range(40):
        n, k = int(rng.integers(2, 40)), int(rng.integers(2, 6))
        tree = spanning_tree(np.ascontiguousarray(rng.integers(0, 9, (n, 2)), dtype=float))
        labels = tree.groups(k)
        for group in range(labels.max() + 1):
            rows = np.flatnonzero(labels == group).tolist()
            name = {row: place for place, row in enumerate(rows)}
            edges = [(name[a], name[b]) for a, b in tree.ends.tolist() if a in name and b in name]
            assert len(edges) == len(rows) - 1  # a group is a tree
            assert all(min(sizes_without(len(rows), edges, edge)) < k for edge in edges)
