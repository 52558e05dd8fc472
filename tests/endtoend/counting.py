"""k, l and t of a released table, counted in SQL by DuckDB. Shares no code with Shoal.

Everything is counted in people: a (person, value) pair counts once per class. A missing value is a value for k and t,
and none towards l unless the policy says so: then neither it nor who holds it counts.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tests.endtoend import values as v
from tests.endtoend.cases import Case, Column
from tests.endtoend.released import Released, must, parse_multiset, sql

CLOSE = 1e-6
"""A certificate's measures are written with some decimals."""
MET = 1e-8
"""Of what is equal on paper."""


@dataclass(frozen=True)
class Counted:
    """`people` has class and people; `held`, per sensitive column, how many people of a class hold a value."""

    rows: int
    people: pa.Table
    held: dict[str, pa.Table]
    values: dict[str, list[v.Value]]
    """By code, in their order; a missing one is the last."""
    keys: dict[str, int]
    """The fewest people who share a combination of a key set."""
    spread: int | None = None
    """The most classes that one person is in, where people have one name in the whole release."""

    @property
    def n_classes(self) -> int:
        return int(self.people.num_rows)


def published_quasi(case: Case, released: Released, form: str) -> list[str]:
    """Every published column that comes from a quasi-identifier."""
    found: list[str] = []
    for column in case.named("quasi"):
        ends = [f"{column.name}_min", f"{column.name}_max"]
        found += [column.name] if column.name in released.names else ends
        found += [f"{column.name}_missing"] if f"{column.name}_missing" in released.names else []
        if column.settings.get("shape") == "circle" and form == "generalize":
            found.append(f"{column.name}_radius_m")
    return found


def count(case: Case, released: Released) -> Counted:
    """Classes, people and sensitive values of a release."""
    form = released.certificate["form"]
    quasi = published_quasi(case, released, form)
    must(set(quasi) <= set(released.names), f"quasi-identifiers are not all there: {released.names}")
    if form == "centers":
        return _count_centers(case, released)
    person = next((column.name for column in case.named("person")), None)
    keys = ", ".join(f"CAST({released.place(name)} AS VARCHAR) NULLS FIRST" for name in quasi)
    who = released.place(person) if person else "place"
    rows = sql(
        f"SELECT dense_rank() OVER (ORDER BY {keys}) AS class, {who} AS who FROM released ORDER BY place",
        released=released.table,
    )
    together = person is not None and bool(case.named("person")[0].settings.get("consistent"))
    if together and case.named("person")[0].settings.get("pseudonym"):
        must(
            all(re.fullmatch(r"[0-9a-f]{20}", str(row[1])) for row in rows),
            "a pseudonym is not 20 hexadecimal digits",
        )
        numbers = {name: place for place, name in enumerate(dict.fromkeys(row[1] for row in rows))}
        rows = [(row[0], numbers[row[1]] + 1) for row in rows]
    keyed = pa.table({"class": [row[0] for row in rows], "who": [int(row[1]) for row in rows]})
    people = _table(
        sql("SELECT class, count(DISTINCT who) FROM keyed GROUP BY class", keyed=keyed), "class", "people"
    )
    spread = None
    if together:
        told = sql("SELECT min(who) = 1 AND max(who) = count(DISTINCT who) FROM keyed", keyed=keyed)
        must(told == [(True,)], "people are not numbered 1, 2, ... in the release")
        most = sql("SELECT max(n) FROM (SELECT count(DISTINCT class) AS n FROM keyed GROUP BY who)", keyed=keyed)
        spread = int(most[0][0])
    elif person:
        numbered = sql(
            "SELECT count(*) FROM (SELECT min(who) a, max(who) b, count(DISTINCT who) n FROM keyed GROUP BY class) "
            "WHERE a <> 1 OR b <> n",
            keyed=keyed,
        )
        must(numbered == [(0,)], "people are not numbered 1, 2, ... in every class")
    held, values = {}, {}
    for column in case.named("sensitive"):
        codes, values[column.name] = _codes([_value(cell, column) for cell in released.cells[column.name]])
        with_values = keyed.append_column("val", pa.array(codes, pa.int64()))
        found = sql(
            "SELECT class, val, count(DISTINCT who) FROM keyed GROUP BY class, val ORDER BY 1, 2", keyed=with_values
        )
        held[column.name] = _table(found, "class", "val", "n")
    return Counted(released.n_rows, people, held, values, _shared(case, released, form, rows), spread)


