"""Diverse groups: what is refused and why, what is exact, what is dropped, and the table of the paper's figure 1."""

from __future__ import annotations

import re
import resource
import sys
import time
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from scipy.sparse.csgraph import shortest_path

import shoal
from shoal.errors import CertificateError, InfeasibleError, ParameterError
from shoal.partition import diverse
from shoal.partition.diversity import colored_points as _colored
from shoal.partition.diversity import outliers as _diverse_outliers
from shoal.partition.diversity import star_tests as _stars
from shoal.partition.diversity.colored_points import Among, Colored, reach_of
from shoal.partition.diversity.diverse import RATIOS
from shoal.partition.diversity.tree_walk import walk
from shoal.partition.radius.balls import open_balls
from shoal.requirements.frequencies import fewest_dropped
from shoal.space import metric
from shoal.space.metric import Precomputed
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space
from tests.oracles.diverse import colorful, fewest_left_out
from tests.ratio.instances import a_metric, graph_distances


def groups_differ(labels: np.ndarray, colors: np.ndarray, l: int) -> bool:  # noqa: E741
    """Every group has at least l records and no color twice."""
    for group in range(labels.max() + 1):
        own = colors[labels == group]
        if len(own) < l or len(set(own.tolist())) < len(own):
            return False
    return True


def test_infeasible_colors_are_refused_and_feasible_ones_never():
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        l = int(rng.integers(2, 4))  # noqa: E741
        colors = rng.integers(0, int(rng.integers(l, 5)), int(rng.integers(l, 9)))
        feasible = next(colorful(range(len(colors)), colors.tolist(), l), None) is not None
        try:
            found = diverse(a_metric(rng, len(colors)).distance, colors, l, metric="precomputed")
        except ParameterError:
            continue  # squared distances are no metric
        except InfeasibleError:
            assert not feasible
            refused += 1
        else:
            assert feasible
            assert groups_differ(found.labels, colors, l)
    assert 50 < refused < 250


def test_p_and_q_in_closed_form_are_those_of_every_choice():
    rng = np.random.default_rng(2)
    for _ in range(300):
        l = int(rng.integers(1, 5))  # noqa: E741
        counts = rng.integers(0, 6, int(rng.integers(1, 6)))
        colors = np.repeat(np.arange(len(counts)), counts).tolist()
        groups, dropped = fewest_dropped(counts, l)
        most = [m for m in range(counts.sum() + 1) if np.minimum(m, counts).sum() >= m * l]
        assert groups == max(most)
        if len(colors) <= 8:
            assert fewest_left_out(colors, l) == (dropped if groups else None)


def test_p_and_q_take_an_l_between_whole_numbers():
    counts = np.array([60, 30, 10])
    groups, dropped = fewest_dropped(counts, 2.5)
    assert groups == max(m for m in range(100) if np.minimum(m, counts).sum() >= Fraction(5, 2) * m)
    assert dropped == np.maximum(counts - groups, 0).sum()


def test_the_second_part_of_lemma_5_as_it_is_printed_is_wrong_and_ours_holds():
    """n - q < p (l + 1) fails for five colors of one record each and l = 3; n - q < (p + 1) l - z holds."""
    counts = np.ones(5, dtype=np.int64)
    groups, dropped = fewest_dropped(counts, 3)
    assert (groups, dropped) == (1, 0)
    assert not 5 - dropped < groups * (3 + 1)
    rng = np.random.default_rng(0)
    for _ in range(500):
        l = int(rng.integers(1, 6))  # noqa: E741
        counts = rng.integers(1, 12, int(rng.integers(l, 9)))
        groups, dropped = fewest_dropped(counts, l)
        popular = np.count_nonzero(counts > groups)
        assert popular < l
        assert groups * l <= counts.sum() - dropped < (groups + 1) * l - popular or dropped == 0


