"""What an attack got, beside what was promised and what chance alone would give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np

SLACK = 1e-9  # of sums of floating-point numbers


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One attack on one release, on `tried` people.

    Every try has a score from 0 to 1: the probability with which the attacker is right, 1 where a value is certain.
    """

    attack: str
    on: str
    """The table, method and form."""
    tried: int
    succeeded: float
    """The sum of the scores."""
    worst: float
    """The largest score."""
    promise: float | None
    """What no score may exceed; None where k, l and t promise nothing against this."""
    chance: float | None = None
    """The rate of somebody who has not seen the release, or uses nothing but what is promised to be harmless."""

    @property
    def rate(self) -> float:
        return self.succeeded / self.tried if self.tried else 0.0

    @property
    def standard_error(self) -> float:
        """Of the rate, as if every try were right or wrong by itself."""
        return sqrt(self.rate * (1 - self.rate) / self.tried) if self.tried else 0.0

    @property
    def exceeds(self) -> bool:
        return self.promise is not None and self.worst > self.promise + SLACK

    def to_dict(self) -> dict[str, Any]:
        told = asdict(self) | {"rate": self.rate, "standard_error": self.standard_error, "exceeds": self.exceeds}
        return {name: round(value, 6) if isinstance(value, float) else value for name, value in told.items()}

    def __str__(self) -> str:
        promised = "nothing is promised" if self.promise is None else f"promised at most {self.promise:.1%}"
        blind = "" if self.chance is None else f", by chance {self.chance:.1%}"
        return (
            f"{self.attack} on {self.on}: {self.rate:.1%} ± {self.standard_error:.1%} of {self.tried}, "
            f"at worst {self.worst:.1%}; {promised}{blind}"
        )


def outcome(
    attack: str, on: str, scores: Iterable[float], promise: float | None, chance: float | None = None
) -> Outcome:
    """An outcome from the score of every try."""
    found = np.array(list(scores), dtype=np.float64)
    return Outcome(
        attack=attack,
        on=on,
        tried=len(found),
        succeeded=float(found.sum()),
        worst=float(found.max(initial=0.0)),
        promise=promise,
        chance=chance,
    )
