"""Rows come by their quasi-identifiers, ties by the secret: neither the input's order nor a name decides anything."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.clock import Clock
from shoal.pipeline.row_order import in_own_order
from shoal.policy import Policy
from shoal.requirements import build
from shoal.tables import read
from tests.fixed_secret import SECRET, secret

CELLS = st.fixed_dictionaries(
    {
        "label": st.none() | st.sampled_from(["", "a", "B", "ä", "10", "9"]),
        "count": st.none() | st.integers(-(2**63), 2**63 - 1),
        "size": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.5]),
        "day": st.none() | st.dates(dt.date(1900, 1, 1), dt.date(1900, 1, 5)),
        "yes": st.none() | st.booleans(),
    }
)
SCHEMA = {"label": pl.String, "count": pl.Int64, "size": pl.Float64, "day": pl.Date, "yes": pl.Boolean}
ROLES = {"who": "person", "age": "quasi", "town": "quasi", "ill": "sensitive", "pay": "sensitive", "note": "other"}


def policy(roles: dict[str, str], **settings: Any) -> Policy:
    return Policy.parse({"k": 2, "columns": {name: {"role": role} for name, role in roles.items()}} | settings)


def ordered(frame: pl.DataFrame, **roles: str) -> pl.DataFrame:
    asked = policy(dict.fromkeys(frame.columns, "quasi") | roles)
    rows = in_own_order(read(frame), asked, SECRET, Clock())
    table, order = rows.table, rows.order
    assert sorted(order.tolist()) == list(range(frame.height))
    assert table.frame.equals(frame[order])
    return table.frame


@given(st.lists(CELLS, min_size=1, max_size=40))
def test_rows_come_in_the_order_of_their_quasi_identifiers(rows: list[dict[str, object]]) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    assert ordered(frame).equals(frame.sort(frame.columns), null_equal=True)
    quasi = ["size", "yes"]
    others = dict.fromkeys(["label", "count", "day"], "identifier")
    found = ordered(frame, **others)
    assert found.select(quasi).equals(frame.select(quasi).sort(quasi), null_equal=True)
    again = ordered(frame.reverse(), **others)
    assert again.equals(found, null_equal=True), "the input's order decided something"


def test_columns_that_do_not_fit_into_one_number_are_sorted_too() -> None:
    """Of 12 columns with at least 58 values each, 11 do not; rows that agree in all of those differ in the last."""
    chance = np.random.default_rng(1)
    cells = chance.integers(0, 100, (200, 12))
    cells[100:, :11] = cells[:100, :11]
    frame = pl.DataFrame(cells, schema=[f"c{j}" for j in range(12)])
    assert min(frame[name].n_unique() for name in frame.columns) ** 11 > 2**63
    assert ordered(frame).equals(frame.sort(frame.columns))


def test_a_categorical_column_is_sorted_by_its_text() -> None:
    frame = pl.DataFrame({"c": pl.Series(["b", "a", "c", "a"], dtype=pl.Enum(["c", "b", "a"])), "n": [1, 2, 3, 1]})
    found = ordered(frame)
    assert found["c"].to_list() == ["a", "a", "b", "c"]
    assert found["n"].to_list() == [1, 2, 1, 3]


def people(n: int = 400, *, visits: int = 1, seed: int = 0) -> pl.DataFrame:
    """Many ties among the quasi-identifiers, everybody with a name, some with several rows."""
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": [f"P{number:04}" for number in np.sort(chance.integers(0, max(1, n // visits), n))],
            "age": chance.integers(30, 33, n),
            "town": chance.choice(["Bonn", "Ulm"], n),
            "ill": chance.choice(["flu", "cold", "none"], n),
            "pay": chance.integers(0, 9, n),
            "note": [f"n{place}" for place in range(n)],
        }
    )


def test_ties_are_broken_at_random_whatever_the_names_are() -> None:
    """Among equal quasi-identifiers the place says nothing of the name; another secret gives another order."""
    frame = people(4000).with_columns(who=pl.format("N{}", pl.int_range(4000)))
    asked = policy(ROLES | {"who": "identifier"})
    found = [in_own_order(read(frame), asked, secret(seed), Clock()).table.frame for seed in (1, 1, 2)]
    assert found[0].equals(found[1])
    assert not found[0].equals(found[2])
    for _, tied in found[0].group_by("age", "town"):
        name = tied["who"].rank().to_numpy()
        assert abs(np.corrcoef(np.arange(tied.height), name)[0, 1]) < 4 / np.sqrt(tied.height)


def grouping_sees(frame: pl.DataFrame, asked: Policy) -> list[list[Any]]:
    """Quasi-identifiers, numbers of people and codes of asked columns, in the order in which groups are made."""
    table = in_own_order(read(frame), asked, SECRET, Clock()).table
    _, records = build(asked, table.frame)
    codes = [records.sensitive[name].tolist() for name in sorted(records.sensitive)]
    numbers = [] if records.people is None else [records.people.tolist()]
    return [*(table.frame[name].to_list() for name in asked.quasi), *codes, *numbers]


@pytest.mark.parametrize("person", ["person", "identifier"])
@pytest.mark.parametrize("settings", [{}, {"ill": {"role": "sensitive", "diversity": {"l": 2}}}])
def test_what_nothing_is_asked_of_decides_nothing_that_grouping_sees(person: str, settings: dict[str, Any]) -> None:
    """Permuting a column, or renaming everybody, leaves the whole sequence as it is."""
    frame = people(visits=3)
    asked = Policy.parse(
        {"k": 2, "columns": {n: {"role": r} for n, r in (ROLES | {"who": person}).items()} | settings}
    )
    before = grouping_sees(frame, asked)
    chance = np.random.default_rng(5)
    names = frame["who"].unique().sort()
    renamed = dict(zip(names, chance.permutation(names), strict=True))
    assert grouping_sees(frame.with_columns(pl.col("who").replace(renamed)), asked) == before
    free = ["pay", "note"] if settings else ["ill", "pay", "note"]
    for name in free + (["who"] if person == "identifier" else []):
        permuted = frame.with_columns(frame[name][chance.permutation(frame.height)].alias(name))
        assert grouping_sees(permuted, asked) == before, name


def test_people_are_not_numbered_by_their_names() -> None:
    frame = people(4000, visits=2)
    table = in_own_order(read(frame), policy(ROLES), SECRET, Clock()).table
    _, records = build(policy(ROLES), table.frame)
    assert records.people is not None
    names = table.frame["who"].rank("dense").to_numpy()
    numbered = dict(zip(names.tolist(), records.people.tolist(), strict=True))
    assert len(set(numbered.values())) == len(numbered) == frame["who"].n_unique()
    numbers = np.array([numbered[name] for name in sorted(numbered)])
    # Who has many rows comes early; a name says nothing.
    assert abs(np.corrcoef(np.arange(len(numbers)), numbers)[0, 1]) < 4 / np.sqrt(len(numbers))
