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
from typing import Literal

import polars as pl

from shoal.certify.findings import Failure
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


def open_values(cells: pl.DataFrame, *, count_missing: bool) -> pl.DataFrame:
    """Return for every class (column `class`) the fewest values that its cell may stand for, as `measure`.

    The other columns of `cells` are the published ones: the cell; or both ends of its range and, if values are
    missing, a column that says whether some in the class are.
    """
    names = [name for name in cells.columns if name != "class"]
    texts = cells.unique("class", maintain_order=True)
    rows = texts.select(names).rows()
    measure = [float(_ends(row, count_missing) if len(names) > 1 else _cell(row[0], count_missing)) for row in rows]
    return pl.DataFrame({"class": texts["class"], "measure": measure}, schema_overrides={"measure": pl.Float64})


def short_sets(name: str, cells: pl.DataFrame, column: Column) -> list[Failure]:
    """Return a failure if some sets have fewer values than the l that is required of the true values."""
    asked = column.diversity
    if asked is None or cells.width != 2:
        return []
    listed = cells.filter(pl.col(name).str.starts_with("{").fill_null(False))
    found = open_values(listed, count_missing=asked.count_missing)
    short = found.filter(pl.col("measure") < math.ceil(asked.l))["class"]
    if not len(short):
        return []
    records = cells.filter(pl.col("class").is_in(short.implode())).height
    message = f"column {name}: the sets of {len(short)} groups have fewer values than the l asked of it, {asked.l:g}"
    return [Failure(check=OPEN, column=name, message=message, groups=len(short), records=records)]


def _ends(row: tuple[str | None, ...], count_missing: bool) -> int:
    """Return the fewest values of a range in two columns; a third column says whether some values are missing."""
    low, high = row[:2]
    missing = int(count_missing and (row[2:] == ("true",) or low is None))
    return missing if low is None or high is None else 1 + missing if low == high else LEAST


def _cell(text: str | None, count_missing: bool) -> int:
    """Return the fewest values that a cell may stand for: those of a set, or two for a range or a hidden cell."""
    if text is None:
        return int(count_missing)
    bare = _OR_MISSING.sub("", text)
    more = int(count_missing and bare != text)
    if bare == "*":
        return LEAST
    if bare.startswith("{") and bare.endswith("}"):
        labels = {_label(found) for found in _LISTED.findall(bare[1:-1])}
        return len(labels if count_missing else labels - {None}) + more
    if bare.startswith("[") and bare.endswith("]"):
        ends = _LISTED.findall(bare[1:-1])
        return LEAST if len(ends) == 2 and ends[0] != ends[1] else 1 + more
    return 1 + more


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
