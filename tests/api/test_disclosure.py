"""alpha, beta and delta from every way of asking to a verified folder, and what cannot be met or kept."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal


def people(n: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    illness = rng.choice(["flu", "cold", "hiv", "gout"], n, p=[0.5, 0.3, 0.1, 0.1]).tolist()
    return pl.DataFrame(
        {"age": rng.integers(20, 80, n), "zip": rng.integers(1, 9, n).astype(str), "illness": illness}
    )


def settings(disclosure: dict[str, object]) -> dict[str, object]:
    columns = {"age": {"role": "quasi"}, "zip": {"role": "quasi"}, "illness": {"role": "sensitive"}}
    return {"k": 4, "columns": columns | {"illness": {"role": "sensitive", "disclosure": disclosure}}}


@pytest.mark.parametrize(
    ("asked", "keywords", "criterion"),
    [
        ({"alpha": 0.6}, {"alpha": 0.6}, "alpha-anonymity"),
        ({"beta": 1.0}, {"beta": {"illness": 1.0}}, "beta-likeness"),
        ({"beta": 1.0, "kind": "enhanced"}, {"beta": 1.0, "beta_kind": "enhanced"}, "beta-likeness"),
        ({"delta": 2.0}, {"delta": 2.0}, "delta-disclosure"),
    ],
)
def test_what_is_asked_is_released_certified_and_verified(asked, keywords, criterion, tmp_path):
    by_keyword = shoal.anonymize(people(), quasi=["age", "zip"], sensitive="illness", k=4, **keywords)
    release = shoal.anonymize(people(), settings(asked))
    claim = release.certificate.claims[1]
    assert claim.criterion == by_keyword.certificate.claims[1].criterion == criterion
    assert claim.holds
    assert claim.measured <= claim.claimed
    release.write(tmp_path / "out")
    findings = shoal.verify(tmp_path / "out")
    assert findings.holds
    assert [one.measured for one in findings.claims] == [one.measured for one in release.certificate.claims]
    page = (tmp_path / "out.private" / "report.html").read_text(encoding="utf-8")
    assert f"{criterion} of illness" in page
    stricter = {key: value / 2 if isinstance(value, float) else value for key, value in asked.items()}
    assert not shoal.verify(tmp_path / "out", settings(stricter)).holds


def test_a_comparison_names_every_requirement_of_its_trials():
    asked = {"quasi": ["age", "zip"], "sensitive": "illness", "t": 0.5, "alpha": 0.8, "beta": 3}
    found = shoal.compare(people(), k=[4], l=[2], methods=["mondrian"], **asked)
    assert [trial.requirement for trial in found.trials] == ["l = 2, t = 0.5, alpha = 0.8, beta = 3"]


def test_only_listed_values_are_limited():
    frame = people()
    release = shoal.anonymize(frame, settings({"alpha": 0.25, "values": ["hiv"]}))
    held = release.table.group_by("age", "zip").agg(share=(pl.col("illness") == "hiv").mean())
    assert held["share"].max() <= 0.25 + 1e-9
    with pytest.raises(shoal.InfeasibleError, match="cannot be met in column illness"):
        shoal.anonymize(frame, settings({"alpha": 0.25}))


def test_the_default_method_makes_groups_for_it_and_costs_far_less_than_mondrian():
    """About half; without groups that are made for it from the start it would be about 0.8."""
    for asked in ({"beta": 0.3}, {"delta": 1.0}):
        costs = [
            shoal.anonymize(people(150), settings(asked) | {"method": method}).certificate.cost
            for method in ("auto", "mondrian")
        ]
        assert costs[0] <= 0.6 * float(costs[1])


def test_a_sensitive_quasi_identifier_keeps_its_band_in_private():
    columns = {"age": {"role": "quasi"}, "illness": {"role": "quasi", "disclosure": {"beta": 1.0}}}
    release = shoal.anonymize(people().drop("zip"), {"k": 4, "columns": columns})
    assert [(one.criterion, one.holds) for one in release.certificate.true_values] == [("beta-likeness", True)]
    assert "beta" not in release.certificate.to_public_json()


@pytest.mark.parametrize(
    ("disclosure", "why"),
    [
        ({}, "needs alpha, beta or delta"),
        ({"values": ["hiv"], "beta": 1.0}, "values belong to alpha"),
        ({"alpha": 0.5, "values": ["hiv", "hiv"]}, "twice"),
        ({"alpha": 0.5, "kind": "enhanced"}, "belongs to beta"),
        ({"alpha": 1.0}, "less than 1"),
        ({"beta": 0.0}, "greater than 0"),
    ],
)
def test_what_does_not_fit_is_refused(disclosure, why):
    with pytest.raises(shoal.ParameterError, match=why):
        shoal.anonymize(people(), settings(disclosure))
