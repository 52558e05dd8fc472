"""Show tables 5 to 11 and figure 3 on one self-contained HTML page, each printed value above the measured one."""

from __future__ import annotations

from html import escape

import numpy as np

from shoal.papers import mst_printed as printed
from shoal.papers.mst import Row, ratios

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0 }
td, th { padding: .2rem .9rem; border-bottom: 1px solid #ddd; text-align: right; font-variant-numeric: tabular-nums }
td:first-child, th:first-child { text-align: left }
small { display: block; color: #777 }
svg { max-width: 44rem; font: 12px system-ui, sans-serif }
.grid { stroke: #e4e4e4 } .axis { stroke: #333 } .printed { stroke: #888; stroke-dasharray: 5 4 }
.measured { stroke: #0a7a55 } .line { fill: none; stroke-width: 2 }
"""
TITLES = {
    5: "information loss, 100 SSE / SST",
    6: "groups of 2k and more",
    7: "information loss as clusters overlap more, k = 4",
    8: "information loss by the number of points per cluster, k = 4",
    9: "running time by size, k = 4, seconds",
    10: "running time by dimensions, k = 4, seconds",
    11: "partitions of n points into groups of k to 2k - 1",
}


def page(rows: list[Row]) -> str:
    """Return an HTML page with the tables that are in `rows`, and with figure 3 if table 7 is among them."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        f"<title>MST partitioning: printed and measured</title><style>{STYLE}</style>"
        "<h1>Laszlo and Mukherjee (2005), printed and measured</h1>"
        "<p>In every cell the figure that the paper prints, in gray, above the one measured here.</p>"
    ]
    for table in sorted({row.table for row in rows}):
        parts.append(_table(table, [row for row in rows if row.table == table]))
        if table == 7:
            parts.append(_chart(ratios(rows)))
    return "\n".join(parts) + "</html>\n"


def _table(number: int, rows: list[Row]) -> str:
    """Return one table in HTML, with a line per data set and k, a column per method or measure, and its remarks."""
    columns = list(dict.fromkeys(row.what for row in rows))
    cells = {(row.data, row.k, row.what): row for row in rows}
    head = "".join(f"<th>{escape(what)}" for what in columns)
    lines = [f"<h2>Table {number}: {TITLES[number]}</h2><table><tr><th>data<th>k{head}</tr>"]
    for data, k in dict.fromkeys((row.data, row.k) for row in rows):
        shown = "".join(_cell(cells.get((data, k, what))) for what in columns)
        lines.append(f"<tr><td>{escape(data)}<td>{k}{shown}</tr>")
    notes = "".join(f"<p>{escape(note)}</p>" for note in printed.NOTES.get(number, ()))
    return "\n".join(lines) + f"</table>{notes}"


def _cell(row: Row | None) -> str:
    """Return one table cell: the printed value above the measured one, with as many decimals as in the paper.

    Measured seconds have three significant digits, since they are far from the printed ones.
    """
    if row is None:
        return "<td>"
    if row.table == 11:
        return f"<td><small>{row.printed:.12g}</small>{row.measured:.{4 if row.printed > 1e12 else 12}g}"
    if row.table >= 9:
        return f"<td><small>{row.printed:g}</small>{row.measured:.3g}"
    decimals = 3 if row.table >= 7 or (row.table == 5 and row.data.startswith("SIM")) else 2
    return f"<td><small>{row.printed:.{decimals}f}</small>{row.measured:.{decimals}f}"


def _chart(curves: dict[str, list[float]]) -> str:
    """Return figure 3 as an SVG drawing in which both axes are logarithmic."""
    sigma = np.log10(printed.SIGMA)
    top = max(1.0, np.log10(max(max(values) for values in curves.values()))) * 1.05
    bottom = np.log10(min(0.8, *(min(values) for values in curves.values())))

    def across(value: float) -> float:
        return float(70 + 500 * (np.log10(value) - sigma[0]) / (sigma[-1] - sigma[0]))

    def up(value: float) -> float:
        return float(250 - 220 * (np.log10(value) - bottom) / (top - bottom))

    parts = []
    for ratio in (1, 2, 5, 10, 20, 50, 100):
        if np.log10(ratio) <= top:
            kind = "axis" if ratio == 1 else "grid"
            parts.append(f"<line class='{kind}' x1='70' x2='570' y1='{up(ratio):.1f}' y2='{up(ratio):.1f}'/>")
            parts.append(f"<text x='60' y='{up(ratio) + 4:.1f}' text-anchor='end'>{ratio}</text>")
    for value in printed.SIGMA:
        parts.append(f"<text x='{across(value):.1f}' y='270' text-anchor='middle'>{value:g}</text>")
    for name, values in curves.items():
        points = list(zip(map(across, printed.SIGMA), map(up, values), strict=True))
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f"<polyline class='line {name}' points='{drawn}'><title>{name}</title></polyline>")
    parts.append(
        "<text x='320' y='290' text-anchor='middle'>standard deviation of the clusters</text>"
        "<line class='line printed' x1='400' x2='430' y1='26' y2='26'/><text x='436' y='30'>printed</text>"
        "<line class='line measured' x1='490' x2='520' y1='26' y2='26'/><text x='526' y='30'>measured</text>"
    )
    title = "Figure 3: the loss of the better fixed-size method over that of the best tree-based one, SIM_1 to SIM_8."
    return (
        f"<figure><svg viewBox='0 0 600 300' role='img' aria-label='{title}'>{''.join(parts)}</svg>"
        f"<figcaption>{title} Above 1 the tree wins.</figcaption></figure>"
    )
