"""The page's charts, as SVG files of a few kilobytes without outside parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

WIDTH = 760
COLORS = ("#0a7a55", "#07a", "#c44", "#e90", "#739", "#555", "#a63", "#093")
KINDS = {"ahead": "#0067a6", "level": "#8a97a3", "behind": "#c14f00"}
"""Told apart by the color-blind, as in the reports."""


def _svg(height: int, said: str, parts: Sequence[str]) -> str:
    style = "text{font:13px system-ui,sans-serif;fill:#33404c}.grid{stroke:#e2e2e2}.axis{stroke:#888}"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' role='img' "
        f"aria-label='{escape(said, quote=True)}'><style>{style}</style>"
        f"<rect width='{WIDTH}' height='{height}' fill='#fff'/>{''.join(parts)}</svg>\n"
    )


def _text(x: float, y: float, said: str, anchor: str = "start", more: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{more}>{escape(said)}</text>"


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f"<line class='{kind}' x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}'/>"


def _decades(low: float, high: float) -> list[float]:
    return [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def ratios(rows: Sequence[tuple[str, Sequence[tuple[float, str]]]]) -> str:
    """A row for each peer, a dot for each contest: its seconds as a multiple of Shoal's, on a logarithmic axis."""
    every = [times for _, dots in rows for times, _ in dots]
    ends = _decades(min(0.5, *every), max(2.0, *every))
    left, right, low, high = 190, WIDTH - 30, math.log10(ends[0]), math.log10(ends[-1])

    def across(times: float) -> float:
        return left + (right - left) * (math.log10(times) - low) / (high - low)

    height = 84 + 26 * len(rows)
    parts = [_text(across(1) - 10, 18, "← the peer is faster", "end"), _text(across(1) + 10, 18, "Shoal is faster →")]
    parts += [_line(across(end), 30, across(end), height - 46, "axis" if end == 1 else "grid") for end in ends]
    parts += [_text(across(end), height - 28, _times(end), "middle") for end in ends]
    for at, (name, dots) in enumerate(rows):
        y = 46 + 26 * at
        parts.append(_text(left - 14, y + 4, name, "end"))
        parts.append(_line(left, y, right, y, "grid"))
        for times, kind in dots:
            parts.append(
                f"<circle cx='{across(times):.1f}' cy='{y}' r='5.5' fill='{KINDS[kind]}' fill-opacity='.75'/>"
            )
    parts.append(_text((left + right) / 2, height - 8, "the peer's seconds, times Shoal's", "middle"))
    return _svg(height, "seconds of each peer as a multiple of Shoal's, contest by contest", parts)


def _times(value: float) -> str:
    return f"{value:g} x" if value >= 1 else f"1/{1 / value:g} x"


def growth(curves: dict[str, list[tuple[float, float]]]) -> str:
    """Seconds by records, both logarithmic, a line for each task."""
    xs, ys = ([point[axis] for points in curves.values() for point in points] for axis in (0, 1))
    across_ends, up_ends = _decades(min(xs), max(xs)), _decades(min(ys), max(ys))
    left, right, top, bottom = 70, WIDTH - 150, 16, 330

    def across(x: float) -> float:
        low, high = math.log10(across_ends[0]), math.log10(across_ends[-1])
        return left + (right - left) * (math.log10(x) - low) / (high - low)

    def up(y: float) -> float:
        low, high = math.log10(up_ends[0]), math.log10(up_ends[-1])
        return bottom - (bottom - top) * (math.log10(y) - low) / (high - low)

    parts = [_line(across(x), top, across(x), bottom, "grid") for x in across_ends]
    parts += [_line(left, up(y), right, up(y), "grid") for y in up_ends]
    parts += [_text(across(x), bottom + 18, f"{x:,.0f}", "middle") for x in across_ends]
    parts += [_text(left - 8, up(y) + 4, f"{y:g} s", "end") for y in up_ends]
    parts.append(_text((left + right) / 2, bottom + 38, "records", "middle"))
    for at, (name, points) in enumerate(curves.items()):
        color, drawn = COLORS[at % len(COLORS)], " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        parts.append(f"<polyline points='{drawn}' fill='none' stroke='{color}' stroke-width='2'/>")
        parts.append(_text(right + 14, top + 14 + 20 * at, name, more=f" style='fill:{color}'"))
    return _svg(bottom + 50, "seconds by number of records, task by task", parts)


def steps(rows: Sequence[tuple[str, float, float]]) -> str:
    """A bar of seconds for each step, and a mark at the least it could take."""
    longest = max(seconds for _, seconds, _ in rows) or 1.0
    left, right = 110, WIDTH - 90
    height = 20 + 24 * len(rows)
    parts = []
    for at, (name, seconds, floor) in enumerate(rows):
        y, wide = 12 + 24 * at, (right - left) * seconds / longest
        parts.append(_text(left - 8, y + 12, name, "end"))
        parts.append(f"<rect x='{left}' y='{y}' width='{max(wide, 1):.1f}' height='16' fill='#07a'/>")
        least = max((right - left) * floor / longest, 1)
        parts.append(f"<rect x='{left}' y='{y}' width='{least:.1f}' height='16' fill='#e90'/>")
        parts.append(_text(left + max(wide, 1) + 6, y + 12, f"{seconds:.3g} s"))
    return _svg(height, "seconds of each step, and the least each could take", parts)