def test_a_refusal_says_how_many_too_many_the_largest_l_and_the_fewest_to_drop():
    colors = ["secret"] * 60 + ["b"] * 30 + ["c"] * 30
    points = np.arange(120.0)
    with pytest.raises(InfeasibleError) as refused:
        diverse(points, colors, 3)
    assert "at most 40 of the 120 records" in refused.value.message
    assert "has 60, which is 20 too many" in refused.value.message
    dropped = int(re.search(r"leave out (\d+) records", refused.value.hint)[1])
    assert "lower l to 2 or less" in refused.value.hint
    assert "secret" not in str(refused.value)
    assert diverse(points, colors, 2).n_suppressed == 0
    found = diverse(points, colors, 3, max_suppressed=0.99)
    assert found.n_suppressed == found.details.n_outliers == dropped == 30


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((np.zeros((3, 1)), [0, 1], 1), "3 points and 2 colors"),
        ((np.zeros((3, 1)), [[0], [1], [2]], 1), "one label per point"),
        ((np.zeros((3, 1)), [0, 1, 2], 1.5), "whole number"),
        ((np.zeros((3, 1)), [0, 1, 2], 0), "at least 1"),
    ],
)
def test_calls_that_mean_nothing_are_refused_in_one_sentence(arguments, says):
    with pytest.raises(ParameterError, match=says):
        diverse(*arguments)


def test_fewer_colors_than_l_are_refused_even_if_records_may_go():
    with pytest.raises(InfeasibleError, match="l=3 needs at least 3 different colors; there are 2"):
        diverse(np.arange(6.0), [0, 0, 0, 1, 1, 1], 3, max_suppressed=0.99)


def test_with_outliers_allowed_but_not_needed_nothing_is_dropped():
    rng = np.random.default_rng(3)
    points, colors = rng.normal(size=(90, 2)), np.arange(90) % 5
    allowed, plain = diverse(points, colors, 3, max_suppressed=0.99), diverse(points, colors, 3)
    assert allowed.theorem == "DIVERSE-1"
    assert allowed.labels.tolist() == plain.labels.tolist()


@pytest.mark.parametrize("drop", [False, True])
def test_the_order_of_rows_and_the_names_of_colors_in_their_order_change_nothing(drop):
    rng = np.random.default_rng(4)
    for _ in range(5):
        points = rng.integers(0, 6, (70, 2)).astype(float)
        weights = np.array([5, 2, 2, 1]) if drop else np.ones(4)
        colors = rng.choice(4, 70, p=weights / weights.sum())
        order = rng.permutation(70)
        try:
            before = diverse(points, colors, 2 + drop, max_suppressed=0.99 * drop)
        except InfeasibleError:
            continue
        after = diverse(points[order], np.array(list("abcd"))[colors][order], 2 + drop, max_suppressed=0.99 * drop)
        assert (before.cost, before.lower_bound) == (after.cost, after.lower_bound)

        def of_values(points, colors, labels):
            rows = [(*point, int(color)) for point, color in zip(points, colors, strict=True)]
            groups = range(labels.max() + 1)
            return sorted(sorted(rows[i] for i in np.flatnonzero(labels == g)) for g in groups)

        assert of_values(points, colors, before.labels) == of_values(points[order], colors[order], after.labels)


def test_a_matrix_of_distances_gives_the_costs_of_its_points():
    rng = np.random.default_rng(5)
    points, colors = rng.normal(size=(150, 2)), rng.integers(0, 4, 150)
    space = Neighbors(Space.from_points(points))
    matrix = np.array([space.distances_from(i) for i in range(150)])
    for drop, l in ((False, 3), (True, 4)):  # noqa: E741
        one = diverse(points, colors, l, max_suppressed=0.99 * drop)
        two = diverse(matrix, colors, l, metric="precomputed", max_suppressed=0.99 * drop)
        assert one.lower_bound == two.lower_bound
        assert groups_differ(two.labels, colors, l)


def test_improvement_never_costs_more_and_the_theorem_holds_without_it():
    rng = np.random.default_rng(6)
    for drop in (False, True):
        points, colors = rng.normal(size=(400, 3)), rng.integers(0, 5, 400)
        colors[: 150 * drop] = 0
        plain = diverse(points, colors, 3, max_suppressed=0.99 * drop, improve=False)
        better = diverse(points, colors, 3, max_suppressed=0.99 * drop)
        assert better.cost <= plain.cost
        assert plain.cost <= plain.ratio_proved * plain.details.lower_bound_any_center
        assert better.theorem_cost == plain.theorem_cost


