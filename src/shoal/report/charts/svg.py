"""Elements of all charts: escaped tags, axes, a legend, and the figure around a drawing.

Drawings have classes, not colors: `style.css` gives each class its color in light, dark and print. Text from the data
passes through `tag`, which escapes it, so that it need not be escaped anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from markupsafe import Markup, escape

from shoal.report.charts.text_width import fitted, width_of
from shoal.report.formatting import name

WIDTH = 400.0
_words: ContextVar[Callable[[str], str] | None] = ContextVar("shoal_chart_words", default=None)


@contextmanager
def in_words_of(translate: Callable[[str], str]) -> Iterator[None]:
    """Translate the texts of charts by `translate` during the block."""
    token = _words.set(translate)
    try:
        yield
    finally:
        _words.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing, a sentence that describes it, and its numbers as a table."""

    title: str
    label: str
    svg: Markup
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __html__(self) -> str:
        """Return the figure: title, drawing, note, and the numbers in a part that can be unfolded."""
        parts = [tag("figcaption", name(self.title)), self.svg]
        if self.note:
            parts.append(tag("p", self.note, class_="note"))
        parts.append(tag("details", tag("summary", "Numbers"), table(self.header, self.rows)))
        return tag("figure", *parts, class_="chart")


def tag(element: str, *children: object, class_: str | None = None, **attributes: object) -> Markup:
    """Return an element with escaped text and attributes; `stroke_width=2` becomes `stroke-width="2"`."""
    translate = _words.get()
    if translate is not None:  # a single word in a cell may be a label of the table
        children = tuple(
            translate(child) if type(child) is str and (element != "td" or " " in child) else child
            for child in children
        )
        attributes = {key: translate(str(one)) if key == "aria_label" else one for key, one in attributes.items()}
    given = {"class": class_} | {key.replace("_", "-"): value for key, value in attributes.items()}
    written = "".join(f' {key}="{escape(_plain(value))}"' for key, value in given.items() if value is not None)
    inner = "".join(str(escape(child)) for child in children)
    # a notebook that is not trusted is shown without drawings: their texts remain, and must not run together
    end = "\n" if element in ("text", "title") else ""
    return Markup(f"<{element}{written}>{inner}</{element}>{end}")


def _plain(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def text(x: float, y: float, content: object, *, class_: str = "tick", anchor: str | None = None) -> Markup:
    return tag("text", name(content), class_=class_, x=x, y=y, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def bar(x: float, y: float, width: float, height: float, class_: str, tip: str) -> Markup:
    """Return a rectangle with a tooltip."""
    return tag("rect", tag("title", tip), x=x, y=y, width=max(0.0, width), height=max(0.0, height), class_=class_)


def drawing(label: str, height: float, *parts: object) -> Markup:
    """Return the SVG, which scales with its column and has a description for screen readers."""
    label = name(label)
    return tag("svg", *parts, viewBox=f"0 0 {_plain(WIDTH)} {_plain(height)}", role="img", aria_label=label)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """Return a data table; the first column has names, the others numbers."""
    head = tag("thead", tag("tr", *(tag("th", name(h), scope="col") for h in header)))
    body = tag("tbody", *(tag("tr", *(tag("td", name(cell)) for cell in row)) for row in rows))
    return tag("div", tag("table", head, body, class_="numbers"), class_="scroll")


def legend(x: float, y: float, *entries: tuple[str, str]) -> Markup:
    """Return color samples with their names, from (class, name); the class `promise` is a dashed line, all others are
    squares.
    """
    parts: list[Markup] = []
    translate = _words.get()
    for class_, one in entries:
        label = one if translate is None else translate(one)
        square = tag("rect", x=x, y=y - 8, width=10, height=10, class_=class_)
        parts.append(line(x + 5, y - 10, x + 5, y + 4, class_) if class_ == "promise" else square)
        parts.append(text(x + 14, y + 1, label))
        x += 14 + width_of(label) + 10
    return tag("g", *parts)


def rows_axis(marks: Sequence[tuple[float, str]], left: float, right: float) -> Markup:
    """Return horizontal grid lines at (y, label), with labels to the left of them."""
    lines = [line(left, y, right, y, "grid") for y, _ in marks]
    return tag("g", *lines, *(text(left - 6, y + 4, label, anchor="end") for y, label in marks))


def columns_axis(marks: Sequence[tuple[float, str]], base: float, left: float, right: float) -> Markup:
    """Return the base line with ticks at (x, label); labels that would touch the one before are omitted."""
    parts, free = [line(left, base, right, base, "axis")], -1e9
    for x, label in sorted(marks):
        half = width_of(label) / 2
        parts.append(line(x, base, x, base + 4, "axis"))
        at = min(max(x, half), min(WIDTH, right + 10) - half)
        if at - half >= free:
            parts.append(text(at, base + 16, label, anchor="middle"))
            free = at + half + 4
    return tag("g", *parts)


def named(x: float, y: float, label: str, width: float) -> Markup:
    """Return a row's name, right-aligned at `x`, shortened to `width`, with the whole name as tooltip."""
    whole = name(label)
    shown = fitted(whole, width)
    return tag("text", tag("title", whole), shown, class_="name", x=x, y=y, text_anchor="end")


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return label positions moved apart to at least `gap`, in order, within [low, high] if they fit."""
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    placed = [0.0] * len(positions)
    floor = low
    for i in order:
        placed[i] = max(positions[i], floor)
        floor = placed[i] + gap
    ceiling = high
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed
