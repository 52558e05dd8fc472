"""alpha, beta and delta in every release of a sequence, counted from released classes by slow and obvious code."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.sequence.history import Promise
from tests.sequence.attacker import fewest_candidates
from tests.sequence.tables import ROLES, held, months, sequence


def keeps(release: shoal.Release, asked: Mapping[str, float]) -> bool:
    """Whether no value has a share that it may not have in any class of a release."""
    classes = held(release)
    total: Counter[str] = sum(classes.values(), Counter())
    for values in classes.values():
        size = sum(values.values())
        for value, many in total.items():
            p, q = values[value] / size, many / sum(total.values())
            if p > asked.get("alpha", 1.0) + 1e-9 or (p - q) / q > asked.get("beta", math.inf) + 1e-9:
                return False
            if "delta" in asked and (not p or abs(math.log2(p / q)) >= asked["delta"]):
                return False
    return True


@pytest.mark.parametrize("departures", ["covered", "open"])
@pytest.mark.parametrize(
    ("asked", "values"),
    [({"alpha": 0.65}, 4), ({"beta": 0.9}, 4), ({"delta": 1.0}, 2), ({"alpha": 0.75, "beta": 1.5}, 3)],
)
def test_every_release_keeps_the_limits_and_everybody_stays_among_k(
    asked: dict[str, float], values: int, departures: str
) -> None:
    tables = list(months(130, 3, 5, leaving=0.05, coming=0.4, values=values))
    k, reserve = 5, 8
    releases, classes = sequence(tables, k=k, reserve=reserve, departures=departures, **asked)
    assert len(releases) == 3
    for release in releases:
        assert release.findings.holds
        assert keeps(release, asked)
    assert fewest_candidates(classes) >= k
    assert any(set(first) & set(later) for first, later in pairwise(classes))
    without, _ = sequence(tables, k=k, reserve=reserve, departures=departures)
    assert not all(keeps(release, asked) for release in without)  # groups of k alone do not keep them


def test_all_releases_of_a_sequence_have_the_same_limits() -> None:
    tables = list(months(120, 2, 3))
    first = shoal.anonymize(tables[0], link="patient", k=4, alpha=0.7, max_suppressed=0.9, **ROLES)
    with pytest.raises(ParameterError, match="made with another alpha, beta or delta"):
        shoal.anonymize(tables[1], after=first.history, link="patient", k=4, alpha=0.8, max_suppressed=0.9, **ROLES)
    with pytest.raises(ParameterError, match="made with another alpha, beta or delta"):
        shoal.anonymize(tables[1], after=first.history, link="patient", k=4, max_suppressed=0.9, **ROLES)


def test_a_history_from_before_there_were_limits_is_read() -> None:
    policy = shoal.Policy.parse(
        {"sequence": {"link": "who"}, "columns": {"who": {"role": "identifier"}, "age": {"role": "quasi"}}}
    )
    written: dict[str, Any] = Promise.of(policy).model_dump(mode="json")
    del written["disclosure"]
    assert Promise.model_validate(written) == Promise.of(policy)


def test_values_that_stay_the_same_take_no_other_limits() -> None:
    table = next(months(60, 1, 1))
    assert isinstance(table, pl.DataFrame)
    with pytest.raises(ParameterError, match="no value has a larger share of a group than 1 in 2") as refused:
        shoal.anonymize(table, link="patient", keep="values", k=4, l=2, beta=1.0, **ROLES)
    assert 'keep = "groups"' in refused.value.hint
