"""Ranges and arrays of PostgreSQL as cells of a release, and back.

Guarantee   `from_sql` undoes `to_sql`: a column is written as a range or an array only if every one of its cells is
            read back as the text that it was. Any other column stays text.

A cell `[30, 39]` is the range from 30 to 39, and a cell `35` the range from 35 to 35; whole numbers and dates are
discrete, so the server shows them as `[30,40)`. `*` is the range without ends. A set `{a, b}` is an array, in which a
missing value stands for `or missing`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal

_HIDDEN, _OR_MISSING, _MISSING = "*", " or missing", "null"
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_RANGE_CELL = re.compile(r"\[([^,\[\]]+), ([^,\[\]]+)([\])])")
_RANGE_SQL = re.compile(r'([\[(])"?([^",]*)"?,"?([^",]*)"?([\])])')
_PLAIN = re.compile(r"""[^\s{}\[\],;:"*](?:[^{}\[\],;:"\n\r\t]*[^\s{}\[\],;:"])?""")
_LABEL = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,"][^,"]*')
_INT4 = 2**31 - 2  # one less than the largest, because the server adds one to an upper end
_DISCRETE = ("int4range", "int8range", "daterange")
RANGES = (*_DISCRETE, "numrange", "tsrange", "tstzrange")


def sql_type(cells: Sequence[str]) -> str | None:
    """Return the type of PostgreSQL, a range or an array of texts, that all the different `cells` fit; else None.

    At least one of them must be a range or a set: a column of plain numbers or labels is left as it is.
    """
    if any(_RANGE_CELL.fullmatch(cell) for cell in cells):
        for kind in ("int4range", "int8range", "numrange", "daterange"):
            if all(_comes_back(cell, kind) for cell in cells):
                return kind
    elif any(cell.startswith("{") for cell in cells) and all(_comes_back(cell, "text[]") for cell in cells):
        return "text[]"
    return None


def to_sql(cell: str, kind: str) -> str | None:
    """Return a cell as the text of a range, or as the JSON of an array; None if it is none of this type."""
    if kind == "text[]":
        return _to_array(cell)
    if cell == _HIDDEN:
        return "(,)"
    found = _RANGE_CELL.fullmatch(cell)
    low, high, end = found.groups() if found else (cell, cell, "]")
    if kind == "numrange":
        fits = _NUMBER.fullmatch(low) and _NUMBER.fullmatch(high) and Decimal(low) <= Decimal(high)
    elif kind == "daterange":
        fits = end == "]" and _is_day(low) and _is_day(high) and low <= high and high < "9999-12-31"
    else:
        whole = _WHOLE.fullmatch(low) and _WHOLE.fullmatch(high) and int(low) <= int(high)
        fits = whole and end == "]" and (kind == "int8range" or (int(low) >= -_INT4 and int(high) <= _INT4))
    empty = low == high and end == ")"
    return f"[{low},{high}{end}" if fits and not empty and "-0" not in (low, high) else None


def from_sql(text: str, kind: str) -> str:
    """Return the cell of a range as the server writes it, or of an array as JSON."""
    if kind.endswith("[]"):
        return _from_array(text)
    if text == "(,)":
        return _HIDDEN
    found = _RANGE_SQL.fullmatch(text)
    if found is None:
        return text  # an empty range, or several
    begin, low, high, end = found.groups()
    if kind in _DISCRETE and begin == "[" and end == ")" and low and high:
        high, end = _before(high, kind), "]"
    return low if low == high and begin + end == "[]" else f"{begin}{low}, {high}{end}"


def reader(kind: str) -> Callable[[str], str]:
    """Return the function by which texts of a column of this type become cells."""
    return lambda text: from_sql(text, kind)


def _comes_back(cell: str, kind: str) -> bool:
    """Return whether a cell is read back as the same text."""
    written = to_sql(cell, kind)
    return written is not None and from_sql(_canonical(written, kind), kind) == cell


def _canonical(written: str, kind: str) -> str:
    """Return a range as the server will write it: for whole numbers and dates, with the end excluded."""
    if kind not in _DISCRETE or written == "(,)":
        return written
    low, high = written[1:-1].split(",")
    return f"[{low},{_after(high, kind)})"


def _after(end: str, kind: str) -> str:
    return (date.fromisoformat(end) + timedelta(1)).isoformat() if kind == "daterange" else str(int(end) + 1)


def _before(end: str, kind: str) -> str:
    """Return the last value before an excluded end; a date that Python has not stays as it is."""
    if kind != "daterange":
        return str(int(end) - 1)
    return (date.fromisoformat(end) - timedelta(1)).isoformat() if _is_day(end) else f"before {end}"


def _is_day(text: str) -> bool:
    try:
        return _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _to_array(cell: str) -> str | None:
    """Return the labels of a set, or a label alone, as a JSON list."""
    bare = cell.removesuffix(_OR_MISSING)
    if bare == _HIDDEN or (bare == cell and not cell.startswith("{")):
        return None if bare == _HIDDEN else json.dumps([cell], ensure_ascii=False)
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    labels: list[str | None] = []
    at, inside = 0, bare[1:-1]
    while at < len(inside):
        found = _LABEL.match(inside, at)
        if found is None:
            return None
        try:
            labels.append(str(json.loads(found[0])) if found[0].startswith('"') else found[0])
        except ValueError:
            return None
        at = found.end() + 2
    return json.dumps([*labels, None] if bare != cell else labels, ensure_ascii=False)


def _from_array(text: str) -> str:
    """Return a JSON list as a set, or as the only label in it; a list of lists stays JSON."""
    listed = json.loads(text, parse_float=str, parse_int=str)
    if not isinstance(listed, list) or any(isinstance(one, list | dict) for one in listed):
        return text
    words = [json.dumps(one) if isinstance(one, bool) else one for one in listed]
    if len(words) == 1 and words[0] is not None:
        return str(words[0])
    inside = "{" + ", ".join(_quoted(one) for one in words if one is not None) + "}"
    return inside + _OR_MISSING if None in words else inside


def _quoted(label: str) -> str:
    return label if label != _MISSING and _PLAIN.fullmatch(label) else json.dumps(label, ensure_ascii=False)
