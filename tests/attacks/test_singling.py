"""Rows that all published columns together tell from all others: counted as by hand, and told in every report."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.datasets import POLICY, hospital
from shoal.measure.singling import held_by_one, n_alone, singled, together
from shoal.policy import Policy
from shoal.report import plain_text as text
from shoal.report import terminal
from tests.attacks.reading import Seen
from tests.attacks.singling import fitting_originals, unlike_others
from tests.attacks.tables import ROLES, people
from tests.measure.tables import SENSITIVE, policy_for, released

ROLES_AND_OTHER = ROLES | {"other": ["visits"]}


def with_visits(n: int, seed: int) -> pl.DataFrame:
    chance = np.random.default_rng(seed)
    return people(n, seed, missing=0.02).with_columns(visits=chance.poisson(4, n))


# -- by hand ---------------------------------------------------------------------------------------------------


def counted(frame: pl.DataFrame, policy: Policy, labels: list[int], form: str = "generalize"):
    return singled(frame, policy, released(frame, policy, np.array(labels), form))


def test_rows_and_descriptions_are_counted():
    frame = pl.DataFrame({"a": [1, 2, 8, 9, 2], "s": ["u", "u", "u", "v", "w"], "o": [1, 1, 1, 1, 2]})
    policy = policy_for(2, a="number", s=SENSITIVE, o={"role": "other"})
    found = counted(frame, policy, [0, 0, 1, 1, 0])
    # [1, 2] u 1 twice; [1, 2] w 2, [8, 9] u 1 and [8, 9] v 1 once each, and nobody else fits any of the three.
    assert (found.rows, found.unique, found.unique_sensitive) == (5, 3, 3)
    assert (found.tried, found.isolated, found.isolating) == (3, 3, 3)
    told = {column.name: (column.role, column.alone, column.without) for column in found.columns}
    assert told == {"s": ("sensitive", 3, 1), "o": ("other", 1, 3)}
    assert [column.name for column in found.columns] == ["s", "o"]


def test_a_description_that_fits_somebody_left_out_singles_nobody_out():
    frame = pl.DataFrame({"a": [1, 2, 2], "s": ["u", "v", "v"]})
    policy = policy_for(2, a="number", s=SENSITIVE)
    found = counted(frame, policy, [0, 0, -1])
    # `[1, 2] and v` is unique among what is published, and fits the one who was left out as well.
    assert (found.unique, found.tried, found.isolated) == (2, 2, 1)


def test_overlapping_ranges_fit_several():
    frame = pl.DataFrame({"a": [1, 9, 5, 6], "s": ["u", "v", "u", "w"]})
    found = counted(frame, policy_for(2, a="number", s=SENSITIVE), [0, 0, 1, 1])
    # `[1, 9] and u` also fits the 5 of the other class; `[5, 6] and u` fits the 5 alone.
    assert (found.unique, found.isolated) == (4, 3)


def test_means_give_no_limits():
    frame = pl.DataFrame({"a": [1, 2, 8, 9], "s": ["u", "v", "u", "w"]})
    found = counted(frame, policy_for(2, a="number", s=SENSITIVE), [0, 0, 1, 1], "aggregate")
    assert (found.unique, found.tried, found.isolated) == (4, 4, 2)  # v and w are one person's each


def test_groups_in_one_row_single_nobody_out():
    frame = pl.DataFrame({"a": [1, 2, 8, 9], "s": ["u", "v", "u", "w"]})
    found = counted(frame, policy_for(2, a="number", s=SENSITIVE), [0, 0, 1, 1], "centers")
    assert (found.rows, found.unique, found.tried) == (0, 0, 0)


def test_rows_of_one_person_are_that_persons_alone():
    frame = pl.DataFrame({"a": [1, 1, 1, 1], "s": ["u", "u", "v", "v"], "who": ["p", "p", "p", "q"]})
    policy = policy_for(2, a="number", s=SENSITIVE, who={"role": "person"})
    found = counted(frame, policy, [0, 0, 0, 0])
    # Both rows that say u are p's; those that say v are of two people.
    assert (found.unique, found.isolated, found.tried) == (2, 2, 2)


def test_without_other_columns_k_covers_everything():
    frame = pl.DataFrame({"a": [1, 2, 8, 9]})
    found = counted(frame, policy_for(2, a="number"), [0, 0, 1, 1])
    assert (found.unique, found.columns) == (0, ())


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), max_size=20))
def test_uniqueness_is_that_of_the_rows_themselves(rows):
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in range(3)]
    keys = together(columns[:2])
    pairs = [row[:2] for row in rows]
    assert n_alone(keys) == sum(pairs.count(pair) == 1 for pair in pairs)
    assert held_by_one(keys, None).tolist() == [pairs.count(pair) == 1 for pair in pairs]
    persons = {pair: {row[2] for row in rows if row[:2] == pair} for pair in pairs}
    assert held_by_one(keys, columns[2]).tolist() == [len(persons[pair]) == 1 for pair in pairs]


def test_many_columns_of_many_values_are_told_apart():
    huge = [np.array([0, 2**31 - 1, 5, 5]), np.array([7, 2**32 - 1, 2**30, 2**30])] * 3
    assert together(huge).shape == (4,)
    assert n_alone(together(huge)) == 2


# -- against an attacker of its own ----------------------------------------------------------------------------

CASES = [
    ("best", "generalize"), ("mondrian", "generalize"), ("forest", "suppress"), ("mdav", "generalize"),
    ("full-domain", "generalize"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "form"), CASES, ids=lambda one: one)
def test_the_report_counts_what_an_attacker_finds(method, form):
    table = with_visits(160, seed=11)
    hierarchy = {"age": {"widths": [10, 50]}, "income": {"widths": [10_000, 50_000]}}
    more = {"hierarchy": hierarchy} if method == "full-domain" else {}
    release = shoal.anonymize(
        table, method=method, publication=form, k=4, effort=1, max_suppressed=0.1, **ROLES_AND_OTHER, **more
    )
    seen, found = Seen(release.table, release.policy), release.risk.singled
    alone = unlike_others(seen, [*seen.quasi, "illness", "visits"])
    assert found.unique == alone.sum() > 0
    assert found.unique_sensitive == unlike_others(seen, [*seen.quasi, "illness"]).sum()
    without = {column.name: column.without for column in found.columns}
    assert without == {
        "illness": unlike_others(seen, [*seen.quasi, "visits"]).sum(),
        "visits": unlike_others(seen, [*seen.quasi, "illness"]).sum(),
    }
    fits = fitting_originals(seen, table, np.flatnonzero(alone), ["illness", "visits"])
    assert (found.tried, found.isolated) == (alone.sum(), sum(len(one) == 1 for one in fits))


@pytest.mark.parametrize("method", ["best", "mondrian", "forest"])
def test_quasi_identifiers_alone_single_nobody_out(method):
    """The promise of k: a description made of quasi-identifiers fits at least k originals. And with one row less?"""
    table = people(160, seed=4)
    release = shoal.anonymize(table, method=method, publication="generalize", k=4, effort=1, **ROLES)
    seen = Seen(release.table, release.policy)
    fits = fitting_originals(seen, table, np.arange(len(seen.frame)), [])
    assert min(map(len, fits)) >= 4
    alone = table[fits[0][:1]]
    weak = shoal.anonymize(
        alone.vstack(alone), k=2, publication="generalize", **ROLES
    )  # one person twice: a class of 1
    fits = fitting_originals(Seen(weak.table, weak.policy), table, np.arange(2), [])
    assert max(map(len, fits)) < 4


# -- told ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo():
    return shoal.anonymize(hospital(300), Policy.loads(POLICY), effort=1)


def test_every_report_says_so(demo, tmp_path):
    unique = demo.risk.singled.unique
    assert unique > 200
    said = f"{unique} of 300 published rows"
    assert said in demo.to_html()
    assert said in demo._repr_html_()
    shown = " ".join(text._printed(terminal.release(demo.content(), plain=True)).split())
    assert said in shown
    assert said in " ".join(str(demo.risk).split())
    assert f"unique in all published columns: {unique} of 300 rows" in str(demo)
    assert demo.to_dict()["unique_rows"] == unique
    demo.write(tmp_path / "out")
    measures = json.loads((tmp_path / "out.private" / "measures.json").read_text())
    assert measures["risk"]["singled"]["unique"] == unique
    assert "length_of_stay contributes most" in shown
    assert f'"unique": {unique}' not in (tmp_path / "out" / "certificate.json").read_text()


def test_leaving_out_the_column_that_is_named_helps(demo):
    first = demo.risk.singled.columns[0].name
    section = f'[columns.{first}]\nrole = "sensitive"'
    assert section in POLICY
    less = Policy.loads(POLICY.replace(section, section.replace("sensitive", "identifier")))
    again = shoal.anonymize(hospital(300), less, effort=1)
    assert again.risk.singled.unique < demo.risk.singled.unique
