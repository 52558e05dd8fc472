"""The proof pages name files that exist, and the limits and constants that the code has today."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

from shoal.partition.blocks import feasible
from shoal.partition.cellular_cost import cellular, grid_duals, grid_opening_costs
from shoal.partition.generalization import cell_bound, forest, group_bound, lower_bound, matching, two_factor
from shoal.partition.microaggregation import (
    best,
    center_bound,
    centers,
    column_generation,
    exact_runs,
    microaggregate,
    pool_bound,
    sse,
)
from shoal.partition.radius import improve, one_column
from shoal.space import metric

ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "proofs").glob("*.md")}


def power(number: float) -> int:
    """The exponent of a power of two."""
    mantissa, exponent = math.frexp(number)
    assert mantissa == 0.5
    return exponent - 1


SAID = {
    "blocks": [
        f"at least {feasible.TIMES_K} times k people and {feasible.LEAST_ROWS:,} rows",
        f"room for {feasible.KEPT:.0%}".replace("%", " %"),
        f"beyond {best.MOST_BLOCK_RECORDS:,} records",
    ],
    "cells": [
        f"for k up to {lower_bound.MOST_K},\n{lower_bound.MOST_RECORDS:,} different records",
        f"2^{power(cell_bound.ROUNDING)} for k <= {cell_bound.MOST_K}",
        f"2^{power(group_bound.ROUNDING)} of its size",
        f"For k <= {group_bound.MOST_K} and up to a thousand columns 2^{power(group_bound.ROUNDING)} A is more",
        f"more than {group_bound.DENSE:,} different records only the neighbors",
        f"more than {group_bound.MOST_VALUES} values is left out",
        f"improved by {group_bound.BALANCED} rounds ({group_bound.MANY_BALANCED} with more points)",
    ],
    "cellular": [
        f"n <= {cellular.MOST_RECORDS:,} (all distances are held)",
        f"g = {grid_opening_costs.GRID}",
        f"s = g / (1 - delta) = {grid_opening_costs.STRETCH}",
        f"epsilon = {grid_opening_costs.FLOOR}",
        f"delta = {grid_duals.NET}",
        f"the step g = {grid_duals.GRID}",
        f"s = 2 g / (1 - delta) = {grid_duals.STRETCH}",
    ],
    "factors": [
        f"2 ** -{matching.GRID} times the power of two",
        f"more than {two_factor.MOST_EDGES:,} edges",
        f"gain less than 1 / {round(1 / two_factor.SLOW)}",
    ],
    "forest": [
        f"n k passes {forest.BOUND_WORK // 10**6} million",
        f"m = min({forest.FIRST}, k)",
        f"m = min({forest.MORE}m, k)",
    ],
    "gather": [
        f"at most {one_column.MOST_WORK / 1e9:g} x 10^9",
        f"within {improve.WORTHWHILE:.0%} of the cost".replace("%", " %"),
        f"more than {metric.MOST_VERTICES:,} vertices",
    ],
    "microaggregation": [
        f"up to {microaggregate.POOL_RECORDS:,} records with k of at most {microaggregate.POOL_K}, "
        f"and at most {microaggregate.POOL_WORK:,} records times k^2",
        f"{pool_bound.BALANCED} rounds of the primal-dual method",
        f"within {Fraction(str(column_generation.GAP)) * 10**5}e-5 of the restricted",
        f"the {column_generation.NEAREST} nearest records of each",
        f"({column_generation.TOLERANCE * 1e6:g}e-6 of a mean record's error)",
        f"below $2^{{{power(sse.SMALLEST)}}}$",
        f"({center_bound.BALANCED} rounds of the primal-dual method",
        f"an excess of 10^{round(math.log10(center_bound.TOLERANCE))} of what k records lose",
        f"at most a {'thousandth' if center_bound.CLOSE == 1e-3 else '?'} of what k records lose",
        f"up to {centers.MOST_RECORDS:,} records and k of at most {centers.MOST_K}, "
        f"and for squared error on up to {centers.FEW_LINES} columns",
    ],
    "univariate": [
        f"more than {exact_runs.MOST_VALUES // 10**6} million values",
        f"A bound below $2^{{{power(sse.SMALLEST)}}}$",
    ],
}


@pytest.mark.parametrize(("page", "words"), [(page, words) for page, some in SAID.items() for words in some])
def test_a_number_on_a_proof_page_is_that_of_the_code(page: str, words: str) -> None:
    assert words in PAGES[page]


def test_every_file_that_a_proof_page_names_exists() -> None:
    named = {path for text in PAGES.values() for path in re.findall(r"`([a-zA-Z_]+(?:/[a-zA-Z_.]+)+/?)`", text)}
    assert len(named) > 8
    assert [
        path for path in sorted(named) if not any((top / path).exists() for top in (ROOT, ROOT / "src/shoal"))
    ] == []
