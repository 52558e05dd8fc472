"""Results as plain JSON, with the same bytes for the same content.

Dataclasses keep the order of their fields; mappings and sets are sorted. Fractions are exact text (`"9/2"`), dates
are ISO text, paths have forward slashes; NaN and infinities, which JSON lacks, are null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np
import polars as pl
from pydantic import BaseModel


def dumps(value: object, *, indent: int | None = 2) -> str:
    """Return the JSON text of `value`, ending in a line break."""
    return json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: object) -> Any:
    """Return `value` as dictionaries, lists, text, numbers, booleans and None."""
    match value:
        case None | bool() | str() | int():
            return value.value if isinstance(value, Enum) else value
        case float():
            return float(value) if math.isfinite(value) else None
        case Fraction() | Decimal():
            return str(value)
        case Enum():
            return plain(value.value)
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case PurePath():
            return value.as_posix()
        case bytes():
            return value.hex()
        case np.generic() | np.ndarray():
            return plain(value.tolist())
        case pl.Series():
            return plain(value.to_list())
        case pl.DataFrame():
            return plain(value.to_dict(as_series=False))
        case BaseModel():
            return plain(value.model_dump())
        case Mapping():
            return {str(key): plain(value[key]) for key in sorted(value, key=str)}
        case Set():
            return sorted((plain(item) for item in value), key=str)
        case list() | tuple():
            return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    raise TypeError(f"no JSON form for {type(value).__name__}")
