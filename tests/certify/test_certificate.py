"""Certificates: what is public, what stays private, and that old ones stay readable."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from shoal.certify import PRIVATE, Certificate, Facts, issue, verify
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
