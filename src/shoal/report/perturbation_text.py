"""What perturbation changed, in words: per column how, how many cells, and how far statistics moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.report.formatting import count, name, percent

if TYPE_CHECKING:
    from shoal.measure.moved_statistics import Moved
    from shoal.policy import Perturbation, Policy

MOVED_HEADER = ("column", "how", "cells changed", "mean", "standard deviation", "frequencies", "correlations")
NOT_TRUE = (
    "The values of these columns were changed by chance and are not true ones; k, l and t say nothing about them. "
    "The codebook says so, with the parameters, to every reader."
)


def moved_rows(moved: Sequence[Moved], policy: Policy) -> list[tuple[str, ...]]:
    """Return a row for every perturbed column, as `MOVED_HEADER` has it."""
    return [
        (
            name(one.name),
            how(policy.columns[one.name].perturb),
            f"{count(one.changed or 0)} of {count(one.cells)}",
            _both(one.mean_before, one.mean_after),
            _both(one.deviation_before, one.deviation_after),
            f"moved by {percent(one.frequencies)}",
            "" if one.correlation is None else f"at most {one.correlation:.3f}, with {name(one.correlated or '')}",
        )
        for one in moved
    ]


def moved_sentences(moved: Sequence[Moved], policy: Policy) -> list[str]:
    """Return a sentence for every perturbed column: how, how many cells, and how far its statistics moved."""
    found = []
    for row in moved_rows(moved, policy):
        column, method, changed, mean, deviation, frequencies, correlations = row
        parts = [f"{changed} cells changed"]
        parts += [f"mean {mean}, standard deviation {deviation}"] if mean else [f"frequencies {frequencies}"]
        parts += [f"correlations moved by {correlations}"] if correlations else []
        found.append(f"{column} ({method}): {'; '.join(parts)}.")
    return found


def how(asked: Perturbation | None) -> str:
    """Return a perturbation with its parameters."""
    if asked is None:
        return ""
    stated = asked.model_dump(exclude_none=True, exclude={"method"})
    return f"{asked.method}: " + ", ".join(f"{key} = {_shown(value)}" for key, value in stated.items())


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _both(before: float | None, after: float | None) -> str:
    """Return a number before and after; once if they do not differ in six digits."""
    if before is None or after is None:
        return ""
    texts = f"{before:.6g}", f"{after:.6g}"
    return f"{texts[0]}, kept" if texts[0] == texts[1] else f"{texts[0]} → {texts[1]}"
