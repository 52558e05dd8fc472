"""Synthetic rows beside a generated release: each lies in the cells of its row, and groups keep their values.

Shares no code with Shoal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from tests.endtoend import values as v
from tests.endtoend.cases import Case, Column, exact
from tests.endtoend.recoding import unmarked
from tests.endtoend.released import FORMATS, Released, must, open_release
from tests.endtoend.truth import HIDDEN, true_of


def check_made_up(case: Case, released: Released, separator: str) -> None:
    """The folder has synthetic rows exactly where they were asked for, and they can have been drawn."""
    files = [path for path in released.folder.iterdir() if path.stem == "synthetic" and path.suffix in FORMATS]
    must(len(files) == ("synthetic" in case.settings), "synthetic rows are there without being asked for, or not")
    if not files:
        return
    drawn = unmarked(case, open_release(released.folder, separator, stem="synthetic"))
    must(drawn.n_rows == released.n_rows, "synthetic rows are more or fewer")
    quasi, kept = case.named("quasi"), case.named("sensitive", "weight", "other")
    must(set(drawn.names) == {column.name for column in (*quasi, *kept)}, f"synthetic columns {drawn.names}")
    shown = [name for name in released.names if _of_quasi(name, case)]
    groups = list(zip(*(map(repr, released.cells[name]) for name in shown), strict=True)) or [()] * drawn.n_rows
    for column in kept:
        counts = [
            Counter(zip(groups, map(repr, table.cells[column.name]), strict=True)) for table in (released, drawn)
        ]
        must(counts[0] == counts[1], f"{column.name}: a group has other values in the synthetic rows")
    for column in quasi:
        for place, made in enumerate(drawn.cells[column.name]):
            _check_cell(case, column, released, place, made)


def _check_cell(case: Case, column: Column, released: Released, place: int, made: Any) -> None:
    name = column.name
    if name not in released.cells:
        low, high = (released.cells[f"{name}_{end}"][place] for end in ("min", "max"))
        missing = str(released.cells.get(f"{name}_missing", [False] * (place + 1))[place]).lower() == "true"
        told = f"{name}: {made!r} is drawn from {low!r} to {high!r}"
        must(missing or made is not None if made is None else low is not None, told)
        if made is not None:
            kind = "f64" if column.kind == "str" else column.kind
            first, value, last = (exact(v.read(one, kind)) for one in (low, made, high))
            must(first <= value <= last, told)
        return
    cell = released.cells[name][place]
    told = f"{name}: {made!r} is drawn from {cell!r}"
    if cell in (HIDDEN, made):
        return
    if "longitude" in column.settings or column.settings.get("kind") == "place":
        low, high = (
            (float(end) for end in str(cell).strip("[]").split(", ")) if "[" in str(cell) else (float(cell),) * 2
        )
        must(low <= float(made) <= high or (low > high and not high < float(made) < low), told)
        return
    legend = released.legends.get(name)
    if legend is not None or made is None:
        must(true_of(cell, made, replace(column, kind="str"), legend), told)
        return
    _inside(column, cell, made, told)


def _inside(column: Column, cell: Any, made: Any, told: str) -> None:
    """A drawn value is true of the cell; a node of a hierarchy stays what it is."""
    hierarchy = column.settings.get("hierarchy") or {}
    if str(cell) == f"{made} or missing":
        return
    must(column.tree is None and "prefix" not in hierarchy, told)
    if str(cell).startswith("{"):
        must(true_of(cell, made, replace(column, kind="str", settings={"kind": "label"}), None), told)
        return
    kind = "f64" if column.settings.get("kind") == "number" else column.kind
    if "periods" in hierarchy and (len(made) == 10 if isinstance(made, str) else abs(made) < 10**7):
        kind = "date"  # of a period of times, a day is drawn
    read = made if column.settings.get("kind") == "ordered" else v.read(made, kind)
    must(true_of(cell, read, replace(column, kind=kind), None), told)


def _of_quasi(name: str, case: Case) -> bool:
    names = {column.name for column in case.named("quasi")}
    if name in {column.name for column in case.columns} - names:
        return False  # a sensitive column may be called x_min
    return name in names or any(name in (f"{one}_min", f"{one}_max", f"{one}_missing") for one in names)
