"""A format is refused with one sentence if it cannot say which date is meant."""

from __future__ import annotations

import pytest

from shoal.errors import ParameterError
from shoal.policy import Column, Policy
from tests.date_formats import FORMATS, settings_of


def policy(**column: object) -> Policy:
    return Policy.parse({"columns": {"born": {"role": "quasi", **column}}})


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.pattern)
def test_a_format_comes_back_from_toml(form: object) -> None:
    asked = policy(kind="date", **settings_of(form))  # type: ignore[arg-type]
    assert Policy.loads(asked.dumps()) == asked
    assert asked.columns["born"].date_format == form


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"format": "%d.%m"}, "no year"),
        ({"format": "%d.%Y"}, "day without the month"),
        ({"format": "%d.%m.%y"}, "first_year"),
        ({"format": "%d.%m.%Y", "first_year": 1930}, "first_year"),
        ({"format": "%d.%m.%Y %Y"}, "year twice"),
        ({"format": "%d.%q.%Y"}, "quarter instead of the month"),
        ({"format": "%d.%m.%Y %I:%M"}, "%p with %I"),
        ({"format": "%d.%m.%Y %H:%M %p"}, "%p with %I"),
        ({"format": "%d.%m.%Y %M"}, "minute without the hour"),
        ({"format": "%d.%m.%Y %x"}, "no part %x"),
        ({"format": "%d.%m.%Y %"}, "without a letter"),
        ({"format": "%-d%m%Y"}, "next to other digits"),
        ({"format": "2%d.%m.%Y"}, "format has digits"),
        ({"format": "[%d.%m.%Y]"}, "without brackets"),
        ({"format": "%d\n%m.%Y"}, "line ends"),
        ({"format": "%d.%m.%Y" + "-" * 90}, "short text"),
        ({"format": ""}, "no year"),
        ({"format": "%d.%m.%Y", "language": "de"}, "names of months"),
        ({"format": "excel", "language": "de"}, "do not belong"),
        ({"language": "de"}, "belong to a format"),
        ({"first_year": 1930}, "belong to a format"),
        ({"format": "%d.%m.%Y", "kind": "label"}, "belongs to dates"),
        ({"format": "%d.%m.%Y", "kind": "number"}, "belongs to dates"),
        ({"format": "%d.%m.%Y", "order": ["a", "b"]}, "belongs to dates"),
        ({"format": "%d.%m.%Y", "classes": "k"}, "belongs to dates"),
        ({"format": "%d.%m.%Y", "hierarchy": {"prefix": True}}, "belongs to dates"),
        ({"format": "%Y-%m", "round_ranges": "week"}, "week cannot be used"),
        ({"format": "%Y-Q%q", "hierarchy": {"periods": ["day", "year"]}}, "no day"),
    ],
)
def test_what_is_refused(settings: dict[str, object], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        policy(**settings)


def test_a_hierarchy_of_periods_may_have_a_format() -> None:
    column = policy(format="%d.%m.%Y", hierarchy={"periods": ["month", "year"]}).columns["born"]
    assert column.date_format is not None


def test_the_resolution_is_that_of_the_finest_part() -> None:
    found = {form.pattern: form.resolution for form in FORMATS}
    assert found["%Y-%m"] == "month"
    assert found["%Y-Q%q"] == "quarter"
    assert found["%Y"] == "year"
    assert found["excel"] == "day"
    assert found["%d.%m.%Y %H:%M"] == "minute"
    assert found["%Y-%m-%dT%H:%M:%S.%3f"] == "millisecond"
    assert Column(role="quasi").date_format is None
