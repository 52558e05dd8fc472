"""Certificates: what is public, what stays private, and that old ones stay readable."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

from shoal.certify import PRIVATE, Certificate, Facts, inspect, issue, verify
from shoal.certify.facts import ClassFacts
from shoal.errors import CertificateError, ParameterError
from shoal.policy import Policy
from tests.certify import releases

EXAMPLE = Path(__file__).parent / "certificate_format_2.json"


@pytest.fixture
def certificate(tmp_path) -> Certificate:
    return releases.written(tmp_path, releases.release(), releases.policy(seed=987654321))[1]


def names_and_values(found: object) -> set[object]:
    if isinstance(found, dict):
        return set(found) | {x for value in found.values() for x in names_and_values(value)}
    if isinstance(found, list):
        return {x for value in found for x in names_and_values(value)}
    return {found}


@pytest.mark.parametrize("counted", [False, True])
def test_the_public_half_has_nothing_private(certificate, counted):
    """What was counted on true values is left out of the private half only where nothing was."""
    if counted:
        classes = {"column": "town", "n_classes": 2, "least": 2, "largest": 3, "lower_bound": 2}
        classes |= {"ratio_proved": "2", "theorem": "COVER-3"}
        certificate = replace(certificate, true_values=certificate.claims[:1], column_classes=(classes,))
    public = json.loads(certificate.to_public_json())
    assert names_and_values(public) & PRIVATE == set()
    private = json.loads(certificate.to_private_json())
    assert set(private) - set(public) == (PRIVATE if counted else PRIVATE - {"true_values", "column_classes"})


def test_no_number_of_the_private_half_is_in_the_public_text(certificate):
    """The cost, the bound, their ratio, the seed and what the repair cost are statistics of raw values."""
    public = certificate.to_public_json()
    for secret in ("1234.5", "1000.1", "1300.5", "1200.5", "987654321", "a note", "because"):
        assert secret in certificate.to_private_json()
        assert secret not in public


def test_the_public_half_has_no_value_of_the_table_and_no_path(tmp_path):
    file = tmp_path / "secret-folder" / "levels.csv"
    file.parent.mkdir()
    file.write_text("flu;lung\ncold;lung\n")
    sensitive = {"role": "sensitive", "hierarchy": str(file), "kind": "hierarchy"}
    asked = releases.policy(
        columns=releases.ROLES | {"diagnosis": sensitive}, closeness={"t": 0.5, "distance": "hierarchical"}, seed=5
    )
    out = tmp_path / "out"
    out.mkdir()
    (out / "levels.csv").write_bytes(file.read_bytes())
    path, certificate = releases.written(out, releases.release(), asked)
    public = certificate.to_public_json()
    for secret in ("flu", "cold", "secret-folder", "[20", "seed"):
        assert secret not in public
    assert verify(path).holds
    (out / "levels.csv").unlink()
    told = [failure.message for failure in verify(path).failures if failure.check == "folder"]
    assert told == [
        "the folder lacks what its certificate lists: 'levels.csv'",
        "the hierarchy levels.csv of diagnosis cannot be read, so t cannot be re-checked",
    ]


@pytest.mark.parametrize("half", ["public", "private"])
def test_what_was_written_is_read_back(certificate, half):
    text = getattr(certificate, f"to_{half}_json")()
    found = Certificate.from_json(text)
    assert getattr(found, f"to_{half}_json")() == text
    assert found.claims == certificate.claims
    if half == "private":
        assert found == certificate
    else:
        assert found.cost is None
        assert found.seed is None
        assert found.ratio_seen is None


def test_the_schema_has_every_field_and_no_other(certificate):
    from dataclasses import fields

    from shoal.certify.schema import PrivateRead, PublicRead

    known = {part.name for part in fields(certificate)} | {"ratio_seen"}
    assert set(PrivateRead.model_fields) == known
    assert set(PublicRead.model_fields) == known - PRIVATE


def test_costs_are_rounded_up_and_bounds_down(certificate):
    assert Fraction(1234.56789012345) <= certificate.cost < Fraction(1234.5678902)
    assert Fraction(1000.12345678) < certificate.lower_bound <= Fraction(1000.123456789012)
    assert certificate.ratio_seen >= Fraction(1234.56789012345) / Fraction(1000.123456789012)
    assert certificate.ratio_proved == Fraction(306, 5)
    assert '"ratio_proved": "61.2"' in certificate.to_public_json()


def test_thirds_are_kept_as_fractions(certificate):
    third = replace(certificate, cost=Fraction(4000, 3))
    assert '"cost": "4000/3"' in third.to_private_json()
    assert Certificate.from_json(third.to_private_json()).cost == Fraction(4000, 3)


def test_a_certificate_holds_only_if_everything_does(certificate):
    assert certificate.holds
    assert not replace(certificate, lower_bound=Fraction(2000)).holds
    assert not replace(certificate, claims=()).holds
    failed = replace(certificate.claims[0], holds=False)
    assert not replace(certificate, claims=(failed, *certificate.claims[1:])).holds


def test_no_certificate_is_issued_for_a_release_that_fails():
    findings = verify(releases.release()[1:], releases.policy())
    with pytest.raises(CertificateError, match="k-anonymity"):
        issue(findings, releases.policy(), Facts(method="m", objective="sse"))


@pytest.mark.parametrize("cost", [0.0, 1.0, 3.7e-9, 8.1e12])
def test_no_certificate_is_issued_whose_bound_is_above_its_cost(cost):
    findings = verify(releases.release(), releases.policy())
    facts = Facts(method="forest", objective="generalization", cost=cost, lower_bound=cost)
    rounded = replace(facts, lower_bound=cost * (1 + 2**-50))  # what sums of floating-point numbers may be off
    for fine in (facts, rounded, replace(facts, lower_bound=None), replace(facts, cost=None)):
        assert issue(findings, releases.policy(), fine).holds
    with pytest.raises(CertificateError, match=r"lower bound of method forest is above the cost of its own"):
        issue(findings, releases.policy(), replace(facts, lower_bound=(cost or 1e-9) * (1 + 1e-10)))


def test_a_cost_of_zero_is_the_best(certificate):
    assert replace(certificate, cost=Fraction(0), lower_bound=Fraction(0)).ratio_seen == 1
    assert replace(certificate, lower_bound=Fraction(0)).ratio_seen is None
    beyond = replace(certificate, cost=Fraction(3), lower_bound=Fraction(1, 10**310))
    assert beyond.ratio_seen is None
    assert "times the best" not in str(replace(beyond, ratio_proved=None))


def test_format_2_stays_readable():
    """This file was written when the format was; it is never changed."""
    found = Certificate.from_json(EXAMPLE.read_text(encoding="utf-8"))
    assert found.format == 2
    assert [(c.criterion, c.column, c.kind, c.claimed, c.measured) for c in found.claims] == [
        ("k-anonymity", None, None, 3, 3),
        ("l-diversity", "diagnosis", "distinct", 2, 2),
        ("t-closeness", "diagnosis", "equal", 0.5, 0.25),
    ]
    assert (found.rows, found.n_groups, found.suppressed, found.form) == (12, 4, 1, "generalize")
    assert found.ratio_proved == Fraction(306, 5)
    assert list(found.files) == ["release.csv"]
    assert found.public_policy() == Policy.parse(
        {
            "k": 3,
            "publication": "generalize",
            "diversity": {"l": 2},
            "closeness": {"t": 0.5, "distance": "equal"},  # what it was by default when this file was written
            "columns": releases.ROLES,
        }
    )


def test_format_1_is_refused_by_its_number():
    """It had no digests of the files beside the table."""
    with pytest.raises(ParameterError, match="format 1; this version of Shoal reads 2"):
        Certificate.from_json('{"format": 1, "claims": []}')


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2}', "null", '{"format": 2, "claims": 5}'])
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(ParameterError, match="certificate"):
        Certificate.from_json(text)


def test_a_format_of_the_future_is_refused_by_its_number():
    with pytest.raises(ParameterError, match="format 99"):
        Certificate.from_json('{"format": 99}')


def test_it_shows_itself(certificate):
    assert "holds: k-anonymity: claimed 3, measured 3" in str(certificate)
    assert "at most 306/5 times the best (CELLULAR-5)" in str(certificate)
    assert certificate._repr_html_().startswith("<")
    assert "l-diversity of diagnosis" in str(verify(releases.release(), releases.policy()))
    for claim in certificate.claims:
        assert f"{claim.claimed:g}" in claim.sentence


def test_what_was_counted_on_true_values_and_of_classes_is_read_back_from_the_private_half(certificate):
    classes = {"column": "town", "n_classes": 2, "least": 2, "largest": 3, "lower_bound": 2}
    classes |= {"ratio_proved": "2", "theorem": "COVER-3"}
    whole = replace(certificate, true_values=certificate.claims[:1], column_classes=(classes,))
    assert Certificate.from_json(whole.to_private_json()) == whole
    assert Certificate.from_json(certificate.to_private_json()) == certificate
    assert "count_missing" not in json.loads(whole.to_private_json())["true_values"][0]
    for wrong in ({"largest": 1}, {"ratio_proved": "3"}, {"theorem": None}, {"theorem": "GATHER-1"}):
        forged = replace(whole, column_classes=(classes | wrong,))
        with pytest.raises(ParameterError):
            Certificate.from_json(forged.to_private_json())


def test_what_is_not_protected_is_said(certificate):
    columns = {
        "age": {"role": "quasi"},
        "drugs": {"role": "quasi", "kind": "set"},
        "note": {"role": "other"},
        "share": {"role": "weight"},
        "ill": {"role": "sensitive"},
        "pay": {"role": "other", "perturb": {"method": "noise"}},
        "job": {"role": "other", "perturb": {"method": "pram"}},
    }
    failed = replace(certificate.claims[0], holds=False, claimed=5, measured=3)
    whole = replace(
        certificate,
        true_values=(certificate.claims[0], failed),
        policy={"k": 3, "synthetic": "marginals", "columns": columns},
    )
    said = str(whole).splitlines()
    name = certificate.claims[0].name
    expected = [
        f"holds: {name}: claimed 3, measured 3 on true values, which stay private",
        f"FAILS: {name}: claimed 5, measured 3 on true values, which stay private",
        "synthetic rows are beside the table: drawn from it alone, and no k is claimed of them",
        "perturbed, so that values are not true ones, and no part of any claim: pay (noise), job (pram)",
        "not protected from who knows values of columns published as they are: note, share, ill",
        "not protected from who knows more items of drugs, or that an item is not in it",
    ]
    assert [line for line in said if line in expected] == expected
    plain = str(replace(certificate, policy={"k": 3, "columns": {"age": {"role": "quasi"}}}))
    assert not any(word in plain for word in ("synthetic", "perturbed", "not protected", "true values"))


@pytest.mark.parametrize("bound", [None, 1000.0, 1234.5])
def test_a_bound_above_the_cost_is_never_issued(bound):
    frame, asked = releases.release(), releases.policy()
    found = inspect(frame, asked, form="generalize")
    facts = Facts(suppressed=0, method="cellular", objective="cellular", cost=1234.5, lower_bound=bound)
    assert issue(found, asked, facts).cost == Fraction("1234.5")
    with pytest.raises(CertificateError) as raised:
        issue(found, asked, replace(facts, lower_bound=1234.6))
    assert "please report it" in str(raised.value)


def test_classes_are_written_with_their_ratio_and_never_with_a_bound_above_the_largest():
    found = inspect(releases.release(), releases.policy(), form="generalize")
    one = ClassFacts(column="town", n_classes=2, least=2, largest=3, lower_bound=2, ratio_proved=Fraction(5, 2))
    other = replace(one, ratio_proved=None, lower_bound=3)
    facts = Facts(suppressed=0, method="cellular", objective="cellular", classes=(one, other))
    written = issue(found, releases.policy(), facts).column_classes
    assert [(part["column"], part["largest"], part["ratio_proved"]) for part in written] == [
        ("town", 3, "2.5"), ("town", 3, None),
    ]  # fmt: skip
    with pytest.raises(CertificateError, match="classes of town is above the largest of them") as raised:
        issue(found, releases.policy(), replace(facts, classes=(replace(one, lower_bound=4),)))
    assert "this is a fault of Shoal: please report it with the policy and the shape of the table." in str(
        raised.value
    )


def test_the_policy_of_a_certificate_has_the_encoding_and_the_origins_of_this_release():
    asked = Policy.parse({"k": 3, "columns": {"day": {"role": "quasi", "kind": "date", "relative_to": "month"}}})
    frame = pl.DataFrame({"day": ["2020-01-01"] * 3})
    found = replace(inspect(frame, asked, form="generalize"), encoding="cp1252")
    facts = Facts(suppressed=0, method="cellular", objective="cellular", origins={"day": date(2020, 1, 1)})
    policy = issue(found, asked, facts).policy
    assert policy["source"]["encoding"] == "cp1252"
    assert policy["columns"]["day"]["origin"] in ("2020-01-01", date(2020, 1, 1))
