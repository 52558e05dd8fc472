"""Counts of classes against plain counting, and the bound on work."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.roles import uniqueness
from shoal.roles.uniqueness import Codes, Combination, class_sizes, count, encode, join, search

CELLS = st.none() | st.integers(0, 2)
ROWS = st.integers(2, 5).flatmap(lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=14))


def frame(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=[f"c{at}" for at in range(len(rows[0]))], orient="row")


def plain_count(
    rows: list[tuple[Any, ...]], at: tuple[int, ...], k: int, person: list[int] | None
) -> tuple[int, ...]:
    """Classes, unique rows, rows below k and the smallest class, counted one by one."""
    keys = [tuple(row[i] for i in at) for row in rows]
    people = {
        key: len({p for p, other in zip(person or range(len(rows)), keys, strict=True) if other == key})
        for key in keys
    }
    n_rows = Counter(keys)
    unique = sum(n for key, n in n_rows.items() if people[key] == 1)
    below = sum(n for key, n in n_rows.items() if people[key] < k)
    return len(n_rows), unique, below, min(people.values())


def numbers(found: Combination) -> tuple[int, ...]:
    return found.classes, found.unique_rows, found.rows_below_k, found.smallest


@given(rows=ROWS, k=st.integers(2, 5), data=st.data())
def test_every_count_is_that_of_counting_one_by_one(rows: list[tuple[Any, ...]], k: int, data: st.DataObject) -> None:
    person = data.draw(st.none() | st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    columns = {name: encode(frame(rows)[name]) for name in frame(rows).columns}
    people = None if person is None else encode(pl.Series(person))
    found = search(columns, len(rows), k=k, person=people)
    names = list(columns)
    for one in (*found.combinations, *found.growing):
        assert numbers(one) == plain_count(rows, tuple(names.index(name) for name in one.columns), k, person)
    singled_out = [one.unique_rows for one in found.growing]
    assert singled_out == sorted(set(singled_out))
    assert found.limits == ()


@given(rows=ROWS)
def test_all_minimal_combinations_are_found_and_only_they(rows: list[tuple[Any, ...]]) -> None:
    columns = {name: encode(frame(rows)[name]) for name in frame(rows).columns}
    names = list(columns)

    def unique(at: tuple[int, ...]) -> int:
        return plain_count(rows, at, 2, None)[1] if at else 0

    minimal = {
        tuple(names[i] for i in at)
        for size in (1, 2, 3)
        for at in combinations(range(len(names)), size)
        if unique(at) > max(unique(part) for part in combinations(at, size - 1))
    }
    if len(rows) == 1:
        minimal = set()  # one row differs from nobody: its columns do not vary
    assert {found.columns for found in search(columns, len(rows), k=2).combinations} == minimal


@given(rows=ROWS, k=st.integers(2, 5), data=st.data())
def test_a_large_table_is_counted_by_refinement_with_the_same_result(
    rows: list[tuple[Any, ...]], k: int, data: st.DataObject
) -> None:
    person = data.draw(st.none() | st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    columns = {name: encode(frame(rows)[name]) for name in frame(rows).columns}
    people = None if person is None else encode(pl.Series(person))
    expected = search(columns, len(rows), k=k, person=people)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(uniqueness, "WORTH_REFINING", 0)
        assert search(columns, len(rows), k=k, person=people) == expected


@pytest.mark.parametrize("with_person", [False, True])
def test_what_a_part_of_a_large_table_rules_out_would_not_have_been_listed(
    monkeypatch: pytest.MonkeyPatch, with_person: bool
) -> None:
    ruled_out = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n_rows, widths = 64, rng.integers(2, 30, size=9)
        columns = {f"c{at}": encode(pl.Series(rng.integers(0, width, n_rows))) for at, width in enumerate(widths)}
        people = encode(pl.Series(rng.integers(0, 40, n_rows))) if with_person else None
        with monkeypatch.context() as patched:
            patched.setattr(uniqueness, "SHOWN", 3)
            patched.setattr(uniqueness, "AT_ONCE", 4)
            patched.setattr(uniqueness, "WORTH_REFINING", 0)
            expected = search(columns, n_rows, k=3, person=people)
            patched.setattr(uniqueness, "PART", 16)
            patched.setattr(uniqueness, "LARGE", 16)
            counting: list[int] = []
            counted = uniqueness._Counting._not_too_small

            def noted(self: Any, sets: Any, least: int, counted: Any = counted, into: Any = counting) -> Any:
                likely = counted(self, sets, least)
                into.append(len(sets) - len(likely))
                return likely

            patched.setattr(uniqueness._Counting, "_not_too_small", noted)
            assert search(columns, n_rows, k=3, person=people) == expected
            ruled_out += sum(counting)
    assert ruled_out > 50


def test_combinations_come_by_size_then_by_how_many_they_single_out() -> None:
    table = pl.DataFrame({"a": [1, 1, 2, 3], "b": [1, 2, 2, 2], "c": [5, 5, 5, 5]})
    found = search({name: encode(table[name]) for name in table.columns}, 4, k=2)
    assert [(one.columns, one.unique_rows) for one in found.combinations] == [
        (("a",), 2),
        (("b",), 1),
        (("a", "b"), 4),
    ]


def test_larger_sets_grow_by_the_column_that_singles_out_most() -> None:
    # Row i has a 1 in column i only, so each column singles out one more; three columns leave 5 alike.
    table = pl.DataFrame({f"c{at}": [int(at == row) for row in range(6)] for at in range(5)})
    found = search({name: encode(table[name]) for name in table.columns}, 6, k=2)
    assert [len(one.columns) for one in found.growing] == [4, 5]
    assert [one.unique_rows for one in found.growing] == [4, 6]


def test_growing_stops_where_no_column_adds_any() -> None:
    table = pl.DataFrame(
        {"a": [1, 1, 2, 3], "b": [1, 1, 2, 2], "c": [1, 1, 1, 2], "d": [2, 2, 1, 1], "e": [2, 2, 2, 1]}
    )
    assert search({name: encode(table[name]) for name in table.columns}, 4, k=2).growing == ()


def test_missing_is_a_value_and_a_lone_missing_cell_is_unique() -> None:
    assert encode(pl.Series([None, 7, 7])).codes.tolist() == [0, 1, 1]
    assert count(("a",), encode(pl.Series([None, 7, 7])), k=2).unique_rows == 1
    assert encode(pl.Series([None, None])).n_codes == 1


@pytest.mark.parametrize(
    "values",
    [[True, False, None], ["b", "a", "b"], [1.5, -0.0, 0.0], [], [None]],
)
def test_equal_values_and_only_they_have_equal_codes(values: list[Any]) -> None:
    found = encode(pl.Series(values))
    assert len(set(found.codes.tolist())) == found.n_codes == len(set(values))
    for left, right in combinations(range(len(values)), 2):
        assert (found.codes[left] == found.codes[right]) == (values[left] == values[right])


def test_codes_take_no_more_room_than_they_need() -> None:
    assert encode(pl.Series(range(256))).codes.dtype == np.uint8
    assert encode(pl.Series(range(257))).codes.dtype == np.uint16


@pytest.mark.parametrize("with_person", [False, True])
def test_joining_columns_whose_product_overflows_changes_no_class(with_person: bool) -> None:
    rng = np.random.default_rng(3)
    n_rows, wide = 500, 2**21
    columns = [Codes(rng.integers(0, 3, n_rows), wide) for _ in range(5)]  # 2^105 combinations
    person = Codes(rng.integers(0, 40, n_rows), 10**6) if with_person else None
    joined = join(columns, n_rows, room=person.n_codes if person else 1)
    assert joined.n_codes * (person.n_codes if person else 1) < 2**63
    rows = list(zip(*(column.codes.tolist() for column in columns), strict=True))
    found = count((), joined, k=5, person=person)
    assert numbers(found) == plain_count(rows, tuple(range(5)), 5, person.codes.tolist() if person else None)


def test_sorting_and_counting_agree() -> None:
    codes = np.random.default_rng(5).integers(0, 50, 400)
    by_counting, _ = class_sizes(Codes(codes, 50), None)
    by_sorting, _ = class_sizes(Codes(codes, 10**9), None)
    assert by_counting.tolist() == by_sorting.tolist()


def test_work_has_a_bound_and_what_was_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    columns = {f"c{at}": encode(pl.Series(rng.integers(0, 2 + at, 60))) for at in range(30)}
    assert search(columns, 60, k=2).limits == (
        "combinations are counted over the 24 columns with the most different values, of 30 that vary.",
    )
    monkeypatch.setattr(uniqueness, "MOST_SETS", 100)
    few = search(dict(list(columns.items())[:20]), 60, k=2)
    assert few.limits == ("80 of 190 combinations of 2 columns were counted, and no larger ones.",)
    assert few.growing == ()
    assert max(len(one.columns) for one in few.combinations) == 2


def test_no_rows_and_no_columns_are_counted_as_nothing() -> None:
    nothing = encode(pl.Series([], dtype=pl.Int64))
    assert search({}, 0, k=2) == search({"a": nothing}, 0, k=2)
    assert numbers(count(("a",), join([nothing], 0), k=2)) == (0, 0, 0, 0)
    assert numbers(count(("a",), join([nothing], 0), k=2, person=nothing)) == (0, 0, 0, 0)
