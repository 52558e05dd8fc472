"""Finding the newest period of a table whose dates are published relative to it.

Columns with the same `relative_to` have one period, the earliest of their newest ones: people who were admitted in
June are discharged in July, and both dates must move by one month with the table of July.

Guarantee   The period depends on released rows only, and on at least k people among them: a single date in the future
            or a suppressed row does not change it. A policy may state the period instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import numpy as np
import polars as pl

from shoal.partition.result import Labels
from shoal.policy import Policy
from shoal.policy.moving_dates import Moving


def origins_of(frame: pl.DataFrame, policy: Policy, labels: Labels | None = None) -> dict[str, date]:
    """Return, for each column with `relative_to`, the first day of the newest period among rows with labels >= 0.

    A column in which fewer than k people have a date is left out, unless the policy states its period.
    """
    kept = frame if labels is None else frame.filter(pl.Series(labels >= 0))
    people = None if policy.person is None else kept[policy.person]
    moving = {name: column for name in policy.quasi if (column := policy.columns[name]).relative_to is not None}
    newest = {
        name: newest_period(kept[name], column.relative_to, policy.k, people)
        for name, column in moving.items()
        if column.relative_to is not None and column.origin is None
    }
    earliest: dict[str | None, date] = {}
    for name, day in newest.items():
        if day is not None:
            period = moving[name].relative_to
            earliest[period] = min(day, earliest.get(period, day))
    found = {}
    for name, column in moving.items():
        origin = column.origin or (earliest[column.relative_to] if newest[name] is not None else None)
        if origin is not None:
            found[name] = origin
    return found


def newest_period(values: pl.Series, period: Moving, k: int, people: pl.Series | None = None) -> date | None:
    """Return the first day of the latest period in or after which at least k people have a date; None without one."""
    days = values.dt.date() if isinstance(values.dtype, pl.Datetime) else values
    if days.dtype != pl.Date:
        return None
    if people is None:
        newest = days.drop_nulls()
    else:
        dated = pl.DataFrame({"person": people.rename("person"), "day": days.rename("day")}).drop_nulls("day")
        newest = dated.group_by("person").agg(pl.col("day").max())["day"]
    if len(newest) < k:
        return None
    numbers = np.sort(newest.to_physical().to_numpy())
    return first_day(date(1970, 1, 1) + timedelta(days=int(numbers[-k])), period)


def first_day(day: date, period: Moving) -> date:
    """Return the first day of the week, month, quarter or year of a day."""
    if period == "week":
        return day - timedelta(days=day.weekday())
    months = {"month": 1, "quarter": 3, "year": 12}[period]
    return date(day.year, (day.month - 1) // months * months + 1, 1)


def origin_remarks(origins: Mapping[str, date], policy: Policy) -> tuple[str, ...]:
    """Return a remark for every column whose newest period is stated in the certificate."""
    return tuple(
        f"dates of {name} are relative to the newest {policy.columns[name].relative_to}, which begins on "
        f"{day.isoformat()}"
        for name, day in origins.items()
    )