def _shared(case: Case, released: Released, form: str, rows: list[tuple[Any, ...]]) -> dict[str, int]:
    """The fewest people who share a published combination of the columns of each key set."""
    found = {}
    for name, keys in case.settings.get("keys", {}).items():
        own = replace(case, columns=[column for column in case.columns if column.name in keys["columns"]])
        cells = ", ".join(released.place(one) for one in published_quasi(own, released, form))
        who = pa.table({"who": [str(row[1]) for row in rows], "place": list(range(len(rows)))})
        each = f"SELECT count(DISTINCT who) AS n FROM released JOIN who USING (place) GROUP BY {cells}"
        found[name] = int(sql(f"SELECT min(n) FROM ({each})", released=released.table, who=who)[0][0])
    return found


def _count_centers(case: Case, released: Released) -> Counted:
    """One row is a class."""
    persons = bool(case.named("person"))
    people = [int(cell) for cell in released.cells["people"]]
    held, values = {}, {}
    for column in case.named("sensitive"):
        lists = [parse_multiset(cell) for cell in released.cells[column.name]]
        for n_people, found in zip(people, lists, strict=True):
            total = sum(found.values())
            fits = total >= n_people >= max(found.values(), default=0) if persons else total == n_people
            must(fits, f"{column.name}: its values do not add up to the people of a row")
        flat = [(row, label, n) for row, found in enumerate(lists) for label, n in found.items()]
        codes, values[column.name] = _codes([_value(label, column) for _, label, _ in flat])
        each = pa.table(
            {"class": pa.array([row for row, _, _ in flat], pa.int64()), "val": pa.array(codes, pa.int64()),
             "n": pa.array([n for _, _, n in flat], pa.int64())}
        )  # fmt: skip
        summed = sql("SELECT class, val, CAST(sum(n) AS BIGINT) FROM flat GROUP BY class, val", flat=each)
        held[column.name] = _table(summed, "class", "val", "n")
    rows = [(row, n) for row, n in enumerate(people)]
    return Counted(released.n_rows, _table(rows, "class", "people"), held, values, {})


def _table(rows: list[tuple[Any, ...]], *names: str) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pa.table({name: pa.array(list(cells), pa.int64()) for name, cells in zip(names, columns, strict=True)})


def _value(cell: Any, column: Column) -> v.Value:
    """A sensitive cell as what l and t compare: its bin, its place in the order, or itself."""
    value = v.read(cell, column.kind)
    if value is None:
        return None
    if "bins" in column.settings:
        return bisect_right([Decimal(repr(cut)) for cut in column.settings["bins"]], _decimal(value))
    if "order" in column.settings:
        return list(column.settings["order"]).index(value)
    listed = column.tree is not None or "hierarchy" in column.settings
    return value if listed or not isinstance(value, str) else _said(value)


def _said(text: str) -> v.Value:
    """What a text says: nothing where it is blank or NaN, a number where it spells one, else itself."""
    bare = text.strip(" ")
    if not bare or bare.lower() == "nan":
        return None
    return f"number {Decimal(bare).normalize()}" if bare.isdecimal() else text


def _decimal(value: v.Value) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _codes(values: list[v.Value]) -> tuple[list[int], list[v.Value]]:
    present: list[v.Value] = sorted({value for value in values if value is not None})
    code = {value: place for place, value in enumerate(present)}
    ordered = [*present, None] if None in values else present
    return [len(present) if value is None else code[value] for value in values], ordered


# -- requirements ----------------------------------------------------------------------------------------------


def diversity(counted: Counted, column: str, wish: Mapping[str, Any]) -> float:
    """The l of the least diverse class; 0 where a class has no value that counts."""
    kind, c = wish["kind"], wish.get("c")
    values, held, people = counted.values[column], counted.held[column], counted.people
    if values[-1] is None and not wish.get("count_missing"):
        missing = len(values) - 1
        people = _table(
            sql(f"SELECT class, CAST(people - coalesce((SELECT sum(n) FROM held h WHERE h.class = p.class AND "
                f"h.val = {missing}), 0) AS BIGINT) FROM people p", held=held, people=people),
            "class", "people",
        )  # fmt: skip
        held = _table(sql(f"SELECT class, val, n FROM held WHERE val <> {missing}", held=held), "class", "val", "n")
        if sql("SELECT count(DISTINCT class) FROM held", held=held)[0][0] < counted.n_classes:
            return 0.0
    queries = {
        "distinct": "SELECT min(l) FROM (SELECT count(*) AS l FROM held GROUP BY class)",
        "frequency": "SELECT min(people / most) FROM people JOIN (SELECT class, max(n) AS most FROM held "
        "GROUP BY class) USING (class)",
        "entropy": "SELECT min(exp(-e)) FROM (SELECT sum(p * ln(p)) AS e FROM (SELECT class, "
        "n / sum(n) OVER (PARTITION BY class) AS p FROM held) GROUP BY class)",
        "recursive": f"""
            WITH ranked AS (SELECT class, n, row_number() OVER (PARTITION BY class ORDER BY n DESC, val) AS place
                            FROM held),
                 tails AS (SELECT a.class, a.place, max(b.n) FILTER (WHERE b.place = 1) AS most,
                                  coalesce(sum(b.n) FILTER (WHERE b.place >= a.place), 0) AS tail
                           FROM ranked a JOIN ranked b USING (class) GROUP BY a.class, a.place)
            SELECT min(l) FROM (SELECT class, count(*) FILTER (WHERE most + 1e-9 < {c or 0!r} * tail) AS l
                                FROM tails GROUP BY class)""",
    }
    found = sql(queries[kind], held=held, people=people)
    return float(found[0][0])


