"""Ten public tables read as an attacker reads them: no groups, no histories, only cells and a roster."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from tests.attacks.intersection import Intersection, intersect
from tests.attacks.reading import Seen
from tests.sequence.tables import ROLES, months, seen, sequence


def attacked(
    releases: list[shoal.Release], classes: list[dict[str, Any]], tables: list[pl.DataFrame]
) -> Intersection:
    """What is left of everybody ever shown, by all releases and by who is in which."""
    shown = set().union(*classes)
    roster = pl.concat(tables).unique("patient", maintain_order=True).filter(pl.col("patient").is_in(shown))
    here = [np.array([person in one for person in roster["patient"]]) for one in classes]
    return intersect([Seen(release.table, release.policy) for release in releases], roster, here)


@pytest.fixture(scope="module")
def tables() -> list[pl.DataFrame]:
    return list(months(150, 10, seed=11, leaving=0.05))


def test_people_who_stay_together_are_left_among_k(tables: list[pl.DataFrame]) -> None:
    releases, classes = sequence(tables, k=3, l=2, reserve=25)
    found = attacked(releases, classes, tables)
    assert found.attacked.all()
    assert found.candidates.min() >= 3
    assert found.fewest_values("diagnosis") >= 2


@pytest.mark.parametrize("counterfeits", [True, False])
def test_values_that_stay_are_left_with_m_of_them_in_k_rows(tables: list[pl.DataFrame], counterfeits: bool) -> None:
    releases, classes = sequence(tables, k=4, l=2, keep="values", counterfeits=counterfeits)
    found = attacked(releases, classes, tables)
    assert found.attacked.all()
    assert found.rows.min() >= 4
    assert found.fewest_values("diagnosis") >= 2
    assert found.certain("diagnosis") == 0


def test_releases_made_apart_leave_people_alone_and_their_values_known(tables: list[pl.DataFrame]) -> None:
    """The control: the same attacker, the same tables, no history."""
    apart = [shoal.anonymize(table, k=3, l=2, method="mondrian", **ROLES) for table in tables]
    found = attacked(apart, [seen(release, table) for release, table in zip(apart, tables, strict=True)], tables)
    assert found.below(3) > 0.5
    assert found.certain("diagnosis") > 10
