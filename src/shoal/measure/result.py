"""The base class of all results of measures: plain numbers, ready to be shown. Nothing is computed here.

They are statistics of the original table and must stay private. Shares are fractions of 1, a missing value among
labels is None, and a number that is undefined (a correlation with a constant column) is None in `to_dict`. Dates are
in days since 1970.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

Unit = Literal["rows", "people"]


def _plain(value: Any) -> Any:
    """Return the value as dictionaries, lists, strings, numbers and None; NaN and infinities become None.

    Fields that are not compared, such as figures of single rows, are left out.
    """
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value) if part.compare}
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The base class of all results."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON.

        Returns
        -------
        dict
            Ready for JSON.
        """
        plain: dict[str, Any] = _plain(self)
        return plain
