"""People who keep one number or pseudonym in the whole release: each is in one class, under a name as stated."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal

A, B, C, D = (f"{number:020x}" for number in (1, 2, 3, 0xABCDEF))
NUMBERS = "number the people of the release from 1"


def found(who: list[str | None], ages: str, *, pseudonym: bool, k: int = 2) -> shoal.Findings:
    columns = {
        "who": {"role": "person", "consistent": True, "pseudonym": pseudonym},
        "age": {"role": "quasi"},
        "ill": {"role": "sensitive"},
    }
    frame = pl.DataFrame(
        {"who": who, "age": list(ages), "ill": ["x"] * len(ages)}, schema_overrides={"who": pl.String}
    )
    return shoal.verify(frame, {"k": k, "columns": columns}, form="generalize")


def told(findings: shoal.Findings) -> list[tuple[Any, ...]]:
    return [(one.check, one.groups, one.records) for one in findings.failures]


@pytest.mark.parametrize(("who", "pseudonym"), [(["1", "2", "3", "4", "2"], False), ([A, B, C, D, B], True)])
def test_people_in_one_class_each_under_one_name_hold(who: list[str | None], pseudonym: bool) -> None:
    sound = found(who, "aabba", pseudonym=pseudonym)
    assert (sound.holds, sound.k, sound.unit) == (True, 2, "people")
    assert [(one.criterion, one.column, one.measured) for one in sound.claims][1] == ("consistent-people", "who", 1)


@pytest.mark.parametrize(("who", "pseudonym"), [(["1", "2", "3", "1"], False), ([A, B, C, A], True)])
def test_a_person_in_two_classes_is_refused_with_both(who: list[str | None], pseudonym: bool) -> None:
    apart = found(who, "aabb", pseudonym=pseudonym)
    assert told(apart) == [("consistent-people", 2, 4)]
    assert apart.claims[1].measured == 2


@pytest.mark.parametrize(
    ("who", "pseudonym"),
    [
        (["1", "2", "3", "5"], False),  # a number is left out
        (["2", "3", "4", "5"], False),  # not from 1
        (["0", "1", "2", "3"], False),
        (["1", "2", "3", None], False),
        (["1", "2", "03", "4"], False),
        (["1", "2", "3", "4\n"], False),
        (["1", "2", "3", D], False),
        ([A, B, C, "4"], True),
        ([A, B, C, None], True),
        ([A, B, C, D.upper()], True),
        ([A, B, C, D + "0"], True),
        ([A, B, C, D[1:]], True),
        ([A, B, C, f"{D}\n"], True),
    ],
)  # fmt: skip
def test_a_name_that_is_not_as_stated_is_refused(who: list[str | None], pseudonym: bool) -> None:
    odd = found(who, "aabb", pseudonym=pseudonym)
    assert odd.failures[0].check == "person"
    asked = "hold pseudonyms" if pseudonym else NUMBERS
    groups = 1 if pseudonym else 2
    assert asked in odd.failures[0].message
    assert (odd.failures[0].column, odd.failures[0].groups, odd.failures[0].records) == ("who", groups, 2 * groups)


def test_two_people_without_a_name_are_in_two_classes_at_once() -> None:
    """A missing name may be one person's: it is counted as such, and refused as a name."""
    odd = found([A, None, B, None], "aabb", pseudonym=True)
    assert told(odd) == [("person", 2, 4), ("consistent-people", 2, 4)]
    assert odd.claims[1].measured == 2


def test_a_wrong_name_does_not_hide_that_a_person_is_in_two_classes() -> None:
    assert told(found(["1", "5", "3", "1"], "aabb", pseudonym=False)) == [
        ("person", 2, 4),
        ("consistent-people", 2, 4),
    ]
