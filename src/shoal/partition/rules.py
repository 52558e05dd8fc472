"""What a search by exchanges must keep to in every group, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from shoal.partition.result import Labels


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """At least `l` different values of `codes` in every group, or (`share`) none more often than one in l."""

    codes: Labels
    l: float  # noqa: E741 (the field's own name)
    share: bool = False


class Regrouped(NamedTuple):
    """New labels, and whether a time limit stopped the search early."""

    labels: Labels
    timed_out: bool