def test_short_lists_that_grow_decide_as_full_lists_do(monkeypatch):
    """The lists of near records are a matter of speed: the bound that complete lists prove is the same."""
    rng = np.random.default_rng(7)
    for _ in range(12):
        points = rng.integers(0, 5, (60, 2)).astype(float)
        colors = np.repeat(np.arange(4), 15)[rng.permutation(60)]
        wide = diverse(points, colors, 4)
        with monkeypatch.context() as patched:
            patched.setattr(_stars, "WIDTH", 1)
            patched.setattr(_stars, "DRAWN", 1)
            patched.setattr(_colored, "MOST_LISTED", 100)
            patched.setattr(sys.modules["shoal.partition.diversity.diverse"], "MOST_LISTED", 3)
            narrow = diverse(points, colors, 4)
        assert narrow.details.lower_bound_any_center == wide.details.lower_bound_any_center
        assert groups_differ(narrow.labels, colors, 4)


def test_spread_and_need_are_those_of_every_pair():
    rng = np.random.default_rng(8)
    for _ in range(20):
        n, l = 40, int(rng.integers(2, 5))  # noqa: E741
        table = graph_distances(rng, n).astype(float)
        colors = rng.integers(0, 6, n)
        whole = Among(Colored(Precomputed(table), colors), np.arange(n))
        spread = np.array(
            [
                np.sort([0.0] + [table[p][colors == c].min() for c in set(colors.tolist()) - {colors[p]}])[l - 1]
                for p in range(n)
            ]
        )
        need = np.array(
            [min(max(table[p, c], spread[c]) for c in range(n) if c == p or colors[c] != colors[p]) for p in range(n)]
        )
        wide, narrow = reach_of(whole, l, n), reach_of(whole, l, 2)
        assert np.array_equal(wide.spread, spread)
        assert np.array_equal(narrow.spread, spread)
        assert np.array_equal(wide.need, need)
        assert (narrow.need <= need).all(), "what is not listed may only lower the bound"


def test_the_walk_visits_all_and_steps_over_at_most_three_edges():
    rng = np.random.default_rng(9)
    for n in (1, 2, 3, 17, 60):
        table = graph_distances(rng, n).astype(float) if n > 1 else np.zeros((1, 1))
        limit = float(rng.choice([3, 5, 100]))
        orders = walk(Precomputed(table), limit)
        assert sorted(np.concatenate(orders).tolist()) == list(range(n))
        for order in orders:
            assert (table[order[:-1], order[1:]] <= 3 * limit).all()
        parts = [set(order.tolist()) for order in orders]
        for one in parts:
            for other in parts:
                if one is not other:
                    assert table[np.ix_(sorted(one), sorted(other))].min() > limit


def test_every_record_is_within_two_thresholds_of_a_ball_that_is_full_by_itself():
    """What the placement of virtual centers rests on; a ball counts the records that no earlier ball took."""
    rng = np.random.default_rng(10)
    for _ in range(10):
        crowd = Neighbors(Space.from_points(rng.normal(size=(200, 2))))
        size = int(rng.integers(2, 6))
        spread = crowd.kth_distance(size)
        threshold = float(spread.max())
        balls = open_balls(crowd, np.argsort(spread), threshold, needed=size)
        first = np.full(200, len(balls.centers))
        np.minimum.at(first, balls.members, balls.ball)
        assert np.bincount(first, minlength=len(balls.centers) + 1)[:-1].min() >= size
        gaps = crowd.distance(np.arange(200)[:, None], balls.centers[None, :]).min(axis=1)
        assert gaps.max() <= 2 * threshold


def test_the_ratio_with_outliers_is_twice_the_reach_of_a_virtual_center():
    assert RATIOS["DIVERSE-3"] == 2 * _diverse_outliers.REACH == 2 * (3 * _diverse_outliers.LINK + 3)


