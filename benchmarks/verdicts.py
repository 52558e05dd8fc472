"""Who is ahead: of every peer, whether some method of Shoal's is at least as fast at no more loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SAME = 1e-6
"""Losses this near are equal: a peer may add up in 32 bits."""
AHEAD, LEVEL, BEHIND, MISSES, ABSENT = "ahead", "level", "behind", "misses k", "not there"

Row = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """One peer in one contest. `times` is its seconds over those of Shoal's fastest method at no more loss, and
    `losses` its loss over that method's.
    """

    contest: str
    peer: str
    kind: str
    times: float | None
    text: str
    losses: float | None = None
    because: str = ""


def contests(results: Row) -> list[tuple[Row, list[Row]]]:
    """Every contest of a run with its lines."""
    return [
        (contest, [line for line in results["lines"] if line["contest"] == contest["name"]])
        for contest in results["contests"]
    ]


def outcomes(rows: list[Row]) -> list[Outcome]:
    """Of the peers in one contest's rows."""
    ours = [row for row in rows if is_ours(row) and row["seconds"] and row["meets"] is not False]
    return [_outcome(row, ours) for row in rows if not is_ours(row)]


def is_ours(row: Row) -> bool:
    return bool(row["contestant"].startswith("Shoal"))


def _outcome(peer: Row, ours: list[Row]) -> Outcome:
    name = f"{peer['contestant']} {peer['version']}".strip()
    known = (peer["contest"], peer["contestant"])
    if not peer["seconds"]:
        return Outcome(*known, ABSENT, None, f"{name}: {peer['note']}.")
    if peer["meets"] is False:
        return Outcome(*known, MISSES, None, f"{name} does not meet k: {peer['note']}.")
    if not ours:
        return Outcome(*known, BEHIND, None, f"Shoal gave nothing to compare {name} with.")
    as_good = [row for row in ours if _no_worse(row["loss"], peer["loss"])]
    if not as_good:
        nearest = min(ours, key=lambda row: row["loss"])
        text = f"{name} loses {peer['loss'] / nearest['loss']:.4g} times what {nearest['contestant']} loses"
        losses = peer["loss"] / nearest["loss"]
        return Outcome(*known, BEHIND, None, _with_reason(text, peer), losses, peer["because"])
    fastest = min(as_good, key=lambda row: row["seconds"]["middle"])
    a, b = peer["seconds"], fastest["seconds"]
    times = a["middle"] / b["middle"]
    losses = peer["loss"] / fastest["loss"] if peer["loss"] and fastest["loss"] else None
    if times >= 1:
        text = f"{fastest['contestant']} is {times:.3g} times as fast as {name}."
        return Outcome(*known, AHEAD, times, text, losses)
    text = f"{name} takes {times:.2g} of the time of {fastest['contestant']}{_at_loss(peer, fastest)}"
    text += _instead(peer, ours)
    kind = LEVEL if a["most"] >= b["least"] else BEHIND
    return Outcome(*known, kind, times, _with_reason(text, peer), losses, peer["because"])


def _no_worse(ours: float | None, theirs: float | None) -> bool:
    return ours is None or theirs is None or ours <= theirs * (1 + SAME)


def _at_loss(peer: Row, own: Row) -> str:
    if peer["loss"] is None or not own["loss"]:
        return ""
    times = peer["loss"] / own["loss"]
    return ", at the same loss" if abs(times - 1) <= SAME else f", and loses {times:.5g} times as much"


def _instead(peer: Row, ours: list[Row]) -> str:
    """What the least lossy method offers for its time."""
    if peer["loss"] is None:
        return ""
    best = min(ours, key=lambda row: row["loss"])
    saved = 1 - best["loss"] / peer["loss"]
    if saved <= 0.001:
        return ""
    return f" ({best['contestant']} loses {100 * saved:.0f} % less, in {best['seconds']['middle']:.2g} s)"


def _with_reason(text: str, peer: Row) -> str:
    return f"{text}. {peer['because']}".rstrip() if peer["because"] else f"{text}."
