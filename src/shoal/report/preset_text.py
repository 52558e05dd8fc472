"""Rows and sentences on the lines of a preset, as found in the cells of a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shoal.certify.preset.result import LineFound, Verdict
from shoal.report.formatting import plural

PRESET_HEADER = ("line", "about", "verdict", "in the released cells")
NOT_SEEN = (
    "Read from the released cells and headings. Nothing found means that no heading and no cell has the form of this "
    "kind; names in other columns, and what only people know, are for a person to judge."
)
_VERDICTS: dict[Verdict, str] = {"clear": "nothing found", "breach": "✗ not met", "judge": "a person must judge"}


class PresetRow(NamedTuple):
    """One line of a preset in words."""

    id: str
    title: str
    verdict: str
    found: str
    verdict_key: Verdict


def preset_rows(lines: Sequence[LineFound]) -> list[PresetRow]:
    """Return every line: what it is about, the verdict, and what was found."""
    return [
        PresetRow(
            line.id, line.title, _verdict(line), line.sentence if line.found or line.reason else "", line.verdict
        )
        for line in lines
    ]


def _verdict(line: LineFound) -> str:
    return "allowed" if line.verdict == "clear" and line.found else _VERDICTS[line.verdict]


def preset_verdict(title: str, lines: Sequence[LineFound]) -> str:
    """Return how many lines are not met, and how many a person must judge."""
    broken = sum(line.verdict == "breach" for line in lines)
    judged = sum(line.verdict == "judge" for line in lines)
    said = f"{broken} of {plural(len(lines), 'line')} not met" if broken else "no breach was found"
    return f"{title}: {said}; {plural(judged, 'line')} for a person to judge"
