"""JSON: everything we hand on becomes plain values, the same bytes for the same content."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.report.to_json import dumps, plain
from tests.report import samples


class Color(Enum):
    RED = "red"


@dataclass(frozen=True)
class Part:
    second: object
    first: object = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(1.5), 1.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([1.0, np.nan]), [1.0, None]),
        (float("inf"), None),
        (Fraction(9, 2), "9/2"),
        (Decimal("1.10"), "1.10"),
        (Path("a") / "b", "a/b"),
        (date(2024, 2, 29), "2024-02-29"),
        (timedelta(minutes=1), 60.0),
        (Color.RED, "red"),
        (pl.Series([1, None]), [1, None]),
        (pl.DataFrame({"b": [1], "a": ["x"]}), {"a": ["x"], "b": [1]}),
        ({"b": 1, "a": (2, {"z"})}, {"a": [2, ["z"]], "b": 1}),
        (frozenset({3, 1}), [1, 3]),
        (Part(second=Part(second=1)), {"second": {"second": 1, "first": None}, "first": None}),
        (b"\x01", "01"),
    ],
    ids=repr,
)
def test_values_become_plain(value: object, expected: object) -> None:
    assert plain(value) == expected
    assert json.loads(dumps(value)) == expected


def test_fields_keep_their_order_and_keys_are_sorted() -> None:
    assert dumps(Part(second={"b": 1, "a": 2}), indent=None) == '{"second": {"a": 2, "b": 1}, "first": null}\n'


def test_the_whole_content_has_a_json_form() -> None:
    found = json.loads(dumps(samples.content()))
    assert found["groups"]["ratio_proved"] == "9"
    assert found["policy"]["columns"]["age"]["role"] == "quasi"
    assert dumps(samples.content()) == dumps(samples.content())


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON form for object"):
        plain(object())
    with pytest.raises(TypeError, match="no JSON form for type"):
        plain(Part)
