"""Checking that the settings of a column fit its role, its kind, and the format of its cells."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from shoal.policy.date_format import RESOLUTIONS

if TYPE_CHECKING:
    from shoal.policy.column import Column


def check_format(column: Column) -> None:
    """Raise an error for a date format that cannot be read, or that contradicts other settings."""
    form = column.date_format
    if form is None:
        if column.language != "en" or column.first_year is not None or column.unreadable != "refuse":
            raise ValueError("language, first_year and unreadable belong to a format")
        return
    form.check()
    source = column.hierarchy
    by_periods = column.kind in (None, "hierarchy") and source is not None and source.periods is not None
    if not by_periods and (column.kind not in (None, "date") or _has_other_kind(column)):
        raise ValueError("format belongs to dates")
    asked = [*(source.periods or () if source is not None else ()), column.round_ranges]
    for period in ("day", "week"):
        if period in asked and RESOLUTIONS.index(form.resolution) < RESOLUTIONS.index("day"):
            raise ValueError(f"the format has no days, so {period} cannot be used")


def _has_other_kind(column: Column) -> bool:
    """Return whether a setting is given that belongs to another kind than dates."""
    kinds = (column.hierarchy, column.order, column.map, column.longitude, column.classes, column.bins)
    return any(given is not None for given in kinds)


def check_number(column: Column) -> None:
    """Raise an error for a number format in a column that is not one of numbers."""
    source = column.hierarchy
    other = (
        column.order is not None or column.map is not None or column.classes is not None or column.format is not None
    )
    by_widths = source is None or source.widths is not None
    if column.number is not None and (column.kind not in (None, "number", "hierarchy") or other or not by_widths):
        raise ValueError("number belongs to a column of numbers")


_OF_SETS = {
    "role", "kind", "separator", "weight", "hierarchy", "least_level", "null_values", "publish_rare",
}  # fmt: skip


def check_set(column: Column) -> None:
    """Raise an error for a separator without sets, or for settings that sets do not have."""
    if column.kind != "set":
        if column.separator != ";":
            raise ValueError('separator belongs to kind = "set"')
        return
    given = [name for name, field in type(column).model_fields.items() if getattr(column, name) != field.default]
    if odd := [name for name in given if name not in _OF_SETS and name != "role"]:
        if odd[0] in ("diversity", "closeness", "disclosure"):
            raise ValueError(NOT_OF_SETS)
        raise ValueError(f'{odd[0]} does not belong to kind = "set"')
    source = column.hierarchy
    if source is not None and (column.role != "quasi" or (source.file is None and not source.prefix)):
        raise ValueError(
            "a set takes a hierarchy of its items as a quasi-identifier, from a file or by prefix = true"
        )
    if not column.separator.isprintable():
        raise ValueError("separator must be printable")


NOT_OF_SETS = (
    "l, t and limits on single values are not defined for sets: two different sets may share the item that must "
    "not be learned; write one row per item, with the role person for the column that says whose it is"
)


def check_role(column: Column) -> None:
    """Raise an error for settings that do not belong to the column's role or kind."""
    asked = column.has_own_requirement
    if column.role not in ("sensitive", "quasi") and (asked or column.bins):
        raise ValueError(
            "diversity, closeness, disclosure and bins belong to a sensitive column or a quasi-identifier"
        )
    if column.role == "quasi" and column.bins and not asked:
        raise ValueError("bins of a quasi-identifier belong to its diversity, closeness or disclosure")
    if column.role == "quasi" and asked and (column.kind == "place" or column.longitude is not None):
        raise ValueError("diversity, closeness and disclosure cannot be required of a place")
    if column.classes is not None and (
        column.role != "quasi" or column.kind not in (None, "label") or column.hierarchy
    ):
        raise ValueError("classes belong to a quasi-identifier of labels without a hierarchy")
    if column.publish_rare and column.role in ("identifier", "person"):
        raise ValueError("publish_rare belongs to a column that is published")
    if column.publish_rare == "merged" and (
        column.role != "quasi" or column.kind not in (None, "label") or column.hierarchy or column.order or column.map
    ):
        raise ValueError('publish_rare = "merged" belongs to a quasi-identifier of labels without a hierarchy')
    if column.consistent and column.role != "person":
        raise ValueError("consistent belongs to the column of the person")
    if column.pseudonym and not column.consistent:
        raise ValueError(
            "pseudonym belongs to a person column with consistent = true: a pseudonym joins all rows of a person, "
            "which is safe only where they are published alike"
        )
    if column.role == "weight" and (column.kind not in (None, "number") or column.merge or _has_other_kind(column)):
        raise ValueError("a weight is a number, which can be rounded or limited and nothing else")
    if column.kind == "hierarchy" and column.hierarchy is None:
        raise ValueError('kind = "hierarchy" needs a hierarchy')
    if column.hierarchy is not None and column.kind not in (None, "hierarchy", "set"):
        raise ValueError('hierarchy belongs to kind = "hierarchy"')
    if column.order is not None and (column.kind not in (None, "ordered") or column.classes is not None):
        raise ValueError('order belongs to kind = "ordered"')
    if column.order is not None and len(set(column.order)) != len(column.order):
        raise ValueError("order names a value twice")
    if column.map is not None and column.kind not in (None, "region"):
        raise ValueError('map belongs to kind = "region"')
    if column.longitude is not None and column.kind not in (None, "place"):
        raise ValueError('longitude belongs to kind = "place"')
    if column.shape != "rectangle" and column.longitude is None:
        raise ValueError("shape belongs to the column of latitudes, which names its longitude")
    if column.round_ranges is not None and (
        column.role != "quasi" or column.kind not in (None, "number", "date", "place") or column.longitude is not None
    ):
        raise ValueError("round_ranges belongs to a quasi-identifier of numbers or dates")
    if column.grid is not None and column.longitude is None:
        raise ValueError("grid belongs to the column of latitudes, which names its longitude")
    if column.grid is not None and Decimal(90) % Decimal(repr(column.grid)):
        raise ValueError("a grid goes into 90 degrees a whole number of times, such as 0.1 or 0.5")
    if column.bins is not None and list(column.bins) != sorted(set(column.bins)):
        raise ValueError("bins must be increasing cut points")
