"""The verifier's own count of people who share what a key set knows, on tables counted by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal

COLUMNS: dict[str, Any] = {"age": {"role": "quasi"}, "sex": {"role": "quasi"}, "ward": {"role": "quasi"}}


def shared(frame: dict[str, list[Any]], keys: dict[str, Any], form: str = "generalize", **more: Any) -> Any:
    """For every key set: the fewest who share a combination, whether that is enough, and the groups that miss it."""
    columns = more.pop("columns", COLUMNS)
    table = pl.DataFrame(frame, schema=dict.fromkeys(frame, pl.String))
    found = shoal.verify(table, {"k": 2, "columns": columns, "keys": keys} | more, form=form)
    missed = {one.column: (one.groups, one.records) for one in found.failures if one.check == "key-anonymity"}
    claims = [one for one in found.claims if one.criterion == "key-anonymity"]
    assert [one.claimed for one in claims] == [one["k"] for one in keys.values()]
    return {one.column: (one.measured, one.holds, missed.get(one.column, (0, 0))) for one in claims}


TABLE = {  # classes of 2, 3, 2 and 2 people
    "age": ["1"] * 2 + ["1"] * 3 + ["2"] * 2 + [None] * 2,
    "sex": ["f"] * 2 + ["m"] * 3 + ["f"] * 2 + ["f"] * 2,
    "ward": ["a"] * 2 + ["a"] * 3 + ["b"] * 2 + ["b"] * 2,
}


def test_people_of_all_classes_that_share_a_combination_count_together() -> None:
    keys = {
        "one": {"columns": ["sex"], "k": 4},
        "two": {"columns": ["sex", "ward"], "k": 3},
        "three": {"columns": ["age"], "k": 2},
        "four": {"columns": ["ward"], "k": 4},
    }
    assert shared(TABLE, keys) == {
        "one": (3, False, (1, 3)),  # six are f, and three are m
        "two": (2, False, (1, 2)),  # fa 2, ma 3, fb 4
        "three": (2, True, (0, 0)),  # a missing age is one of its own
        "four": (4, True, (0, 0)),
    }


def test_no_key_set_is_measured_where_the_policy_has_none() -> None:
    assert shared(TABLE, {}) == {}


def test_people_numbered_in_every_class_may_be_in_several_so_that_only_the_largest_counts() -> None:
    columns = COLUMNS | {"who": {"role": "person"}}
    numbers = {"who": ["1", "2", "1", "2", "3", "1", "2", "1", "2"]}
    keys = {"one": {"columns": ["ward"], "k": 3}, "two": {"columns": ["sex"], "k": 3}}
    assert shared(TABLE | numbers, keys, columns=columns) == {"one": (2, False, (2, 4)), "two": (2, False, (3, 6))}


def test_people_numbered_in_the_whole_table_are_in_one_class_each_and_are_summed() -> None:
    columns = COLUMNS | {"who": {"role": "person", "consistent": True}}
    numbers = {"who": [str(place + 1) for place in range(9)]}
    keys = {"one": {"columns": ["ward"], "k": 4}, "two": {"columns": ["sex"], "k": 4}}
    assert shared(TABLE | numbers, keys, columns=columns) == {"one": (4, True, (0, 0)), "two": (3, False, (1, 3))}


@pytest.mark.parametrize("form", ["centers", "aggregate"])
def test_a_mean_and_how_many_are_missing_beside_it_are_both_known(form: str) -> None:
    rows = 1 if form == "centers" else 3
    cells = {
        "age": ["1.5"] * rows + ["1.5"] * rows + ["2.5"] * rows,
        "age_missing": ["0"] * rows + ["1"] * rows + ["0"] * rows,
        "sex": ["f"] * 3 * rows,
    }
    columns = {"age": {"role": "quasi"}, "sex": {"role": "quasi"}}
    people = {"people": ["3"] * 3} if form == "centers" else {}
    keys = {"one": {"columns": ["age"], "k": 4}, "two": {"columns": ["sex"], "k": 9}}
    found = shared(cells | people, keys, form, columns=columns, publication=form)
    assert found == {"one": (3, False, (3, 9)), "two": (9, True, (0, 0))}


def test_centers_with_equal_cells_are_groups_of_their_own_and_count_together() -> None:
    cells = {"age": ["1.5", "1.5", "2.5"], "people": ["3", "3", "4"]}
    found = shared(cells, {"one": {"columns": ["age"], "k": 5}}, "centers", columns={"age": COLUMNS["age"]})
    assert found == {"one": (4, False, (1, 4))}


def test_both_ends_of_a_range_are_known() -> None:
    ends = {"age_min": ["1"] * 4, "age_max": ["2"] * 2 + ["3"] * 2, "sex": ["f"] * 4}
    columns = {"age": {"role": "quasi"}, "sex": {"role": "quasi"}}
    keys = {"one": {"columns": ["age"], "k": 3}, "two": {"columns": ["sex"], "k": 3}}
    assert shared(ends, keys, columns=columns, ranges="columns") == {
        "one": (2, False, (2, 4)),
        "two": (4, True, (0, 0)),
    }


def test_a_key_set_of_columns_that_are_not_there_is_shared_by_nobody() -> None:
    frame = {name: cells for name, cells in TABLE.items() if name != "age"}
    keys = {"one": {"columns": ["age"], "k": 2}, "two": {"columns": ["sex"], "k": 2}}
    assert shared(frame, keys) == {"one": (0, False, (3, 9)), "two": (3, True, (0, 0))}
