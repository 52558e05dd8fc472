"""Generated tables about people and generated policies for them: mixed types, nulls, ties, duplicates, odd texts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

SOURCES = ("polars", "pandas", "pyarrow", "csv", "parquet", "arrow")
NUMBER_METHODS = ("best", "mdav", "mst", "mst-d", "mst-c", "diameter", "centroid")
FIELD = ("mondrian", "mondrian-relaxed", "full-domain", "datafly")
ODD = ("", "a", "b, c", "null", "*", "{x}", "[1, 2]", 'say "hi"', "x: 2; y", "two\nlines", "'q'", " pad ", "ü")
GRADES = ("low", "mid", "high")
CUTS = (10.0, 20.0)

NUMBERS: dict[str, tuple[pl.DataType, st.SearchStrategy[Any]]] = {
    "age": (pl.Int64(), st.integers(0, 9)),
    "weight": (pl.Float64(), st.sampled_from([0.0, -0.0, 0.1, 1.5, -2.5, 1e-9, 1e9])),
    "born": (pl.Date(), st.integers(0, 400).map(lambda day: dt.date(1999, 12, 1) + dt.timedelta(day))),
    "seen": (pl.Datetime("us"), st.integers(0, 99).map(lambda h: dt.datetime(2024, 1, 1) + dt.timedelta(hours=h))),
    "price": (pl.Decimal(10, 2), st.integers(0, 500).map(lambda cents: Decimal(cents) / 100)),
    "small": (pl.Float32(), st.sampled_from([0.125, 0.25, 3.0, -7.5])),
    "count": (pl.UInt8(), st.integers(0, 255)),
}
LABELS: dict[str, tuple[pl.DataType, st.SearchStrategy[Any]]] = {
    "town": (pl.String(), st.sampled_from(ODD)),
    "ward": (pl.Categorical(), st.sampled_from("abc")),
    "smoker": (pl.Boolean(), st.booleans()),
    "grade": (pl.String(), st.sampled_from(GRADES)),
    "zip": (pl.String(), st.sampled_from(["0211", "0212", "0311", "1311", "99"])),
    "score": (pl.Int64(), st.integers(0, 39)),
    "visit": (pl.Date(), st.integers(0, 99).map(lambda week: dt.date(2019, 11, 30) + dt.timedelta(7 * week))),
    "district": (pl.Enum(["north", "south", "east"]), st.sampled_from(["north", "south", "east"])),
}
SENSITIVE: dict[str, tuple[pl.DataType, st.SearchStrategy[Any]]] = {
    "ill": (pl.String(), st.sampled_from(ODD[:6])),
    "pay": (pl.Float64(), st.sampled_from([0.0, -0.0, 5.5, 10.0, 19.0, 20.0, 31.0])),
    "stage": (pl.String(), st.sampled_from(GRADES)),
    "code": (pl.String(), st.sampled_from(["A1", "A2", "B1", "C3"])),
    "when": (pl.Datetime("us"), st.integers(0, 3).map(lambda h: dt.datetime(2024, 1, 1) + dt.timedelta(hours=h))),
}
FIXED: dict[str, dict[str, Any]] = {
    "grade": {"kind": "ordered", "order": GRADES},
    "zip": {"hierarchy": {"prefix": True}},
    "score": {"hierarchy": {"widths": (5, 10, 20)}},
    "visit": {"hierarchy": {"periods": ("month", "quarter", "year")}},
    "district": {"kind": "region"},
    "stage": {"order": GRADES},
    "code": {"hierarchy": {"prefix": True}},
    "town": {"publish_rare": True},  # odd texts that look as if somebody had typed them
    "ill": {"publish_rare": True},
}
WISHES: list[dict[str, Any]] = [{}, {}, {"weight": 2.5}]
DISTANCES = {
    "ill": ("equal",),
    "pay": ("equal", "ordered"),
    "stage": ("equal", "ordered"),
    "code": ("equal", "hierarchical"),
    "when": ("equal", "ordered"),
}


@dataclass(frozen=True)
class Case:
    """A table, and all that is asked for it."""

    frame: pl.DataFrame
    settings: dict[str, Any]
    source: str = "polars"
    format: str | None = None
    notes: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        types = {name: str(dtype) for name, dtype in self.frame.schema.items()}
        return f"Case({self.frame.to_dict(as_series=False)}, {types}, {self.settings}, {self.source}, {self.format})"

    @property
    def columns(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.settings["columns"]
        return found

    def named(self, role: str) -> list[str]:
        return [name for name, column in self.columns.items() if column["role"] == role]

    def as_source(self, folder: Path) -> Any:
        """The table as a user would hand it over."""
        return as_source(self.frame, self.source, folder)


def as_source(frame: pl.DataFrame, kind: str, folder: Path) -> Any:
    if kind == "polars":
        return frame
    if kind == "pandas":
        return frame.to_pandas()
    if kind == "pyarrow":
        return frame.to_arrow()
    path = folder / f"in.{kind}"
    if kind == "csv":
        path.write_text(as_csv(frame), encoding="utf-8", newline="")
    elif kind == "parquet":
        frame.write_parquet(path)
    else:
        with pa.ipc.new_file(path, frame.to_arrow().schema) as writer:
            writer.write_table(frame.to_arrow())
    return path


def as_csv(frame: pl.DataFrame) -> str:
    """Every text quoted, a missing cell empty."""

    def cell(value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, str):
            return '"' + value.replace('"', '""') + '"'
        return value.isoformat() if isinstance(value, dt.date) else str(value).lower()

    rows = [frame.columns, *frame.rows()]
    return "".join(",".join(map(cell, row)) + "\n" for row in rows)


@st.composite
def frames(draw: st.DrawFn, names: list[str], n_rows: int) -> pl.DataFrame:
    """Columns of few values, so that ties are the rule; some rows stand twice."""
    known = NUMBERS | LABELS | SENSITIVE
    columns = []
    for name in names:
        dtype, values = known[name]
        some_missing = draw(st.booleans())
        cells = draw(st.lists(st.none() | values if some_missing else values, min_size=n_rows, max_size=n_rows))
        columns.append(pl.Series(name, cells, dtype=dtype))
    frame = pl.DataFrame(columns)
    twice = draw(st.lists(st.integers(0, n_rows - 1), min_size=n_rows, max_size=n_rows))
    return frame[twice] if draw(st.booleans()) else frame


def one_person_has_a_value_alone(frame: pl.DataFrame, name: str) -> bool:
    people = pl.col("who").n_unique() if "who" in frame.columns else pl.len()
    counted = frame.drop_nulls(name).group_by(name).agg(people.alias("people"))
    return 1 in counted["people"]


@st.composite
def cases(draw: st.DrawFn, sources: tuple[str, ...] = SOURCES) -> Case:
    """A table and a policy that fit each other; whether the policy can be met is open."""
    n_rows = draw(st.integers(4, 30))
    only_numbers = draw(st.booleans())
    pool = list(NUMBERS) if only_numbers else [*NUMBERS, *LABELS]
    quasi = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique=True))
    sensitive = draw(st.lists(st.sampled_from(list(SENSITIVE)), max_size=2, unique=True))
    frame = draw(frames([*quasi, *sensitive], n_rows))
    columns: dict[str, dict[str, Any]] = {"name": {"role": "identifier"}}
    frame.insert_column(0, pl.Series("name", [f"person {i}" for i in range(n_rows)]))
    for name in quasi:
        columns[name] = {"role": "quasi"} | FIXED.get(name, {}) | draw(st.sampled_from(WISHES))
        if name in NUMBERS:
            columns[name] |= draw(st.sampled_from([{}, {"aggregate": "median"}, {"aggregate": "mode"}]))
            columns[name] |= draw(st.sampled_from([{}, {"scale": "standard"}, {"scale": 3.0}]))
    for name in sensitive:
        columns[name] = draw(sensitive_columns(name))
    if draw(st.booleans()):
        n_people = draw(st.integers(2, n_rows))
        who = st.lists(st.none() | st.integers(1, n_people), min_size=n_rows, max_size=n_rows)
        frame.insert_column(1, pl.Series("who", draw(who), dtype=pl.Int64))
        columns["who"] = {"role": "person"}
    if draw(st.booleans()):
        remarks = [[f"r{i % 3}" for i in range(n_rows)], [dt.time(i % 24) for i in range(n_rows)]]
        frame = frame.with_columns(pl.Series("remark", draw(st.sampled_from(remarks))))
        columns["remark"] = {"role": "other", "publish_rare": True}
    for name in (name for name in quasi if name in ("ward", "smoker", "zip")):
        if one_person_has_a_value_alone(frame, name):  # refused otherwise: see tests/api/test_text_is_no_label.py
            columns[name]["publish_rare"] = True
    settings: dict[str, Any] = {
        "k": draw(st.integers(2, 4)),
        "seed": draw(st.integers(0, 3)),
        "max_suppressed": draw(st.sampled_from([0.0, 0.0, 0.2])),
        "ranges": draw(st.sampled_from(["brackets", "columns"])),
        "columns": {name: columns[name] for name in frame.columns},
    }
    if settings["max_suppressed"]:  # a label may be one person's alone once rows are left out
        for name in (name for name in quasi if name in ("ward", "smoker", "zip")):
            columns[name]["publish_rare"] = True
    numeric = all(name in NUMBERS for name in quasi)
    methods = ("auto", "gather", "cellular", "forest", *FIELD, *(NUMBER_METHODS if numeric else ()))
    settings["method"] = draw(st.sampled_from(methods))
    settings["publication"] = draw(st.sampled_from(["auto", "generalize", "aggregate", "centers", "suppress"]))
    if settings["method"] in FIELD[2:]:  # other forms publish no levels
        settings["publication"] = draw(st.sampled_from(["auto", "generalize"]))
        settings["loss"] = draw(st.sampled_from(["ncp", "levels", "entropy"]))
    if "who" in columns and settings["publication"] in ("auto", "centers") and "pay" in columns:
        columns["pay"].pop("bins", None)  # refused: see tests/api/test_rules.py
    whole_columns = settings["method"] in ("full-domain", "datafly")
    if settings["publication"] in ("generalize", "suppress") and not whole_columns:  # what else refuses classes
        least = ["k"] if "who" in columns else ["k", 4]
        for name in (name for name in quasi if name in ("town", "ward", "smoker")):
            columns[name] |= draw(st.sampled_from([{}, *({"classes": size} for size in least)]))
    source = draw(st.sampled_from(sources))
    if source == "pandas" and any(count == n_rows for count in frame.null_count().row(0)):
        source = "polars"  # in pandas a column without values has no type
    return Case(frame, settings, source, draw(st.sampled_from([None, "csv", "parquet", "arrow", "xlsx"])))


@st.composite
def sensitive_columns(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """What is asked of one sensitive column: nothing, l, t or both."""
    column: dict[str, Any] = {"role": "sensitive"} | FIXED.get(name, {})
    if draw(st.booleans()):
        kind = draw(st.sampled_from(["distinct", "frequency", "entropy", "recursive"]))
        whole = kind in ("distinct", "recursive")
        column["diversity"] = {"kind": kind, "l": draw(st.sampled_from([1, 2, 3] if whole else [1, 1.5, 2]))}
        if kind == "recursive":
            column["diversity"]["c"] = draw(st.sampled_from([0.5, 1.0, 3.0]))
        if draw(st.integers(0, 3)) == 0:
            column["diversity"]["count_missing"] = True
    if draw(st.booleans()):
        distance = draw(st.sampled_from(DISTANCES[name]))
        column["closeness"] = {"t": draw(st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0])), "distance": distance}
    if name == "pay" and draw(st.booleans()):
        column["bins"] = CUTS
    return column
