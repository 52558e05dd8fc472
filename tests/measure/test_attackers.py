"""Attacks by hand; none beats the promise of a right release, and a broken one is found out."""

from __future__ import annotations

import io
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import measure
from shoal.errors import ParameterError, SchemaError
from shoal.tables.text import as_written
from tests.measure.tables import (
    FORMS,
    PAIRS,
    PATIENTS,
    PATIENTS_POLICY,
    SENSITIVE,
    policy_for,
    released,
    tables,
)

approx = pytest.approx


def attacked(frame, policy, labels, form="generalize", **options):
    labels = np.asarray(labels, dtype=np.int64)
    return measure.attack(frame, policy, released(frame, policy, labels, form), labels, **options)


def attacked_as_csv(frame, policy, labels, form="generalize", **options):
    """As anyone would read the release."""
    text = io.StringIO(released(frame, policy, labels, form).frame.write_csv())
    return measure.attack_files(frame, pl.read_csv(text, try_parse_dates=True), policy, **options)


def join(attacks, *known):
    return next(attack for attack in attacks.joins if attack.known == known)


BOTH = pytest.mark.parametrize("run", [attacked, attacked_as_csv])


# -- by hand ---------------------------------------------------------------------------------------------------


@BOTH
def test_a_right_release_is_attacked_as_often_as_k_promises(run):
    found = run(PATIENTS, PATIENTS_POLICY, PAIRS)
    for attack in (found.nearest, found.full_join, join(found, "age"), join(found, "sex"), join(found, "age", "sex")):
        assert (attack.attempts, attack.successes, attack.rate, attack.worst) == (4, 2, 0.5, 0.5)
        assert (attack.promise, attack.exceeds) == (0.5, False)
    assert (found.n_subsets, found.n_subsets_possible, found.n_sampled, found.n_originals) == (3, 3, 4, 4)
    assert not found.exceeds
    json.dumps(found.to_dict(), allow_nan=False)


@BOTH
def test_a_group_of_one_is_found(run):
    found = run(PATIENTS, PATIENTS_POLICY, [0, 1, 2, 2])
    assert (found.full_join.worst, found.full_join.successes, found.full_join.exceeds) == (1, 3, True)
    assert (found.nearest.worst, found.nearest.exceeds) == (1, True)
    assert (join(found, "sex").worst, join(found, "sex").exceeds) == (0.5, False)  # two men, alike in sex
    assert found.worst_join.known in (("age",), ("age", "sex"))
    assert found.exceeds


@BOTH
def test_ranges_that_overlap_leave_more_people(run):
    frame = pl.DataFrame({"a": [10, 30, 20, 40]})
    found = run(frame, policy_for(a="number"), PAIRS)
    # [10, 30] and [20, 40]: 30 and 20 fit both.
    assert found.full_join.successes == approx(1 / 2 + 1 / 4 + 1 / 4 + 1 / 2)


def test_the_nearest_class_may_be_the_wrong_one():
    frame = pl.DataFrame({"a": [0, 100, 60, 70]})
    policy = policy_for(a="number")
    found = attacked(frame, policy, PAIRS, "aggregate")
    # Means 50 and 65: 0 finds its own, 100 does not, 60 and 70 do.
    assert (found.nearest.successes, found.full_join.successes) == (1.5, 0)
    # Without the mapping every match is taken as right.
    assert attacked_as_csv(frame, policy, PAIRS, "aggregate").nearest.successes == 2


@BOTH
def test_ties_are_guessed_among(run):
    frame = pl.DataFrame({"a": [0, 2, 4, 6, 3, 3]})
    found = run(frame, policy_for(a="number"), [0, 0, 1, 1, -1, -1], "aggregate")
    # The suppressed 3 is as far from the mean of 1 as from that of 5; only files do not tell it is in neither.
    expected = 4 * 0.5 + (2 * 0.25 if found.evidence == "files" else 0)
    assert found.nearest.successes == approx(expected)


def test_a_missing_value_is_nearest_to_a_missing_value():
    frame = pl.DataFrame({"a": [None, None, 1, None]}, schema={"a": pl.Int64})
    found = attacked(frame, policy_for(a="number"), PAIRS)
    # The first class says missing, the second 1 or missing: missing ones go to the first, 1 to the second.
    assert found.nearest.successes == approx(1 / 2 + 1 / 2 + 1 / 2 + 0)


