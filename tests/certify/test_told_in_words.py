"""Every sentence and count that findings and certificates are told in: exactly these, and nothing else."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from shoal.certify import Claim, Facts, Failure, Findings, issue
from shoal.certify.certificate import Certificate
from shoal.certify.findings import in_order
from shoal.errors import CertificateError
from tests.certify import releases

K = Claim(criterion="k-anonymity", claimed=3, measured=4, unit="people", holds=True)
L = Claim(criterion="l-diversity", column="s", kind="distinct", claimed=2.5, measured=1, unit="rows", holds=False)
T = Claim(criterion="t-closeness", column="s", kind="equal", claimed=0.5, measured=0.25, unit="rows", holds=True)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (K, "every published combination is shared by at least 3 people"),
        (replace(K, unit="rows"), "every published combination is shared by at least 3 records"),
        (
            T,
            "in every group s is distributed as in the whole release, up to 0.5 "
            "(equal distance, missing counted as a value)",
        ),
        (L, "every group holds at least 2.5 different values of s (missing not counted)"),
        (replace(L, kind=None), "every group holds at least 2.5 different values of s (missing not counted)"),
        (
            replace(L, count_missing=True),
            "every group holds at least 2.5 different values of s (missing counted as a value)",
        ),
        (replace(L, kind="frequency"), "in no group do more than 1 in 2.5 share a value of s (missing not counted)"),
        (
            replace(L, kind="entropy"),
            "in every group s is as uncertain as 2.5 equally frequent values (missing not counted)",
        ),
        (
            replace(L, kind="recursive", c=1.5),
            "in every group the most frequent value of s is rarer than 1.5 times all values from the 2.5. most "
            "frequent on (missing not counted)",
        ),
        (
            replace(L, kind="recursive"),
            "in every group the most frequent value of s is rarer than 0 times all values from the 2.5. most "
            "frequent on (missing not counted)",
        ),
    ],
)
def test_what_a_claim_means(claim, sentence):
    assert claim.sentence == sentence


def _without(told: dict[str, Any], name: str) -> dict[str, Any]:
    """The fields of a claim but for one that is false."""
    assert not told.pop(name)
    return told


def test_claims_stand_in_order():
    a = replace(L, column="a")
    at = replace(T, column="a")
    assert in_order([T, L, at, a, K]) == (K, a, at, L, T)
    # a column may have a name that sorts before everything
    nameless = replace(L, column="")
    assert in_order([nameless, K]) == (K, nameless)


def test_objects_say_briefly_what_they_are():
    assert repr(K) == "Claim(k-anonymity: claimed 3, measured 4, holds)"
    assert repr(L) == "Claim(l-diversity of s: claimed 2.5, measured 1, FAILS)"
    assert repr(Failure(check="file", message="it is so")) == "Failure(file: it is so)"
    good = Findings(form="generalize", unit="rows", rows=12, groups=4)
    assert repr(good) == "Findings(12 rows in 4 groups, every claim holds)"
    bad = replace(good, failures=(Failure(check="file", message="a"), Failure(check="file", message="b")))
    assert repr(bad) == "Findings(12 rows in 4 groups, 2 checks FAIL)"


FINDINGS = Findings(
    form="generalize",
    unit="rows",
    rows=12,
    groups=4,
    claims=(K, L),
    failures=(
        Failure(check="l-diversity", column="s", message="s < 2", records=5),
        Failure(check="columns", column="s", message="a & b", records=7),
    ),
    signature="not checked",
)


def test_findings_are_told_line_by_line():
    text = (
        "12 rows in 4 groups (generalize), counted in rows\n"
        "holds: k-anonymity: asked 3, found 4\n"
        "FAILS: l-diversity of s: asked 2.5, found 1\n"
        "FAILS: a & b\n"
        "signature: not checked"
    )
    assert str(FINDINGS) == text
    assert "signature" not in str(replace(FINDINGS, signature=None))
    assert FINDINGS.to_dict() == {"holds": False} | asdict(FINDINGS)


def test_records_that_miss_a_claim_are_those_of_its_criterion_and_column():
    assert FINDINGS.touched(L) == 5
    assert FINDINGS.touched(T) == 0
    assert FINDINGS.touched(replace(L, column="other")) == 0


def test_the_first_failure_is_told_and_how_many_more_there_are():
    with pytest.raises(CertificateError) as raised:
        FINDINGS.require()
    assert (raised.value.message, raised.value.hint) == ("s < 2 (1 more).", "do not publish this file.")
    with pytest.raises(CertificateError) as raised:
        replace(FINDINGS, failures=FINDINGS.failures[:1]).require()
    assert raised.value.message == "s < 2."


# -- certificates ------------------------------------------------------------------------------------------------

CERTIFICATE = Certificate(
    claims=(K, L),
    form="generalize",
    rows=12,
    n_groups=4,
    suppressed=2,
    method="optimal",
    objective="sse",
    ratio_proved=Fraction(1),
    theorem="UNI-1",
    published_sha256="",
    policy={"k": 3},
    cost=Fraction(7),
    lower_bound=Fraction(3),
)


def test_a_certificate_is_told_line_by_line():
    assert repr(CERTIFICATE) == "Certificate(12 rows in 4 groups, a claim FAILS)"
    assert repr(replace(CERTIFICATE, claims=(K,))) == "Certificate(12 rows in 4 groups, every claim holds)"
    text = (
        "12 rows in 4 groups (generalize), 2 records suppressed\n"
        "holds: k-anonymity: claimed 3, measured 4\n"
        "FAILS: l-diversity of s: claimed 2.5, measured 1\n"
        "optimal for sse: at most 1 times the best (UNI-1) is proved\n"
        "this run is at most 2.333 times the best"
    )
    assert str(CERTIFICATE) == text
    bare = replace(CERTIFICATE, counterfeits=3, ratio_proved=None, cost=None)
    assert str(bare).splitlines()[1] == "3 of the rows are made up"
    assert str(bare).splitlines()[-1] == "optimal for sse: no ratio is proved"


def test_an_issued_certificate_has_every_field_as_it_was_given(tmp_path):
    frame, policy = releases.release(), releases.policy()
    found = replace(releases.inspect(frame, policy, form="generalize"), files={"release.csv": "0" * 64})
    given = {
        "suppressed": 2,
        "counterfeits": 3,
        "method": "m-invariance",
        "objective": "sse",
        "ratio_proved": Fraction(3, 2),
        "theorem": "X",
        "notes": ("a note",),
        "repair": {"groups_before": 5},
        "candidates": {"mdav": 1.5},
        "reason": "because",
        "timed_out": True,
    }
    curve = ({"allowed": 0.1, "n_left_out": 4, "cost": 1.5}, {"allowed": 0.2, "n_left_out": 5, "cost": 1.25})
    # the thirteenth digit goes up in a cost, and down in a bound
    costs = {"cost": 1.23456789012345, "lower_bound": 1.23456789012345, "theorem_cost": 2.00000000000001}
    points = [SimpleNamespace(allowed=p["allowed"], n_suppressed=p["n_left_out"], cost=p["cost"]) for p in curve]
    facts = Facts(**given, **costs, left_out=tuple(points))
    seeded = policy.model_copy(update={"seed": 7})
    certificate = issue(replace(found, sha256="0" * 64), seeded, facts)
    assert {name: getattr(certificate, name) for name in given} == given
    assert certificate.left_out == curve
    assert (certificate.published_sha256, certificate.seed) == ("0" * 64, 7)
    assert certificate.cost == Fraction("1.23456789013")
    assert certificate.lower_bound == Fraction("1.23456789012")
    assert certificate.theorem_cost == Fraction("2.00000000001")
    assert (certificate.form, certificate.rows, certificate.n_groups) == ("generalize", 12, 4)
    assert certificate.files == {"release.csv": "0" * 64}
    assert certificate.claims == in_order(found.claims)
    assert certificate.policy["publication"] == "generalize"
    private = json.loads(certificate.to_private_json())
    assert private["counterfeits"] == 3
    assert private["ratio_seen"] == "123456789013/123456789012"
    assert (private["cost"], private["ratio_proved"]) == ("1.23456789013", "1.5")
    plain = issue(found, policy, Facts(method="m", objective="sse"))
    assert (plain.published_sha256, plain.suppressed) == ("", 0)
    defaults = [None, None, None, None, None, (), None, (), None, None, None, False, 0]
    names = ["ratio_proved", "theorem", "cost", "lower_bound", "theorem_cost", "notes", "repair", "left_out",
             "candidates", "reason", "seed", "timed_out", "counterfeits"]  # fmt: skip
    assert [getattr(plain, name) for name in names] == defaults
    assert "counterfeits" not in json.loads(plain.to_private_json())


def test_a_certificate_is_written_sorted_indented_and_in_its_own_letters():
    text = replace(CERTIFICATE, notes=("é",)).to_private_json()
    found = json.loads(text)
    assert text == json.dumps(found, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    with pytest.raises(TypeError, match=r"^set$"):
        replace(CERTIFICATE, notes={1}).to_private_json()


# -- what is wrong with a table ----------------------------------------------------------------------------------


def failures(frame: pl.DataFrame, policy, form: str = "generalize") -> list[tuple[object, ...]]:
    found = releases.inspect(frame, policy, form=form).failures
    return [(one.check, one.column, one.message, one.groups, one.records) for one in found]


def test_columns_too_many_and_too_few_are_told_by_their_names():
    frame = releases.release().with_columns(name=pl.lit("x"), more=pl.lit("y")).drop("age", "diagnosis")
    assert failures(frame, releases.policy(k=2)) == [
        ("columns", "name", "column name has the role identifier and is in the release", 0, 12),
        ("columns", "more", "column more is in the release, but the policy gives it no place there", 0, 12),
        ("columns", "age", "column age is not in the release", 0, 12),
        ("columns", "diagnosis", "column diagnosis is not in the release", 0, 12),
    ]


def test_no_rows_are_told():
    assert failures(releases.release()[:0], releases.policy()) == [("file", None, "the release has no rows", 0, 0)]
    found = releases.inspect(releases.release()[:0], releases.policy(), form="generalize")
    assert (found.form, found.unit, found.rows) == ("generalize", "rows", 0)
    frame, policy = releases.with_people()
    assert releases.inspect(frame[:0], policy, form="aggregate").unit == "people"


def test_groups_that_fall_short_are_told_with_what_was_asked_and_found():
    frame = releases.release()[1:].with_columns(
        diagnosis=pl.when(pl.col("age") == "40").then(pl.lit("flu")).otherwise("diagnosis")
    )
    policy = releases.policy(closeness={"t": 0.3})
    found = releases.inspect(frame, policy, form="generalize")
    assert failures(frame, policy) == [
        ("k-anonymity", None, "k-anonymity: 1 of 4 groups (2 records) miss 3; the worst has 2", 1, 2),
        (
            "l-diversity",
            "diagnosis",
            "l-diversity of diagnosis: 1 of 4 groups (3 records) miss 2; the worst has 1",
            1,
            3,
        ),
        (
            "t-closeness",
            "diagnosis",
            "t-closeness of diagnosis: 2 of 4 groups (6 records) miss 0.3; the worst has 0.454545",
            2,
            6,
        ),
    ]
    assert [_without(asdict(claim), "count_missing") for claim in found.claims] == [
        {"criterion": "k-anonymity", "column": None, "kind": None, "c": None, "m": None, "claimed": 3, "measured": 2,
         "unit": "rows", "holds": False},
        {"criterion": "l-diversity", "column": "diagnosis", "kind": "distinct", "c": None, "m": None, "claimed": 2,
         "measured": 1, "unit": "rows", "holds": False},
        {"criterion": "t-closeness", "column": "diagnosis", "kind": "equal", "c": None, "m": None, "claimed": 0.3,
         "measured": 0.454545455, "unit": "rows", "holds": False},
    ]  # fmt: skip
    assert all(isinstance(claim.measured, int) for claim in found.claims[:2])
    assert (found.k, found.l, found.t) == (2, {"diagnosis": 1.0}, {"diagnosis": 0.454545455})


def test_what_is_not_asked_is_measured_and_not_claimed():
    found = releases.inspect(releases.release(), releases.policy(diversity=None, closeness=None), form="generalize")
    assert [claim.criterion for claim in found.claims] == ["k-anonymity"]
    assert (found.l, found.t) == ({"diagnosis": 2.0}, {"diagnosis": 0.25})
    recursive = releases.policy(diversity={"l": 2, "kind": "recursive", "c": 3.5}, closeness=None)
    claims = releases.inspect(releases.release(), recursive, form="generalize").claims
    assert [(claim.kind, claim.c) for claim in claims] == [(None, None), ("recursive", 3.5)]


@pytest.mark.parametrize(("t", "holds"), [(0.25, True), (0.25 - 0.9e-9, True), (0.25 - 1.2e-9, False)])
def test_t_is_decided_up_to_its_tolerance(t, holds):
    found = releases.inspect(releases.release(), releases.policy(closeness={"t": t}), form="generalize")
    assert found.holds is holds


@pytest.mark.parametrize(("l", "holds"), [(1.5, True), (1.5 * (1 + 0.9e-9), True), (1.5 * (1 + 1.2e-9), False)])
def test_l_is_decided_up_to_its_tolerance(l, holds):  # noqa: E741
    policy = releases.policy(diversity={"l": l, "kind": "frequency"}, closeness=None)
    assert releases.inspect(releases.release(), policy, form="generalize").holds is holds


def test_people_that_are_not_numbered_are_told():
    frame, policy = releases.with_people()
    frame[3, "person"] = "17"
    message = "column person does not number the people of each group from 1: an identifier may be left in"
    assert failures(frame, policy)[0] == ("person", "person", message, 1, 6)


def test_centers_that_do_not_add_up_are_told():
    frame, policy = releases.centers()
    frame = frame.with_columns(people=pl.Series(["5", "x"]), radius=pl.Series(["x", "-1"]))
    frame[0, "diagnosis"] = "flu: 4"
    assert failures(frame, policy, "centers")[:3] == [
        ("people", "people", "column people is not a number of people in 1 rows", 1, 1),
        ("people", "radius", "column radius is not a length in 2 rows", 2, 2),
        ("people", "diagnosis", "column diagnosis does not add up to the people of a row in 2 rows", 2, 5),
    ]
    assert failures(frame.drop("people", "radius"), policy, "centers")[0] == (
        "columns", "people", "column people is not in the release", 0, 2
    )  # fmt: skip


def test_values_that_cannot_be_read_are_counted():
    columns = releases.ROLES | {"diagnosis": {"role": "sensitive", "bins": [1.0]}}
    frame = releases.release().with_columns(
        diagnosis=pl.when(pl.col("age") == "40").then(pl.lit("x")).otherwise(pl.lit("1"))
    )
    told = ("columns", "diagnosis", "column diagnosis has 1 values that are not a number", 1, 3)
    assert failures(frame, releases.policy(columns=columns)) == [told]
    columns = releases.ROLES | {"diagnosis": {"role": "sensitive", "order": ["1", "2"]}}
    told = ("columns", "diagnosis", "column diagnosis has 1 values that are not in its order", 1, 3)
    assert failures(frame, releases.policy(columns=columns)) == [told]


def test_no_hierarchy_where_t_needs_one_is_told():
    from shoal.certify.hierarchies import levels_of
    from shoal.errors import ParameterError

    with pytest.raises(ParameterError) as raised:
        levels_of("s", ["a"], releases.policy().columns["diagnosis"])
    assert raised.value.message == 'closeness.distance = "hierarchical" needs a hierarchy of the values of s.'
    assert raised.value.hint == "give columns.s.hierarchy."
