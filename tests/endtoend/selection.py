"""Conditions, samples, weights and populations for generated cases, and which rows they leave.

Shares no code with Shoal. They are drawn apart, so that a case found before keeps its table.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pyarrow as pa

from tests.endtoend.cases import Case, Column
from tests.endtoend.released import must, sql

TURN, WEIGHT = "turn no", "stands for"
CONDITIONS = (
    '"turn no" >= 1', '"turn no" in (0, 2, 3)', 'not ("turn no" = 3 or "turn no" = 2)', '"turn no" is not null',
    '"turn no" between 0 and 2 and "turn no" <> 1', '"turn no" < 3 or "turn no" is null',
)  # fmt: skip


def with_selection(case: Case) -> Case:
    """The case, now and then with a condition, a sample, weights or a population."""
    rng = Random(f"shoal end to end, selection {case.number}")
    more: list[Column] = []
    if rng.random() < 0.2:
        case.settings["where"] = rng.choice(CONDITIONS)
        turns = [rng.choice([0, 1, 2, 3, 3, None]) for _ in range(case.n_rows)]
        more.append(Column(TURN, "i64", turns, {"role": "identifier"}))
    if rng.random() < 0.15:
        case.settings["sample"] = rng.choice([0.5, 0.8, 0.9])
    if rng.random() < 0.2:
        weights = [rng.choice([1, 2.5, 40.25, None]) for _ in range(case.n_rows)]
        more.append(Column(WEIGHT, "f64", weights, {"role": "weight", "publish_rare": True}))
    if rng.random() < 0.15:
        case.settings["population"] = rng.choice([1_000, 83_000_000])
    if case.named("person") and rng.random() < 0.35:
        case.named("person")[0].settings["consistent"] = True
        if rng.random() < 0.4:
            case.named("person")[0].settings["pseudonym"] = True
    quasi = [column.name for column in case.named("quasi") if column.settings.get("kind") != "place"]
    if quasi and rng.random() < 0.2:
        for name in ("a neighbor", "an insurer")[: rng.choice([1, 2])]:
            known = rng.sample(quasi, rng.randint(1, len(quasi)))
            case.settings.setdefault("keys", {})[name] = {"columns": known, "k": rng.choice([2, 4, 6])}
    second = case.second and [*case.second, *(list(column.cells) for column in more)]
    return replace(case, columns=[*case.columns, *more], second=second)


def selected(case: Case) -> list[int]:
    """The rows that meet the condition, by DuckDB."""
    where = case.settings.get("where")
    if where is None:
        return list(range(case.n_rows))
    turns = next(column.cells for column in case.columns if column.name == TURN)
    table = pa.table({TURN: pa.array(turns, pa.int64()), "nth": list(range(case.n_rows))})
    return [row[0] for row in sql(f"SELECT nth FROM turns WHERE {where} ORDER BY nth", turns=table)]


def check_selected(case: Case, rows: list[int], left_out: int) -> None:
    """The released rows meet the condition; of a sample there are as many as its share."""
    allowed = selected(case)
    must(set(rows) <= set(allowed), "a row is released that does not meet the condition")
    share = case.settings.get("sample")
    if share is None:
        must(
            len(rows) == len(allowed) - left_out, f"{len(rows)} of {len(allowed)} rows are there, {left_out} left out"
        )
        return
    person = next((column.cells for column in case.columns if column.role == "person"), None)
    units = allowed if person is None else [person[row] for row in allowed]
    found = rows if person is None else [person[row] for row in rows]
    drawn = max(1, int(share * len(set(units)) + 0.5))
    if person is None:
        must(len(rows) == drawn - left_out, f"{len(rows)} of a sample of {drawn} are there, {left_out} left out")
        return
    must(len(set(found)) <= drawn, f"{len(set(found))} people are there of a sample of {drawn}")
    rest = sorted((units.count(one) for one in set(units)), reverse=True)
    must(len(rows) + left_out <= sum(rest[:drawn]), "more rows than the people of a sample can have")
    if not left_out:
        must(len(set(found)) == drawn, f"{len(set(found))} people are there of a sample of {drawn}")
        must(
            all(row in set(rows) for row in allowed if person[row] in set(found)), "a person lost some of their rows"
        )
