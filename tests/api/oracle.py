"""Counting by hand: what a released file promises, in plain Python and exact fractions. Shares no code with Shoal."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.optimize import linprog

Row = dict[str, Any]
NULL = "a missing value"
"""Stands for null among sensitive values, so that it can be counted like any other."""


# -- the file --------------------------------------------------------------------------------------------------


def read_rows(path: Path, encoding: str = "utf-8") -> list[Row]:
    """The rows of a released file; a missing cell is None, a cell of a CSV file is text."""
    if path.suffix == ".parquet":
        return list(pq.read_table(path).to_pylist())
    if path.suffix == ".arrow":
        with pa.memory_map(str(path)) as source:
            return list(pa.ipc.open_file(source).read_all().to_pylist())
    if path.suffix == ".xlsx":
        names, *cells = openpyxl.load_workbook(path).active.iter_rows()
        return [{str(name.value): _cell(cell) for name, cell in zip(names, row, strict=True)} for row in cells]
    names, *rows = read_csv(path.read_text(encoding=encoding))
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def _cell(cell: Any) -> Any:
    """The value of a cell; openpyxl gives midnight for a day."""
    return cell.value.date() if cell.number_format == r"yyyy\-mm\-dd" and cell.value is not None else cell.value


def read_csv(text: str) -> list[list[str | None]]:
    """RFC 4180, one character at a time; an empty cell is None, an empty quoted cell is empty text."""
    rows: list[list[str | None]] = []
    row: list[str | None] = []
    cell, quoted, inside = "", False, False
    i = 0
    while i < len(text):
        sign = text[i]
        if inside and text[i : i + 2] == '""':
            cell, i = cell + '"', i + 1
        elif inside and sign == '"':
            inside = False
        elif inside:
            cell += sign
        elif sign == '"':
            inside = quoted = True
        elif sign in ",\n":
            row.append(cell if cell or quoted else None)
            cell, quoted = "", False
            if sign == "\n":
                rows.append(row)
                row = []
        else:
            cell += sign
        i += 1
    assert not row
    assert not cell
    return rows


def parse_multiset(cell: str) -> Counter[str | None]:
    """`flu: 3; cold: 2` to counts; labels that could be mistaken are JSON strings."""
    counts: Counter[str | None] = Counter()
    rest = cell
    while rest:
        if rest.startswith('"'):
            label, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:]
        else:
            label, _, after = rest.partition(":")
            rest = ":" + after
            label = None if label == "null" else label
        number, _, rest = rest.removeprefix(": ").partition("; ")
        assert label not in counts
        counts[label] = int(number)
    return counts


# -- groups ----------------------------------------------------------------------------------------------------


class Group:
    """The people of a group, and per sensitive column how many of them hold each value."""

    def __init__(self) -> None:
        self.people = 0
        self.held: dict[str, Counter[Any]] = defaultdict(Counter)


def value_of(cell: Any, column: Mapping[str, Any]) -> Any:
    """A sensitive cell as what l and t compare: its bin, its place in the order, or itself; blank is missing."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return NULL
    if "bins" in column:
        return bisect_right(column["bins"], float(cell))
    if "order" in column:
        return list(column["order"]).index(cell)
    if cell == "-0.0":  # in a file; a number is what it says
        return "0.0"
    return cell.isoformat() if hasattr(cell, "isoformat") else cell


def groups_of_rows(rows: Sequence[Row], columns: Mapping[str, Mapping[str, Any]]) -> list[Group]:
    """Rows with equal published quasi-identifiers are a group."""
    quasi, person = _published_quasi(rows, columns), _one(columns, "person")
    together: dict[tuple[Any, ...], list[tuple[Any, Row]]] = defaultdict(list)
    for place, row in enumerate(rows):
        together[tuple(row[name] for name in quasi)].append((row[person] if person else place, row))
    found = []
    for members in together.values():
        group = Group()
        numbers = {who for who, _ in members}
        group.people = len(numbers)
        if person:
            assert {int(who) for who in numbers} == set(range(1, len(numbers) + 1))
        for name in _named(columns, "sensitive"):
            pairs = {(who, value_of(row[name], columns[name])) for who, row in members}
            group.held[name] = Counter(value for _, value in pairs)
        found.append(group)
    return found


def groups_of_centers(rows: Sequence[Row], columns: Mapping[str, Mapping[str, Any]]) -> list[Group]:
    """One row is a group."""
    found = []
    for row in rows:
        group = Group()
        group.people = int(row["people"])
        for name in _named(columns, "sensitive"):
            for label, count in parse_multiset(row[name]).items():
                group.held[name][value_of(label, columns[name])] += count
        found.append(group)
    return found


def _published_quasi(rows: Sequence[Row], columns: Mapping[str, Mapping[str, Any]]) -> list[str]:
    found = []
    for name in _named(columns, "quasi"):
        parts = [name] if name in rows[0] else [f"{name}_min", f"{name}_max"]
        found += [*parts, f"{name}_missing"] if f"{name}_missing" in rows[0] else parts
    return found


def _named(columns: Mapping[str, Mapping[str, Any]], role: str) -> list[str]:
    return [name for name, column in columns.items() if column["role"] == role]


def _one(columns: Mapping[str, Mapping[str, Any]], role: str) -> str | None:
    return next(iter(_named(columns, role)), None)


# -- requirements ----------------------------------------------------------------------------------------------


