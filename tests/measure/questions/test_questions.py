"""The three questions: against their definitions, at both ends, and as the command and the dossier show them."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import measure
from shoal.datasets import hospital
from shoal.errors import ParameterError
from shoal.measure.questions import singling_out as by_description
from shoal.measure.questions.linkability import _splits
from shoal.publish.notation import write_set
from tests.measure.questions import oracle
from tests.measure.tables import policy_for, released, tables

DOMAIN = ("a", "b", "c", "d")
FEWER = settings(max_examples=max(1, settings().max_examples // 3))  # each is a whole attack
LABEL = {"role": "sensitive", "kind": "label"}


def asked(original, release, policy, control=None, **options):
    held = "none" if control is None else "given"
    return measure.attack_files(original, release, policy, control=control, held=held, **options).questions


def answer(found, name, known="quasi", column=None):
    return next(one for one in found.answers if (one.name, one.known, one.column) == (name, known, column))


# -- against the definitions -----------------------------------------------------------------------------------


def columns(cells):
    """Cells that are sets of labels, as a release publishes them."""
    texts = [["*" if not cell else write_set(sorted(cell)) if len(cell) > 1 else next(iter(cell)) for cell in row]
             for row in cells]  # fmt: skip
    return pl.DataFrame({f"q{i}": [row[i] for row in texts] for i in range(len(texts[0]))}, orient="col")


people_of = st.lists(st.tuples(*[st.sampled_from(DOMAIN)] * 3), min_size=2, max_size=9)
cells_of = st.lists(
    st.tuples(*[st.sets(st.sampled_from(DOMAIN), min_size=1, max_size=3).map(frozenset)] * 3), min_size=1, max_size=9
)


@FEWER
@given(people_of, cells_of)
def test_every_rate_is_that_of_its_definition(people, cells):
    everything = [*people, ("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a"), ("d", "a", "b")]  # all labels occur
    original = pl.DataFrame({f"q{i}": [row[i] for row in everything] for i in range(3)})
    policy = policy_for(2, q0="label", q1="label", q2="label")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_description, "SIZES", ())
        patch.setattr("shoal.measure.questions.linkability.SPLITS", 1)
        found = asked(original, columns(cells), policy)
    assert answer(found, "singling out").success.rate == pytest.approx(
        float(oracle.singled_out(everything, cells, [0, 1, 2]))
    )
    side = _splits(3, 0)[0]
    parts = [[column for column in range(3) if side[column] == part] for part in (True, False)]
    assert answer(found, "linkability").success.rate == pytest.approx(
        float(oracle.linked(everything, cells, *parts)), abs=1e-12
    )
    for secret in range(3):
        rate = answer(found, "inference", column=f"q{secret}").success.rate
        assert rate == pytest.approx(float(oracle.inferred(everything, cells, secret, DOMAIN)))


@FEWER
@given(tables(k=2))
def test_k_holds_against_all_who_know_quasi_identifiers(drawn):
    frame, policy, labels = drawn
    if (np.asarray(labels) < 0).all():
        return
    found = asked(frame, released(frame, policy, labels).frame, policy, people=50)
    smallest = np.bincount(labels[labels >= 0]).min()
    assert answer(found, "singling out").success.rate == 0
    assert answer(found, "linkability").success.rate <= 1 / smallest + 1e-12


def test_ranges_are_compared_as_what_they_say():
    original = pl.DataFrame({"age": [20, 30, 40, 60], "sex": ["m", "m", "f", "f"]})
    release = pl.DataFrame({"age": ["[20, 30]", "[20, 30]", "[40, 60]", "[40, 60]"], "sex": ["m", "m", "f", "f"]})
    policy = policy_for(2, age="number", sex="label")
    found = asked(original, release, policy, pl.DataFrame({"age": [31, 59], "sex": ["m", "f"]}))
    assert answer(found, "singling out").success.rate == 0
    assert answer(found, "linkability").success.rate == pytest.approx(1 / 2)
    # 31 is in no range, though near one: by age alone all rows are equally far from him
    assert answer(found, "linkability").control.rate == pytest.approx((1 / 4 + 1 / 2) / 2)
    assert answer(found, "inference", column="sex").success.rate == 1


def test_a_number_is_guessed_within_five_percent_and_a_date_within_thirty_days():
    original = pl.DataFrame({"group": ["a", "b"], "pay": [100.0, 200.0], "day": [date(2020, 1, 1), date(2020, 6, 1)]})
    settings = {
        "group": "label",
        "pay": {"role": "sensitive", "kind": "number"},
        "day": {"role": "sensitive", "kind": "date"},
    }
    release = pl.DataFrame({"group": ["a", "b"], "pay": [104.9, 211.0], "day": [date(2020, 1, 31), date(2020, 7, 2)]})
    found = asked(original, release, policy_for(2, **settings))
    assert answer(found, "inference", column="pay").success.rate == 1 / 2
    assert answer(found, "inference", column="day").success.rate == 1 / 2


def test_a_missing_secret_is_nothing_to_guess():
    original = pl.DataFrame({"group": ["a", "b", "c"], "ill": ["flu", None, "gout"]})
    found = asked(original, original, policy_for(2, group="label", ill=LABEL))
    one = answer(found, "inference", column="ill")
    assert (one.success.attempts, one.success.rate) == (2, 1)


# -- both ends -------------------------------------------------------------------------------------------------


def distinct(n, seed):
    """A table in which every column tells people apart."""
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": chance.normal(size=n),
            "b": [f"label {chance.integers(10**12)}" for _ in range(n)],
            "c": chance.normal(size=n),
            "ill": [f"illness {chance.integers(10**12)}" for _ in range(n)],
        }
    )


DISTINCT = policy_for(2, a="number", b="label", c="number", ill=LABEL)


def test_an_original_given_as_release_is_found_wholly_exposed():
    original, control = distinct(150, 1), distinct(150, 2)
    found = asked(original, original.sample(fraction=1, shuffle=True, seed=3), DISTINCT, control)
    for known in ("quasi", "published"):
        for one in (found.answers[i] for i, a in enumerate(found.answers) if a.known == known):
            assert (one.success.rate, one.risk) == (1, 1), one
            assert one.control.rate < 0.05, one  # the nearest rows of two parts may be the same by chance
            assert one.risk_low > 0.95
    assert not found.extrapolated


def noise(n, seed):
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": chance.integers(0, 40, n),
            "b": chance.choice(["x", "y", "z"], n),
            "c": chance.normal(size=n).round(1),
            "ill": chance.choice(["flu", "gout", "acne", "none"], n),
        }
    )


def test_a_release_of_independent_noise_is_at_the_baseline():
    raised, answers, furthest = 0, 0, 0.0
    for seed in range(6):
        parts = (noise(400, 10 * seed), noise(400, 10 * seed + 1), noise(400, 10 * seed + 2))
        found = asked(parts[0], parts[1], DISTINCT, parts[2], people=200, seed=seed)
        for one in found.answers:
            answers += 1
            raised += one.risk_low > 0
            furthest = max(furthest, abs(one.success.rate - one.control.rate))
    assert answers == 72
    assert raised <= 6  # of intervals of 95 % one side misses in 2.5 %: more than 6 of 72 in one of 400 runs
    assert furthest < 0.15


def test_half_a_table_released_as_it_is_has_a_risk_between():
    original, control = noise(400, 1), noise(400, 2)
    whole = asked(original, original, DISTINCT, control)
    mixed = asked(original, pl.concat([original[:200], noise(200, 3)]), DISTINCT, control)
    for one, half in zip(whole.worst, mixed.worst, strict=True):
        assert half.risk_high < one.risk_high or one.risk == 0
    assert answer(mixed, "singling out", "published").risk_low > 0.2


def test_the_risk_does_not_depend_on_the_size_of_the_control():
    original = noise(600, 1)
    same, larger, smaller = (asked(original, original, DISTINCT, noise(n, 2), people=600) for n in (600, 1800, 300))
    risks = [answer(found, "singling out", "published") for found in (same, larger, smaller)]
    assert (same.extrapolated, larger.extrapolated, smaller.extrapolated) == (False, False, True)
    assert risks[1].risk == pytest.approx(risks[0].risk, abs=0.05)
    assert risks[2].risk == pytest.approx(risks[0].risk, abs=0.08)


def test_the_same_seed_gives_the_same_answers():
    original, control = noise(300, 1), noise(300, 2)
    one, again, other = (asked(original, original, DISTINCT, control, people=100, seed=s) for s in (5, 5, 6))
    assert one == again
    assert one != other


def test_rows_of_one_person_count_as_one():
    original = pl.DataFrame({"who": [1, 1, 2, 3], "age": [20, 20, 30, 30], "ill": ["flu", "flu", "flu", "flu"]})
    policy = policy_for(2, who={"role": "person"}, age="number", ill=LABEL)
    release = pl.DataFrame({"who": [1, 1, 1, 2], "age": [20, 20, 30, 30], "ill": ["flu"] * 4})
    found = asked(original, release, policy)
    assert found.n_people == 3
    assert answer(found, "singling out").success.rate == 1 / 2  # both rows of the first person


# -- the control -----------------------------------------------------------------------------------------------


def small(n=200):
    return hospital(n).select("patient_id", "sex", "ward", "diagnosis")


ROLES = {"identifier": ["patient_id"], "quasi": ["sex", "ward"], "sensitive": "diagnosis"}
ROLES |= {"publish_rare": {"diagnosis": True}}


def test_people_are_split_off_before_a_trial_release():
    found = shoal.attack(small(), control=0.4, k=3, people=100, **ROLES)
    assert (found.questions.held, found.questions.n_people, found.questions.n_control) == ("split", 120, 80)
    assert found.n_originals == 120
    assert found.questions == shoal.attack(small(), control=0.4, k=3, people=100, **ROLES).questions


def test_all_rows_of_a_person_are_on_one_side():
    table = pl.concat([small(100), small(100)])
    roles = ROLES | {"identifier": None, "person": "patient_id", "publish_rare": {"diagnosis": True, "ward": True}}
    found = shoal.attack(table, control=0.5, k=3, people=50, **roles)
    assert (found.n_originals, found.questions.n_people, found.questions.n_control) == (100, 50, 50)


def test_people_of_the_table_are_refused_as_control():
    table = small()
    release = shoal.anonymize(table[:100], k=3, **ROLES)
    with pytest.raises(ParameterError, match="the control has 10 values of patient_id") as refused:
        shoal.attack(table[:100], release.table, k=3, control=table[90:], **ROLES)
    assert table["patient_id"][95] not in str(refused.value)
    with pytest.raises(ParameterError, match="the control has no column ward"):
        shoal.attack(table[:100], release.table, k=3, control=table[100:].drop("ward"), **ROLES)


@pytest.mark.parametrize(
    ("released", "control", "words"),
    [(None, None, "no release"), (None, 1.5, "not a share"), (None, 0.0, "not a share"), (None, 0.001, "empty"),
     ("table", 0.5, "share of the table")],
)  # fmt: skip
def test_what_cannot_be_a_control_is_said(released, control, words):
    table = small()
    with pytest.raises(ParameterError, match=words):
        shoal.attack(table, table if released else None, control=control, k=3, **ROLES)


def test_without_a_control_there_is_no_risk():
    table = noise(100, 1)
    found = asked(table, table, DISTINCT)
    assert found.held == "none"
    assert all(one.control is None and one.risk is None for one in found.answers)
    assert answer(found, "singling out", "published").success.rate > 0.9


def test_centers_are_not_asked_about():
    table = noise(60, 1).select("a", "c")
    policy = policy_for(2, a="number", c="number")
    labels = np.arange(60) // 3
    assert asked(table, released(table, policy, labels, "centers").frame, policy) is None


def test_the_answers_are_plain_and_shown():
    found = shoal.attack(small(), control=0.5, k=3, people=50, **ROLES)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {one["name"] for one in plain["questions"]["answers"]} == {"singling out", "linkability", "inference"}
    text = str(found)
    assert "Three questions of the European guidance (WP216)" in text
    assert "split off at random before a trial release" in " ".join(text.split())
    assert "inference of diagnosis" in " ".join(text.split())
    assert "Three questions" in found._repr_html_()


def test_a_removed_date_of_birth_may_be_that_of_people_on_both_sides_if_the_control_was_split_off():
    """Every date of the table is different, and the control has some of them: no error after a split by halves."""
    columns = {"born": {"role": "identifier"}, "sex": {"role": "quasi", "kind": "label"}, "illness": LABEL}
    policy = shoal.Policy.parse({"k": 2, "columns": columns})
    people = pl.DataFrame(
        {"born": [f"19{n}" for n in range(10, 50)], "sex": ["f", "m"] * 20, "illness": ["a", "b"] * 20}
    )
    others = people.with_columns(born=pl.Series([f"19{n}" for n in range(40, 80)]))
    options = {"control": others, "people": 20, "seed": 0}
    found = measure.attack_files(people, people.drop("born"), policy, held="split", **options)
    assert found.questions.n_control == 40
    with pytest.raises(ParameterError, match="the control has 10 values of born"):
        measure.attack_files(people, people.drop("born"), policy, held="given", **options)
