"""The cost of a release in its certificate is the loss of its cells, and no release of the table is below its bound.

Random small tables with missing values in columns of every kind go through `anonymize`. Four numbers must agree or
keep their order: the bound, the optimum by brute force in exact fractions, the cost that the search minimized, and
the loss measured on the published cells, which is what the report shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from tests.oracles.generalization import best_generalization_cost

LEAVES = ("a1", "a2", "b1", "b2", "b3")
STEPS = ("none", "few", "some", "many", "all")
METHODS = ("forest", "mondrian", "mondrian-relaxed")


@dataclass(frozen=True)
class Cells:
    """What the cells of one column cost, straight from the definition in the documentation."""

    kind: str
    values: tuple[Any, ...]
    """All values of the column, from the lowest to the highest, without a missing one."""
    missing: bool
    weight: int
    loss: str

    def cost(self, group: Sequence[Any]) -> Fraction:
        there = [value for value in group if value is not None]
        if len(set(group)) == 1:
            return Fraction(0)
        beside = len(there) < len(group)
        if self.kind in ("label", "hierarchy"):
            n_all = len(self.values) + self.missing
            n_open = len(set(group)) if self.kind == "label" else self._below(there, beside, n_all)
            return self.weight * self._share(n_open, n_all)
        low, high = min(map(self._place, there)), max(map(self._place, there))
        if not beside:
            return self.weight * self._between(low, high)
        if len(self.values) == 1:
            return Fraction(self.weight, 2)
        ends = self._place(self.values[0]), self._place(self.values[-1])
        return self.weight * (self._between(low, ends[1]) + self._between(ends[0], high)) / 2

    def _below(self, there: Sequence[str], beside: bool, n_all: int) -> int:
        """The leaves below the lowest node; of the root, all."""
        if beside or len({leaf[0] for leaf in there}) > 1:
            return n_all
        return sum(leaf[0] == there[0][0] for leaf in self.values)

    def _place(self, value: Any) -> int:
        return self.values.index(value) if self.kind == "ordered" or self.loss == "information" else int(value)

    def _between(self, low: int, high: int) -> Fraction:
        if self.loss == "information":
            return self._share(high - low + 1, len(self.values))
        whole = self._place(self.values[-1]) - self._place(self.values[0])
        return Fraction(high - low, whole) if whole else Fraction(0)

    def _share(self, n_open: int, n_all: int) -> Fraction:
        if self.loss == "information":
            return Fraction(math.log(n_open) / math.log(n_all)) if n_all > 1 else Fraction(0)
        return Fraction(n_open, n_all)


def table(rng: np.random.Generator, n: int, loss: str) -> tuple[pl.DataFrame, dict[str, Any], list[Cells]]:
    """Some columns of numbers, ordered values, labels and codes, each with missing values or without."""
    kinds = rng.choice(["number", "ordered", "listed", "label", "hierarchy"], size=int(rng.integers(1, 4)))
    frame, settings, oracle = {}, {}, []
    for place, kind in enumerate(kinds.tolist()):
        name, weight = f"q{place}", int(rng.integers(1, 4))
        names: Sequence[Any] = {"listed": STEPS, "label": LEAVES, "hierarchy": LEAVES}.get(kind, (0, 1, 2, 3, 7))
        gaps = rng.random(n) < rng.choice([0.0, 0.2, 0.5])
        gaps[0] = False
        chosen = [names[code] for code in rng.integers(0, 5, n)]
        values = [None if gap else value for gap, value in zip(gaps, chosen, strict=True)]
        frame[name] = pl.Series(values, dtype=pl.Int64 if kind in ("number", "ordered") else pl.String)
        settings[name] = {"role": "quasi", "kind": "ordered" if kind == "listed" else kind, "weight": weight}
        settings[name]["publish_rare"] = True
        found = STEPS if kind == "listed" else tuple(sorted({value for value in values if value is not None}))
        if kind == "listed":
            settings[name]["order"] = STEPS
        if kind == "hierarchy":
            settings[name]["hierarchy"] = {"prefix": True}
        oracle.append(Cells(settings[name]["kind"], found, None in values, weight, loss))
    return pl.DataFrame(frame), settings, oracle


def check(seed: int, method: str, loss: str) -> bool:
    """Compare the four numbers on one table; return whether a cell says "or missing"."""
    rng = np.random.default_rng([seed, len(method)])
    k, n = int(rng.integers(2, 4)), int(rng.integers(4, 9))
    frame, settings, oracle = table(rng, n, loss)
    asked = {"k": k, "method": method, "loss": loss, "publication": "generalize", "columns": settings, "seed": seed}
    release = shoal.anonymize(frame, asked)
    cost, bound = release.partition.cost, release.partition.lower_bound
    weights, measure = {name: one["weight"] for name, one in settings.items()}, "ncp" if loss == "ncp" else loss
    measured = sum(weights[part.name] * getattr(part, measure) * n for part in release.loss.columns)
    assert cost == pytest.approx(measured, rel=1e-12, abs=1e-12)
    told = sum(weights[part["name"]] * part[measure] * n for part in release.loss.to_dict()["columns"])
    assert told == pytest.approx(cost, rel=1e-9, abs=1e-9)
    optimum = best_generalization_cost(frame.rows(), oracle, k)
    nearly = Fraction(1, 10**9) if loss == "information" else 0  # logarithms are no fractions
    assert Fraction(bound) <= optimum + nearly
    assert optimum <= Fraction(cost) + Fraction(1, 10**9)  # the cost is a sum of floating-point numbers
    cells = [cell for name in frame.columns for cell in release.table[name].cast(pl.String) if cell is not None]
    return any(cell.endswith(" or missing") for cell in cells)


@pytest.mark.parametrize("loss", ["ncp", "information"])
@pytest.mark.parametrize("method", METHODS)
def test_bound_optimum_cost_and_measured_loss_agree_on_tables_with_missing_values(method: str, loss: str) -> None:
    said = sum(check(seed, method, loss) for seed in range(15))
    assert said > 3  # the tables are such that the matter comes up


@pytest.mark.deep
@pytest.mark.parametrize("loss", ["ncp", "information"])
@pytest.mark.parametrize("method", METHODS)
def test_bound_optimum_cost_and_measured_loss_agree_on_many_tables(method: str, loss: str) -> None:
    assert sum(check(seed, method, loss) for seed in range(15, 515)) > 100