def test_a_smaller_set_is_nearer():
    frame = pl.DataFrame({"c": ["x", "y", "x", "y", "z"]})
    found = attacked(frame, policy_for(c="label"), [0, 0, 1, 1, 1])
    # {x, y} is nearer to x and y than {x, y, z}.
    assert found.nearest.successes == approx(1 / 2 + 1 / 2 + 0 + 0 + 1 / 3)


def test_a_suppressed_record_is_never_found():
    found = attacked(PATIENTS, PATIENTS_POLICY, [0, 0, -1, -1])
    assert (found.full_join.attempts, found.full_join.successes, found.nearest.successes) == (4, 1, 1)
    # Nor is anything learned of it, though the nearest class shares one illness.
    found = attacked(PATIENTS, PATIENTS_POLICY, [-1, -1, 0, 0])
    assert found.homogeneity[0].successes == 2
    # Not even where it looks like somebody who is there.
    frame = pl.DataFrame({"a": [1, 1, 1]})
    found = attacked(frame, policy_for(a="number"), [0, 0, -1])
    assert (join(found, "a").successes, found.full_join.successes) == (1, 1)


@BOTH
def test_people_who_share_a_sensitive_value_are_certain(run):
    (found,) = run(PATIENTS, PATIENTS_POLICY, PAIRS).homogeneity
    assert (found.sensitive, found.successes, found.rate, found.worst) == ("illness", 2, 0.5, 1)
    assert (found.promise, found.exceeds) == (None, False)  # nothing was promised
    promised = policy_for(2, age="number", sex="label", illness=SENSITIVE | {"diversity": {"l": 2}})
    (found,) = run(PATIENTS, promised, PAIRS).homogeneity
    assert (found.promise, found.exceeds) == (0, True)


@BOTH
def test_who_can_rule_out_a_value_is_certain_where_two_are_left(run):
    frame = pl.DataFrame({"a": [1, 1, 1, 9, 9, 9], "s": ["u", "v", "v", "u", "v", "w"]})
    (found,) = run(frame, policy_for(2, a="number", s=SENSITIVE), [0, 0, 0, 1, 1, 1]).exclusion
    assert (found.sensitive, found.successes, found.worst, found.promise, found.exceeds) == ("s", 3, 1, None, False)
    for least, promise, exceeds in ((2, None, False), (3, 0, True)):
        promised = policy_for(2, a="number", s=SENSITIVE | {"diversity": {"l": least}})
        (found,) = run(frame, promised, [0, 0, 0, 1, 1, 1]).exclusion
        assert (found.promise, found.exceeds) == (promise, exceeds)


@BOTH
@pytest.mark.parametrize("form", ["generalize", "suppress", "aggregate", "centers"])
def test_singling_out_by_all_columns_is_counted(run, form):
    frame = pl.DataFrame({"a": [1, 2, 8, 9, 2], "s": ["u", "u", "u", "v", "w"], "o": [1.5, 1.5, 1.5, 1.5, 2.5]})
    policy = policy_for(2, a="number", s=SENSITIVE, o={"role": "other"}).model_copy(update={"publication": form})
    found = run(frame, policy, [0, 0, 1, 1, 0], form).singled
    # [1, 2] u twice, w once; [8, 9] u and v once each. Without limits, or with none left, u alone fits three.
    # Hidden in every class, all rows are one class: v and w are left.
    expected = {"generalize": (3, 3), "suppress": (2, 2), "aggregate": (3, 2), "centers": (0, 0)}
    assert (found.unique, found.isolated) == expected[form]


def test_where_no_class_fits_the_nearest_one_speaks():
    frame = pl.DataFrame({"a": [0, 100, 60, 70], "s": ["u", "u", "v", "v"]})
    found = attacked(frame, policy_for(a="number", s=SENSITIVE), PAIRS, "aggregate")
    # Nobody fits the means of 50 and 65; all but 100 are nearest to their own class.
    assert (found.full_join.successes, found.homogeneity[0].successes) == (0, 3)
    assert found.skewness[0].successes == approx(3 * (1 - 1 / 2))


