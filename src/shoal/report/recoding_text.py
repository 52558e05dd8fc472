"""What was recoded before groups were made, in words: per column how, in how many cells, and what it lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.report.formatting import count, name, percent, plural

if TYPE_CHECKING:
    from shoal.measure.loss_result import Loss, RecodingLoss


def recoding_fact(loss: Loss) -> Sequence[tuple[str, str, str]]:
    """Return the number for the headline, with a remark; nothing if no column was recoded."""
    if not loss.recoded:
        return []
    columns = ", ".join(f"{name(one.name)} {percent(one.lost)}" for one in loss.recoded)
    return [("Lost by recoding before that", percent(loss.recoding), columns)]


def recoding_rows(loss: Loss) -> list[tuple[str, str, str, str]]:
    """Return, per recoded column: name, how, how many cells, and what recoding lost."""
    return [(name(one.name), how(one), _cells(one), percent(one.lost)) for one in loss.recoded]


def how(one: RecodingLoss) -> str:
    """Return how a column was recoded."""
    stated = []
    if one.round is not None:
        stated.append(f"rounded to {one.round}")
    if one.top is not None:
        stated.append(f"{one.top} or more as one")
    if one.bottom is not None:
        stated.append(f"{one.bottom} or less as one")
    if one.labels:
        stated.append(f"values merged into {plural(len(one.labels), 'label')}")
    if one.least_level is not None:
        stated.append(f"from level {one.least_level} of its hierarchy on")
    if one.classes is not None:
        stated.append(f"put into {plural(one.classes, 'class', 'classes')}")
    return ", ".join(stated)


def _cells(one: RecodingLoss) -> str:
    """Return how many cells were touched by each part of the recoding."""
    parts = []
    if one.round is not None:
        parts.append(f"{count(one.rounded)} rounded")
    if one.top is not None:
        parts.append(f"{count(one.at_top)} at the top")
    if one.bottom is not None:
        parts.append(f"{count(one.at_bottom)} at the bottom")
    if one.labels or one.least_level is not None or one.classes is not None:
        parts.append(f"{count(one.merged)} merged")
    return ", ".join(parts)
