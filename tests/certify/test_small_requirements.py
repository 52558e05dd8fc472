"""Every requirement of a policy is measured, and told with its kind, its column, its groups and its records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certify import Facts, issue
from shoal.certify.criteria import Measured, check_cells, inspect, whole_number
from shoal.certify.equivalence_classes import classes_of_centers, classes_of_rows
from shoal.certify.facts import ClassFacts
from shoal.certify.forms import form_of, forms_of
from shoal.certify.formulas import ordered_distance
from shoal.certify.reduced import reduce
from shoal.certify.released_columns import sort_columns
from shoal.errors import CertificateError
from shoal.policy import Policy
from tests.certify import releases
from tests.certify.test_told_in_words import CERTIFICATE, FINDINGS, K, L, T

QUASI, SENSITIVE = {"role": "quasi"}, {"role": "sensitive"}


def policy(columns: dict[str, Any], **more: Any) -> Policy:
    return Policy.parse({"k": 2, "columns": columns} | more)


def told(found: Any) -> list[tuple[Any, ...]]:
    return [(one.check, one.column, one.message, one.groups, one.records) for one in found.failures]


def claims(found: Any) -> dict[str, tuple[Any, ...]]:
    return {one.criterion: (one.column, one.kind, one.claimed, one.measured, one.holds) for one in found.claims}


# -- the number of groups ----------------------------------------------------------------------------------------


def test_a_release_has_at_most_as_many_groups_as_its_policy_allows() -> None:
    frame = pl.DataFrame({"q": ["1", "1", "2", "2", "3", "3"]})
    assert inspect(frame, policy({"q": QUASI}, max_groups=3), form="generalize").failures == ()
    found = inspect(frame, policy({"q": QUASI}, max_groups=2), form="generalize")
    assert told(found) == [("groups", None, "the release has 3 groups, and may have at most 2", 0, 0)]


# -- what is counted in parts ------------------------------------------------------------------------------------


def test_what_was_counted_in_parts_is_told_as_what_was_counted_at_once() -> None:
    frame = pl.DataFrame({"q": ["1", "1", "2", "2", "2"], "s": ["a", "a", "b", "c", "c"]})
    asked = policy({"q": QUASI, "s": SENSITIVE}, diversity={"l": 2}, keys={"by": {"columns": ["q"], "k": 3}})
    whole = inspect(frame, asked, form="generalize")
    assert (whole.form, whole.unit, whole.rows, whole.groups, whole.k) == ("generalize", "rows", 5, 2, 2)
    reduced = reduce([frame[:3], frame[3:]], asked, "generalize")
    assert inspect(reduced.frame, asked, form="generalize", reduced=reduced) == whole
    assert inspect(frame, asked, form="generalize", reduced=replace(reduced, findings=FINDINGS)) is FINDINGS
    wider = frame.with_columns(n=pl.Series(["1", "2", "3", "4", "5"]))
    reduced = reduce([wider], policy({"q": QUASI, "s": SENSITIVE, "n": {"role": "other"}}), "generalize")
    assert inspect(reduced.frame.head(2), asked, form="generalize", reduced=reduced).rows == 5


# -- sets --------------------------------------------------------------------------------------------------------

SETS = {"q": QUASI, "items": {"role": "quasi", "kind": "set"}}


def test_a_broken_set_is_told_beside_what_else_is_broken() -> None:
    frame = pl.DataFrame({"q": ["1"] * 4, "items": ["a;b", "b;a", "a;b", "a;b"], "name": ["x"] * 4})
    found = inspect(frame, policy(SETS, m=2), form="generalize")
    assert [one.check for one in found.failures] == ["columns", "sets"]
    (claim,) = [one for one in found.claims if one.criterion == "km-anonymity"]
    assert (claim.m, claim.claimed, claim.measured) == (2, 2, 4)


def test_without_the_column_of_sets_none_is_measured() -> None:
    found = inspect(pl.DataFrame({"q": ["1"] * 4}), policy(SETS, m=2), form="generalize")
    assert told(found) == [("columns", "items", "column items is not in the release", 0, 4)]
    assert list(claims(found)) == ["k-anonymity"]


# -- cells -------------------------------------------------------------------------------------------------------


def test_every_check_of_cells_adds_to_those_before() -> None:
    asked = policy(
        {
            "lat": {"role": "quasi", "longitude": "lon"},
            "lon": {"role": "quasi"},
            "age": {"role": "quasi", "round_ranges": 10},
            "day": {"role": "quasi", "format": "%d.%m.%Y"},
            "pay": {"role": "quasi", "number": {"decimal": ","}},
            "top": {"role": "quasi", "top": 90},
            "cut": {"role": "quasi"},
        }
    )
    frame = pl.DataFrame(
        {
            "lat": ["x"] * 2,
            "lon": ["y"] * 2,
            "age": ["[31, 42]"] * 2,
            "day": ["?"] * 2,
            "pay": ["?"] * 2,
            "top": ["95"] * 2,
            "cut": ["1 or missing or missing"] * 2,
        }
    )
    _, failures = check_cells(frame, asked, "generalize")
    assert [one.column for one in failures] == ["top", "day", "pay", "lat", "age", "cut"]


@pytest.mark.parametrize("form", ["aggregate", "centers"])
def test_the_numbers_of_missing_values_beside_means_are_checked(form: str) -> None:
    frame = pl.DataFrame({"age": ["1.5"], "age_missing": ["x"]})
    _, failures = check_cells(frame, policy({"age": QUASI}), form)
    assert [one.column for one in failures] == ["age"]


def test_means_are_recoded_without_marks_and_ranges_with_them() -> None:
    asked = policy({"age": {"role": "quasi", "top": 90}})
    frame = pl.DataFrame({"age": ["90", "90"]})
    assert check_cells(frame, asked, "aggregate")[1] == []
    assert [one.check for one in check_cells(frame, asked, "generalize")[1]] == ["recoding"]


# -- claims ------------------------------------------------------------------------------------------------------


def test_a_claim_has_all_that_was_measured() -> None:
    by_class = pl.DataFrame({"class": [0, 1], "measure": [0.25, 0.5]})
    one = Measured(
        criterion="l-diversity", column="s", kind="x", c=1.5, count_missing=True, m=4, asked=0.5, by_class=by_class
    )
    found = one.claim("people")
    assert (found.criterion, found.column, found.kind, found.c) == ("l-diversity", "s", "x", 1.5)
    assert (found.count_missing, found.m, found.unit, found.holds) == (True, 4, "people", False)
    assert (found.claimed, found.measured) == (0.5, 0.25)
    nothing = replace(one, criterion="t-closeness", asked=0.0).claim("rows")
    assert (nothing.claimed, nothing.measured, nothing.holds) == (0, 0.5, False)
    assert isinstance(nothing.claimed, int)
    assert isinstance(whole_number(2.0), int)
    assert whole_number(2.5) == 2.5


def test_missing_values_that_count_are_told_in_the_claim() -> None:
    frame = pl.DataFrame({"q": ["1"] * 2, "s": ["a", None]})
    for counts, measured in ((True, 2), (False, 1)):
        asked = policy({"q": QUASI, "s": SENSITIVE}, diversity={"l": 2, "count_missing": counts})
        (claim,) = [one for one in inspect(frame, asked, form="generalize").claims if one.criterion == "l-diversity"]
        assert (claim.count_missing, claim.measured) == (counts, measured)


def test_numbers_and_dates_have_an_order_where_the_policy_leaves_the_distance_open() -> None:
    columns = {"q": QUASI, "s": SENSITIVE}
    auto = policy(columns, closeness={"t": 0.9, "distance": "auto"})
    for texts, kind, measured in (
        (["1", "2", "10", "20"], "ordered", 1 / 3),
        (["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"], "ordered", 1 / 3),
        (["a", "b", "c", "d"], "equal", 0.5),
        (["1", "2", "3", "x"], "equal", 0.5),
    ):
        frame = pl.DataFrame({"q": ["1", "1", "2", "2"], "s": texts})
        found = claims(inspect(frame, auto, form="generalize"))["t-closeness"]
        assert found[1] == kind
        assert found[3] == pytest.approx(measured, abs=1e-8)
    labels = policy({"q": QUASI, "s": SENSITIVE | {"kind": "label"}}, closeness={"t": 0.9, "distance": "auto"})
    frame = pl.DataFrame({"q": ["1", "1", "2", "2"], "s": ["1", "2", "3", "4"]})
    assert claims(inspect(frame, labels, form="generalize"))["t-closeness"][1] == "equal"


@pytest.mark.parametrize(("limit", "mark"), [("top", ">="), ("bottom", "<=")])
def test_sensitive_values_with_a_limit_are_counted_without_its_mark(limit: str, mark: str) -> None:
    frame = pl.DataFrame({"q": ["1"] * 3, "s": [f"{mark}90", f"{mark}90.0", f"{mark}90"], "z": ["u", "v", "u"]})
    columns = {"q": QUASI, "s": SENSITIVE | {limit: 90}, "z": SENSITIVE}
    found = inspect(frame, policy(columns, closeness={"t": 0.9, "distance": "ordered"}), form="generalize")
    assert found.l["s"] == 1.0
    assert found.t["s"] == 0.0
    assert [one.column for one in found.failures] == ["z"]  # whose values have no order


HIERARCHY = "value,group,all\n1,low,*\n1.0,low,*\n2,high,*\n"


def test_shares_of_listed_values_are_those_of_their_meaning_or_of_their_leaves(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(HIERARCHY)
    frame = pl.DataFrame({"q": ["1"] * 4, "s": ["1", "1.0", "2", "2"]})
    limits = {"alpha": 0.9, "values": ["1"], "beta": 5, "kind": "enhanced", "delta": 2}
    plain = policy({"q": QUASI, "s": SENSITIVE}, disclosure=limits)
    found = claims(inspect(frame, plain, form="generalize"))
    assert found["alpha-anonymity"] == ("s", "listed", 0.9, 0.5, True)
    assert found["beta-likeness"] == ("s", "enhanced", 5, 0, True)
    assert found["delta-disclosure"] == ("s", None, 2, 0, True)
    leaves = {"q": QUASI, "s": SENSITIVE | {"hierarchy": str(tmp_path / "h.csv")}}
    by_leaves = policy(leaves, disclosure=limits, closeness={"t": 0.9, "distance": "hierarchical"})
    found = claims(inspect(frame, by_leaves, form="generalize"))
    assert found["alpha-anonymity"] == ("s", "listed", 0.9, 0.25, True)
    unlimited = policy({"q": QUASI, "s": SENSITIVE}, disclosure={"alpha": 0.9})
    assert claims(inspect(frame, unlimited, form="generalize"))["alpha-anonymity"][:2] == ("s", "all")
    basic = policy({"q": QUASI, "s": SENSITIVE}, disclosure={"beta": 1})
    assert claims(inspect(frame, basic, form="generalize"))["beta-likeness"][:2] == ("s", "basic")
    ordered = policy({"q": QUASI, "s": SENSITIVE | {"order": ["1", "1.0", "2"]}}, disclosure=limits)
    assert claims(inspect(frame, ordered, form="generalize"))["alpha-anonymity"][3] == 0.25


# -- classes -----------------------------------------------------------------------------------------------------


def test_people_who_are_numbered_in_all_are_told_in_how_many_classes_they_are() -> None:
    columns = {"p": {"role": "person", "consistent": True}, "q": QUASI}
    frame = pl.DataFrame({"p": ["1", "2", "1", "3"], "q": ["a", "a", "b", "b"]})
    asked = policy(columns)
    found = classes_of_rows(frame, sort_columns(frame.columns, asked, "generalize", 4))
    assert found.failures == ()
    assert found.spread is not None
    assert sorted(found.spread.rows()) == [(0, 2.0), (1, 2.0)]
    apart = frame.with_columns(p=pl.Series(["1", "2", "3", "4"]))
    spread = classes_of_rows(apart, sort_columns(frame.columns, asked, "generalize", 4)).spread
    assert spread is not None
    assert sorted(spread.rows()) == [(0, 1.0), (1, 1.0)]


@pytest.mark.parametrize(
    ("cell", "good"), [("1,5", True), ("1.5", True), ("1e400", False), ("1,5e2", True), ("-1", False), (None, False)]
)
def test_a_radius_is_a_finite_length_with_a_point_or_a_comma(cell: str | None, good: bool) -> None:
    frame = pl.DataFrame({"q": ["1"], "people": ["2"], "radius": [cell]}, schema_overrides={"radius": pl.String})
    asked = policy({"q": QUASI}, publication="centers")
    columns = sort_columns(frame.columns, asked, "centers", 1)
    assert (classes_of_centers(frame, columns, persons=False).failures == ()) == good


def test_the_distance_of_ordered_values_is_that_of_their_quantiles() -> None:
    """Class 0 holds the lowest and the highest of five values: cumulative differences .3, .1, .1 and .3 of 4."""
    rows = [(0, 1, 1), (0, 5, 1), (1, 2, 1), (1, 3, 1), (1, 4, 1)]
    pairs = pl.DataFrame(rows, schema=["class", "value", "held"], orient="row")
    found = dict(ordered_distance(pairs).rows())
    assert found[0] == pytest.approx((0.3 + 0.1 + 0.1 + 0.3) / 4)
    assert found[1] == pytest.approx((0.2 + abs(0.4 - 1 / 3) + abs(0.6 - 2 / 3) + 0.2) / 4)


def test_the_distance_of_ordered_values_counts_what_lies_far_below() -> None:
    """Nine tenths of class 0 have the lowest value, which less than half of all have: (.45 + .5) of 2."""
    pairs = pl.DataFrame({"class": [0, 0, 1], "value": [1, 2, 5], "held": [9, 1, 10]})
    assert dict(ordered_distance(pairs).rows())[0] == pytest.approx((0.45 + 0.5) / 2)


# -- forms -------------------------------------------------------------------------------------------------------


def test_synthetic_rows_are_beside_a_table_of_ranges() -> None:
    plain = policy({"q": QUASI})
    assert forms_of(plain) == ("generalize", "aggregate")
    assert forms_of(policy({"q": QUASI}, synthetic="marginals")) == ("generalize",)
    assert forms_of(policy({"q": QUASI | {"kind": "number"}})) == ("generalize", "aggregate")
    assert forms_of(policy({"q": QUASI | {"kind": "label"}})) == ("generalize",)
    place = {"lat": QUASI | {"kind": "place", "longitude": "lon"}, "lon": QUASI}
    assert forms_of(policy(place)) == ("generalize",)
    assert form_of(plain, pl.DataFrame({"q": ["1", None]})) == "aggregate"
    assert form_of(plain, pl.DataFrame({"q": ["1", "[1, 2]"]})) == "generalize"
    assert form_of(plain, pl.DataFrame({"x": ["1"]})) == "generalize"
    assert form_of(plain, None) == "generalize"


# -- certificates ------------------------------------------------------------------------------------------------


def test_claims_on_true_values_are_written_as_others_are() -> None:
    written = json.loads(replace(CERTIFICATE, claims=(K,), true_values=(L, T)).to_private_json())
    assert "true_values" not in json.loads(replace(CERTIFICATE, true_values=(L,)).to_public_json())
    assert [sorted(one) for one in written["true_values"]] == [sorted(one) for one in written["claims"] * 2]
    assert "count_missing" not in written["true_values"][0]
    assert "m" not in written["true_values"][0]
    counted = json.loads(replace(CERTIFICATE, true_values=(replace(L, count_missing=True, m=2),)).to_private_json())
    assert (counted["true_values"][0]["count_missing"], counted["true_values"][0]["m"]) == (True, 2)


FACTS = Facts(suppressed=1, method="cellular", objective="cellular", cost=2.0, lower_bound=2.0, theorem_cost=None)


def _findings() -> Any:
    return inspect(releases.release(), releases.policy(), form="generalize")


def test_a_certificate_is_issued_where_the_bound_is_the_cost_and_refused_above_it() -> None:
    true = replace(K, column="s", criterion="l-diversity")
    found = replace(_findings(), true_claims=(true,))
    certificate = issue(found, releases.policy(), FACTS)
    assert (certificate.cost, certificate.lower_bound, certificate.true_values) == (2, 2, (true,))
    with pytest.raises(CertificateError) as raised:
        issue(found, releases.policy(), replace(FACTS, lower_bound=2.0001))
    fault = "this is a fault of Shoal: please report it with the policy and the shape of the table."
    assert raised.value.hint == fault
    classes = ClassFacts(
        column="age", n_classes=3, least=2, largest=5, lower_bound=5, ratio_proved=None, theorem=None
    )
    certificate = issue(found, releases.policy(), replace(FACTS, classes=(classes,)))
    assert certificate.column_classes[0]["column"] == "age"
    with pytest.raises(CertificateError) as raised:
        issue(found, releases.policy(), replace(FACTS, classes=(replace(classes, lower_bound=6),)))
    assert raised.value.hint == fault
    assert repr(classes) == "ClassFacts(of 'age': 3 classes)"
    assert repr(replace(FACTS, n_groups=7)) == "Facts(7 groups by cellular for cellular)"


def test_a_policy_that_lists_no_files_is_verified_as_a_frame() -> None:
    found = shoal.verify(releases.release(), releases.policy(), form="generalize")
    assert (found.holds, found.sha256, found.files, found.encoding) == (True, None, {}, None)
