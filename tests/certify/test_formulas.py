"""l and t of three classes, worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import numpy as np
import polars as pl
import pytest

from shoal.certify.formulas import diversity, equal_distance, hierarchical_distance, ordered_distance
from shoal.certify.share_formulas import largest_gain, largest_share, listed_values
from shoal.policy import Column

# value 1 2 3: in class 0 three, one and none; the table has 4, 5 and 3
PAIRS = pl.DataFrame({"class": [2, 0, 1, 0, 1], "value": [2, 1, 3, 2, 1], "held": [4, 3, 3, 1, 1]})
PEOPLE = pl.DataFrame({"class": [0, 1, 2], "people": [4, 4, 4]})
ONE = PAIRS.filter(pl.col("value") == 2)


def measures(found: pl.DataFrame) -> list[float]:
    assert sorted(found.columns) == ["class", "measure"]
    return found.sort("class")["measure"].to_list()


@pytest.mark.parametrize(
    ("kind", "c", "expected"),
    [
        ("distinct", None, [2, 2, 1]),
        ("frequency", None, [4 / 3, 4 / 3, 1]),
        ("entropy", None, [exp(-0.75 * log(0.75) - 0.25 * log(0.25))] * 2 + [1]),
        ("recursive", None, [0, 0, 0]),
        ("recursive", 0.5, [0, 0, 0]),
        ("recursive", 1.0, [1, 1, 0]),
        ("recursive", 3.0, [1, 1, 1]),  # 3 < 3 times 1 is false
        ("recursive", 3.1, [2, 2, 1]),
    ],
)
def test_diversity(kind, c, expected):
    assert measures(diversity(PAIRS, PEOPLE, kind, c)) == pytest.approx(expected)


def test_in_frequency_people_count_once():
    """Where one may hold several values, people are fewer than what they hold."""
    fewer = PEOPLE.with_columns(people=pl.lit(3))
    assert measures(diversity(PAIRS, fewer, "frequency", None)) == pytest.approx([1, 1, 3 / 4])


def test_distances():
    twelfths = [[5, 6, 7], [4, Fraction(7, 2), Fraction(7, 2)], [4, 6, 5]]
    levels = [np.array([0, 1, 2, 3]), np.array([0, 0, 1, 2]), np.array([0, 0, 0, 0])]
    values = pl.DataFrame({"text": ["a", "b", "c", None], "value": [1, 2, 3, 4]})
    found = [equal_distance(PAIRS), ordered_distance(PAIRS), hierarchical_distance(PAIRS, values, levels)]
    for distance, expected in zip(found, twelfths, strict=True):
        assert measures(distance) == pytest.approx([float(Fraction(x) / 12) for x in expected])


def test_a_table_of_one_value_is_everywhere_like_itself():
    levels = [np.array([0, 1, 2, 3]), np.array([0, 0, 1, 2]), np.array([0, 0, 0, 0])]
    values = pl.DataFrame({"text": ["a", "b", "c", None], "value": [1, 2, 3, 4]})
    for found in (equal_distance(ONE), ordered_distance(ONE), hierarchical_distance(ONE, values, levels)):
        assert measures(found) == [0, 0]


def test_two_values_in_order():
    pairs = pl.DataFrame({"class": [0, 1], "value": [5, 9], "held": [1, 3]})
    assert measures(ordered_distance(pairs)) == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize(
    ("column", "leaves", "expected"),
    [
        ({}, False, [0, 2]),
        ({}, True, [0]),
        ({"kind": "ordered", "order": ["1", "1.0", "x"]}, False, [0]),
        ({"kind": "ordered", "order": ["1", "1.0", "x"]}, True, [0]),
    ],
)
def test_listed_values_are_found_in_any_spelling_but_as_written_in_an_order_or_a_tree(column, leaves, expected):
    values = pl.DataFrame({"text": ["1", "x", "1.0", None], "value": [0, 1, 2, 3]})
    asked = Column.model_validate({"role": "sensitive"} | column)
    assert sorted(listed_values(["1"], values, asked, leaves=leaves)) == expected
    assert listed_values([], values, asked, leaves=leaves) == []


def test_values_are_listed_also_where_other_columns_have_nulls():
    values = pl.DataFrame({"text": ["1", "x", None], "value": [0, 1, 2], "low": [None, 3, None]})
    assert listed_values(["1"], values, Column(role="sensitive"), leaves=False) == [0]


SOME = pl.DataFrame({"class": [0, 0, 0, 1, 1, 2], "value": [1, 2, 9, 2, 9, 9], "held": [1, 2, 1, 3, 1, 4]})


def test_the_share_of_a_limited_value_is_among_those_whose_value_is_known():
    def shares(limited):
        return measures(largest_share(SOME, PEOPLE, missing=9, limited=limited))

    assert shares(None) == pytest.approx([2 / 3, 1, 0])
    assert shares([1]) == pytest.approx([1 / 3, 0, 0])
    assert shares([1, 9]) == pytest.approx([1 / 3, 0, 0])  # a missing value is no share, even where it is listed
    assert shares([]) == [0, 0, 0]


def test_a_value_that_all_have_does_not_grow_and_one_that_shrinks_counts_as_none():
    alone = pl.DataFrame({"class": [0, 1], "value": [1, 1], "held": [2, 2]})
    for kind in ("basic", "enhanced"):
        assert measures(largest_gain(alone, 0.5, kind)) == [0, 0]
        shrunk = pl.DataFrame({"class": [0, 0, 1], "value": [1, 2, 1], "held": [1, 3, 4]})
        assert measures(largest_gain(shrunk, 9.0, "basic")) == pytest.approx([1, 0.6])


def test_by_the_enhanced_definition_a_frequent_value_may_grow_by_less():
    """The first value has a share of 1/2 and grows by 1/2; ln 2 is below 1, and above 1/2."""
    pairs = pl.DataFrame({"class": [0, 0, 1, 1], "value": [1, 2, 1, 2], "held": [3, 1, 1, 3]})
    assert measures(largest_gain(pairs, 1.0, "basic")) == pytest.approx([0.5, 0.5])
    assert measures(largest_gain(pairs, 1.0, "enhanced")) == pytest.approx([0.5 / log(2)] * 2)
    assert measures(largest_gain(pairs, 0.5, "enhanced")) == pytest.approx([0.5, 0.5])
