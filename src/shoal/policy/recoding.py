"""Settings for recoding values before groups are made (limits, rounding, merging), and checks that they fit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from shoal.policy.date_format import RESOLUTIONS

if TYPE_CHECKING:
    from shoal.policy.column import Column

RECODING = ("top", "bottom", "round", "merge")
"""The settings of a column that change values before groups are made."""


def check_digits(setting: Any) -> Any:
    """Return a setting unchanged; raise an error for a whole number that no double holds as it is written."""
    if isinstance(setting, int) and not isinstance(setting, bool) and abs(setting) < 10**300:
        kept = Decimal(repr(float(setting)))
        if kept != setting:
            raise ValueError(f"has more digits than are kept; the nearest number is {int(kept)}")
    return setting


Limit = Annotated[
    Annotated[float, Field(allow_inf_nan=False)] | date,
    Field(union_mode="left_to_right"),
    BeforeValidator(check_digits),
]
"""A top or bottom: a number or a date."""


def as_texts(codes: Any) -> Any:
    """Return a list of texts, numbers and dates with each as text (999 and 999.0 as 999); anything else unchanged."""
    return tuple(map(_as_text, codes)) if isinstance(codes, list | tuple) else codes


def _as_text(code: Any) -> Any:
    if isinstance(code, date):
        return code.isoformat()
    if isinstance(code, float) and code.is_integer():
        return str(int(code))
    return str(code) if isinstance(code, int | float) and not isinstance(code, bool) else code


def _as_lists(merge: Any) -> Any:
    """Return the setting `merge` with every listed value as text."""
    return {name: as_texts(values) for name, values in merge.items()} if isinstance(merge, Mapping) else merge


Merged = Annotated[
    dict[str, tuple[str, ...] | Annotated[int, Field(ge=1, strict=True)]],
    BeforeValidator(_as_lists),
]
"""For every new label, the values that it replaces; in a public certificate only their number."""


def check_recoding(column: Column) -> None:
    """Raise an error for a recoding that contradicts itself, or that does not fit the column's other settings."""
    _check_levels(column)
    measured = {"top": column.top, "bottom": column.bottom, "round": column.round}
    asked = [name for name, setting in measured.items() if setting is not None]
    if not asked and column.merge is None:
        return
    if column.role in ("identifier", "person"):
        raise ValueError(f"{[*asked, 'merge'][0]} belongs to a column that is published")
    if asked:
        _check_measured(column)
    if column.merge is not None:
        _check_merged(column, column.merge)


def _check_levels(column: Column) -> None:
    """Raise an error for levels without a hierarchy, or a greatest level below the least."""
    if not column.least_level and column.greatest_level is None:
        return
    if column.role != "quasi" or column.hierarchy is None:
        raise ValueError("least_level and greatest_level belong to a quasi-identifier with a hierarchy")
    if column.greatest_level is not None and column.greatest_level < column.least_level:
        raise ValueError("greatest_level must not be below least_level")


def _check_measured(column: Column) -> None:
    """Raise an error for limits or rounding of values other than numbers and dates, or that contradict each other."""
    settings = "top, bottom and round"
    if column.kind not in (None, "number", "date") or column.hierarchy is not None or column.merge is not None:
        raise ValueError(f"{settings} belong to numbers or dates without a hierarchy or merge")
    if (
        column.order is not None
        or column.map is not None
        or column.longitude is not None
        or column.classes is not None
    ):
        raise ValueError(f"{settings} belong to numbers or dates, without order, map, longitude or classes")
    dated = [isinstance(limit, date) for limit in (column.top, column.bottom) if limit is not None]
    dated += [isinstance(column.round, str)] if column.round is not None else []
    if len(set(dated)) > 1:
        raise ValueError(f"{settings} must all be of numbers, or all of dates")
    if (column.kind is not None and (column.kind == "date") != dated[0]) or (
        column.format is not None and not dated[0]
    ):
        raise ValueError(
            f"{settings} must fit the kind of the column: numbers for numbers, days and periods for dates"
        )
    if column.number is not None and dated[0]:
        raise ValueError(f"{settings} must be numbers in a column of numbers")
    if column.top is not None and column.bottom is not None and not column.bottom < column.top:  # type: ignore[operator]
        raise ValueError("bottom must be below top")
    form = column.date_format
    coarse = form is not None and RESOLUTIONS.index(form.resolution) < RESOLUTIONS.index("day")
    if coarse and column.round in ("day", "week"):
        raise ValueError(f"the format has no days, so {column.round} cannot be used")
    if column.round_ranges is not None and column.round is not None:
        raise ValueError("round and round_ranges do not go together: rounded values have rounded ranges")
    for name, step in (("round", column.round), ("round_ranges", column.round_ranges)):
        for limit in (column.top, column.bottom):
            if step is not None and limit is not None and not _is_on(limit, step):
                raise ValueError(f"top and bottom must be multiples of {name}, or begin such a period")


def _is_on(limit: float | date, step: float | str) -> bool:
    """Return whether a limit is a multiple of a step, or the beginning of a period."""
    if isinstance(limit, date) != isinstance(step, str):
        return False
    if isinstance(limit, date):
        begins = {
            "day": True,
            "week": limit.isoweekday() == 1,
            "month": limit.day == 1,
            "quarter": limit.day == 1 and limit.month % 3 == 1,
            "year": (limit.month, limit.day) == (1, 1),
            "decade": (limit.month, limit.day, limit.year % 10) == (1, 1, 0),
        }
        return begins[str(step)]
    return Decimal(repr(limit)) % Decimal(repr(float(step))) == 0


def _check_merged(column: Column, merge: Mapping[str, tuple[str, ...] | int]) -> None:
    """Raise an error for merging that is empty, lists a value twice, or is for a column other than labels."""
    source = column.hierarchy
    if column.kind not in (None, "label", "ordered", "hierarchy") or column.map is not None or column.longitude:
        raise ValueError("merge belongs to labels")
    if column.format is not None or column.number is not None or (source is not None and source.file is None):
        raise ValueError("merge belongs to labels, which may have a hierarchy from a file")
    if not merge or not all(merge.values()) or not all(label.strip() for label in merge):
        raise ValueError('merge names new labels and the values of each, as in { "other" = ["a", "b"] }')
    named = [value for values in merge.values() if not isinstance(values, int) for value in values]
    if len(set(named)) < len(named):
        raise ValueError("merge names a value twice")
    if any(label in named and label not in _own(merge[label]) for label in merge):
        raise ValueError("merge makes a new label of values that it merges into another one")


def _own(values: tuple[str, ...] | int) -> tuple[str, ...]:
    return () if isinstance(values, int) else values
