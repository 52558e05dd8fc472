"""Charts of the groups: their sizes, the remaining risk, and where they are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.report.charts.axes import Scale, rounded_up, whole_ticks
from shoal.report.charts.svg import (
    WIDTH,
    Chart,
    bar,
    columns_axis,
    drawing,
    legend,
    line,
    rows_axis,
    tag,
    text,
)
from shoal.report.charts.text_width import widest, width_of
from shoal.report.formatting import count, percent, plural

if TYPE_CHECKING:
    from shoal.measure.risk_result import Bar, Exposure

MOST_SIZES = 32  # the most group sizes that get a bar each


def group_sizes(sizes: Sequence[Bar], *, k: int) -> Chart:
    """Return how many groups have each number of people; if sizes vary much, ranges of sizes share a bar."""
    n_groups, smallest, largest = sum(b.classes for b in sizes), int(sizes[0].low), int(sizes[-1].high)
    people = f"{count(smallest)} to {count(largest)} people"
    label = f"{plural(n_groups, 'group')} of {people}; required: at least {count(k)}."
    each = largest - smallest < MOST_SIZES
    bars = list(sizes) if each else _ranges(sizes)
    high = rounded_up(max(b.classes for b in bars), 4)
    y = Scale(0, high, 176, 34)
    marks = [(y(t), count(t)) for t in whole_ticks(0, int(high), 4)]
    left = 8 + widest([m[1] for m in marks])
    x = Scale(*((smallest - 0.5, largest + 0.5) if each else (-0.5, len(bars) - 0.5)), left, WIDTH - 10)
    below = [(x(t), count(t)) for t in whole_ticks(smallest, largest)] if each else []
    parts = []
    for i, one in enumerate(bars):
        at = one.low if each else i
        start, end = x(at - 0.5), x(at + 0.5)
        gap = min(1.5, (end - start) / 8)
        tip = f"{plural(one.classes, 'group')} of {_sizes(one)} people"
        parts.append(bar(start + gap, y(one.classes), end - start - 2 * gap, 176 - y(one.classes), "after", tip))
        if not each:
            below.append((x(at), count(int(one.low)) + ("" if one.low == one.high else "+")))
    return Chart(
        title="Group sizes",
        label=label,
        svg=drawing(
            label,
            214,
            text(left, 14, "groups"),
            rows_axis(marks, left, WIDTH - 4),
            *parts,
            columns_axis(below, 176, left, WIDTH - 10),
            text((left + WIDTH) / 2, 210, "people in the group", anchor="middle"),
        ),
        header=("people in the group", "groups", "people"),
        rows=tuple((_sizes(one), count(one.classes), count(one.people)) for one in sizes),
    )


def _ranges(sizes: Sequence[Bar]) -> list[Bar]:
    """Return bars for 1, 2, ..., 10, then 11 to 20, 21 to 50, 51 to 100 and so on, without empty ones at the ends."""
    from shoal.measure.risk_result import Bar

    ends = [*range(1, 11), *(m * 10**p for p in range(1, 16) for m in (2, 5, 10))]
    place = [bisect_left(ends, one.high) for one in sizes]
    found = []
    for i in range(place[0], place[-1] + 1):
        inside = [one for one, at in zip(sizes, place, strict=True) if at == i]
        found.append(
            Bar(
                low=ends[i - 1] + 1 if i else 1,
                high=ends[i],
                classes=sum(one.classes for one in inside),
                people=sum(one.people for one in inside),
            )
        )
    return found


def _sizes(one: Bar) -> str:
    return count(int(one.low)) if one.low == one.high else f"{count(int(one.low))} to {count(int(one.high))}"


def risk_curve(before: Exposure, after: Exposure, *, k: int) -> Chart:
    """Return the share of people whose re-identification risk is above 1 in 2, 3, ..., before and after."""
    shares = {"before": _shares(before), "after": _shares(after)}
    marks = sorted({n for curve in shares.values() for n in curve})
    # beyond the threshold at which everybody is at risk both times there is nothing more to see
    last = next((i for i, n in enumerate(marks) if all(c.get(n) == 1 for c in shares.values())), len(marks) - 1)
    marks = marks[: max(last, 1) + 1]
    within = max((n for n in marks if n <= k), default=marks[0])
    label = (
        f"Share of people at risk by threshold. More than 1 in {within}: "
        f"{percent(shares['before'].get(within))} before, {percent(shares['after'].get(within))} after."
    )
    left = 8 + width_of("100%")
    x, y = Scale(marks[0], marks[-1], left + 8, WIDTH - 16, log=True), Scale(0, 1, 176, 34)
    promise, parts = x(k), []
    for when, curve in shares.items():
        points = sorted((n, share) for n, share in curve.items() if n <= marks[-1])
        path = "M" + "L".join(f"{x(n):.1f} {y(share):.1f}" for n, share in points)
        parts.append(tag("path", d=path, class_=f"curve {when}"))
        parts += [
            tag(
                "circle",
                tag("title", f"{when}: {percent(share)} at a risk above 1 in {count(n)}"),
                cx=x(n),
                cy=y(share),
                r=3.5,
                class_=when,
            )
            for n, share in points
        ]
    return Chart(
        title="People at risk, by threshold",
        label=label,
        svg=drawing(
            label,
            214,
            legend(
                left,
                14,
                ("before", "before"),
                ("after", "after"),
                ("promise", f"guaranteed: at most 1 in {count(k)}"),
            ),
            rows_axis([(y(t), percent(t)) for t in (0, 0.25, 0.5, 0.75, 1)], left, WIDTH - 4),
            line(promise, 34, promise, 176, "promise"),
            *parts,
            columns_axis([(x(m), f"1 in {m}") for m in marks], 176, left, WIDTH - 10),
            text((left + WIDTH) / 2, 210, "can be picked out with a probability above", anchor="middle"),
        ),
        header=("probability above", "people before", "people after"),
        rows=tuple(
            (f"1 in {count(m)}", percent(shares["before"].get(m)), percent(shares["after"].get(m))) for m in marks
        ),
    )


def _shares(exposure: Exposure) -> dict[int, float]:
    """Return shares by threshold; up to the smallest class, which may not be a threshold, nobody is at risk."""
    shares = {at.one_in: at.share for at in exposure.at_risk}
    return shares if exposure.smallest_class < 2 else {exposure.smallest_class: 0.0} | shares


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Projection:
    """Records and groups in the two directions in which the records differ most."""

    records: npt.NDArray[np.float64]
    groups: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.int64]
    explained: tuple[float, float]


def scatter(seen: Projection) -> Chart:
    """Return records as gray dots, and published groups as circles whose area is their number of people."""
    n_records, n_groups = len(seen.records), len(seen.groups)
    label = f"Map of {plural(n_records, 'record')} (before) and {plural(n_groups, 'group')} (after)."
    everything = np.vstack([seen.records, seen.groups])
    low, high = everything.min(axis=0), everything.max(axis=0)
    span = float(max(*(high - low), 1e-12))
    height = float(np.clip((WIDTH - 24) * (high - low)[1] / span, 160, 320)) + 44
    x = Scale(float(low[0]), float(high[0]), 14, WIDTH - 14)
    y = Scale(float(low[1]), float(high[1]), height - 14, 34)
    dots = "".join(f"M{x(a):.1f} {y(b):.1f}h0" for a, b in seen.records.tolist())
    reach = max(2.0, min(9.0, 150 / max(1, n_groups) ** 0.5))
    largest = float(seen.sizes.max(initial=1))
    circles = [
        tag(
            "circle",
            tag("title", plural(size, "person", "people")),
            cx=x(a),
            cy=y(b),
            r=max(1.5, reach * (size / largest) ** 0.5),
        )
        for (a, b), size in zip(seen.groups.tolist(), seen.sizes.tolist(), strict=True)
    ]
    return Chart(
        title="The groups, drawn in the plane",
        label=label,
        svg=drawing(
            label,
            height,
            legend(14, 14, ("before", "records"), ("after", "groups, area by people")),
            tag("path", d=dots, class_="dots"),
            tag("g", *circles, class_="circles"),
        ),
        header=("direction", "differences it shows"),
        rows=tuple((which, percent(s)) for which, s in zip(("across", "up"), seen.explained, strict=True)),
        note=f"The two directions show {percent(sum(seen.explained))} of the differences in numbers and dates.",
    )
