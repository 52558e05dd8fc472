"""The public folder as a stranger reads it: by DuckDB and pyarrow, without Shoal."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tests.endtoend import values as v
from tests.endtoend.workbook import workbook

FORMATS = (".csv", ".parquet", ".arrow", ".xlsx")


class WrongError(AssertionError):
    """A release that is not what it says."""


def must(holds: bool, told: str) -> None:
    if not holds:
        raise WrongError(told)


@cache
def database() -> duckdb.DuckDBPyConnection:
    """One for the whole process; nothing in it outlives a case."""
    opened = duckdb.connect(":memory:", config={"threads": 1})
    opened.execute("PRAGMA disable_optimizer")  # tables have some ten rows: planning takes longer than counting
    return opened


def sql(query: str, **tables: pa.Table) -> list[tuple[Any, ...]]:
    """Rows of a query over Arrow tables by name."""
    connection = database()
    for name, table in tables.items():
        connection.register(name, table)
    try:
        return list(connection.execute(query).fetchall())
    finally:
        for name in tables:
            connection.unregister(name)


@dataclass(frozen=True)
class Released:
    """A released table: its columns by name, cell by cell, and as DuckDB has them (`c0`, `c1`, ...)."""

    folder: Path
    file: Path
    names: list[str]
    cells: dict[str, list[Any]]
    """Text from a CSV file; plain values from the others."""
    table: pa.Table
    certificate: dict[str, Any]
    legends: dict[str, dict[str | None, list[str | None]]] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return int(self.table.num_rows)

    def place(self, name: str) -> str:
        """The column's name in SQL."""
        return f"c{self.names.index(name)}"


def open_release(folder: Path, separator: str = ",", stem: str = "release") -> Released:
    """The one table of a public folder, with what stands beside it."""
    files = [path for path in folder.iterdir() if path.suffix in FORMATS and path.stem == stem]
    must(len(files) == 1, f"{len(files)} released files")
    names, table = _text(files[0], separator) if files[0].suffix == ".csv" else _typed(files[0])
    legend = folder / "legend.json"
    legends = json.loads(legend.read_text(encoding="utf-8")) if legend.exists() else {}
    return Released(
        folder,
        files[0],
        names,
        {name: v.from_arrow(table.column(place)) for place, name in enumerate(names)},
        table,
        json.loads((folder / "certificate.json").read_text(encoding="utf-8")),
        {name: {one["class"]: one["labels"] for one in classes} for name, classes in legends.items()},
    )


def _text(file: Path, separator: str) -> tuple[list[str], pa.Table]:
    with file.open(encoding="utf-8", newline="") as lines:
        names = next(csv.reader(lines, delimiter=separator))
    columns = {f"c{place}": "VARCHAR" for place in range(len(names))}
    read = database().sql(
        "SELECT * FROM read_csv(?, header=true, auto_detect=false, columns=?, delim=?, quote='\"', escape='\"', "
        "nullstr='', allow_quoted_nulls=false, strict_mode=true, null_padding=false)",
        params=[str(file), columns, separator],
    )
    return names, _plain(read.to_arrow_table())


def _typed(file: Path) -> tuple[list[str], pa.Table]:
    if file.suffix == ".xlsx":
        names, rows = workbook(file)
        columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(names))]
        return names, _plain(pa.table(columns, names=[f"c{place}" for place in range(len(names))]))
    if file.suffix == ".parquet":
        names, table = pq.read_schema(file).names, pq.read_table(file)
        renamed = ", ".join(f"c{place}" for place in range(len(names)))
        counted = sql(f"SELECT count(*) FROM (SELECT * FROM read_parquet('{file}')) AS t({renamed})")
        must(counted == [(table.num_rows,)], "DuckDB and Arrow read different numbers of rows")
    else:
        with pa.OSFile(str(file), "rb") as opened:
            table = pa.ipc.open_file(opened).read_all()
        names = table.column_names
    return list(names), _plain(table.rename_columns([f"c{place}" for place in range(len(names))]))


def _plain(table: pa.Table) -> pa.Table:
    """Dictionaries as what they stand for, and the number of every row as `place`."""

    def decoded(column: Any) -> Any:
        return pa.array(v.from_arrow(column)) if pa.types.is_dictionary(column.type) else column

    numbered = pa.array(range(table.num_rows), pa.int64())
    return pa.table([*map(decoded, table.columns), numbered], names=[*table.column_names, "place"])


OR_MISSING = " or missing"


def parse_labels(cell: str) -> list[str | None]:
    """The labels of `{a, b}` or `[a, b]`; those that could be mistaken are JSON strings. None for "or missing"."""
    labels: list[str | None] = [None] if cell.endswith(OR_MISSING) else []
    rest = cell.removesuffix(OR_MISSING)[1:-1]
    while rest:
        if rest.startswith('"'):
            label, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:]
            must(not rest or rest.startswith(", "), f"a set that cannot be read: {cell!r}")
            rest = rest.removeprefix(", ")
        else:
            label, _, rest = rest.partition(", ")
        labels.append(label)
    return labels


def parse_multiset(cell: str | None) -> dict[str | None, int]:
    """`flu: 3; cold: 2` to counts."""
    counts: dict[str | None, int] = {}
    rest = cell or ""
    while rest:
        if rest.startswith('"'):
            label, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:]
        else:
            label, _, after = rest.partition(":")
            rest = ":" + after
            label = None if label == "null" else label
        number, _, rest = rest.removeprefix(": ").partition("; ")
        must(label not in counts, f"a value twice in {cell!r}")
        counts[label] = int(number)
    return counts