@BOTH
def test_belief_gains_are_held_against_t(run):
    def skewness(**more):
        policy = policy_for(2, age="number", sex="label", illness=SENSITIVE | more)
        return run(PATIENTS, policy, PAIRS).skewness[0]

    # gout rises from 1/4 to 1/2 in the first class, flu from 3/4 to 1 in the second.
    assert (skewness().worst, skewness().rate, skewness().promise) == (0.25, 0.25, None)
    assert not skewness(closeness={"t": 0.25}).exceeds
    assert skewness(closeness={"t": 0.2}).exceeds
    ordered = SENSITIVE | {"order": ["flu", "gout", "plague"], "kind": "ordered"}
    policy = policy_for(
        2, age="number", sex="label", illness=ordered | {"closeness": {"t": 0.2, "distance": "ordered"}}
    )
    assert run(PATIENTS, policy, PAIRS).skewness[0].promise == approx(0.2)  # two values occur, one step apart
    assert skewness(diversity={"l": 2, "kind": "frequency"}).promise == 0.5
    assert skewness(diversity={"l": 2, "kind": "frequency"}, closeness={"t": 0.3}).promise == 0.3


@BOTH
def test_a_person_with_many_rows_hides_in_no_crowd(run):
    frame = pl.DataFrame({"a": [1, 1, 1, 5, 5], "who": ["p", "p", "p", "q", "r"]})
    policy = policy_for(2, a="number", who={"role": "person"})
    found = run(frame, policy, [0, 0, 0, 1, 1])
    assert found.unit == "people"
    assert (found.full_join.worst, found.full_join.successes, found.exceeds) == (1, 3 + 1, True)


@BOTH
def test_missing_fits_missing_and_what_says_or_missing_only(run):
    frame = pl.DataFrame({"a": [None, None, 1, 2, None, 7], "c": ["x", "x", "x", "x", None, None]})
    found = run(frame, policy_for(a="number", c="label"), [0, 0, 1, 1, 2, 2])
    # Missing fits missing, and 7 or missing.
    assert join(found, "a").successes == approx(2 / 4 + 2 / 2 + 1 / 4 + 1 / 2)
    assert join(found, "c").successes == approx(4 / 4 + 2 / 2)
    assert found.full_join.successes == approx(3)


@BOTH
def test_hidden_cells_fit_everything(run):
    frame = pl.DataFrame({"a": [1, 2, 5, 5], "c": ["x", "x", "y", "z"]})
    found = run(frame, policy_for(a="number", c="label"), PAIRS, "suppress")
    assert join(found, "a").successes == approx(2 / 2 + 2 / 4)
    assert join(found, "c").successes == approx(2 / 4 + 2 / 2)
    assert found.full_join.successes == approx(2)


@BOTH
def test_only_what_is_known_is_joined_on(run):
    found = run(PATIENTS, PATIENTS_POLICY, [0, 1, 2, 2], known=["sex"])
    assert [attack.known for attack in found.joins] == [("sex",)]
    assert (found.full_join.known, found.full_join.worst, found.exceeds) == (("sex",), 0.5, False)


@pytest.mark.parametrize("known", [[], ["illness"], ["nowhere"]])
def test_knowing_something_else_is_refused(known):
    with pytest.raises(ParameterError, match="known must name quasi-identifiers"):
        attacked(PATIENTS, PATIENTS_POLICY, PAIRS, known=known)


def test_a_sample_is_drawn_by_its_seed_and_its_size_is_said():
    frame = pl.DataFrame({"a": np.arange(300)})
    policy, labels = policy_for(a="number"), np.arange(300) // 3
    first, same, other = (attacked(frame, policy, labels, "aggregate", people=50, seed=seed) for seed in (1, 1, 2))
    assert (first.n_sampled, first.n_originals, first.full_join.attempts) == (50, 300, 50)
    assert first == same
    assert first != other
    with pytest.raises(ParameterError, match="people must be at least 1"):
        attacked(frame, policy, labels, people=0)


