"""A kind beside a hierarchy or an order says what the cells are; the hierarchy says how they are published."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.policy import Column, Hierarchy, Policy


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"kind": "date", "hierarchy": {"periods": ["year"]}}, "hierarchy"),
        ({"kind": "number", "hierarchy": {"widths": [10, 50]}}, "hierarchy"),
        ({"kind": "number", "hierarchy": Hierarchy(widths=(10,))}, "hierarchy"),
        ({"kind": "label", "hierarchy": {"prefix": True}}, "hierarchy"),
        ({"kind": "label", "hierarchy": "jobs.csv"}, "hierarchy"),
        ({"kind": "label", "order": ["low", "high"]}, "ordered"),
        ({"kind": "label"}, "label"),
    ],
)
def test_the_kind_that_is_meant(settings: dict[str, object], kind: str) -> None:
    assert Column.model_validate({"role": "quasi", **settings}).kind == kind


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "number", "hierarchy": {"periods": ["year"]}},
        {"kind": "date", "hierarchy": {"widths": [10]}},
        {"kind": "number", "order": ["1", "2"]},
        {"kind": "region", "hierarchy": {"prefix": True}},
    ],
)
def test_a_kind_that_the_hierarchy_does_not_fit_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=r"hierarchy belongs to|order belongs to"):
        Policy.parse({"columns": {"x": {"role": "quasi", **settings}}})


def test_dates_are_published_as_years_where_the_policy_says_both() -> None:
    born = pl.DataFrame({"born": [date(1980 + i // 3, 1 + i % 3, 5) for i in range(12)]})
    asked = {"k": 3, "columns": {"born": {"role": "quasi", "kind": "date", "hierarchy": {"periods": ["year"]}}}}
    assert set(shoal.anonymize(born, asked).table["born"]) == {"1980", "1981", "1982", "1983"}
