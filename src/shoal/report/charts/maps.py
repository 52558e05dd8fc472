"""Map of a column: regions colored by their class, or rectangles over the places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from shoal._repr import brief
from shoal.report.charts.svg import WIDTH, Chart, drawing, tag, text
from shoal.report.formatting import count, name, plural

Floats = npt.NDArray[np.float64]
COLORS = 7
EDGE = 10.0
HIGHEST = 420.0
MOST_ROWS = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AreaMap:
    """The map of one column: the class of every region with its outline or dot, or rectangles over places.

    `colors` of the classes differ between neighbors. Positions may be in any unit; the second coordinate points
    upwards.
    """

    column: str
    names: tuple[str, ...]
    """The name of each class."""
    people: tuple[int, ...]
    """The number of people in each class."""
    sizes: tuple[int, ...]
    """The number of regions or places in each class."""
    unit: str
    """What is counted: region or place."""
    colors: tuple[int, ...]
    class_of: tuple[int, ...] = ()
    outlines: tuple[tuple[Floats, ...], ...] = ()
    dots: Floats | None = None
    lines: tuple[tuple[int, int], ...] = ()
    boxes: Floats | None = None
    """The left, right, bottom and top side of each class, one row each."""
    laid_out: bool = False
    """Whether the dots were placed by their neighbors alone, so that it is not a true map."""

    def __repr__(self) -> str:
        return brief(self, f"of {self.column!r}: {len(self.people)} classes of {self.unit}s")


def area_map(found: AreaMap) -> Chart:
    """Return the classes in colors that differ between neighbors; the people of a class are shown on hover."""
    n, sizes = len(found.people), found.people
    label = (
        f"{plural(sum(found.sizes), found.unit)} of {name(found.column)} in {plural(n, 'class', 'classes')} of "
        f"{count(min(sizes))} to {count(max(sizes))} people."
    )
    place, height = _placing(found)
    drawn: list[Markup] = []
    tips = [
        f"{class_name}: {plural(people, 'person', 'people')}"
        for class_name, people in zip(found.names, found.people, strict=True)
    ]
    if found.outlines:
        for region, rings in enumerate(found.outlines):
            group = found.class_of[region]
            path = "".join(_path(place(ring)) for ring in rings)
            drawn.append(tag("path", tag("title", tips[group]), d=path, class_=f"area{found.colors[group]}"))
    elif found.boxes is not None:
        dots = place(found.dots) if found.dots is not None else np.zeros((0, 2))
        corners = place(found.boxes[:, [0, 3]]), place(found.boxes[:, [1, 2]])
        for group, ((x, y), (right, low)) in enumerate(zip(*corners, strict=True)):
            tip = tag("title", tips[group])
            sides = {"x": float(x), "y": float(y), "width": float(right - x), "height": float(low - y)}
            drawn.append(tag("rect", tip, class_=f"box area{found.colors[group]}", **sides))
        drawn.append(tag("path", d="".join(f"M{x:.1f} {y:.1f}h0" for x, y in dots), class_="places"))
    elif found.dots is not None:
        dots = place(found.dots)
        joined = "".join(
            f"M{dots[a][0]:.1f} {dots[a][1]:.1f}L{dots[b][0]:.1f} {dots[b][1]:.1f}" for a, b in found.lines
        )
        drawn.append(tag("path", d=joined, class_="contact"))
        size = max(1.2, min(5.0, 60 / np.sqrt(max(len(dots), 1))))
        for region, (x, y) in enumerate(dots.tolist()):
            group = found.class_of[region]
            circle = {"cx": float(x), "cy": float(y), "r": float(size)}
            drawn.append(tag("circle", tag("title", tips[group]), class_=f"area{found.colors[group]}", **circle))
    order = sorted(range(n), key=lambda group: -found.people[group])[:MOST_ROWS]
    note = "Neighboring classes have different colors."
    if found.laid_out:
        note += " The map has no outlines, so regions are placed by their neighbors alone."
    return Chart(
        title=f"Map of {found.column}",
        label=label,
        svg=drawing(label, height + 18, tag("g", *drawn, class_="map"), text(EDGE, height + 12, f"{n} classes")),
        header=("class", "people", f"{found.unit}s"),
        rows=tuple((found.names[g], count(found.people[g]), count(found.sizes[g])) for g in order),
        note=note,
    )


def _placing(found: AreaMap) -> tuple[Callable[[Floats], Floats], float]:
    """Return the function from positions to the drawing, with one scale for both directions, and its height."""
    everything: list[Floats] = [ring for rings in found.outlines for ring in rings]
    everything += [found.dots] if found.dots is not None else []
    everything += [found.boxes[:, [0, 2]], found.boxes[:, [1, 3]]] if found.boxes is not None else []
    points = np.concatenate(everything)
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, 1e-9)
    scale = min((WIDTH - 2 * EDGE) / span[0], (HIGHEST - 2 * EDGE) / span[1])
    height = float(span[1] * scale + 2 * EDGE)

    def place(positions: Floats) -> Floats:
        flat = (positions - low) * scale + EDGE
        return np.column_stack([flat[:, 0], height - flat[:, 1]])

    return place, height


def _path(ring: Floats) -> str:
    """Return a closed line, without points that would coincide with the one before."""
    steps: list[str] = []
    for x, y in ring.tolist():
        step = f"{x:.1f} {y:.1f}"
        if not steps or steps[-1] != step:
            steps.append(step)
    return "M" + "L".join(steps) + "Z"


def different_colors(neighbors: Sequence[set[int]]) -> tuple[int, ...]:
    """Return a color per class, different from its neighbors' if there are enough: the one least used around it."""
    color = [-1] * len(neighbors)
    used = [0] * COLORS
    for group in sorted(range(len(neighbors)), key=lambda one: (-len(neighbors[one]), one)):
        around = [color[other] for other in neighbors[group] if color[other] >= 0]
        color[group] = min(range(COLORS), key=lambda one: (around.count(one), used[one], one))
        used[color[group]] += 1
    return tuple(color)
