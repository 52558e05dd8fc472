"""`shoal.verify` beside SQL, and beside pycanon, on random tables: k, every kind of l, every distance of t.

pycanon (Apache-2.0) lives in an environment of its own. It takes tables without missing values, in the order of
their index: on others it is known to be wrong (docs/peers.md). Its entropy is rounded down, and its (c, l) sorts
counts from the smallest on, so that r1 is the *rarest* value: that is reproduced here, so that any other difference
would show.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import shoal
from tests.endtoend import values as v
from tests.endtoend.cases import Case, Column
from tests.endtoend.counting import CLOSE, closeness, count, diversity
from tests.endtoend.released import Released, must

WORKER = Path(__file__).with_name("pycanon_worker.py")
L_KINDS: dict[str, dict[str, Any]] = {
    "distinct": {"kind": "distinct", "l": 1},
    "frequency": {"kind": "frequency", "l": 1},
    "entropy": {"kind": "entropy", "l": 1},
    "recursive": {"kind": "recursive", "l": 1, "c": 2.0},
    "distinct with missing": {"kind": "distinct", "l": 1, "count_missing": True},
    "frequency with missing": {"kind": "frequency", "l": 1, "count_missing": True},
}
T_KINDS = {"equal": "str", "ordered": "i64", "hierarchical": "str"}
CODES = ["A10", "A11", "A20", "B10", "B2"]


@dataclass(frozen=True)
class Table:
    """A table to be counted: quasi-identifiers, and sensitive columns that each ask for another kind of l or t."""

    number: int
    case: Case
    plain: bool
    """Without missing values and people: what pycanon counts as everybody does."""

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame([v.series(column.name, column.kind, column.cells) for column in self.case.columns])

    def settings(self) -> dict[str, Any]:
        return {"k": 2, "columns": {column.name: column.settings for column in self.case.columns}}


def table(number: int) -> Table:
    """Table `number`: small classes and large ones, with missing cells in one half, people in one third."""
    rng = Random(f"shoal cross check {number}")
    n_rows, plain = rng.choice([rng.randint(2, 9), rng.randint(10, 40)]), number % 2 == 0
    holes = 0.0 if plain else rng.choice([0.0, 0.1, 0.4])

    def cells(pool: list[Any]) -> list[Any]:
        return [None if rng.random() < holes else rng.choice(pool) for _ in range(n_rows)]

    quasi = [
        Column(
            f"q{place}", "str", cells(list(v.PLAIN[: rng.choice([1, 2, 3])])), {"role": "quasi", "publish_rare": True}
        )
        for place in range(rng.choice([1, 1, 2, 3]))
    ]
    ill, pay, code = (
        cells(list(v.WORDS[1 if plain else 0 : rng.choice([2, 3, 5, 9])])),
        cells(list(range(0, 60, 7))),
        cells(CODES),
    )
    sensitive = [
        Column(f"l {kind}", "str", ill, {"role": "sensitive", "diversity": L_KINDS[kind]}) for kind in L_KINDS
    ]
    for distance, kind in T_KINDS.items():
        asked: dict[str, Any] = {"role": "sensitive", "closeness": {"t": 1.0, "distance": distance}}
        asked |= {"hierarchy": {"prefix": True}} if distance == "hierarchical" else {}
        own = {"equal": ill, "ordered": pay, "hierarchical": code}[distance]
        sensitive.append(Column(f"t {distance}", kind, own, asked))
    columns = [*quasi, *sensitive]
    if not plain and rng.random() < 0.6:
        keys = list(zip(*(column.cells for column in quasi), strict=True))
        columns.append(Column("who", "i64", _numbered(rng, keys), {"role": "person"}))
    return Table(number, Case(number, columns, {"k": 2}, "polars", None), plain)


def _numbered(rng: Random, keys: list[tuple[Any, ...]]) -> list[int]:
    """People of every class from 1 on, some of them with several rows."""
    number: dict[tuple[Any, ...], dict[int, int]] = {}
    found = []
    for key in keys:
        inside = number.setdefault(key, {})
        found.append(inside.setdefault(rng.randrange(8), len(inside) + 1))
    return found


def check_with_sql(one: Table) -> dict[str, float]:
    """What `verify` measures is what SQL counts; returns the measures."""
    frame = one.frame()
    findings = shoal.verify(frame, one.settings(), form="generalize")
    arrow = frame.to_arrow().rename_columns([f"c{place}" for place in range(frame.width)])
    numbered = arrow.append_column("place", [list(range(frame.height))])
    cells = {name: frame[name].to_list() for name in frame.columns}
    released = Released(Path(), Path(), frame.columns, cells, numbered, {"form": "generalize"})
    counted = count(one.case, released)
    truth = {"k": float(min(counted.people.column("people").to_pylist()))}
    must(findings.k == truth["k"], f"table {one.number}: verify counts k = {findings.k}, SQL {truth['k']}")
    must(findings.groups == counted.n_classes, f"table {one.number}: verify counts {findings.groups} classes")
    measured = {(claim.criterion, claim.column): claim.measured for claim in findings.claims}
    for column in one.case.named("sensitive"):
        if wish := column.settings.get("diversity"):
            criterion, sql_says = "l-diversity", diversity(counted, column.name, wish)
        else:
            criterion, sql_says = "t-closeness", closeness(counted, column, column.settings["closeness"]["distance"])
        found = measured[criterion, column.name]
        told = f"table {one.number}, {criterion} of {column.name}: verify measures {found}, SQL {sql_says}"
        must(abs(found - sql_says) <= CLOSE, told)
        truth[column.name] = sql_says
    return truth


def check_with_pycanon(tables: list[Table], measures: list[dict[str, float]], python: Path) -> Counter[str]:
    """Many tables in one process of pycanon; what differs is either explained or an error."""
    plain = [(one, own) for one, own in zip(tables, measures, strict=True) if one.plain]
    told = "".join(json.dumps(_told(one)) + "\n" for one, _ in plain)
    answer = subprocess.run([python, WORKER], input=told, capture_output=True, text=True, check=True).stdout
    happened: Counter[str] = Counter()
    for (one, own), line in zip(plain, answer.splitlines(), strict=True):
        happened["tables"] += 1
        _compare(one, own, json.loads(line), happened)
    return happened


def _told(one: Table) -> dict[str, Any]:
    cells = {column.name: column.cells for column in one.case.columns}
    quasi = [column.name for column in one.case.named("quasi")]
    return {"quasi": quasi, "cells": {name: cells[name] for name in [*quasi, "l distinct", "t ordered"]}}


def _compare(one: Table, own: dict[str, float], other: dict[str, Any], happened: Counter[str]) -> None:
    for ours, theirs in (("k", "k"), ("l distinct", "l"), ("t equal", "t equal"), ("t ordered", "t ordered")):
        if other[theirs] is None:
            happened[f"{theirs}: pycanon has no answer (one value)"] += 1
            continue
        told = f"table {one.number}, {ours}: {own[ours]} here, {other[theirs]} by pycanon"
        must(abs(own[ours] - other[theirs]) <= CLOSE, told)
        happened[f"{theirs}: the same"] += 1
    floors = {math.floor(own["l entropy"] - 1e-9), math.floor(own["l entropy"] + 1e-9)}
    must(other["entropy"] in floors, f"table {one.number}, entropy: {own['l entropy']} here, {other['entropy']}")
    happened["entropy: the same, rounded down"] += 1
    if other["c"] is None:
        return
    counts = _counts(one)
    l_value = min(map(len, counts))
    smallest = max(math.floor(min(c) / sum(sorted(c)[l_value - 1 :]) + 1) for c in counts)
    largest = max(math.floor(max(c) / sum(sorted(c, reverse=True)[l_value - 1 :]) + 1) for c in counts)
    must(other["c"] == smallest, f"table {one.number}: c is {other['c']} by pycanon, {smallest} by its formula")
    happened["c: the same" if smallest == largest else "c: pycanon takes the rarest value for the most frequent"] += 1


def _counts(one: Table) -> list[list[int]]:
    keys = list(zip(*(column.cells for column in one.case.named("quasi")), strict=True))
    ill = next(column.cells for column in one.case.columns if column.name == "l distinct")
    classes: dict[Any, Counter[Any]] = {}
    for key, value in zip(keys, ill, strict=True):
        classes.setdefault(key, Counter())[value] += 1
    return [list(own.values()) for own in classes.values()]
