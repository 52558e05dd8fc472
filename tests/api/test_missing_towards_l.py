"""Missing is no value towards l: whoever is alone with a known value in a group is not hidden by empty cells.

The oracle reads the released rows and knows nothing of Shoal: what is known of a class are the cells that are not
missing, and of these l is counted.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError
from shoal.kernels.generalization_groups import Groups, Rules, deficit_of
from shoal.partition.methods.run import rules_of
from shoal.requirements import KAnonymity, LDiversity, Records
from shoal.sequence import Standing

KINDS: list[dict[str, Any]] = [
    {"l": 2},
    {"l": 2, "l_kind": "frequency"},
    {"l": 1.8, "l_kind": "entropy"},
    {"l": 2, "l_kind": "recursive", "c": 2},
]


def wages(n: int = 240, seed: int = 0, share: float = 0.6) -> pl.DataFrame:
    """A survey in which most people do not say what they earn."""
    chance = np.random.default_rng(seed)
    silent = chance.random(n) < share
    return pl.DataFrame(
        {
            "age": chance.integers(18, 80, n),
            "town": chance.choice(["Ulm", "Bonn", "Köln", "Aachen"], n),
            "wage": [None if no else int(wage) for no, wage in zip(silent, chance.integers(1, 9, n), strict=True)],
        }
    )


def classes(released: pl.DataFrame) -> list[list[Any]]:
    """The wages of every class of equal published ages and towns."""
    found: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    quasi = [name for name in released.columns if name != "wage"]
    for row in released.iter_rows(named=True):
        found[tuple(row[name] for name in quasi)].append(row["wage"])
    return list(found.values())


def reached(values: list[Any], kind: str, c: float) -> float:
    """The largest l that known values meet by one of the definitions; 0 where none is known."""
    held = sorted(Counter(value for value in values if value is not None).values(), reverse=True)
    n = sum(held)
    if not n:
        return 0.0
    if kind == "distinct":
        return len(held)
    if kind == "frequency":
        return n / held[0]
    if kind == "entropy":
        return math.exp(-sum(one / n * math.log(one / n) for one in held))
    return max((place + 1 for place in range(len(held)) if held[0] < c * sum(held[place:])), default=0)


def alone(values: list[Any]) -> int:
    """How many people have the only known wage of their class."""
    known = [value for value in values if value is not None]
    return len(known) if len(set(known)) == 1 else 0


@pytest.mark.parametrize("settings", KINDS, ids=lambda one: str(one.get("l_kind", "distinct")))
@pytest.mark.parametrize("method", ["auto", "forest", "mondrian", "full-domain", "datafly"])
def test_nobody_has_the_only_known_wage_of_a_group(method: str, settings: dict[str, Any]) -> None:
    release = shoal.anonymize(
        wages(), k=4, quasi=["age", "town"], sensitive="wage", method=method, publication="generalize", **settings
    )
    found = classes(release.table)
    assert sum(map(alone, found)) == 0
    kind, c = settings.get("l_kind", "distinct"), settings.get("c", 0)
    assert min(reached(values, kind, c) for values in found) >= settings["l"] - 1e-9
    assert release.certificate.holds
    claim = next(one for one in release.certificate.claims if one.criterion == "l-diversity")
    assert claim.measured == pytest.approx(min(reached(values, kind, c) for values in found))


def test_microaggregation_and_centers_too() -> None:
    for form in ("aggregate", "centers"):
        release = shoal.anonymize(wages(), k=4, quasi=["age"], other=[], sensitive="wage", l=2, publication=form,
                                  identifier="town")  # fmt: skip
        again = shoal.verify(release.table, release.policy, form=form)
        assert again.holds
        if form == "aggregate":
            assert sum(map(alone, classes(release.table))) == 0
        else:
            assert all(len(set(cell.split("; ")) - {c for c in cell.split("; ") if c.startswith("null:")}) >= 2
                       for cell in release.table["wage"].to_list())  # fmt: skip


def test_a_release_counted_on_missing_values_does_not_hold() -> None:
    """What an earlier version called l = 2: one wage and two empty cells."""
    released = pl.DataFrame({"age": ["[30, 39]"] * 3 + ["[40, 49]"] * 3, "wage": ["7", None, None, "7", "8", None]})
    policy = {"k": 3, "diversity": {"l": 2}, "columns": {"age": {"role": "quasi"}, "wage": {"role": "sensitive"}}}
    found = shoal.verify(released, policy, form="generalize")
    assert not found.holds
    assert found.l == {"wage": 1}
    counted = policy | {"diversity": {"l": 2, "count_missing": True}}
    assert shoal.verify(released, counted, form="generalize").holds


def test_a_group_of_missing_values_alone_reaches_nothing() -> None:
    released = pl.DataFrame({"age": ["[30, 39]"] * 3, "wage": pl.Series([None] * 3, dtype=pl.String)})
    columns = {"age": {"role": "quasi"}, "wage": {"role": "sensitive"}}
    for kind in ("distinct", "frequency", "entropy"):
        asked = {"k": 3, "diversity": {"l": 1, "kind": kind}, "columns": columns}
        found = shoal.verify(released, asked, form="generalize")
        assert not found.holds
        assert found.l == {"wage": 0}
    with pytest.raises(InfeasibleError, match="count_missing"):
        shoal.anonymize(released, k=3, l=1, quasi="age", sensitive="wage")


def test_missing_counts_where_it_is_asked_for() -> None:
    release = shoal.anonymize(wages(), k=4, l=2, count_missing=True, quasi=["age", "town"], sensitive="wage")
    assert release.policy.diversity is not None
    assert release.policy.diversity.count_missing
    assert all(len(set(values)) >= 2 for values in classes(release.table))
    assert sum(map(alone, classes(release.table))) > 0  # which is what was asked for, and is said
    claim = next(one for one in release.certificate.claims if one.criterion == "l-diversity")
    assert "missing counted as a value" in claim.sentence
    public = shoal.Certificate.from_json(release.certificate.to_public_json())
    assert public.claims == release.certificate.claims
    assert public.policy["diversity"] == {"l": 2.0, "count_missing": True}


def test_the_attack_counts_known_values_only() -> None:
    table = wages()
    counted = shoal.anonymize(table, k=4, l=2, count_missing=True, quasi=["age", "town"], sensitive="wage")
    strict = counted.policy.model_copy(update={"diversity": shoal.Diversity(l=2)})
    found = shoal.attack(table, counted.table, strict)
    assert found.exceeds  # that release does not have the l that the strict policy promises
    assert found.homogeneity[0].successes > 0
    kept = shoal.anonymize(table, k=4, l=2, quasi=["age", "town"], sensitive="wage")
    found = shoal.attack(table, kept.table, kept.policy)
    assert found.homogeneity[0].successes == 0
    assert not found.exceeds


def test_a_large_share_of_missing_values_breaks_no_promise_about_known_ones() -> None:
    table = wages(share=0.8)
    release = shoal.anonymize(table, k=4, l=2, l_kind="frequency", quasi=["age", "town"], sensitive="wage")
    assert not shoal.attack(table, release.table, release.policy).exceeds


def test_the_report_counts_who_is_alone_with_a_known_value() -> None:
    release = shoal.anonymize(wages(), k=4, quasi=["age", "town"], sensitive="wage")
    (told,) = release.risk.after.sensitive
    assert told.homogeneous_people == sum(map(alone, classes(release.table))) > 0


def test_people_are_known_where_no_row_of_theirs_is_missing() -> None:
    """Two of four people say something, and one of them says 7: 1 in 2, not 1 in 4."""
    released = pl.DataFrame(
        {"age": ["[30, 39]"] * 5, "who": ["1", "2", "3", "4", "4"], "wage": ["7", "8", None, None, None]}
    )
    columns = {"age": {"role": "quasi"}, "who": {"role": "person"}, "wage": {"role": "sensitive"}}
    policy = {"k": 4, "diversity": {"l": 2, "kind": "frequency"}, "columns": columns}
    found = shoal.verify(released, policy, form="generalize")
    assert found.holds
    assert found.l == {"wage": 2}
    assert not shoal.verify(released, policy | {"diversity": {"l": 3, "kind": "frequency"}}, form="generalize").holds


def test_a_plan_does_not_count_missing_values_either() -> None:
    release = shoal.anonymize(wages(400), k=4, l=2, quasi=["age", "town"], sensitive="wage", max_suppressed=0.3)
    applied = shoal.apply(release.plan, wages(400, seed=5), max_suppressed=0.9)
    assert sum(map(alone, classes(applied.table))) == 0
    assert min(len({v for v in values if v is not None}) for values in classes(applied.table)) >= 2


def test_the_next_release_counts_known_values_among_those_shown_and_those_who_vanish(tmp_path: Any) -> None:
    first = wages(120, seed=3).with_columns(name=pl.Series([f"P{i}" for i in range(120)]))
    asked = {"k": 4, "l": 2, "quasi": ["age", "town"], "sensitive": "wage", "identifier": "name", "link": "name"}
    shoal.anonymize(first, **asked).write(tmp_path / "one")
    gone = np.random.default_rng(7).random(120) < 0.2
    second = shoal.anonymize(first.filter(~gone), **asked, after=tmp_path / "one.private", max_suppressed=0.9)
    assert second.certificate.holds
    assert min(reached(values, "distinct", 0) for values in classes(second.table)) >= 2


def test_those_who_vanish_together_are_not_hidden_by_missing_values() -> None:
    group = np.zeros(6, dtype=np.int64)
    told = {"s": np.array([1, 0, 0, 1, 2, 2])}
    standing = Standing(group, 6, told, told, {"s": 0}, {"s": 0})
    asked = [KAnonymity(3), LDiversity("s", 2)]
    first, last = np.array([True] * 3 + [False] * 3), np.array([False] * 3 + [True] * 3)
    assert standing.vanished_hold(first, asked, 1).tolist() == [False]  # one value and two of whom nothing is known
    assert standing.shown_hold(first, asked, 1).tolist() == [False]
    assert standing.vanished_hold(last, asked, 1).tolist() == [True]


@pytest.mark.parametrize(("share", "deficit"), [(False, 1.0), (True, 0.5)])
def test_the_search_does_not_count_missing_values_either(share: bool, deficit: float) -> None:
    """Of 7, missing, 8 and 7, all but one leave: one value where two are asked, one record above half."""
    records = Records(4, None, {"s": np.array([0, 2, 1, 0])}, missing={"s": 2})
    (rule,) = rules_of([LDiversity("s", 2, "frequency" if share else "distinct")], records)
    assert rule.codes.tolist() == [0, -1, 1, 0]
    rules = Rules(rule.codes[:, None], np.array([2.0]), np.array([rule.share]), 0.0)
    groups = Groups(
        label=np.zeros(2, dtype=np.int64),
        members=np.array([[0, 1, -1]]),
        size=np.array([2]),
        extent=np.zeros(1),
        deficit=np.zeros(1),
        ends=np.zeros((1, 0, 4)),
        bits=np.zeros((1, 0, 2), dtype=np.uint64),
    )
    plain = deficit_of.py_func  # type: ignore[attr-defined]  # compiled, it can be called by kernels only
    assert plain(rules, groups, 0, -1, -1) == deficit
    assert plain(rules, groups, 0, -1, 2) == 0
