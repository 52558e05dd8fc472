"""Figure 7 runs for every k, and shows what the paper shows."""

from __future__ import annotations

import numpy as np
import pytest

from shoal import api
from shoal.errors import ParameterError, TableError
from shoal.papers import names
from shoal.papers.names import CURVES, FILES, best_classes, generated, heaviest_classes, measure, page, read, run
from shoal.partition.single_attribute.cover import cover


def spread_as_written(sizes: list[int], k: int) -> int:
    """Section 5's Spread, item by item: below the largest class while that is possible, then round robin."""
    classes, rest = [], []
    for size in sizes:
        rest.append(size)
        if sum(rest) >= k:
            classes.append(sum(rest))
            rest = []
    top = max(classes)
    while rest and min(classes) + rest[0] <= top:
        classes[classes.index(min(classes))] += rest.pop(0)
    turn = classes.index(min(classes))
    for size in rest:
        classes[turn] += size
        turn = (turn + 1) % len(classes)
    return max(classes)


@pytest.mark.parametrize("seed", range(3))
def test_all_k_at_once_give_what_one_k_gives(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 30, 60)
    ks = np.arange(sizes.max(), sizes.sum() // 2 + 1)
    fold, spread = heaviest_classes(sizes, ks)
    for at, k in enumerate(ks.tolist()):
        assert fold[at] == cover(sizes, k, method="fold", keep_order=True).cost
        if k > sizes.max():
            assert spread[at] == spread_as_written(sizes.tolist(), k)


def test_what_is_found_for_the_largest_k_bounds_all_k_with_equally_many_classes():
    sizes = np.random.default_rng(4).integers(1, 40, 24)
    ks = np.arange(sizes.max(), sizes.sum() // 2 + 1)
    heaviest, bound = best_classes(sizes, ks)
    for at, k in enumerate(ks.tolist()):
        alone = cover(sizes, k)
        assert bound[at] <= alone.cost <= heaviest[at]
        assert bound[at] <= alone.lower_bound


def test_spread_wins_on_generated_names():
    for weights in list(generated().values())[:2]:
        _, curves = measure(weights)
        for order in ("random", "sorted"):
            fold, spread = curves[f"{order}_fold"], curves[f"{order}_spread"]
            assert spread.mean() < fold.mean()
            assert np.mean(spread <= fold) > 0.98


def check_figure(rows, n_sets):
    for row in rows:
        assert row.random_spread <= row.random_fold
        assert row.sorted_spread <= row.sorted_fold
        assert row.fold_wins < 1
        assert max(getattr(row, curve) for curve in CURVES) < 2.01, "far below the worst case of 3"
        assert row.best_above_bound <= 1
    text = page(rows)
    assert text.count("<polyline") == n_sets * len(CURVES)
    assert text.count("</tr><tr><td>") == len(rows) == 13 * n_sets
    assert "http" not in text


@pytest.mark.shared_data
def test_figure_7_shows_what_the_paper_saw(shared_data):
    check_figure(run(shared_data, subranges=12, files={"MALE-1990": FILES["MALE-1990"]}), 1)


@pytest.mark.deep
@pytest.mark.shared_data
def test_figure_7_shows_what_the_paper_saw_on_all_names(shared_data):
    check_figure(run(shared_data, subranges=12), 3)


@pytest.mark.shared_data
def test_last_names_are_within_one_percent_of_the_bound_at_every_k(shared_data):
    weights = read(shared_data, "dist.all.last")
    assert len(weights) == 88_799
    ks = np.arange(weights.max(), weights.sum() // 2 + 1)
    heaviest, bound = best_classes(weights, ks)
    assert (heaviest / bound).max() <= 1.01
    for k in (1006, 1007, 5000, 22_222, int(ks[-1])):
        found = cover(weights, k)
        assert found.details.class_weights.min() >= k
        assert found.cost <= heaviest[k - ks[0]]


@pytest.mark.deep
@pytest.mark.shared_data
def test_last_names_are_within_one_percent_of_the_bound_at_any_k_by_itself(shared_data):
    weights = read(shared_data, "dist.all.last")
    for k in np.random.default_rng(0).integers(weights.max(), weights.sum() // 2 + 1, 300).tolist():
        assert cover(weights, k).ratio_seen <= 1.01


def test_the_figure_is_written_as_a_page_and_takes_no_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(names, "generated", lambda seed: {"few": np.arange(1, 60)})
    rows = api.papers("names", html=tmp_path / "names.html")
    assert rows[-1].k_to == 59 * 60 // 2 // 2
    assert "<h2>few</h2>" in (tmp_path / "names.html").read_text()
    with pytest.raises(ParameterError, match="there is no table 5 of names to repeat"):
        api.papers("names", tables=[5])
    with pytest.raises(ParameterError, match="there is no nothing to repeat"):
        api.papers("nothing")


def test_a_folder_without_the_files_is_told_in_one_sentence(tmp_path):
    with pytest.raises(TableError, match=r"dist.female.first is not in the folder"):
        run(tmp_path)
