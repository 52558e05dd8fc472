"""Ten releases of one changing table, and someone who holds all of them and knows who was in which."""

from __future__ import annotations

from typing import Any

import pytest

import shoal
from tests.sequence.attacker import fewest_candidates, fewest_values, share_below, ways
from tests.sequence.tables import ROLES, held, months, seen, sequence

GROUPS: dict[str, Any] = {"k": 3, "reserve": 25}
VALUES: dict[str, Any] = {"k": 4, "l": 2, "keep": "values", "counterfeits": True}


def test_releases_that_do_not_follow_each_other_leave_many_below_k() -> None:
    """What `after` is for: the attacker of these tests finds what is there to be found."""
    tables = list(months(200, 2, seed=1, leaving=0.25, coming=0.25))
    alone = [seen(shoal.anonymize(table, k=3, method="mondrian", **ROLES), table) for table in tables]
    assert share_below(alone, 3) > 0.3
    assert fewest_candidates(alone) == 1


def test_ten_releases_leave_everybody_among_k() -> None:
    releases, classes = sequence(months(200, 10, seed=2, leaving=0.04), **GROUPS)
    assert releases[-1].history.number == 10
    assert len(classes[-1]) > 60
    assert fewest_candidates(classes) >= 3
    # Not even who left, and when, tells anybody apart from two others.
    assert min(len(people) for people in ways(classes).values()) >= 3


def test_with_l_also_those_who_vanish_together_have_l_values() -> None:
    tables = list(months(200, 10, seed=3, leaving=0.04))
    releases, classes = sequence(tables, l=2, **GROUPS)
    diagnosis = {
        person: value for table in tables for person, value in table.select("patient", "diagnosis").iter_rows()
    }
    for people in ways(classes).values():
        assert len(people) >= 3
        assert len({diagnosis[person] for person in people}) >= 2
    assert fewest_values(classes, [held(release) for release in releases]) >= 2


def test_open_departures_keep_k_for_those_who_stay() -> None:
    _, classes = sequence(months(200, 10, seed=4, leaving=0.06), k=3, reserve=6, departures="open")
    assert fewest_candidates(classes) >= 3
    assert len(classes[-1]) > 120
    assert min(len(people) for people in ways(classes).values()) < 3  # what it gives up


@pytest.mark.parametrize("allowed", [True, False], ids=["counterfeits", "none made up"])
def test_ten_releases_leave_everybody_the_same_values(allowed: bool) -> None:
    releases, classes = sequence(months(200, 10, seed=5, leaving=0.1), **VALUES | {"counterfeits": allowed})
    values = [held(release) for release in releases]
    assert fewest_values(classes, values) >= 2
    assert min(sum(one.values()) for found in values for one in found.values()) >= 4
    made_up = sum(release.partition.counterfeits for release in releases)
    assert (made_up > 0) == allowed
    assert all(len(one) > 150 for one in classes)


def test_releases_that_do_not_follow_each_other_give_values_away() -> None:
    tables = list(months(200, 6, seed=5, leaving=0.1))
    alone = [shoal.anonymize(table, k=4, l=2, method="mondrian", **ROLES) for table in tables]
    classes = [seen(release, table) for release, table in zip(alone, tables, strict=True)]
    assert fewest_values(classes, [held(release) for release in alone]) < 2


def test_people_without_anything_published_as_it_is_may_leave_one_by_one() -> None:
    """No row can be known again, so nobody has to vanish with those who leave."""
    tables = [table.drop("diagnosis") for table in months(100, 4, seed=6, leaving=0.03)]
    roles = {"identifier": ["patient"], "quasi": ["age", "zip"], "sensitive": None, "publish_rare": ["zip"]}
    releases, classes = sequence(tables, k=3, reserve=7, **roles)
    assert fewest_candidates(classes) >= 3
    assert sum(release.partition.n_suppressed for release in releases) <= 6