_SHARES = """
    WITH whole AS (SELECT val, sum(n) AS n, sum(n) / (SELECT sum(n) FROM held) AS q FROM held GROUP BY val),
         own AS (SELECT class, val, n / sum(n) OVER (PARTITION BY class) AS p FROM held),
         grid AS (SELECT c.class, w.val, w.q, coalesce(own.p, 0) AS p
                  FROM (SELECT DISTINCT class FROM held) c CROSS JOIN whole w
                  LEFT JOIN own ON own.class = c.class AND own.val = w.val)
"""


def closeness(counted: Counted, column: Column, distance: str) -> float:
    """The t of the class farthest from the whole release."""
    held, values = counted.held[column.name], counted.values[column.name]
    if len(values) == 1:
        return 0.0
    if distance == "equal":
        query = _SHARES + "SELECT max(d) FROM (SELECT sum(abs(p - q)) / 2 AS d FROM grid GROUP BY class)"
        return float(sql(query, held=held)[0][0])
    if distance == "ordered":
        query = (
            _SHARES
            + f""", steps AS (SELECT class, abs(sum(p - q) OVER (PARTITION BY class ORDER BY val)) AS d FROM grid)
            SELECT max(d) FROM (SELECT sum(d) / {len(values) - 1} AS d FROM steps GROUP BY class)"""
        )
        return float(sql(query, held=held)[0][0])
    levels = levels_of(column, values)
    height = len(levels)
    nodes = _table(
        [(code, level, node) for level, own in enumerate(levels) for code, node in enumerate(_numbered(own))],
        "val", "level", "node",
    )  # fmt: skip
    query = (
        _SHARES
        + f""", above AS (SELECT class, level, node, abs(sum(p) - sum(q)) AS d
                                      FROM grid JOIN nodes USING (val) GROUP BY class, level, node)
        SELECT max(d) FROM (SELECT sum(d) / 2 / {height} AS d FROM above GROUP BY class)"""
    )
    return float(sql(query, held=held, nodes=nodes)[0][0])


def limited_shares(counted: Counted, column: Column) -> dict[str, tuple[float, float, str | None]]:
    """By criterion: what is asked, the worst class by SQL, and the kind that the certificate must name."""
    asked, held, values = column.settings["disclosure"], counted.held[column.name], counted.values[column.name]
    found: dict[str, tuple[float, float, str | None]] = {}
    missing = len(values) - 1 if values[-1] is None else -1
    if "alpha" in asked:
        listed, order = asked.get("values"), column.settings.get("order")
        if listed is not None and order is not None:  # its values are places in the order here
            listed = [order.index(one) for one in listed]
        limited = [i for i, one in enumerate(values) if i != missing and (listed is None or one in listed)] or [-2]
        query = f"""
            WITH known AS (SELECT p.class, p.people - coalesce(sum(h.n) FILTER (WHERE h.val = {missing}), 0) AS n
                           FROM people p JOIN held h USING (class) GROUP BY p.class, p.people)
            SELECT coalesce(max(least(1.0, h.n / greatest(k.n, 1))), 0) FROM held h JOIN known k USING (class)
            WHERE h.val IN ({", ".join(map(str, limited))})"""
        share = float(sql(query, held=held, people=counted.people)[0][0])
        found["alpha-anonymity"] = (asked["alpha"], share, "all" if listed is None else "listed")
    if "beta" in asked:
        most = f"least({asked['beta']!r}, -ln(q))" if asked["kind"] == "enhanced" else repr(asked["beta"])
        gain = f"CASE WHEN q < 1 AND p > q THEN {asked['beta']!r} * (p / q - 1) / ({most}) ELSE 0 END"
        worst = float(sql(f"{_SHARES} SELECT max({gain}) FROM grid", held=held)[0][0])
        found["beta-likeness"] = (asked["beta"], worst, asked["kind"])
    if "delta" in asked:
        change = "CASE WHEN p = 0 THEN 1e9 ELSE abs(log2(p / q)) END"
        worst = float(sql(f"{_SHARES} SELECT max({change}) FROM grid", held=held)[0][0])
        must(worst < asked["delta"], f"delta of {column.name} is {worst}, asked {asked}")
        found["delta-disclosure"] = (asked["delta"], worst, None)
    return found


