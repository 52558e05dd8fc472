"""A quasi-identifier that is sensitive as well: generalized, and given away by no class beyond what l or t allow."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certify.true_values import check_true_values
from shoal.errors import CertificateError, ParameterError, SchemaError
from shoal.requirements import LDiversity, from_policy
from tests.measure.infections import infections, routes_by_class

METHODS = ["auto", "mondrian", "mdav", "gather"]


def asked(**more: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: {"role": "quasi"} for name in ("state", "sex", "age")}
    columns["route"] = {"role": "quasi", "diversity": {"l": 2}} | more
    return {"k": 4, "columns": columns}


def held(release: Any, table: pl.DataFrame) -> list[Counter[Any]]:
    """The true routes of every class that a reader sees, by the release's own mapping of rows."""
    return routes_by_class(release, table)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["distinct", "frequency"])
def test_every_class_has_l_true_values(method: str, kind: str) -> None:
    table = infections(160)
    policy = asked(diversity={"l": 2, "kind": kind}) | {"method": method}
    release = shoal.anonymize(table, policy)
    for routes in held(release, table):
        assert len(routes) >= 2
        assert kind == "distinct" or 2 * max(routes.values()) <= sum(routes.values())
    (told,) = release.certificate.true_values
    assert (told.criterion, told.column, told.holds) == ("l-diversity", "route", True)
    smallest = min(len(r) if kind == "distinct" else sum(r.values()) / max(r.values()) for r in held(release, table))
    assert told.measured == pytest.approx(smallest)


def test_without_it_some_classes_give_the_value_away() -> None:
    """The defect: a sensitive column that is quasi and nothing else."""
    table = infections(160)
    policy = asked()
    del policy["columns"]["route"]["diversity"]
    assert min(map(len, held(shoal.anonymize(table, policy), table))) == 1


@pytest.mark.parametrize("form", ["generalize", "suppress"])
def test_the_public_half_claims_what_the_file_shows_and_no_more(tmp_path: Path, form: str) -> None:
    release = shoal.anonymize(infections(160), asked() | {"publication": form, "method": "mondrian"})
    release.write(tmp_path / "out")
    public = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert [(one["criterion"], one["column"]) for one in public["claims"]] == [
        ("k-anonymity", None),
        ("open-cells", "route"),
    ]
    assert "true_values" not in public
    private = json.loads((tmp_path / "out.private" / "certificate.json").read_text())
    assert [(one["criterion"], one["measured"] >= 2) for one in private["true_values"]] == [("l-diversity", True)]
    assert shoal.Certificate.from_json(json.dumps(private)).true_values[0].column == "route"
    assert shoal.verify(tmp_path / "out").holds


@pytest.mark.parametrize("form", ["aggregate", "centers"])
def test_means_and_centers_claim_nothing_in_public(form: str) -> None:
    release = shoal.anonymize(infections(160), asked() | {"publication": form, "method": "mdav"})
    assert [claim.criterion for claim in release.certificate.claims] == ["k-anonymity"]
    assert release.certificate.true_values[0].holds


@pytest.mark.parametrize(
    ("cells", "holds", "measured"),
    [
        (["{a, b}", "*"], True, 2),
        (["{a, b}", "a"], False, 1),
        (["{a, null}", "{a, b}"], False, 1),
        (["{a, b, c}", "{a, b, c}"], True, 3),
        (["[1, 2]", "[3, 9]"], True, 2),
        (["[1, 1]", "[3, 9]"], False, 1),
        ([None, "{a, b}"], False, 0),
        (["7 or missing", "*"], False, 1),
    ],
)
def test_verify_finds_a_cell_that_is_a_single_value(cells: list[Any], holds: bool, measured: int) -> None:
    released = pl.DataFrame({"route": [cell for cell in cells for _ in range(3)]})
    policy = {"k": 3, "columns": {"route": {"role": "quasi", "diversity": {"l": 2}}}}
    found = shoal.verify(released, policy, form="generalize")
    assert found.holds == holds
    (claim,) = [one for one in found.claims if one.criterion == "open-cells"]
    assert (claim.claimed, claim.measured) == (2, measured)


