"""One column: what is counted in it, and which role it should have.

Rules, first match wins: dates; identifiers by name and form; ages and places; free text; sensitive subjects by
name; codes that hardly repeat; and what nothing is known of is a quasi-identifier, the safe side. A number with
all values different is a measurement unless its name or its form says otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal._repr import brief
from shoal.policy import Kind, Role
from shoal.roles import codes
from shoal.roles.kinds import is_text, kind_of, misfits, type_of
from shoal.roles.known_attributes import AGE, CODE_NAME, DATE, PLACES, SENSITIVE
from shoal.roles.known_identifiers import IDENTIFIERS
from shoal.roles.recognize import Recognizer, recognize, says, words
from shoal.roles.uniqueness import Codes, encode
from shoal.tables.text import text_of

SAMPLE = 1_000  # different values whose form is looked at, spread evenly over the sorted ones
HARDLY_REPEATS = 0.9
FEW_ROWS = 20  # below, that all values differ says nothing
FEW_PEOPLE = 10  # a person column with fewer is a grouping of something else
OLDEST = 89  # HIPAA: ages above are pooled
_ISO = re.compile(r"\d{4}-\d\d-\d\d.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """Counts of one column, and the role suggested for it."""

    name: str
    type: str
    distinct: int
    """Different values; missing is not one of them."""
    missing: int
    unique_rows: int
    """Rows whose value nobody else has; a lone missing cell is one."""
    unique_share: float
    largest_share: float
    """Rows that have the most frequent value; missing counts as a value."""
    role: Role
    kind: Kind | None = None
    prefix: bool = False
    """A code whose first signs name the larger unit: to be masked from the right."""
    what: str | None = None
    """What the column was recognized as."""
    safe_harbor: str | None = None
    """The letter of HIPAA's Safe Harbor list, 45 CFR 164.514(b)(2)(i)."""
    names_people: bool = False
    """An identifier that repeats: the person column, if there is no better one."""
    reason: str

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.type}, {self.role}: {self.distinct} different values")


def profile_column(values: pl.Series) -> tuple[ColumnProfile, Codes]:
    """Count a column, suggest its role, and keep its codes for counting combinations."""
    column = encode(values)
    counts = np.bincount(column.codes, minlength=column.n_codes)
    missing = values.null_count()
    n_rows = max(len(values), 1)
    alone = int((counts == 1).sum())
    counted: dict[str, Any] = {
        "name": values.name,
        "type": type_of(values.dtype),
        "distinct": column.n_codes - (missing > 0),
        "missing": missing,
        "unique_rows": alone,
        "unique_share": alone / n_rows,
        "largest_share": int(counts.max(initial=0)) / n_rows,
    }
    return ColumnProfile(**counted, **_suggest(values, column, alone - (missing == 1))), column


def _suggest(values: pl.Series, column: Codes, alone: int) -> dict[str, Any]:
    """Role, kind and reason; `alone` are the present cells whose value does not repeat."""
    name, present = words(values.name), len(values) - values.null_count()
    texts = _texts(values, column)
    kind = kind_of(values.dtype)
    if is_text(values.dtype) and texts and all(map(_ISO.fullmatch, texts)) and not misfits(values, "date"):
        kind = "date"
    if kind == "date":
        why = "the column's name says so" if says(DATE, name) else "when something happened is often known to others"
        return _recognized(DATE, why, kind="date", what=DATE.what if says(DATE, name) else "date")
    is_code = is_text(values.dtype) or _whole(values) or isinstance(values.dtype, pl.Null)
    if is_code and (hit := recognize(IDENTIFIERS, values.name, texts)):
        repeats = column.n_codes >= FEW_PEOPLE and alone < present
        return _recognized(*hit, names_people=hit[0].person and repeats)
    if kind == "number" and says(AGE, name):
        above = int((values > OLDEST).sum())
        return _recognized(AGE, f"the column's name says so; {above} rows are above {OLDEST}", kind=kind)
    if hit := recognize(PLACES, values.name, texts):
        prefix = hit[0].prefix and _same_length(values, texts)
        return _recognized(*hit, kind="hierarchy" if prefix else kind, prefix=prefix)
    if is_text(values.dtype) and _wordy(texts) and 2 * column.n_codes > present:
        return {"role": "identifier", "what": "free text", "reason": "free text: it may name people"}
    if hit := recognize(SENSITIVE, values.name, []):
        return _recognized(*hit)
    hardly_repeats = alone >= HARDLY_REPEATS * max(present, 1)
    if is_code and hardly_repeats and says(CODE_NAME, name):
        return _recognized(CODE_NAME, "its name says code or number, and it hardly repeats")
    if hardly_repeats and present >= FEW_ROWS and is_text(values.dtype):
        return _recognized(CODE_NAME, "text that hardly repeats tells the rows apart", what="unique code")
    if present >= FEW_ROWS and _numbers_the_rows(values, column):
        return _recognized(CODE_NAME, "it numbers the rows", what="row number")
    if is_code and says(CODE_NAME, name):
        kind = "label"  # the distance between two codes means nothing
    if kind == "label" and codes.is_code(values):
        return {"role": "quasi", "kind": "hierarchy", "prefix": True, "reason": "a code that others may know"}
    return {"role": "quasi", "kind": kind, "reason": "others may know it: when in doubt, a quasi-identifier"}


def _recognized(entry: Recognizer, why: str, **more: Any) -> dict[str, Any]:
    what = more.setdefault("what", entry.what)
    law = f" (HIPAA Safe Harbor {entry.safe_harbor})" if entry.safe_harbor else ""
    found = {"role": entry.role, "safe_harbor": entry.safe_harbor or None, "reason": f"{what}{law}: {why}"}
    return found | more


def _texts(values: pl.Series, column: Codes) -> list[str]:
    """At most `SAMPLE` different values as text, the same ones in whatever order the rows come."""
    row_of = np.empty(column.n_codes, dtype=np.int64)
    row_of[column.codes] = np.arange(len(values))
    present = row_of[1:] if values.null_count() else row_of
    chosen = values.gather(present[:: len(present) // SAMPLE + 1])
    if _whole(chosen):
        chosen = chosen.cast(pl.Int64, strict=False)  # pandas keeps whole numbers with gaps as 12.0
    return [text for text in text_of(chosen).str.strip_chars().to_list() if text]


def _whole(values: pl.Series) -> bool:
    if values.dtype.is_float():
        return bool((values.drop_nulls() % 1 == 0).all())
    return values.dtype.is_integer()


def _same_length(values: pl.Series, texts: list[str]) -> bool:
    """Masking digits from the right needs numbers of one length; text is padded where it is shorter."""
    return is_text(values.dtype) or len({len(text) for text in texts}) == 1


def _wordy(texts: list[str]) -> bool:
    return sum(text.count(" ") for text in texts) >= 4 * max(len(texts), 1)


def _numbers_the_rows(values: pl.Series, column: Codes) -> bool:
    if not values.dtype.is_integer() or values.null_count() or column.n_codes < len(values):
        return False
    low, high = values.min(), values.max()
    return isinstance(low, int) and isinstance(high, int) and high - low + 1 == len(values)