def test_of_many_columns_those_with_most_values_are_joined():
    chance = np.random.default_rng(0)
    frame = pl.DataFrame({f"q{j}": chance.integers(0, 2 + j, 60) for j in range(12)})
    policy = policy_for(3, **dict.fromkeys(frame.columns, "number"))
    found = attacked(frame, policy, np.arange(60) // 3)
    assert (found.n_subsets, found.n_subsets_possible) == (10 + 45 + 120, 12 + 66 + 220)
    assert {name for attack in found.joins for name in attack.known} == {f"q{j}" for j in range(2, 12)}
    assert len(found.full_join.known) == 12


def test_blocks_change_nothing(monkeypatch):
    frame = pl.DataFrame({"a": np.arange(40) % 7, "c": [f"{i % 5}" for i in range(40)], "s": ["u", "v"] * 20})
    policy, labels = policy_for(a="number", c="label", s=SENSITIVE), np.arange(40) // 4
    whole = attacked(frame, policy, labels)
    monkeypatch.setattr("shoal.measure.attack_scores.PAIRS_AT_ONCE", 25)
    assert attacked(frame, policy, labels) == whole


# -- files -----------------------------------------------------------------------------------------------------


def test_ranges_in_two_columns_are_read():
    frame = pl.DataFrame({"a": [10, 30, 20, 40, None, 25]})
    policy = policy_for(a="number").model_copy(update={"ranges": "columns"})
    labels = [0, 0, 1, 1, 2, 2]
    found = attacked_as_csv(frame, policy, labels)
    # [10, 30], [20, 40] and 25 or missing: 10 and 40 fit one class, 30 and 20 two, missing the last and 25 all three.
    assert found.full_join.successes == approx(1 / 2 + 1 / 4 + 1 / 4 + 1 / 2 + 1 / 2 + 1 / 6)


def test_ranges_of_dates_are_read():
    days = ["2020-01-01", "2020-03-01", "2020-02-01", "2020-02-05"]
    frame = pl.DataFrame({"d": days}).with_columns(pl.col("d").str.to_date())
    found = attacked_as_csv(frame, policy_for(d="date"), PAIRS)
    assert found.full_join.successes == approx(1 / 2 + 1 / 2 + 1 / 4 + 1 / 4)


@BOTH
def test_dates_in_a_format_or_missing_are_read(run):
    days = ["2020-01-01", None, "2020-02-01", "2020-02-05", None, "2020-03-01", "2020-03-09"]
    frame = pl.DataFrame({"d": days}).with_columns(pl.col("d").str.to_date())
    column = {"role": "quasi", "kind": "date", "format": "%d.%m.%Y"}
    found = run(frame, policy_for(d=column), [0, 0, 1, 1, 2, 2, 2])
    # 1 January or missing for two, two days in February for two, two days in March or missing for three.
    assert found.full_join.successes == approx(1 / 2 + 1 / 5 + 1 / 2 + 1 / 2 + 1 / 5 + 1 / 3 + 1 / 3)


@BOTH
def test_a_node_or_missing_stands_for_its_leaves_and_missing(run):
    frame = pl.DataFrame({"z": ["a1", "a2", None, "b1", "b2", "a2", None]})
    column = {"role": "quasi", "kind": "hierarchy", "hierarchy": {"prefix": True}}
    found = run(frame, policy_for(z=column), [0, 0, 0, 1, 1, 2, 2])
    # a* or missing for three, b* for two, a2 or missing for two.
    assert found.full_join.successes == approx(1 / 3 + 1 / 5 + 1 / 5 + 1 / 2 + 1 / 2 + 1 / 5 + 1 / 5)


def test_ranges_of_an_order_are_read():
    frame = pl.DataFrame({"o": ["low", "mid", "high", "mid", "high", "low", "low"]})
    column = {"role": "quasi", "kind": "ordered", "order": ["low", "mid", "high"]}
    found = attacked_as_csv(frame, policy_for(o=column), [0, 0, 1, 1, 1, 2, 2])
    # [low, mid] for two, [mid, high] for three, low for two.
    assert found.full_join.successes == approx(3 / 4 + 2 / 5 + 2 / 3)


@BOTH
def test_nodes_of_a_hierarchy_stand_for_their_leaves(run, tmp_path):
    (tmp_path / "job.csv").write_text("nurse,health,any\nsurgeon,health,any\nclerk,office,any\n")
    frame = pl.DataFrame({"job": ["nurse", "surgeon", "nurse", "clerk", "clerk", "clerk", "clerk"]})
    column = {"role": "quasi", "kind": "hierarchy", "hierarchy": str(tmp_path / "job.csv")}
    found = run(frame, policy_for(job=column), [0, 0, 1, 1, 2, 2, 2])
    # health is two people, any is two, clerk is three.
    assert found.full_join.successes == approx(3 / 4 + 4 / 5)


def test_awkward_labels_are_read():
    frame = pl.DataFrame({"c": ["a, b", "null", None, "{x}", "y", '"q"']})
    found = attacked_as_csv(frame, policy_for(c="label"), [0, 0, 1, 1, 2, 2])
    assert (found.full_join.successes, found.full_join.worst) == (3, 0.5)


@pytest.mark.parametrize("form", ["generalize", "aggregate", "suppress", "centers"])
def test_text_says_the_same_as_typed_columns(form):
    frame = pl.DataFrame(
        {
            "a": [1.5, 2.5, 7.0, None],
            "when": ["2020-01-01T10:00:00", "2020-01-02T11:30:00", "2021-05-05T00:00:00", "2021-05-06T00:00:00"],
            "zone": ["2020-01-01T10:00:00", "2020-01-02T11:30:00", "2021-05-05T00:00:00", "2021-05-06T00:00:00"],
            "pay": [10.0, 20.0, 30.0, 30.5],
        }
    ).with_columns(
        pl.col("when").str.to_datetime(), pl.col("zone").str.to_datetime().dt.replace_time_zone("Europe/Vienna")
    )
    pay = {"role": "sensitive", "kind": "number", "bins": [25.0], "closeness": {"t": 0.5, "distance": "ordered"}}
    policy = policy_for(a="number", when="date", zone="date", pay=pay)
    table = released(frame, policy, PAIRS, form).frame
    typed = measure.attack_files(frame, table, policy)
    # Two pairs that share a bin of pay; hidden in every column they are one class.
    assert (typed.nearest.successes, typed.homogeneity[0].successes) == ((1, 0) if form == "suppress" else (2, 4))
    assert typed.full_join.successes == {"generalize": 2, "suppress": 1}.get(form, 0)
    for decimal in ".,":
        assert measure.attack_files(frame, as_written(table, decimal), policy) == typed


def test_centers_speak_for_their_people():
    frame = pl.DataFrame({"a": [1, 1, 9, 9, 9], "s": ["u", "v", "u", "u", "u"]})
    policy = policy_for(2, a="number", s=SENSITIVE)
    found = attacked_as_csv(frame, policy, [0, 0, 1, 1, 1], "centers")
    assert found.full_join.successes == approx(2 / 2 + 3 / 3)
    assert (found.homogeneity[0].successes, found.skewness[0].worst) == (3, approx(1 / 2 - 1 / 5))


def test_a_release_of_other_columns_is_refused():
    with pytest.raises(SchemaError, match="no column sex, which is a quasi-identifier"):
        measure.attack_files(PATIENTS, PATIENTS.drop("sex"), PATIENTS_POLICY)
    with pytest.raises(SchemaError, match="column age of the released table has 1 cells that are neither"):
        measure.attack_files(PATIENTS, PATIENTS.with_columns(age=pl.lit("young")).head(1), PATIENTS_POLICY)


# -- on any table ----------------------------------------------------------------------------------------------


@given(tables(k=3), st.sampled_from(FORMS))
def test_no_attack_beats_a_right_release(case, form):
    frame, policy, labels = case
    found = attacked(frame, policy, labels, form)
    assert not found.exceeds
    assert found.full_join.worst <= 1 / 3
    assert found.nearest.worst <= 1 / 3
    files = measure.attack_files(frame, released(frame, policy, labels, form).frame, policy)
    assert not files.exceeds
    # What the files show is at least what the mapping confirms.
    for mine, theirs in zip((found.full_join, *found.joins), (files.full_join, *files.joins), strict=True):
        assert mine.successes <= theirs.successes + 1e-9


@given(tables(k=3))
def test_every_record_fits_its_own_class(case):
    frame, policy, labels = case
    n_released = np.count_nonzero(labels >= 0)
    # So everybody in the release is picked at least with one chance in all of them.
    assert attacked(frame, policy, labels).full_join.successes >= 1 - 1e-9
    assert attacked(frame, policy, np.where(labels >= 0, 0, -1)).full_join.worst == approx(1 / n_released)


@given(tables(k=3), st.sampled_from(FORMS))
def test_a_lone_record_far_from_all_others_is_found(case, form):
    frame, policy, labels = case
    lone = pl.DataFrame({"a": [999], "b": [999.5], "c": ["alone"], "d": ["high"], "s": ["u"]}, schema=frame.schema)
    frame, labels = pl.concat([frame, lone]), np.append(labels, labels.max() + 1)
    assert attacked(frame, policy, labels, form).exceeds
    assert measure.attack_files(frame, released(frame, policy, labels, form).frame, policy).exceeds
