"""Checks of dates that are published relative to the newest period of their table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal

from shoal.policy.date_format import RESOLUTIONS

if TYPE_CHECKING:
    from shoal.policy.column import Column
    from shoal.policy.setting_types import Period

Moving = Literal["week", "month", "quarter", "year"]
"""The periods by which the classes of a plan can move."""
_INSIDE: dict[Moving, tuple[str, ...]] = {
    "week": ("day", "week"),
    "month": ("day", "month"),
    "quarter": ("day", "month", "quarter"),
    "year": ("day", "month", "quarter", "year"),
}
"""For each period, the units it is made of: only dates in these units are still whole units after moving by it."""


def moving_units(periods: Sequence[Period], period: Moving) -> tuple[Period, ...]:
    """Return those of the periods that stay whole when dates move by a period; the period itself if none does."""
    return tuple(one for one in periods if one in _INSIDE[period]) or (period,)


def starts_period(day: date, period: Moving) -> bool:
    """Return whether a day is the first one of a week, month, quarter or year."""
    if period == "week":
        return day.isoweekday() == 1
    return day.day == 1 and (day.month - 1) % {"month": 1, "quarter": 3, "year": 12}[period] == 0


def fitting_period(column: Column) -> Moving | None:
    """Return the first of month, quarter, year and week that fits all settings of the column; None if none does."""
    for period in ("month", "quarter", "year", "week"):
        try:
            check_moving(column.model_copy(update={"relative_to": period, "origin": None}))
        except ValueError:
            continue
        return period
    return None


def check_moving(column: Column) -> None:
    """Raise a ValueError if `relative_to` or `origin` does not fit the other settings of the column."""
    period = column.relative_to
    if period is None:
        if column.origin is not None:
            raise ValueError("origin belongs to relative_to")
        return
    source = column.hierarchy
    by_periods = source is not None and source.periods is not None
    if column.role != "quasi" or column.kind not in (None, "date", "hierarchy") or (source and not by_periods):
        raise ValueError("relative_to belongs to a quasi-identifier of dates")
    if column.top is not None or column.bottom is not None:
        raise ValueError("top and bottom stay where they are, so they cannot move with relative_to")
    asked = [*(source.periods or () if source is not None else ()), column.round_ranges, column.round]
    if stuck := [one for one in asked if one is not None and one not in _INSIDE[period]]:
        raise ValueError(f'a {stuck[0]} is no part of relative_to = "{period}", so it cannot move with it')
    form = column.date_format
    if form is not None and RESOLUTIONS.index(form.resolution) < RESOLUTIONS.index("day"):
        resolution = form.resolution
        if resolution not in _INSIDE[period]:
            raise ValueError(f"the format has no day, so relative_to must be a {resolution} or longer")
    if column.origin is not None and not starts_period(column.origin, period):
        raise ValueError(f"origin must be the first day of a {period}")
