"""Moving the cells of a plan with time: the dates of May become those of June.

Cells move by whole weeks, or by whole months, of which quarters and years consist. Within a month a day keeps its
number; the last day stays the last at the upper end of a range, so that ranges that cover a month still cover it
after a move, however many days it has.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from shoal.errors import ParameterError
from shoal.plans.plan import ANY, AnyOf, Cell, Node, Plan, Span
from shoal.policy import Policy
from shoal.policy.moving_dates import Moving

MONTHS: Mapping[str, int] = {"month": 1, "quarter": 3, "year": 12}
_NODES = {
    "week": re.compile(r"(\d{4})-W(\d\d)"),
    "month": re.compile(r"(\d{4})-(\d\d)"),
    "quarter": re.compile(r"(\d{4})-Q([1-4])"),
    "year": re.compile(r"(\d{4})"),
}


def moved(plan: Plan, policy: Policy, origins: Mapping[str, date]) -> Plan:
    """Return the plan with its cells moved from the origins it was made with to those of another table."""
    columns = dict(plan.columns)
    for name, before in (plan.origins or {}).items():
        period = policy.columns[name].relative_to
        if period is None or name not in columns or origins.get(name, before) == before:
            continue
        source = policy.columns[name].hierarchy
        levels = (None, *(source.periods or ())) if source is not None else (None,)
        mover = _Mover(period, before, origins[name], levels)
        try:
            columns[name] = tuple(mover(cell) for cell in columns[name])
        except (ValueError, OverflowError):
            raise ParameterError(
                f"the plan's cells of column {name} cannot be moved to the dates of this table.",
                "give the plan as it was written, and dates of the years 1 to 9999.",
            ) from None
    return plan.model_copy(update={"columns": columns})


class _Mover:
    """Moves the cells of one column by the time between two first days of a period."""

    def __init__(self, period: Moving, before: date, after: date, levels: tuple[str | None, ...]) -> None:
        self.levels = levels
        self.days = (after - before).days
        self.months = None if period == "week" else 12 * (after.year - before.year) + after.month - before.month

    def __call__(self, cell: Cell) -> Cell:
        if isinstance(cell, Span):
            return cell.model_copy(
                update={"low": self.value(cell.low), "high": self.value(cell.high, last_stays_last=True)}
            )
        if isinstance(cell, AnyOf):
            texts = tuple(None if text is None else self.value(text) for text in cell.any_of)
            return AnyOf(any_of=tuple(dict.fromkeys(texts)))
        if isinstance(cell, Node):
            if cell.node == ANY:
                return cell
            return cell.model_copy(update={"node": self.node(cell.node, self.levels[cell.level])})
        return cell

    def value(self, text: str, *, last_stays_last: bool = False) -> str:
        """Return a date, or the day of a time, moved."""
        return self.day(date.fromisoformat(text[:10]), last_stays_last).isoformat() + text[10:]

    def day(self, day: date, last_stays_last: bool = False) -> date:
        if self.months is None:
            return day + timedelta(days=self.days)
        year, month = divmod(12 * day.year + day.month - 1 + self.months, 12)
        length = calendar.monthrange(year, month + 1)[1]
        was_last = day.day == calendar.monthrange(day.year, day.month)[1]
        return date(year, month + 1, length if was_last and last_stays_last else min(day.day, length))

    def node(self, text: str, period: str | None) -> str:
        """Return the name of a period moved; that of a single value or day as a date."""
        if period is None or period == "day":
            return self.value(text)
        found = _NODES[period].fullmatch(text)
        if found is None:
            raise ValueError
        first, write = _PERIODS[period]
        return write(self.day(first(*(int(part) for part in found.groups()))))


_PERIODS: Mapping[str, tuple[Callable[..., date], Callable[[date], str]]] = {
    "week": (lambda year, week: date.fromisocalendar(year, week, 1), lambda day: f"{day:%G-W%V}"),
    "month": (lambda year, month: date(year, month, 1), lambda day: f"{day.year:04}-{day.month:02}"),
    "quarter": (
        lambda year, quarter: date(year, 3 * quarter - 2, 1),
        lambda day: f"{day.year}-Q{day.month // 3 + 1}",
    ),
    "year": (lambda year: date(year, 1, 1), lambda day: str(day.year)),
}
"""The first day of a named period, and the name of the period that begins on a day."""