def test_a_set_of_fewer_values_than_l_contradicts_it() -> None:
    released = pl.DataFrame({"route": ["{a, b}"] * 3})
    policy = {"k": 3, "columns": {"route": {"role": "quasi", "diversity": {"l": 3}}}}
    found = shoal.verify(released, policy, form="generalize")
    assert not found.holds
    assert "fewer values than the l" in found.failures[0].message


def test_closeness_of_true_values_is_kept() -> None:
    table = infections(160)
    policy = asked(closeness={"t": 0.5})
    del policy["columns"]["route"]["diversity"]
    release = shoal.anonymize(table, policy)
    whole = Counter(table["route"].to_list())
    for routes in held(release, table):
        n = sum(routes.values())
        assert sum(abs(routes[v] / n - whole[v] / len(table)) for v in whole) / 2 <= 0.5 + 1e-9
    assert [claim.criterion for claim in release.certificate.true_values] == ["t-closeness"]


def test_a_column_may_be_given_both_roles() -> None:
    release = shoal.anonymize(infections(160), k=4, l=2, quasi=["state", "sex", "age", "route"], sensitive="route")
    assert release.policy.columns["route"].role == "quasi"
    assert release.policy.columns["route"].diversity == shoal.Diversity(l=2)
    with pytest.raises(SchemaError, match="require l, t, alpha, beta or delta of it"):
        shoal.anonymize(infections(40), k=4, quasi=["state", "sex", "age", "route"], sensitive="route")


def test_a_plan_and_the_next_release_keep_it(tmp_path: Path) -> None:
    table = infections(200)
    release = shoal.anonymize(table, asked() | {"max_suppressed": 0.5})
    applied = shoal.apply(release.plan, infections(200, seed=4), max_suppressed=0.95)
    assert applied.certificate.true_values[0].holds
    named = table.with_columns(name=pl.Series([f"P{i}" for i in range(200)]))
    policy = asked() | {"sequence": {"link": "name"}, "max_suppressed": 0.9}
    policy["columns"]["name"] = {"role": "identifier"}
    shoal.anonymize(named, policy).write(tmp_path / "one")
    stays = pl.Series(np.random.default_rng(3).random(200) < 0.8)
    again = shoal.anonymize(named.filter(stays), policy, after=tmp_path / "one.private")
    assert again.certificate.true_values[0].holds
    policy["sequence"] = {"link": "name", "keep": "values"}
    with pytest.raises(ParameterError, match="keeps the values of one sensitive column"):
        shoal.anonymize(named, policy)


def test_what_does_not_belong_together_is_refused() -> None:
    for wrong in (
        {"role": "other", "diversity": {"l": 2}},
        {"role": "quasi", "bins": [1.0]},
        {"role": "quasi", "kind": "place", "diversity": {"l": 2}},
    ):
        with pytest.raises(ParameterError):
            shoal.Policy.parse({"columns": {"x": wrong}})


def test_the_requirement_of_the_whole_policy_is_not_asked_of_quasi_identifiers() -> None:
    policy = shoal.Policy.parse(
        {"diversity": {"l": 2}, "columns": {"a": {"role": "quasi"}, "s": {"role": "sensitive"}}}
    )
    assert policy.diversity_of("a") is None
    assert policy.all_sensitive == ["s"]


def test_true_values_that_miss_l_are_a_failure_whatever_the_cells_say() -> None:
    released = pl.DataFrame({"route": ["{a, b}"] * 3 + ["*"] * 3})
    true = pl.DataFrame({"route": ["a", "a", "a", "a", "b", None]})
    policy = shoal.Policy.parse({"k": 3, "columns": {"route": {"role": "quasi", "diversity": {"l": 2}}}})
    found = check_true_values(released, true, np.arange(6), None, policy, "generalize")
    (failure,) = found.failures
    assert (failure.check, failure.groups, failure.records) == ("l-diversity", 1, 3)
    assert [(claim.measured, claim.holds) for claim in found.claims] == [(1, False)]


def test_nothing_is_released_where_true_values_miss_l(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in what enforces l is found by what checks it."""
    monkeypatch.setattr(from_policy, "diversity_asked", lambda name, _: LDiversity(name, 1.0))
    with pytest.raises(CertificateError, match="failed its own check"):
        shoal.anonymize(infections(160), asked())