def _numbered(keys: list[Any]) -> list[int]:
    number: dict[Any, int] = {}
    return [number.setdefault(key, len(number)) for key in keys]


def levels_of(column: Column, values: list[v.Value]) -> list[list[Any]]:
    """For every level below the root that counts, the node above each value; a missing value is a branch of its own.

    A level counts where it cuts the released values otherwise than the one below, and not into one set.
    """
    present = [value for value in values if value is not None]
    hierarchy = column.settings.get("hierarchy", {})
    levels: list[list[Any]] = [list(present)]
    if column.tree is not None:
        levels += [list(level) for level in zip(*(column.tree[one][1:] for one in present), strict=True)]
    elif "prefix" in hierarchy:
        longest = max(map(len, present), default=0)
        levels += [[(one[:kept], len(one) > kept) for one in present] for kept in range(longest - 1, 0, -1)]
    elif "widths" in hierarchy:
        for width in hierarchy["widths"]:
            levels.append([math.floor(_decimal(one) / _decimal(width)) for one in present])
    else:
        for period in hierarchy["periods"]:
            size = {"month": 7, "year": 4}[period]
            levels.append([v.shown(one, column.kind)[:size] for one in present])
    cuts = [level for below, level in pairwise(levels) if 1 < len(set(level)) < len(set(below))]
    missing = ["a missing value"] if len(present) < len(values) else []
    return [[*level, *missing] for level in (levels[0], *cuts)]


def check_requirements(case: Case, counted: Counted, certificate: dict[str, Any]) -> dict[str, float]:
    """Everything asked holds, and the certificate claims exactly that, with the numbers counted here."""
    asked: dict[tuple[str, str | None], tuple[float, float, str | None]] = {}
    k = min(counted.people.column("people").to_pylist())
    must(k >= case.settings["k"], f"k is {k}")
    asked["k-anonymity", None] = (case.settings["k"], k, None)
    for name, shared in counted.keys.items():
        wanted = case.settings["keys"][name]["k"]
        must(shared >= wanted, f"{shared} share a combination of {name}, asked {wanted}")
        asked["key-anonymity", name] = (wanted, shared, None)
    if counted.spread is not None:
        must(counted.spread == 1, f"a person is in {counted.spread} classes")
        asked["consistent-people", case.named("person")[0].name] = (1, counted.spread, None)
    for column in case.named("sensitive"):
        wish = column.settings.get("diversity") or case.settings.get("diversity")
        if wish:
            found = diversity(counted, column.name, wish)
            must(found >= wish["l"] - MET, f"l of {column.name} is {found}, asked {wish}")
            asked["l-diversity", column.name] = (wish["l"], found, wish["kind"])
        wish = column.settings.get("closeness") or case.settings.get("closeness")
        if wish:
            found = closeness(counted, column, wish["distance"])
            must(found <= wish["t"] + MET, f"t of {column.name} is {found}, asked {wish}")
            asked["t-closeness", column.name] = (wish["t"], found, wish["distance"])
        if "disclosure" in column.settings:
            for criterion, (most, found, kind) in limited_shares(counted, column).items():
                must(found <= most + MET, f"{criterion} of {column.name} is {found}, asked {most}")
                asked[criterion, column.name] = (most, found, kind)
    claims = {(claim["criterion"], claim["column"]): claim for claim in certificate["claims"]}
    must(len(claims) == len(certificate["claims"]), "a claim stands twice")
    must(set(claims) == set(asked), f"claims {sorted(map(str, claims))}, asked {sorted(map(str, asked))}")
    unit = "people" if case.named("person") else "rows"
    for key, (wanted, found, kind) in asked.items():
        claim = claims[key]
        must(claim["claimed"] == wanted and claim["kind"] == kind and claim["holds"] is True, f"claim {claim}")
        must(claim["unit"] == unit, f"counted in {claim['unit']}, not in {unit}")
        must(abs(claim["measured"] - found) <= CLOSE, f"{key}: certified {claim['measured']}, counted {found}")
    must(certificate["rows"] == counted.rows, f"certified {certificate['rows']} rows, counted {counted.rows}")
    must(
        certificate["n_groups"] == counted.n_classes,
        f"certified {certificate['n_groups']} classes, counted {counted.n_classes}",
    )
    return {f"{criterion} {name or ''}".strip(): found for (criterion, name), (_, found, _) in asked.items()}
