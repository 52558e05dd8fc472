"""The rules that a search by exchanges keeps in every group, and the result of such a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from shoal.partition.result import Labels


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Every group must have at least `l` different values of `codes`.

    With `share`, no value may instead make up more than 1 / l of the records of a group. Records with a negative code
    have no value that counts.
    """

    codes: Labels
    l: float  # noqa: E741 (the field's own name)
    share: bool = False


class Regrouped(NamedTuple):
    """The labels that a search found, and whether a time limit stopped it early."""

    labels: Labels
    timed_out: bool