def test_a_graph_gives_the_costs_of_its_shortest_paths(monkeypatch):
    rng = np.random.default_rng(11)
    edges = [(i, int(rng.integers(i)), int(rng.integers(1, 5))) for i in range(1, 40)]
    table = np.full((40, 40), np.inf)
    for a, b, length in edges:
        table[a, b] = table[b, a] = length
    table = shortest_path(table)
    colors = np.arange(40) % 4
    one, two = diverse(edges, colors, 3, metric="graph"), diverse(table, colors, 3, metric="precomputed")
    assert (one.cost, one.lower_bound) == (two.cost, two.lower_bound)
    monkeypatch.setattr(metric, "MOST_VERTICES", 30)  # beyond it, paths are searched one by one
    with pytest.raises(ParameterError, match="vertices; this one has 40"):
        diverse(edges, colors, 3, metric="graph")


@pytest.mark.deep
def test_a_hundred_thousand_points_take_at_most_a_minute_and_4_gigabytes():
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(3, 23)
    points, colors = rng.normal(size=(100_000, 5)), rng.choice(20, 100_000, p=weights / weights.sum())
    begun = time.process_time()
    found = diverse(points, colors, 5)
    assert time.process_time() - begun < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 * 1024**2
    seats = np.unique(np.column_stack((found.labels, colors)), axis=0)
    assert len(seats) == 100_000, "no color twice in a group"
    assert found.sizes.min() >= 5
    assert found.theorem_cost <= 2 * found.details.lower_bound_any_center


FIGURE_1 = pl.DataFrame(
    {
        "age": [29, 25, 25, 29, 40, 45, 35, 37, 50, 60],
        "gender": list("MMMFMMMMFF"),
        "degree": ["M.Sc.", "M.Sc.", *["B.Sc."] * 6, "Ph.D.", "Ph.D."],
        "disease": [
            "HIV",
            "HIV",
            "pneumonia",
            *["bronchitis"] * 3,
            "pneumonia",
            "pneumonia",
            "dyspepsia",
            "pneumonia",
        ],
    }
)
TWO_ANONYMOUS = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])


def homogeneous(labels: np.ndarray) -> int:
    """Groups in which everybody has the same disease."""
    told = FIGURE_1.with_columns(group=pl.Series(labels))
    return told.group_by("group").agg(pl.col("disease").n_unique()).filter(pl.col("disease") == 1).height


def test_figure_1_of_the_paper_is_homogeneous_in_three_groups_and_ours_in_none():
    assert homogeneous(TWO_ANONYMOUS) == 3
    degree = FIGURE_1["degree"].rank("dense").to_numpy().astype(float)
    points = np.column_stack(((FIGURE_1["age"] - 25) / 35, FIGURE_1["gender"] == "F", degree))
    found = diverse(points, FIGURE_1["disease"].to_numpy(), 2)
    assert groups_differ(found.labels, FIGURE_1["disease"].to_numpy(), 2)
    assert homogeneous(found.labels) == 0
    settings = {"quasi": ["age", "gender", "degree"], "sensitive": ["disease"], "k": 2, "seed": 1}
    release = shoal.anonymize(FIGURE_1, **settings, l=2)
    assert release.findings.holds
    assert homogeneous(release.mapping()["group"].to_numpy()) == 0
    assert homogeneous(shoal.anonymize(FIGURE_1, **settings).mapping()["group"].to_numpy()) > 0


@pytest.mark.parametrize("off", ["an ulp", "far"])
def test_the_search_for_a_radius_ends_even_if_distances_disagree(monkeypatch, off):
    """Groups are found for one radius and measured by another computation, which may round otherwise."""
    from shoal.partition.diversity import diverse as module

    tried, stars_at, longest = [], module.stars_at, module._longest

    def counted(*given):
        tried.append(given)
        assert len(tried) < 3000, "it goes on for ever"
        return stars_at(*given)

    monkeypatch.setattr(module, "stars_at", counted)
    wrong = (
        (lambda r, s: np.nextafter(longest(r, s), np.inf)) if off == "an ulp" else (lambda r, s: 2 * longest(r, s))
    )
    monkeypatch.setattr(module, "_longest", wrong)
    points, colors = [[0.0], [1.0], [10.0], [11.5], [20.0], [21.0]], [0, 1, 0, 1, 0, 1]
    if off == "an ulp":
        assert diverse(points, colors, l=2, improve=False).n_groups == 3
    else:
        with pytest.raises(CertificateError, match="internal check failed"):
            diverse(points, colors, l=2, improve=False)
