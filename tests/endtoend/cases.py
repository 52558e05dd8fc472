"""From the number of a case to a table and a policy: every type, role, method, form and requirement.

The same number is the same case on every machine. Whether a policy can be met is open: a case ends in a release or in
one clean sentence. Shares no code with Shoal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

from tests.endtoend import values as v

SOURCES = ("polars", "lazy", "pandas", "pandas-nullable", "pandas-arrow", "pyarrow", "pyarrow-dictionary", "csv")
FILES = ("csv", "csv.gz", "semicolon", "tab", "parquet", "arrow")
NAMES = (
    "age", "zip", "born", "sex", "Age", "x_min", "x", "a,b", 'q"uote', "naïve", "SELECT", "{x}", "class", "value",
    "held", "text", "group", "row", "low", "v", "g", "literal", "len", "index", "code", "two words", "tab\tname",
    "日本", "_", "-", "0", "1e5", "null", "true", "a.b", "name", "person", "measure", "records", "count", "people",
    "radius",
    "x_max", "lat_radius_m", "k", "columns", "=sum", "'", "\\", "%s", "$1", "é", "e\u0301",
)  # fmt: skip
METHODS = (
    "auto", "auto", "auto", "best", "mdav", "v-mdav", "mst", "mst-d", "mst-c", "diameter", "centroid", "optimal",
    "gather", "cellular", "forest", "forest", "pairs", "triples", "mondrian", "mondrian-relaxed",
    "full-domain", "datafly",
)  # fmt: skip
FORMS = ("auto", "generalize", "generalize", "aggregate", "centers", "suppress")
GRADES = ("low", "mid", "high", "top, most")
CODES = ("0211", "0212", "0311", "1311", "99", "9", "A10", "A11")


@dataclass(frozen=True)
class Column:
    """One column: its type, its cells, and what the policy says of it."""

    name: str
    kind: str
    cells: list[v.Value]
    settings: dict[str, Any]
    tree: dict[str, list[str]] | None = None
    """Of a hierarchy in a file: the names above every leaf, itself first."""
    edges: list[tuple[str, str]] | None = None
    """Of a map: pairs of neighbors."""

    @property
    def role(self) -> str:
        return str(self.settings["role"])


@dataclass(frozen=True)
class Case:
    """A table, all that is asked for it, and how it is handed over."""

    number: int
    columns: list[Column]
    settings: dict[str, Any]
    source: str
    format: str | None
    second: list[list[v.Value]] | None = None
    """Cells of another table with the same columns, for `apply`."""
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].cells)

    def named(self, *roles: str) -> list[Column]:
        return [column for column in self.columns if column.role in roles]

    def with_cells(self, cells: list[list[v.Value]]) -> Case:
        """The same policy on other cells."""
        columns = [
            Column(c.name, c.kind, new, c.settings, c.tree, c.edges)
            for c, new in zip(self.columns, cells, strict=True)
        ]
        return Case(self.number, columns, self.settings, self.source, self.format, None, self.extras)

    def recipe(self) -> str:
        """All that is needed to see the case again by hand."""
        lines = [f"case {self.number}: source={self.source}, format={self.format}, settings={self.settings}"]
        lines += [f"  {c.name!r} {c.kind} {c.settings}: {c.cells!r}" for c in self.columns]
        lines.append(f"  extras={self.extras}, second table: {self.second is not None}")
        return "\n".join(lines)


@dataclass
class _Drawn:
    """A column before it has cells: how to draw one."""

    kind: str
    pool: list[v.Value]
    settings: dict[str, Any]
    tree: dict[str, list[str]] | None = None
    edges: list[tuple[str, str]] | None = None


def case(number: int) -> Case:
    """Case `number`."""
    rng = Random(f"shoal end to end {number}")
    n_rows = rng.choice([rng.randint(4, 12), rng.randint(12, 30), rng.randint(20, 45)])
    settings = _wishes(rng)
    places = rng.random() < 0.12
    drawn = [_quasi(rng) for _ in range(rng.choice([1, 1, 2, 2, 3, 4] if not places else [0, 1, 2]))]
    drawn += [_sensitive(rng) for _ in range(rng.choice([0, 1, 1, 2]))]
    drawn += [_other(rng) for _ in range(rng.choice([0, 0, 1]))]
    names = rng.sample(NAMES[:16] if rng.random() < 0.4 else NAMES, len(drawn))
    columns = [
        Column(name, one.kind, _cells(rng, one, n_rows), one.settings, one.tree, one.edges)
        for name, one in zip(names, drawn, strict=True)
    ]
    columns += _places(rng, n_rows, settings) if places else []
    columns.append(
        Column(
            "id number", "str", [f"ID-{number}-{row}-xq{row * 7919}" for row in range(n_rows)], {"role": "identifier"}
        )
    )
    if rng.random() < 0.2:
        columns.append(
            Column("phone", "i64", [7_700_000_000_000 + row * 7_919 for row in range(n_rows)], {"role": "identifier"})
        )
    if rng.random() < 0.35:
        columns.append(_person(rng, n_rows))
    if rng.random() < 0.95:
        columns.append(
            Column("mark", "str", [f"m{row}" for row in range(n_rows)], {"role": "other", "publish_rare": True})
        )
    rng.shuffle(columns)
    _fit(rng, settings, columns)
    source = rng.choice([*SOURCES, *FILES])
    again = rng.random() < 0.5
    second = [_again(rng, column, n_rows) for column in columns] if again else None
    extras = {
        "join": rng.random() < 0.3,
        "compare": rng.random() < 0.04,
        "mapping": rng.random() < 0.7,
        "crlf": rng.random() < 0.2,
    }
    asked_format = rng.choice([None, "csv", "parquet", "arrow"])
    return Case(number, columns, settings, source, asked_format, second, extras)


def _wishes(rng: Random) -> dict[str, Any]:
    found: dict[str, Any] = {"k": rng.choice([2, 2, 3, 3, 4, 5]), "seed": rng.randrange(2**40)}
    found["method"], found["publication"] = rng.choice(METHODS), rng.choice(FORMS)
    if rng.random() < 0.4:
        found["max_suppressed"] = rng.choice([0.05, 0.2, 0.5])
    if rng.random() < 0.3:
        found["ranges"] = "columns"
    if rng.random() < 0.2:
        found["loss"] = rng.choice(["levels", "entropy"])
    return found


def _fit(rng: Random, settings: dict[str, Any], columns: list[Column]) -> None:
    """Most cases ask for what goes together; some are left as drawn, to be refused in one sentence."""
    if rng.random() < 0.06:
        return
    quasi = [column for column in columns if column.role == "quasi"]
    measured = all(c.kind in v.NUMBERS + v.DAYS and "hierarchy" not in c.settings for c in quasi)
    method = settings["method"]
    if method == "optimal" and not (measured and len(quasi) == 1):
        method = "best"
    if method in ("pairs", "triples"):
        settings["k"] = 2 if method == "pairs" else 3
    classes = any("classes" in column.settings for column in columns)
    whole = method in ("full-domain", "datafly")
    if whole and (classes or any("longitude" in column.settings for column in columns)):
        method, whole = "forest", False
    if whole:
        settings["publication"] = rng.choice(["auto", "generalize"])
    elif settings.get("loss") == "entropy":
        del settings["loss"]
    if classes:
        settings["publication"] = rng.choice(["generalize", "suppress"])
    settings["method"] = method
    if any(column.role == "person" for column in columns) and settings["publication"] in ("auto", "centers"):
        for column in columns:
            column.settings.pop("bins", None)


def _pool(rng: Random, kind: str) -> list[v.Value]:
    """A few values, so that ties are the rule, or many."""
    size = rng.choice([1, 2, 3, 5, 8, 40]) if rng.random() < 0.9 else 200
    return [v.draw(rng, kind) for _ in range(size)]


def _quasi(rng: Random) -> _Drawn:
    way = rng.choice(
        ["number"] * 5 + ["day"] * 3 + ["label"] * 4
        + ["ordered", "prefix", "widths", "periods", "file", "region", "map", "classes", "classes", "number as label",
           "text as number", "beside", "masked"]
    )  # fmt: skip
    settings: dict[str, Any] = {"role": "quasi", "publish_rare": True}
    if rng.random() < 0.2:
        settings["weight"] = rng.choice([0.5, 2.5, 40])
    if way in ("number", "day"):
        kind = rng.choice(v.NUMBERS if way == "number" else v.DAYS)
        if rng.random() < 0.3:
            settings["aggregate"] = rng.choice(["mean", "median", "mode"])
        if rng.random() < 0.2:
            settings["scale"] = rng.choice(["range", "standard", 3.0])
        return _Drawn(kind, _pool(rng, kind), settings)
    if way == "ordered":
        return _Drawn(rng.choice(["str", "cat"]), list(GRADES), settings | {"kind": "ordered", "order": GRADES})
    if way == "prefix":
        return _Drawn("str", list(CODES), settings | {"hierarchy": {"prefix": True}})
    if way == "masked":
        return _Drawn("str", ["02139", "02138", "02446", "10115", "10117"], settings)
    if way == "widths":
        kind = rng.choice(["i64", "u8", "i16", "dec2", "f64"])
        pool = (
            [v.draw(rng, "i64") % 90 for _ in range(12)]
            if kind != "dec2"
            else [v.draw(rng, "dec2") for _ in range(9)]
        )
        pool = [float(value) / 4 for value in pool] if kind == "f64" else pool
        return _Drawn(kind, pool, settings | {"hierarchy": {"widths": rng.choice([(5, 10, 20), (10,), (0.5, 2)])}})
    if way == "periods":
        kind = rng.choice(["date", "dt:us", "dt:ms"])
        periods = rng.choice([("month", "quarter", "year"), ("day", "week"), ("year", "decade"), ("month",)])
        return _Drawn(kind, _pool(rng, kind), settings | {"hierarchy": {"periods": periods}})
    if way == "file":
        return _Drawn(rng.choice(["str", "cat", "enum"]), list(v.PLAIN), settings, tree=_tree(rng, v.PLAIN))
    if way in ("region", "map"):
        ring = list(zip(v.PLAIN, [*v.PLAIN[1:], v.PLAIN[0]], strict=True))
        return _Drawn("str", list(v.PLAIN[:6]), settings | {"kind": "region"}, edges=ring if way == "map" else None)
    if way == "number as label":
        return _Drawn("i64", _pool(rng, "i16"), settings | {"kind": "label"})
    if way == "text as number":
        return _Drawn("str", ["1", "20", "-3", "4.5", "1000"], settings | {"kind": "number"})
    if way == "beside":
        kind = rng.choice(v.BESIDE)
        return _Drawn(kind, _pool(rng, kind), settings)
    kind = rng.choice(v.TEXTS)
    if way == "classes":
        settings["classes"] = rng.choice(["k", "k", 4])
    return _Drawn(kind, _pool(rng, kind), settings)


def _sensitive(rng: Random) -> _Drawn:
    kind = rng.choice(
        ["str", "str", "cat", "enum", "bool", "i64", "f64", "dec2", *v.NUMBERS, "date", *v.DAYS, *v.BESIDE]
    )
    settings: dict[str, Any] = {"role": "sensitive"}
    distances = ["equal"]
    drawn = _Drawn(kind, _pool(rng, kind), settings)
    if kind in ("str", "cat") and rng.random() < 0.25:
        drawn.pool, distances = list(GRADES), ["equal", "ordered"]
        settings["order"] = GRADES
    elif kind in ("str", "cat") and rng.random() < 0.35:
        drawn.pool, drawn.tree, distances = list(v.PLAIN), _tree(rng, v.PLAIN), ["hierarchical"]
    elif kind == "str" and rng.random() < 0.3:
        drawn.pool, distances = list(CODES), ["equal", "hierarchical"]
        settings["hierarchy"] = {"prefix": True}
    elif kind in v.NUMBERS + v.DAYS:
        distances = ["equal", "ordered"]
        if kind in ("i64", "f64", "dec2") and rng.random() < 0.4:
            settings["bins"] = (0.0, 20.0, 50.0)
        elif kind == "date" and rng.random() < 0.3:
            settings["hierarchy"], distances = {"periods": ("month", "year")}, ["hierarchical"]
        elif kind == "i64" and rng.random() < 0.3:
            drawn.pool = list(range(0, 60, 7))
            settings["hierarchy"], distances = {"widths": (10, 20)}, ["hierarchical", "ordered"]
    if rng.random() < 0.45:
        l_kind = rng.choice(["distinct", "distinct", "frequency", "entropy", "recursive"])
        settings["diversity"] = {
            "kind": l_kind,
            "l": rng.choice([1, 2, 2, 3] if l_kind in ("distinct", "recursive") else [1, 1.3, 1.5, 2]),
        }
        if l_kind == "recursive":
            settings["diversity"]["c"] = rng.choice([0.5, 1.0, 3.0])
        if rng.random() < 0.25:
            settings["diversity"]["count_missing"] = True
    if rng.random() < 0.45:
        settings["closeness"] = {"t": rng.choice([0.05, 0.2, 0.3, 0.5, 0.7, 1.0]), "distance": rng.choice(distances)}
    return drawn


def _other(rng: Random) -> _Drawn:
    kind = rng.choice([*v.NUMBERS, *v.DAYS, *v.TEXTS, *v.BESIDE, "null"])
    return _Drawn(kind, [None] if kind == "null" else _pool(rng, kind), {"role": "other", "publish_rare": True})


def _tree(rng: Random, leaves: tuple[str, ...]) -> dict[str, list[str]]:
    """Two or three levels, with a root of its own, with `*`, or without."""
    root = rng.choice([[], ["*"], ["everything"]])
    return {leaf: [leaf, f"part {place // 2}", f"half {place // 4}", *root] for place, leaf in enumerate(leaves)}


def _cells(rng: Random, drawn: _Drawn, n_rows: int) -> list[v.Value]:
    missing = rng.choice([0.0, 0.0, 0.0, 0.1, 0.3]) if rng.random() < 0.96 else 1.0
    return [None if rng.random() < missing else rng.choice(drawn.pool) for _ in range(n_rows)]


def _again(rng: Random, column: Column, n_rows: int) -> list[v.Value]:
    """Cells of the second table: those of the first in another order, with a few that it does not have."""
    if column.role == "identifier" or column.name == "mark":
        return list(column.cells)
    cells = [rng.choice(column.cells) for _ in range(n_rows)]
    if column.role == "person":
        return cells
    known = column.tree is not None or column.edges is not None or "order" in column.settings
    if known or column.kind in ("null", "enum", "bool") or rng.random() < 0.5:
        return cells
    strange = "9" if column.settings.get("kind") == "number" else v.draw(rng, column.kind)
    cells[rng.randrange(n_rows)] = strange
    return cells


def _person(rng: Random, n_rows: int) -> Column:
    n_people = rng.randint(max(2, n_rows // 3), n_rows)
    who = [rng.randint(1, n_people) for _ in range(n_rows)]
    if rng.random() < 0.5:
        cells: list[v.Value] = [f"patient-{one * 104729}" for one in who]
        kind = "str"
    else:
        cells, kind = [8_800_000_000 + one * 104_729 for one in who], "i64"
    if rng.random() < 0.2:
        cells = [None if rng.random() < 0.1 else cell for cell in cells]
    return Column("who", kind, cells, {"role": "person"})


def _places(rng: Random, n_rows: int, settings: dict[str, Any]) -> list[Column]:
    """Latitudes and longitudes, now and then across the date line."""
    east = rng.choice([13.0, -71.0, 179.6])
    latitudes = [round(rng.uniform(40, 55), rng.choice([1, 4])) for _ in range(n_rows)]
    longitudes = [round((east + rng.uniform(-1, 1) + 180) % 360 - 180, rng.choice([1, 4])) for _ in range(n_rows)]
    holes = rng.choice([0.0, 0.0, 0.1])
    shape = {"shape": "circle"} if rng.random() < 0.3 else {}
    placed: dict[str, Any] = {"role": "quasi", "kind": "place"}
    cells = [[None if rng.random() < holes else x for x in own] for own in (latitudes, longitudes)]
    return [
        Column("lat", "f64", cells[0], placed | {"longitude": "lon"} | shape),
        Column("lon", "f64", cells[1], placed),
    ]


def exact(value: v.Value) -> Any:
    """A number as one that compares exactly."""
    return Decimal(repr(value)) if isinstance(value, float) else value
