"""What was found in a release about each line of a preset: counts and column names, never the value of a cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal._repr import brief

Verdict = Literal["clear", "breach", "judge"]
"""Nothing was found; something was found that the line does not allow; a person must judge."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one released column."""

    column: str
    cells: int
    what: str
    """What the cells show, with their number, in words."""
    verdict: Verdict

    def __repr__(self) -> str:
        return brief(self, self.sentence)

    @property
    def sentence(self) -> str:
        """What was found, as in `zip: 480 cells with more than three digits of a ZIP code`."""
        return f"{self.column}: {self.what}"


def found(column: str, cells: int, what: str, verdict: Verdict) -> Found:
    """Return what was found; in `what`, `{n}` stands for the number of cells, with the word for them."""
    return Found(column, cells, what.replace("{n}", f"{cells:,} {'cell' if cells == 1 else 'cells'}"), verdict)


@dataclass(frozen=True, slots=True)
class LineFound:
    """One line of a preset: its id and title, what was found, and the verdict."""

    id: str
    title: str
    verdict: Verdict
    found: tuple[Found, ...] = ()
    reason: str | None = None
    """Why a person must judge, for a line that no program can check."""

    def __repr__(self) -> str:
        return brief(self, f"{self.id}: {self.verdict}")

    @property
    def sentence(self) -> str:
        """What was found on this line, in words."""
        if self.found:
            return "; ".join(one.sentence for one in self.found)
        return self.reason or "nothing of this kind was found"


def line_found(id: str, title: str, seen: list[Found], reason: str | None = None) -> LineFound:
    """Return a line with the worst verdict of what was found; what is allowed is listed last."""
    order: tuple[Verdict, ...] = ("breach", "judge", "clear")
    seen = sorted(seen, key=lambda one: order.index(one.verdict))
    verdict: Verdict = seen[0].verdict if seen else "clear"
    if reason is not None and verdict == "clear":
        verdict = "judge"
    return LineFound(id, title, verdict, tuple(seen), reason)
