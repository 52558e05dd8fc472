"""What follows from every set of columns, against brute force on the text of the released cells."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measure import inference
from tests.measure.infections import infections

QUASI = ("state", "sex", "age", "route")


def covers(cell: Any, value: Any) -> bool:
    text = str(cell)
    if text == "*":
        return True
    if text.startswith("["):
        low, high = text[1:-1].split(", ")
        return float(low) <= float(value) <= float(high)
    if text.startswith("{"):
        return str(value) in text[1:-1].split(", ")
    return text == str(value)


def left_open(cell: Any, domain: list[Any]) -> list[Any]:
    return [value for value in domain if covers(cell, value)]


def certain(table: pl.DataFrame, released: pl.DataFrame, target: str, known: tuple[str, ...]) -> list[bool]:
    """For every person: whether all candidates leave one value of the target, and it is the person's."""
    domain = table[target].drop_nulls().unique().to_list()
    rows = released.rows(named=True)
    found = []
    for person in table.iter_rows(named=True):
        left: set[Any] = set()
        for row in rows:
            if all(covers(row[name], person[name]) for name in known):
                values = left_open(row[target], domain) if target in QUASI else [row[target]]
                left.update(str(value) for value in values if value is not None)
        found.append(person[target] is not None and left == {str(person[target])})
    return found


def sets(names: list[str]) -> list[tuple[str, ...]]:
    return [known for size in range(len(names) + 1) for known in combinations(names, size)]


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    chance = np.random.default_rng(1)
    wages = pl.Series(chance.integers(1, 4, 60))
    said = pl.Series(chance.random(60) < 0.5)
    return infections(60, noise=0.05).with_columns(wage=pl.when(said).then(wages))


@pytest.mark.parametrize("form", ["generalize", "suppress"])
def test_every_set_of_columns_is_tried(table: pl.DataFrame, form: str) -> None:
    release = shoal.anonymize(
        table, k=3, quasi=list(QUASI), sensitive="wage", publication=form, method="mondrian", effort=1
    )
    found = shoal.attack(table, release.table, release.policy)
    ours = {one.column: one for one in found.inference}
    assert set(ours) == {*QUASI, "wage"}
    for target in ("route", "wage", "age"):
        others = [name for name in QUASI if name != target]
        by_set = {known: certain(table, release.table, target, known) for known in sets(others)}
        ever = np.logical_or.reduce(list(by_set.values()))
        assert ours[target].certain == int(ever.sum())
        assert ours[target].certain_by_known == max(sum(one) for one in by_set.values())
        assert ours[target].n_sets == len(by_set) - 1
        for size, counted in enumerate(ours[target].certain_by_size):
            small = [one for known, one in by_set.items() if len(known) <= size]
            assert counted == int(np.logical_or.reduce(small).sum())
        assert ours[target].promise is None
        # the report knows which row is whose, and counts the same
        assert next(one for one in release.risk.inference if one.column == target).certain == ours[target].certain


def test_how_people_were_infected_follows_from_state_sex_and_age() -> None:
    """The defect: a sensitive column that is quasi and nothing else is certain for many, and nothing said so."""
    table = infections(400)
    policy: dict[str, Any] = {"k": 5, "columns": {name: {"role": "quasi"} for name in QUASI}}
    release = shoal.anonymize(table, policy)
    (route,) = [one for one in shoal.attack(table, release.table, release.policy).inference if one.column == "route"]
    assert route.certain > 50
    assert (route.promise, route.exceeds) == (None, False)
    policy["columns"]["route"] = {"role": "quasi", "diversity": {"l": 2, "kind": "frequency"}}
    release = shoal.anonymize(table, policy)
    found = shoal.attack(table, release.table, release.policy)
    (route,) = [one for one in found.inference if one.column == "route"]
    assert (route.certain, route.likely, route.promise, route.exceeds) == (0, 0, 0.0, False)
    assert not found.exceeds


def test_a_release_without_the_l_it_promises_is_found_out() -> None:
    table = infections(200)
    plain = shoal.anonymize(table, {"k": 5, "columns": {name: {"role": "quasi"} for name in QUASI}})
    columns = dict(plain.policy.columns)
    columns["route"] = columns["route"].model_copy(update={"diversity": shoal.Diversity(l=2)})
    found = shoal.attack(table, plain.table, plain.policy.model_copy(update={"columns": columns}))
    assert found.exceeds
    assert next(one for one in found.inference if one.column == "route").exceeds


def test_sensitive_values_likelier_than_l_allows_are_counted() -> None:
    table = infections(200)
    release = shoal.anonymize(table, k=3, l=2, quasi=["state", "sex", "age"], sensitive="route")
    asked = release.policy.model_copy(update={"diversity": shoal.Diversity(l=2, kind="frequency")})
    (route,) = [one for one in shoal.attack(table, release.table, asked).inference if one.column == "route"]
    assert route.certain == 0
    assert route.likely > 0
    assert route.exceeds


def test_sensitive_values_likelier_than_t_allows_are_counted() -> None:
    table = infections(200)
    bare = shoal.anonymize(table, k=3, quasi=["state", "sex", "age"], sensitive="route")
    asked = bare.policy.model_copy(update={"closeness": shoal.Closeness(t=0.3)})
    (route,) = [one for one in shoal.attack(table, bare.table, asked).inference if one.column == "route"]
    assert route.likely > 0
    assert route.exceeds
    close = shoal.anonymize(table, k=3, t=0.3, quasi=["state", "sex", "age"], sensitive="route")
    (route,) = [one for one in shoal.attack(table, close.table, close.policy).inference if one.column == "route"]
    assert (route.likely, route.exceeds) == (0, False)


def test_means_are_not_measured_so() -> None:
    table = infections(80).drop("route", "state", "sex").with_columns(weight=pl.Series(np.arange(80)))
    release = shoal.anonymize(table, k=4, quasi=["age", "weight"], publication="aggregate")
    assert shoal.attack(table, release.table, release.policy).inference == ()


def test_with_many_columns_the_sets_are_drawn_and_always_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "COLUMNS", 2)
    table = infections(120)
    release = shoal.anonymize(table, {"k": 4, "columns": {name: {"role": "quasi"} for name in QUASI}})
    first, again = (shoal.attack(table, release.table, release.policy, seed=3).inference for _ in range(2))
    assert first == again
    (route,) = [one for one in first if one.column == "route"]
    whole = certain(table, release.table, "route", ("state", "sex", "age"))
    assert route.certain >= sum(whole)
    assert len(route.known) in (1, 2, 3)
