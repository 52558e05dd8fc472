"""Where rows may be left out, bound and cost are about the problem that was asked: releases of fewer rows included.

A suppressed row counts as wholly lost, in the cost as in the measures: the weight of every column, or, where means
are published, its squared distance from the means of all rows. Optima are found by trying every choice of at most m
rows to leave out, and every grouping of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.partition.microaggregation.group_loss import MixedLoss, lost_against_all
from shoal.partition.result import share_of
from tests.api.test_cost_is_published import table
from tests.oracles.generalization import best_generalization_cost
from tests.oracles.groupings import groupings, kept

SHARES = (0.0, 0.15, 0.3)
NEARLY = Fraction(1, 10**9)
"""Costs are sums of floating-point numbers, and logarithms are no fractions."""
TEN = pl.DataFrame({"age": [1] * 9 + [100]})


def released(frame: pl.DataFrame, columns: dict[str, Any], **asked: Any) -> shoal.Release:
    return shoal.anonymize(frame, {"k": 2, "seed": 1, "columns": columns} | asked)


@pytest.mark.parametrize("method", ["forest", "mondrian", "mondrian-relaxed", "pairs"])
def test_nobody_is_told_a_bound_that_a_release_of_fewer_rows_beats(method: str) -> None:
    """Nine ones and a hundred: without the hundred nothing is lost but that row."""
    release = released(TEN, {"age": {"role": "quasi"}}, method=method, publication="generalize", max_suppressed=0.2)
    assert 0 < release.partition.lower_bound <= 1 <= release.partition.cost


def check_cells(seed: int, method: str, loss: str) -> tuple[float, float]:
    """Compare bound, optimum and cost of one table whose rows may be left out; return optimum and cost."""
    rng = np.random.default_rng([seed, len(method), len(loss)])
    k = {"pairs": 2, "triples": 3}.get(method) or int(rng.integers(2, 4))
    n, share = int(rng.integers(4, 9)), float(rng.choice(SHARES))
    frame, settings, oracle = table(rng, n, loss)
    asked = {"k": k, "method": method, "loss": loss, "publication": "generalize", "seed": seed}
    release = released(frame, settings, max_suppressed=share, **asked)
    cost, bound = Fraction(release.partition.cost), Fraction(release.partition.lower_bound)
    measured = sum(settings[part.name]["weight"] * getattr(part, loss) * n for part in release.loss.columns)
    assert release.partition.cost == pytest.approx(measured, rel=1e-9, abs=1e-9)
    price, most = sum(one["weight"] for one in settings.values()), min(share_of(share, n), n - k)
    optimum = best_generalization_cost(frame.rows(), oracle, k, row_deletion=price, max_deleted=most)
    assert bound <= optimum + (NEARLY if loss == "information" else 0)
    assert optimum <= cost + NEARLY
    if release.partition.ratio_proved is not None:
        assert cost <= release.partition.ratio_proved * optimum + NEARLY
    assert release.partition.n_suppressed <= most
    assert release.partition.sizes.min() >= k
    return float(optimum), float(cost)


CELLS = [("forest", "ncp"), ("forest", "information"), ("mondrian", "ncp"), ("mondrian-relaxed", "information"),
         ("pairs", "ncp"), ("triples", "ncp")]  # fmt: skip


@pytest.mark.parametrize(("method", "loss"), CELLS)
def test_the_bound_holds_for_every_release_of_fewer_rows(method: str, loss: str) -> None:
    for seed in range(12):
        check_cells(seed, method, loss)


@pytest.mark.deep
@pytest.mark.parametrize(("method", "loss"), CELLS)
def test_the_bound_holds_for_every_release_of_fewer_rows_of_many_tables(method: str, loss: str) -> None:
    for seed in range(12, 1012):
        check_cells(seed, method, loss)


def means_oracle(columns: list[list[float | None]]) -> tuple[Any, list[float]]:
    """Return what a group of rows loses whose means are published, and what each row loses against those of all.

    A column is divided by its deviation. A missing number is as far from every other as the farthest two are, and
    nothing is lost among missing ones: with a share s of them, a row that has a value loses (s w)^2 more, and one
    that has none ((1 - s) w)^2.
    """
    scaled = []
    for values in columns:
        there = np.array([one for one in values if one is not None], dtype=float)
        unit = float(there.std()) or math.inf
        apart = max(float(np.ptp(there)) / unit, 1.0)
        scaled.append(([None if one is None else one / unit for one in values], apart))

    def of_rows(rows: Sequence[int]) -> list[float]:
        lost = [0.0] * len(rows)
        for values, apart in scaled:
            there = [values[i] for i in rows if values[i] is not None]
            share = 1 - len(there) / len(rows)
            mean = math.fsum(there) / len(there) if there else 0.0
            for place, i in enumerate(rows):
                one = values[i]
                lost[place] += ((1 - share) * apart) ** 2 if one is None else (one - mean) ** 2 + (share * apart) ** 2
        return lost

    @cache
    def of_group(rows: tuple[int, ...]) -> float:
        return math.fsum(of_rows(rows))

    return of_group, of_rows(range(len(columns[0])))


def check_means(seed: int, method: str) -> tuple[float, bool]:
    """The same where means are published; return the cost, and whether a number is missing."""
    rng = np.random.default_rng([seed, 7])
    n, k, share = int(rng.integers(4, 9)), int(rng.integers(2, 4)), float(rng.choice(SHARES))
    n_columns = 1 if method == "optimal" else int(rng.integers(1, 3))
    values = rng.integers(0, 4, (n, n_columns)) ** int(rng.integers(1, 5))
    gaps = rng.random((n, n_columns)) < (0.0 if method == "optimal" else rng.choice([0.0, 0.2, 0.5]))
    gaps[0] = False
    lists = [
        [None if gap else int(x) for gap, x in zip(gaps[:, j], values[:, j], strict=True)] for j in range(n_columns)
    ]
    frame = pl.DataFrame({f"q{j}": one for j, one in enumerate(lists)})
    settings = {name: {"role": "quasi", "kind": "number"} for name in frame.columns}
    release = released(frame, settings, k=k, method=method, publication="aggregate", max_suppressed=share, seed=seed)
    ordered = frame[release.order]
    of_group, price = means_oracle([ordered[name].to_list() for name in ordered.columns])
    most = min(share_of(share, n), n - k)

    def cost_of(blocks: Sequence[Sequence[int]]) -> float:
        held = {i for block in blocks for i in block}
        return math.fsum(of_group(tuple(block)) for block in blocks) + math.fsum(
            price[i] for i in range(n) if i not in held
        )

    labels = release.partition.labels
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    optimum = min(cost_of(blocks) for rows in kept(range(n), most) for blocks in groupings(rows, k))
    near = 1e-9 * (1 + optimum)
    assert release.partition.cost == pytest.approx(cost_of(groups), rel=1e-9, abs=1e-9)
    assert release.partition.lower_bound <= optimum + near
    assert optimum <= release.partition.cost + near
    if release.partition.ratio_proved is not None:
        assert release.partition.cost <= float(release.partition.ratio_proved) * optimum + near
    assert release.partition.n_suppressed <= most
    assert release.partition.sizes.min() >= k
    return release.partition.cost, bool(gaps.any())


MEANS = ["best", "optimal", "mdav", "v-mdav", "mst", "diameter"]


@pytest.mark.parametrize("method", MEANS)
def test_the_bound_on_squared_error_holds_for_every_release_of_fewer_rows(method: str) -> None:
    missing = [check_means(seed, method)[1] for seed in range(12)]
    assert any(missing) == (method != "optimal")


@pytest.mark.deep
@pytest.mark.parametrize("method", MEANS)
def test_the_bound_on_squared_error_holds_for_many_tables(method: str) -> None:
    for seed in range(12, 1012):
        check_means(seed, method)


def check_mixed(seed: int) -> int:
    """The same for means of numbers beside medians and modes; return how many rows were left out."""
    rng = np.random.default_rng([seed, 11])
    n, k, share = int(rng.integers(4, 9)), int(rng.integers(2, 4)), float(rng.choice(SHARES))
    values = {
        "q0": rng.integers(0, 4, n) ** int(rng.integers(1, 4)),
        "q1": rng.choice(list("abc"), n),
        "q2": rng.integers(0, 5, n),
    }
    columns = {
        "q0": {"role": "quasi", "kind": "number"},
        "q1": {"role": "quasi", "kind": "label", "publish_rare": True},
        "q2": {"role": "quasi", "kind": "ordered"},
    }
    release = released(
        pl.DataFrame(values), columns, k=k, publication="aggregate", max_suppressed=share, seed=seed, effort=20
    )
    loss, price = MixedLoss(release.space), lost_against_all(release.space)
    together = np.zeros(n, dtype=np.int64)
    assert price.sum() == pytest.approx(loss.of_groups(np.arange(n), together)[0])
    most = min(share_of(share, n), n - k)
    optimum = min(
        sum(float(loss.of_groups(np.array(block), together[: len(block)])[0]) for block in blocks)
        + sum(price[i] for i in range(n) if i not in rows)
        for rows in kept(range(n), most)
        for blocks in groupings(rows, k)
    )
    near = 1e-9 * (1 + optimum)
    assert release.partition.lower_bound <= optimum + near
    assert optimum <= release.partition.cost + near
    assert release.partition.sizes.min() >= k
    return release.partition.n_suppressed


def test_the_bound_on_mixed_columns_holds_for_every_release_of_fewer_rows() -> None:
    for seed in range(15):
        check_mixed(seed)


@pytest.mark.deep
def test_the_bound_on_mixed_columns_holds_for_many_tables() -> None:
    assert sum(check_mixed(seed) for seed in range(15, 1015)) > 0
