"""Scales in words: recognized in their own spelling, proposed with the whole scale, and nothing else of the table."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.roles.scales import FEWEST, OF_LANGUAGES, SCALES, order_of


@pytest.mark.parametrize("scale", [*SCALES, *OF_LANGUAGES])
def test_every_scale_is_found_by_its_own_words_in_any_order_and_case(scale: str) -> None:
    words = scale.split(" < ")
    assert len(words) == len({word.casefold() for word in words}) >= FEWEST
    for spelled in (words, [word.upper() for word in words], [word[:1].upper() + word[1:] for word in words]):
        assert order_of(reversed(spelled)) is not None
        found = order_of(sorted(spelled))
        assert found is not None
        assert set(spelled) <= set(found)
        assert [word for word in found if word in spelled] == spelled


def test_the_smallest_scale_that_has_all_words_is_proposed() -> None:
    assert order_of(["high", "low", "medium"]) == ("low", "medium", "high")
    assert order_of(["Never", "Often", "Rarely"]) == ("Never", "Rarely", "Sometimes", "Often", "Always")


@pytest.mark.parametrize(
    "values",
    [
        ["low", "high"],
        ["low", "medium", "tall"],
        ["low", "Low", "high"],
        ["male", "female", "other"],
        [],
        ["a", "b", "c"],
    ],
)
def test_what_is_no_scale_is_left_alone(values: list[str]) -> None:
    assert order_of(values) is None


def test_a_scale_is_published_in_its_order_and_its_order_stays_private() -> None:
    cells = ["never", "rarely", "often", "always"] * 30
    table = pl.DataFrame({"sport": cells, "age": [20 + at % 50 for at in range(120)]})
    policy = shoal.profile(table).policy
    assert policy.columns["sport"].order == ("never", "rarely", "sometimes", "often", "always")
    release = shoal.anonymize(table, policy, seed=1, effort=5)
    order = policy.columns["sport"].order
    for cell in release.table["sport"].unique():
        ends = cell.strip("[]").split(", ")
        assert [order.index(end) for end in ends] == sorted(order.index(end) for end in ends)
    assert "sometimes" not in release.certificate.to_public_json()


def test_a_policy_without_a_kind_takes_the_scale_as_well() -> None:
    table = pl.DataFrame({"risk": ["low", "medium", "high"] * 20})
    release = shoal.anonymize(table, quasi=["risk"], k=30, seed=1, effort=5)
    assert set(release.table["risk"]) <= {"low", "medium", "high", "[low, medium]", "[medium, high]", "[low, high]"}
