"""Sampling weights: checking their cells, and finding a step at which every rounded weight is that of several people.

A weight is not protected by k. An exact one can be that of one person, or of one combination of age, sex and region,
so a release in which one person alone has a weight is refused.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from shoal.caller import setting
from shoal.errors import SchemaError
from shoal.policy import Column, Policy
from shoal.roles.kinds import as_kind
from shoal.roles.null_values import without_codes
from shoal.roles.rare_values import people_of_values
from shoal.tables.number_text import read_numbers
from shoal.tables.table import Table

STEPS = (1, 2, 5)


def check_signs(values: pl.Series) -> None:
    """Raise a `SchemaError` if a weight is below 0."""
    if values.dtype.is_numeric() and (wrong := int((values < 0).sum())):
        raise SchemaError(
            f"column {values.name!r}: {wrong} of {len(values)} cells are below 0, and cannot be weights.",
            "correct those cells, or give the column another role.",
        )


def coarse_step(values: pl.Series, least: int) -> float | None:
    """Return the smallest step 1, 2 or 5 times a power of ten at which every rounded weight is in `least` rows.

    None if that leaves one weight only.
    """
    numbers = values.drop_nulls().cast(pl.Float64)
    low: Any = numbers.filter(numbers > 0).min()
    high: Any = numbers.max()
    if low is None or low == high:
        return None
    for power in range(-3, 13):
        for first in STEPS:
            step = first * 10.0**power
            counts = (numbers / step).round(0).value_counts()["count"]
            if len(counts) < 2:
                return None
            least_held: Any = counts.min()
            if least_held >= least:
                return int(step) if step >= 1 else float(f"{step:g}")
    return None


def weights_as_read(table: Table, name: str, column: Column) -> pl.Series:
    """Return the weights of a table before they are rounded or limited, as numbers; null where a cell is none."""
    codes = column.null_values
    cells = without_codes(table.frame[name], codes, table.texts[name] if name in table.texts.columns else None)
    if column.number is not None:
        return read_numbers(cells, column.number).cast(pl.Float64)
    return as_kind(cells, "number").cast(pl.Float64, strict=False)


def in_people(weights: pl.Series, size: int | None) -> tuple[pl.Series | None, int]:
    """Return how many people each row stands for, and how many weights cannot be used for that.

    Weights below 1 are relative ones; they are scaled to a population of `size`. None if some cannot be used.
    """
    total = float(weights.fill_null(0.0).sum())
    for scaled in (weights, weights * (size / total) if size and total > 0 else weights):
        wrong = int((~(scaled >= 1.0)).fill_null(value=True).sum())
        if not wrong:
            return scaled, 0
    return None, wrong


def check_unique_weights(frame: pl.DataFrame, policy: Policy, *, left_out: int = 0) -> None:
    """Raise a `SchemaError` if one person alone has a weight, unless the policy publishes rare ones.

    `left_out` is the number of rows without which they were counted.
    """
    name = policy.weight
    if name is None or policy.columns[name].publish_rare is True:
        return
    alone = int((people_of_values(frame, name, policy.person)["people"] == 1).sum())
    if not alone:
        return
    numbers = frame[name].cast(pl.Float64, strict=False)
    way = _coarser(name, numbers, policy.k)
    where = f" among the rows that are released, {left_out} being left out" if left_out else ""
    raise SchemaError(
        f"{alone} of the weights of column {name!r} are those of one person alone{where}, and point at them.",
        f"{way}, or do not publish them ({setting('identifier', name)}); "
        f"{setting('publish_rare', True, column=name)} publishes every weight.",
    )


def _coarser(name: str, weights: pl.Series, k: int) -> str:
    """Return how to publish weights so that none is rare: rounded, or with the largest ones as one."""
    if step := coarse_step(weights, k):
        return f"round them, as by {setting('round', step, column=name)}"
    ranked = weights.drop_nulls().sort(descending=True)
    if len(ranked) > k and ranked[k - 1] > ranked[-1]:
        return f"publish the largest as one, as by {setting('top', f'{ranked[k - 1]:g}', column=name)}"
    return "round them, or limit the largest and the smallest (round, top, bottom)"


def rare_weights(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Return a remark on weights that fewer than k people have, if there are any."""
    if policy.weight is None:
        return []
    held = people_of_values(frame, policy.weight, policy.person)["people"]
    few = int((held < policy.k).sum())
    if not few:
        return []
    return [
        f"column {policy.weight!r} is published as a weight, and {few} of {len(held)} weights are those of fewer "
        f"than {policy.k} people: whoever knows how weights were computed may learn more of them than their group."
    ]
