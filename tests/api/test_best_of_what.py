"""A release says best of what: of classes and areas by their theorems, of groups by their objective and no other."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.report import cost_text
from tests.oracles.covering import best_largest_class

N = 60
RNG = np.random.default_rng(2)
TABLE = pl.DataFrame(
    {
        "lat": RNG.normal(48, 1, N).round(3),
        "lon": RNG.normal(11, 1, N).round(3),
        "town": RNG.choice(list("abcdefghi"), N),
        "age": [*RNG.integers(20, 60, N - 3).tolist(), 110, 111, 112],
    }
)
COLUMNS: dict[str, Any] = {
    "lat": {"role": "quasi", "kind": "place", "longitude": "lon"},
    "lon": {"role": "quasi", "kind": "place"},
    "town": {"role": "quasi", "classes": 7},
    "age": {"role": "quasi"},
}


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.anonymize(TABLE, {"k": 3, "columns": COLUMNS, "publication": "generalize", "seed": 1})


def test_the_ratios_of_classes_and_areas_reach_certificate_and_report(release: shoal.Release) -> None:
    town, area = release.certificate.column_classes
    held = TABLE["town"].value_counts()["count"].to_list()
    assert (town["column"], town["theorem"], town["ratio_proved"], town["least"]) == ("town", "COVER-3", "2", 7)
    assert town["lower_bound"] <= best_largest_class(held, 7) <= town["largest"]
    assert town["largest"] <= Fraction(town["ratio_proved"]) * best_largest_class(held, 7)
    assert (area["column"], area["theorem"], area["least"]) == ("lat", "RECTANGLES-2", 3)
    assert 1 < Fraction(area["ratio_proved"]) < 5
    told = "\n".join(cost_text.classes(release.facts))
    assert f"classes of town has {town['largest']} people" in told
    assert told.splitlines()[0] in release.to_html()


def test_they_stay_private_and_come_back(release: shoal.Release) -> None:
    public = release.certificate.to_public_json()
    assert "COVER-3" not in public
    assert "column_classes" not in json.loads(public)
    assert shoal.Certificate.from_json(release.certificate.to_private_json()) == release.certificate


@pytest.mark.parametrize(
    "change",
    [{"lower_bound": 99}, {"ratio_proved": "1.5"}, {"theorem": "GATHER-1"}, {"theorem": None}, {"more": 1}],
)
def test_a_certificate_that_claims_other_classes_is_refused(release: shoal.Release, change: dict[str, Any]) -> None:
    forged = json.loads(release.certificate.to_private_json())
    forged["column_classes"][0] |= change
    if change == {"ratio_proved": "1.5"}:
        forged["column_classes"][0]["theorem"] = "COVER-4"
    with pytest.raises(ParameterError):
        shoal.Certificate.from_json(json.dumps(forged, sort_keys=True, indent=2) + "\n")


def test_a_best_radius_beside_a_large_loss_says_first_that_less_can_be_lost() -> None:
    """One far record decides the radius, and all others may be grouped as badly as it allows."""
    asked = {"k": 3, "columns": {"age": {"role": "quasi"}, "lat": {"role": "quasi"}}, "seed": 1}
    gathered = shoal.anonymize(TABLE.select("age", "lat"), asked | {"method": "gather"})
    found = gathered.facts.keeps_more
    assert found is not None
    assert found.lost < 0.9 * found.lost_here
    said = cost_text.distance(gathered.facts)
    assert said.startswith("Groups for less generalization (method = forest) would keep more of the table")
    assert "largest distance from a center" in said
    labels = gathered.partition.labels
    columns = [TABLE[name].to_numpy()[gathered.order] for name in ("age", "lat")]
    wide = [np.ptp(values[labels == group]) / np.ptp(values) for values in columns for group in labels]
    assert found.lost_here == pytest.approx(np.mean(wide))
    assert shoal.anonymize(TABLE.select("age", "lat"), asked | {"method": "forest"}).facts.keeps_more is None


@pytest.mark.parametrize("more", [{"max_suppressed": 0.1}, {"diversity": {"l": 2}}])
def test_the_comparison_is_made_under_what_was_asked(more: dict[str, Any]) -> None:
    table = TABLE.select("age").with_columns(ill=pl.Series(RNG.choice(list("xyz"), N)))
    columns = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    found = shoal.anonymize(table, {"k": 3, "columns": columns, "method": "cellular", "seed": 1} | more)
    other = found.facts.keeps_more
    assert other is None or other.lost < 0.9 * other.lost_here
    if other is not None and "diversity" in more:
        assert other.method == "mondrian"
