"""The loss by information through `anonymize`: what is kept, what the certificate names, and who refuses it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.report import formatting, summary_text, terminal
from shoal.report.plain_text import _printed
from tests.fixed_secret import secret

LOSSES = ("ncp", "information")


def survey(seed: int = 0, n: int = 500) -> pl.DataFrame:
    """People in 200 regions, most of them in a few."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "region": [f"r{i:03d}" for i in (200 * rng.random(n) ** 3).astype(int)],
            "age": rng.integers(20, 80, n),
            "school": [["none", "some", "high", "college"][i] for i in rng.integers(0, 4, n)],
        }
    )


def released(table: pl.DataFrame, **asked) -> shoal.Release:
    columns: dict[str, dict[str, object]] = {name: {"role": "quasi"} for name in table.columns}
    if "region" in columns:
        columns["region"]["publish_rare"] = True
    columns |= asked.pop("columns", {})
    policy = {"k": 5, "publication": "generalize", "effort": 20, "columns": columns}
    return shoal.anonymize(table, policy | asked, secret=secret())


@pytest.fixture(scope="module")
def both() -> dict[str, shoal.Release]:
    return {loss: released(survey(), loss=loss) for loss in LOSSES}


def test_what_is_minimized_is_lower_than_where_the_other_loss_was(both):
    ncp, information = (both[loss].loss for loss in LOSSES)
    assert ncp.gcp < information.gcp
    assert information.information < ncp.information


def test_ncp_calls_a_column_kept_that_hardly_any_row_kept(both):
    """The region is a few of 200 in almost every row: an NCP of a few percent, and a quarter of what it said."""
    region = both["ncp"].loss.columns[0]
    assert region.ncp < 0.05
    assert region.exact < 0.25
    assert region.information > 4 * region.ncp


def test_exact_cells_are_those_that_the_released_table_shows_as_they_were(both):
    for release in both.values():
        cells = release.published.frame["region"]
        exact = cells.filter(~cells.str.starts_with("{")).len() / cells.len()
        assert release.loss.columns[0].exact == pytest.approx(exact)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_headline_has_the_share_of_exact_cells_of_every_column(both, loss):
    release = both[loss]
    told = {what: (value, remark) for what, value, remark in summary_text.facts(release.content())}
    assert told["Information lost"][0] == formatting.percent(release.loss.information)
    assert f"(NCP) {formatting.percent(release.loss.gcp)}" in told["Information lost"][1]
    for text in (told["Cells still exact"][1], str(release), _printed(terminal.loss(release.loss, plain=True))):
        for column in release.loss.columns:
            assert formatting.percent(column.exact) in text
            assert column.name in text


def test_the_public_certificate_names_what_was_minimized_and_is_verified(both, tmp_path):
    assert both["ncp"].certificate.objective == "generalization"
    release = both["information"]
    assert release.certificate.objective == "generalization information"
    assert release.certificate.theorem == "FOREST-1"
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    public = shoal.Certificate.from_json((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert public.objective == "generalization information"


@pytest.mark.parametrize(("method", "objective"), [("full-domain", "full-domain information"), ("datafly", None)])
def test_one_level_per_column_takes_it_too(method, objective):
    found = released(survey(n=120), loss="information", method=method).certificate
    assert found.objective == (objective or "full-domain information")


@pytest.mark.parametrize(
    "asked", [{"method": "best"}, {"publication": "aggregate"}, {"publication": "centers"}, {"method": "cellular"}]
)
def test_a_method_without_cells_refuses_it_in_one_sentence(asked):
    with pytest.raises(ParameterError, match="loss=information is what cells leave open; method="):
        released(survey(n=60), loss="information", **({"publication": "auto"} | asked))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_column_with_more_weight_loses_less(loss):
    """On average; one search may end elsewhere than another."""
    light, heavy = [], []
    for seed in range(3):
        for weight, lost in ((1.0, light), (8.0, heavy)):
            columns = {"age": {"role": "quasi", "weight": weight}}
            release = released(survey(seed, 200), loss=loss, columns=columns)
            age = release.loss.columns[1]
            lost.append(age.ncp if loss == "ncp" else age.information)
    assert np.mean(heavy) < np.mean(light)
