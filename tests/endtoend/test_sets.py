"""Generated tables with a column of sets all the way through Shoal, and the folder counted again in SQL.

The file is read by the database itself, items are listed by unnest, and combinations by joins. Shares no code with
Shoal. The same number is the same case.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import polars as pl
import pytest

import shoal
from shoal.errors import ShoalError

ITEMS = ("E10", "E11", "I10", "heart attack", "J45", "é", "a,b", '"q"', "0", "null", "*", "long name of an item")
SEPARATORS = (";", "|", " / ", "; ")


def drawn(number: int) -> tuple[list[dict[str, Any]], dict[str, Any], str]:
    """Return the rows of a table, its policy, and the format of the release."""
    rng = Random(f"shoal sets {number}")
    separator = rng.choice(SEPARATORS)
    weights = [1 / (place + 1) ** rng.choice([0.3, 1.0]) for place in range(len(ITEMS))]
    people = rng.random() < 0.4
    rows = []
    for row in range(rng.randint(12, 70)):
        some = rng.choices(ITEMS, weights, k=rng.choice([0, 1, 2, 3, 3, 5]))
        cell = None if rng.random() < 0.1 else rng.choice([separator, f" {separator} "]).join(some)
        one: dict[str, Any] = {"id": f"P{row}", "sets": cell, "age": rng.randint(20, 80), "sex": rng.choice("fm")}
        rows.append(one | ({"who": str(rng.randint(1, 25))} if people else {}))
    columns: dict[str, Any] = {"id": {"role": "identifier"}, "sets": {"role": "quasi", "kind": "set"}}
    columns["sets"]["separator"] = separator
    if rng.random() < 0.5:
        columns["sets"]["hierarchy"] = {"prefix": True, "cuts": [1]}
    for name in ("age", "sex"):
        columns[name] = {"role": rng.choice(["quasi", "quasi", "other", "identifier"])}
    if columns["age"]["role"] == "other":
        columns["age"]["publish_rare"] = True
    if people:
        columns["who"] = {"role": "person"}
    policy: dict[str, Any] = {"k": rng.choice([2, 3, 4]), "m": rng.choice([1, 2, 3]), "columns": columns}
    policy["publication"] = rng.choice(["generalize", "aggregate", "suppress"])
    policy["max_suppressed"] = rng.choice([0.0, 0.0, 0.1])
    return rows, policy, rng.choice(["csv", "parquet"])


def fewest(file: Path, policy: dict[str, Any]) -> int:
    """Return the fewest people of a class who share a combination of at most m items, by SQL from the file."""
    reader = f"read_csv('{file}', all_varchar=true, header=true)" if file.suffix == ".csv" else f"'{file}'"
    base = duckdb.connect()
    names = [row[0] for row in base.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()]
    kept = ("id", "sets", "who", *(name for name, one in policy["columns"].items() if one["role"] == "other"))
    quasi = ", ".join(f'coalesce(CAST("{name}" AS VARCHAR), chr(0))' for name in names if name not in kept) or "''"
    who = "who" if "who" in policy["columns"] else "r"
    between = policy["columns"]["sets"]["separator"].strip().replace("'", "''")
    base.execute(f"CREATE TABLE t AS SELECT *, row_number() OVER () AS r, [{quasi}] AS q FROM {reader}")
    base.execute(f"CREATE TABLE w AS SELECT r, q, {who} AS p, sets FROM t")
    base.execute(
        f"CREATE TABLE i AS SELECT DISTINCT r, q, p, trim(x) AS x FROM "
        f"(SELECT r, q, p, unnest(string_split(sets, '{between}')) AS x FROM w WHERE sets IS NOT NULL)"
    )
    base.execute("CREATE TABLE j AS SELECT DISTINCT q, p, x FROM i")
    found = [base.execute("SELECT min(n) FROM (SELECT count(DISTINCT p) AS n FROM w GROUP BY q)").fetchone()]
    for size in range(1, policy["m"] + 1):
        letters = [f"a{place}" for place in range(size)]
        items = ", ".join(f"{letter}.x" for letter in letters)
        apart = " AND ".join(f"{one}.x < {other}.x" for one, other in pairwise(letters))
        for table, same in (("i", "r"), ("j", "p")):
            joined = " ".join(
                f"JOIN {table} {letter} ON {letter}.{same} = a0.{same} AND {letter}.q = a0.q"
                for letter in letters[1:]
            )
            query = f"SELECT count(DISTINCT a0.p) AS n FROM {table} a0 {joined} {'WHERE ' + apart if apart else ''}"
            found.append(base.execute(f"SELECT min(n) FROM ({query} GROUP BY a0.q, {items})").fetchone())
    return min(int(one[0]) for one in found if one is not None and one[0] is not None)


def run(number: int, folder: Path) -> bool:
    """Make a release and count it; return whether there was one, or a clean sentence."""
    rows, policy, file_type = drawn(number)
    types = {name: pl.Int64 if name == "age" else pl.String for name in rows[0]}
    out, sentence = folder / str(number), ""
    try:
        release: Any = shoal.anonymize(pl.DataFrame(rows, schema=types), policy)
        release.write(out, format=file_type)
    except ShoalError as refused:
        sentence = str(refused)
        release = None
    if release is None:
        assert len(sentence.splitlines()) <= 2, number
        return False
    counted = fewest(out / f"release.{file_type}", policy)
    claims = json.loads((out / "certificate.json").read_text(encoding="utf-8"))["claims"]
    claim = next(one for one in claims if one["criterion"] == "km-anonymity")
    assert counted >= policy["k"], number
    assert counted == claim["measured"], number
    assert (claim["m"], claim["claimed"]) == (policy["m"], policy["k"]), number
    assert shoal.verify(out, policy).holds, number
    return True


@pytest.mark.parametrize("first", [0, 8])
def test_sets_are_published_as_sql_counts_them_or_refused_in_a_sentence(first: int, tmp_path: Path) -> None:
    assert sum(run(number, tmp_path) for number in range(first, first + 8)) >= 4


@pytest.mark.deep
@pytest.mark.parametrize("first", range(100, 500, 50))
def test_sets_are_published_as_sql_counts_them_in_many_more_cases(first: int, tmp_path: Path) -> None:
    assert sum(run(number, tmp_path) for number in range(first, first + 50)) >= 25
