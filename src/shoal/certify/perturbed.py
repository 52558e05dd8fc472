"""Check what perturbation promises to keep, on the values before and after; by code that shares nothing with it.

Only who has the original table can check it, so it is checked while a release is made, and no claim of a certificate
is about it. Everything is computed in exact fractions of the numbers as they are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import fsum

import polars as pl

from shoal.certify.findings import Failure
from shoal.policy import Policy
from shoal.tables.text import text_of

KEPT = Fraction(1, 10**9)
"""How far a mean may move, as a share of the standard deviation, and a covariance, as a share of the product of two:
the rounding of floating-point numbers to 12 digits. With stated decimals, their rounding is added."""
MOST = 2000
"""Means and covariances of more rows than this are summed in floating-point numbers, exactly rounded."""


def check_perturbed(before: pl.DataFrame, after: pl.DataFrame, policy: Policy) -> list[Failure]:
    """Return a failure for every perturbed column that does not keep what its method keeps.

    Row i of both tables is the same record. Numbers with noise must be numbers in both.
    """
    failures = []
    for name in policy.perturbed:
        asked = policy.columns[name].perturb
        assert asked is not None
        if not before[name].is_null().equals(after[name].is_null()):
            failures.append(_failure(name, "has other missing cells than before"))
        if asked.method == "noise":
            continue
        values = [Counter(text_of(table[name]).to_list()) for table in (before, after)]
        if asked.method == "rank-swap" and values[0] != values[1]:
            failures.append(_failure(name, "does not have the values that it had before"))
        if asked.method == "pram" and not values[1].keys() <= values[0].keys():
            failures.append(_failure(name, "has values that it did not have before"))
    for names in _groups(policy):
        failures += _check_moments(before, after, names, policy)
    return failures


def _groups(policy: Policy) -> list[list[str]]:
    """Return the columns with noise, together where they keep covariances."""
    groups: dict[tuple[bool, str], list[str]] = {}
    for name in policy.perturbed:
        asked = policy.columns[name].perturb
        if asked is not None and asked.method == "noise":
            groups.setdefault((asked.group is None, asked.group or name), []).append(name)
    return list(groups.values())


def _check_moments(before: pl.DataFrame, after: pl.DataFrame, names: Sequence[str], policy: Policy) -> list[Failure]:
    """Return a failure for every mean and covariance that has moved by more than rounding allows."""
    failures = []
    for one, other in combinations_with_replacement(names, 2):
        there = [table[name].is_not_null().alias("both") for table in (before, after) for name in (one, other)]
        both = there[0] & there[1] & there[2] & there[3]  # other missing cells than before have been reported
        if not both.any():
            continue
        pairs = [[_numbers(table[name].filter(both)) for name in (one, other)] for table in (before, after)]
        means, products = zip(*(_moments(*pair) for pair in pairs), strict=True)
        size = [_moments(column, column)[1] for column in pairs[0]]
        slack = [_rounding(policy, name) for name in (one, other)]
        unit = (size[0] * size[1]) ** 0.5
        lost = slack[0] * size[1] ** 0.5 + slack[1] * size[0] ** 0.5 + slack[0] * slack[1]
        largest = [max(map(abs, column)) for column in pairs[0]]
        tiny = 1e-12 * (largest[0] * size[1] ** 0.5 + largest[1] * size[0] ** 0.5)
        if abs(products[1] - products[0]) > float(KEPT) * unit + 4 * lost + tiny:
            failures.append(_failure(one, f"does not keep its covariance with {other}" if one != other else
                                     "does not keep its variance"))  # fmt: skip
        moved = abs(means[1] - means[0])
        if one == other and moved > float(KEPT) * size[0] ** 0.5 + slack[0] + 1e-12 * largest[0]:
            failures.append(_failure(one, "does not keep its mean"))
    return failures


def _rounding(policy: Policy, name: str) -> float:
    asked = policy.columns[name].perturb
    return 0.0 if asked is None or asked.decimals is None else 0.5 * 10.0**-asked.decimals


def _numbers(column: pl.Series) -> list[float]:
    return column.cast(pl.Float64).to_list()


def _moments(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the mean of `one` and its covariance with `other`, summed exactly."""
    n = len(one)
    if n <= MOST:
        a, b = ([Fraction(number) for number in column] for column in (one, other))
        first, second = sum(a, Fraction(0)) / n, sum(b, Fraction(0)) / n
        product = sum(((x - first) * (y - second) for x, y in zip(a, b, strict=True)), Fraction(0)) / n
        return float(first), float(product)
    mean, second_mean = fsum(one) / n, fsum(other) / n
    return mean, fsum((x - mean) * (y - second_mean) for x, y in zip(one, other, strict=True)) / n


def _failure(name: str, what: str) -> Failure:
    return Failure(check="perturbation", column=name, message=f"column {name}, which is perturbed, {what}")