def diversity_holds(group: Group, name: str, asked: Mapping[str, Any]) -> bool:
    """l-diversity of one group, as the papers define it; missing is no value unless it is asked for."""
    silent = 0 if asked.get("count_missing") else group.held[name][NULL]
    counts = sorted((n for v, n in group.held[name].items() if n and (v is not NULL or not silent)), reverse=True)
    if not counts:
        return False
    l_asked, total = asked["l"], sum(counts)
    match asked["kind"]:
        case "distinct":
            return len(counts) >= l_asked
        case "frequency":
            return max(counts) * Fraction(l_asked) <= group.people - silent
        case "entropy":
            entropy = -sum(count / total * math.log(count / total) for count in counts)
            return entropy >= math.log(l_asked) - 1e-8
    return Fraction(counts[0]) < Fraction(asked["c"]) * sum(counts[int(l_asked) - 1 :])


def distance_from_whole(group: Group, groups: Sequence[Group], name: str, distance: str) -> float:
    """The earth mover's distance of a group from the release, as a linear program: slow and obvious."""
    whole: Counter[Any] = Counter()
    for other in groups:
        whole.update(other.held[name])
    values = sorted(whole, key=_sort_key)
    p = np.array([Fraction(group.held[name][v], sum(group.held[name].values())) for v in values], dtype=float)
    q = np.array([Fraction(whole[v], sum(whole.values())) for v in values], dtype=float)
    m = len(values)
    ground = np.array([[_apart(values, i, j, distance) for j in range(m)] for i in range(m)])
    if m == 1 or np.allclose(p, q, atol=1e-15):
        return 0.0
    rows = [np.kron(np.eye(m)[i], np.ones(m)) for i in range(m)]
    sums = [np.kron(np.ones(m), np.eye(m)[j]) for j in range(m)]
    return float(linprog(ground.ravel(), A_eq=np.array(rows + sums), b_eq=np.concatenate([p, q])).fun)


def _sort_key(value: Any) -> tuple[bool, Any]:
    """Missing last; numbers in text as numbers."""
    if value is NULL:
        return True, 0
    if isinstance(value, str):
        try:
            return False, (0, float(value), "")
        except ValueError:
            return False, (1, 0.0, value)
    return False, (0, float(value), "")


def _apart(values: list[Any], i: int, j: int, distance: str) -> float:
    if i == j:
        return 0.0
    if distance == "equal":
        return 1.0
    if distance == "ordered":
        return abs(i - j) / (len(values) - 1)
    # Codes of two signs masked from the right: levels code, first sign, root.
    a, b = values[i], values[j]
    return 0.5 if a is not NULL and b is not NULL and a[0] == b[0] else 1.0


def check(rows: Sequence[Row], settings: Mapping[str, Any], form: str) -> list[Group]:
    """Assert that every requirement of the policy holds on the rows; the groups that were counted."""
    columns = settings["columns"]
    groups = (groups_of_centers if form == "centers" else groups_of_rows)(rows, columns)
    for group in groups:
        assert group.people >= settings["k"], f"{group.people} people"
    for name in _named(columns, "sensitive"):
        asked_l, asked_t = columns[name].get("diversity"), columns[name].get("closeness")
        for group in groups:
            assert asked_l is None or diversity_holds(group, name, asked_l), (name, group.held[name])
            if asked_t is not None:
                found = distance_from_whole(group, groups, name, asked_t["distance"])
                assert found <= asked_t["t"] + 1e-7, (name, found)
    return groups


# -- cells -----------------------------------------------------------------------------------------------------


OR_MISSING = " or missing"


def may_stand_for(cell: str | None, value: Any, text: str | None) -> bool:
    """Whether a generalized cell is true of a value; `text` is the value as it is written."""
    if cell == "*" or cell == text:
        return True
    if cell is None or value is None:
        return value is None and cell is not None and cell.endswith(OR_MISSING)
    cell = cell.removesuffix(OR_MISSING)
    if cell == text:
        return True
    if cell.startswith("{"):
        return text in parse_labels(cell)
    if cell.startswith("["):
        low, high = parse_labels(cell.replace(")", "]"))
        if text in ("low", "mid", "high"):
            order = ["low", "mid", "high"]
            return order.index(str(low)) <= order.index(text) <= order.index(str(high))
        if isinstance(value, int | float | Decimal):
            return Decimal(str(low)) <= Decimal(str(text)) <= Decimal(str(high))
        return str(low) <= str(text) <= str(high)
    if isinstance(value, date):
        quarter = f"{value.year}-Q{(value.month + 2) // 3}"
        decade = f"{value.year // 10 * 10}s"
        return cell in (decade, quarter, f"{value.year}", f"{value.year}-{value.month:02}", f"{value:%Y-%m-%d}")
    if isinstance(value, float | Decimal) and not cell.endswith("*"):  # another file may write 0.00 for 0.0
        return Decimal(cell) == Decimal(str(text))
    # a code masked from the right
    return text is not None and text.startswith(cell.rstrip("*")) and cell.endswith("*")


def parse_labels(cell: str) -> list[str | None]:
    """The labels of `{a, b}` or `[a, b]`; those that could be mistaken are JSON strings. None for "or missing"."""
    missing: list[str | None] = [None] if cell.endswith(OR_MISSING) else []
    rest, labels = cell.removesuffix(OR_MISSING)[1:-1], missing
    while rest:
        if rest.startswith('"'):
            label, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].removeprefix(", ")
        else:
            label, _, rest = rest.partition(", ")
        labels.append(label)
    return labels
