"""Checking, on the released table, quasi-identifiers that are also sensitive: no cell may be a single value.

The policy requires an l of the true values of every class. The file has cells, not true values: a set lists the
values in the class, a range shows that there are two or more, and a node of a hierarchy, a mean or a center does not
show how many there are. So only this is claimed in public and counted here: if l is above 1, no class is published as
one value, and no set has fewer than l values. The rest is counted on the true values (`true_values`), which are
private.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Literal

import polars as pl

from shoal.certify.findings import Failure
from shoal.certify.spelling import meanings
from shoal.policy import Column

OPEN: Literal["open-cells"] = "open-cells"
LEAST = 2
"""What is claimed: every cell may stand for at least this many values."""
_OR_MISSING = re.compile(r" or missing$")
_LISTED = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,]+?)\s*(?:,|$)')


def shows_values(column: Column, form: str) -> bool:
    """Return whether the cells of a quasi-identifier show how many values they may stand for."""
    asked = column.diversity
    if column.role != "quasi" or asked is None or asked.l <= 1 or form not in ("generalize", "suppress"):
        return False
    return column.hierarchy is None and column.classes is None


def open_values(cells: pl.DataFrame, column: Column) -> pl.DataFrame:
    """Return for every class (column `class`) the fewest values that its cell may stand for, as `measure`.

    The other columns of `cells` are the published ones: the cell; or both ends of its range and, if values are
    missing, a column that says whether some in the class are. Spellings of one number or instant are one value, as
    they are where sensitive values are counted: a range from 30 to 30.0 shows a single value.
    """
    asked = column.diversity
    count_missing = asked is not None and asked.count_missing
    names = [name for name in cells.columns if name != "class"]
    texts = cells.unique("class", maintain_order=True)
    rows = texts.select(names).rows()
    if len(names) > 1:
        value = _values({end for row in rows for end in row[:2]}, column)
        measure = [_ends(row, value, count_missing) for row in rows]
    else:
        value = _values({label for (text,) in rows for label in _labels(text)}, column)
        measure = [_cell(row[0], value, count_missing) for row in rows]
    return pl.DataFrame({"class": texts["class"], "measure": pl.Series(measure, dtype=pl.Float64)})


def short_sets(name: str, cells: pl.DataFrame, column: Column) -> list[Failure]:
    """Return a failure if some sets have fewer values than the l that is required of the true values."""
    asked = column.diversity
    if asked is None or cells.width != 2:
        return []
    listed = cells.filter(pl.col(name).str.starts_with("{").fill_null(False))
    found = open_values(listed, column)
    short = found.filter(pl.col("measure") < math.ceil(asked.l))["class"]
    if not len(short):
        return []
    records = cells.filter(pl.col("class").is_in(short.implode())).height
    message = f"column {name}: the sets of {len(short)} groups have fewer values than the l asked of it, {asked.l:g}"
    return [Failure(check=OPEN, column=name, message=message, groups=len(short), records=records)]


def _values(texts: set[str | None], column: Column) -> dict[str | None, str | None]:
    """Return a key for the value that each text means; None for a missing value."""
    found = pl.Series(sorted(text for text in texts if text is not None), dtype=pl.String)
    meant = meanings(found)
    keys = found if column.order is not None else meant["key"]  # the texts of an order are values of their own
    values: dict[str | None, str | None] = {None: None}
    for text, key, missing in zip(found, keys, meant["missing"], strict=True):
        values[text] = None if missing else key
    return values


def _ends(row: tuple[str | None, ...], value: Mapping[str | None, str | None], count_missing: bool) -> int:
    """Return the fewest values of a range in two columns; a third column says whether some values are missing."""
    low, high = (value[end] for end in row[:2])
    missing = int(count_missing and (row[2:] == ("true",) or row[0] is None))
    return missing if low is None or high is None else 1 + missing if low == high else LEAST


def _cell(text: str | None, value: Mapping[str | None, str | None], count_missing: bool) -> int:
    """Return the fewest values that a cell may stand for: those of a set, or two for a range or a hidden cell."""
    if text is None:
        return int(count_missing)
    bare = _OR_MISSING.sub("", text)
    more = int(count_missing and bare != text)
    if bare == "*":
        return LEAST
    values = {value[label] for label in _labels(text)}
    if bare.startswith("{") and bare.endswith("}"):
        return len(values if count_missing else values - {None}) + more
    if bare.startswith("[") and bare.endswith("]") and len(_listed(bare)) == 2 and len(values - {None}) == 2:
        return LEAST
    return 1 + more


def _labels(text: str | None) -> list[str | None]:
    """Return the labels of a set, or the ends of a range; none of another cell."""
    bare = _OR_MISSING.sub("", text or "")
    is_list = (bare[:1], bare[-1:]) in (("{", "}"), ("[", "]"))
    return [_label(found) for found in _listed(bare)] if is_list else []


def _listed(bare: str) -> list[str]:
    """Return what is listed between the brackets of a cell."""
    return _LISTED.findall(bare[1:-1])


def _label(text: str) -> str | None:
    """Return a label of a set; a bare null is a missing value."""
    if text == "null":
        return None
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text
    return text
