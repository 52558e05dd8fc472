"""Who asks why groups were changed to meet l: sure and right where groups can be made again, else at chance."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from tests.attacks.minimality import Sure, beliefs, changed, sure_of
from tests.attacks.tables import ROLES, people

CERTAIN = 0.99
PROMISES = {"distinct": CERTAIN, "frequency": 0.5 + 0.05}
"""With 300 deals a belief of 1/2 is seen above 0.55 in 4 of 100 cases: nobody is counted as sure for nothing."""


def test_an_exchange_tells_both_values():
    before = np.array([0, 0, 0, 1, 1, 1])
    after = np.array([0, 0, 1, 0, 1, 1])  # the third and the fourth changed places
    values = np.array([0, 0, 0, 1, 2, 3])
    found = beliefs(before, after, values, lambda counts: np.count_nonzero(counts) < 2)
    # The first group failed, so all three were 0: the newcomer has the 1, and the third took its 0 along.
    assert dict(zip(found.person[found.belief == 1], found.value[found.belief == 1], strict=True)) == {
        0: 0, 1: 0, 2: 0, 3: 1,
    }  # fmt: skip
    assert found.share.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3, 2 / 3, 1 / 3, 1 / 3])
    assert sure_of(found, values, CERTAIN) == Sure(6, 4, 4, pytest.approx(7 / 3))


def test_a_merge_of_equals_tells_nothing():
    before = np.array([0, 0, 0, 1, 1, 1])
    values = np.array([0, 0, 0, 1, 2, 3])
    found = beliefs(before, np.zeros(6, dtype=int), values, lambda counts: np.count_nonzero(counts) < 2)
    assert found.belief == pytest.approx(np.full(6, 0.5), abs=0.06)  # of 4,000 deals one in ten is kept
    assert sure_of(found, values, 0.6).people == 0


def test_groups_that_stayed_are_not_asked_about():
    before = np.array([0, 0, 1, 1, 2, 2])
    assert [part.tolist() for part in changed(before, np.array([1, 1, 0, 2, 0, 2]))] == [[2, 3, 4, 5]]
    assert changed(before, np.array([5, 5, 3, 3, -1, -1])) == []


def fails_l(l: int, kind: str):  # noqa: E741
    if kind == "distinct":
        return lambda counts: np.count_nonzero(counts) < l
    return lambda counts: counts.max() * l > counts.sum()


def attacked(method: str, form: str, k: int, kind: str, seed: int) -> Sure:
    """The attacker makes the groups of k alone himself: they take nothing but quasi-identifiers."""
    table = people(240, seed)
    codes = np.unique(table["illness"].to_numpy(), return_inverse=True)[1]
    settings = ROLES | {"method": method, "publication": form, "k": k, "effort": 1}
    alone = shoal.anonymize(table, **settings).mapping()["group"].to_numpy()
    release = shoal.anonymize(table, l=2, l_kind=kind, secret=bytes(31) + bytes([seed]), **settings)
    after = release.mapping()["group"].to_numpy()
    found = beliefs(alone, after, codes, fails_l(2, kind), deals=300, seed=seed)
    return sure_of(found, codes, PROMISES[kind])


CASES = [
    ("mdav", "aggregate", 3, "distinct"),
    ("mdav", "generalize", 6, "frequency"),
    ("v-mdav", "generalize", 3, "distinct"),
]


@pytest.mark.parametrize(("method", "form", "k", "kind"), CASES, ids=lambda one: f"{one}")
def test_changes_tell_no_more_than_the_class(method, form, k, kind):
    found = sum((attacked(method, form, k, kind, seed) for seed in range(3)), Sure(0, 0, 0, 0.0))
    print(f"minimality, {method} {form}: {found}; by the class alone {found.expected:.1f}")
    assert found.changed > 100
    assert found.above_chance < 3
    assert found.people < 0.1 * found.changed


def test_the_attacker_is_sure_and_right_where_groups_can_be_made_again(monkeypatch):
    """Without the chance that groups are made with, the same attack breaks what l promises."""
    monkeypatch.setattr("shoal.pipeline.groups.unforeseen", lambda found, *_, **__: found)
    found = sum((attacked("mdav", "aggregate", 3, "distinct", seed) for seed in range(3)), Sure(0, 0, 0, 0.0))
    assert found.people > 15
    assert found.right == found.people
    assert found.above_chance > 3


def test_groups_that_need_no_change_stay_as_k_made_them():
    """Then they tell nothing: they do not depend on sensitive values."""
    table = people(240, 1)
    settings = ROLES | {"method": "mdav", "publication": "aggregate", "k": 20}
    alone, with_l = shoal.anonymize(table, **settings), shoal.anonymize(table, l=2, **settings)
    assert alone.mapping().equals(with_l.mapping())
