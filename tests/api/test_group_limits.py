"""`max_groups` and `opening_cost` of a policy reach the method, the certificate and the verifier."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.errors import ParameterError
from tests.oracles.cellular import best_cellular_cost
from tests.oracles.groupings import blocks_of
from tests.oracles.radius import best_record_radius

RNG = np.random.default_rng(4)
TABLE = pl.DataFrame({"x": RNG.integers(0, 64, 40), "y": RNG.integers(0, 16, 40), "ill": RNG.choice(list("abc"), 40)})
COLUMNS = {"x": {"role": "quasi"}, "y": {"role": "quasi"}, "ill": {"role": "sensitive"}}


def released(**asked: Any) -> shoal.Release:
    return shoal.anonymize(TABLE, {"k": 2, "seed": 1, "columns": COLUMNS} | asked)


@pytest.mark.parametrize("more", [{}, {"max_suppressed": 0.1}, {"diversity": {"l": 2}}, {"closeness": {"t": 0.4}}])
@pytest.mark.parametrize("m", [1, 3, 7])
def test_there_are_never_more_groups_than_allowed(m: int, more: dict[str, Any], tmp_path: Path) -> None:
    assert released(method="gather", **more).partition.n_groups > 7 or "closeness" in more
    release = released(method="gather", max_groups=m, **more)
    assert release.partition.n_groups <= m
    release.write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out")
    assert found.holds
    assert json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]["max_groups"] == m


def test_a_release_with_more_groups_than_its_policy_allows_does_not_verify() -> None:
    release = released(method="gather")
    n = release.partition.n_groups
    asked = {"k": 2, "columns": COLUMNS, "method": "gather"}
    assert shoal.verify(release.table, asked | {"max_groups": n}, form="centers").holds
    found = shoal.verify(release.table, asked | {"max_groups": n - 1}, form="centers")
    assert not found.holds
    assert f"{n} groups, and may have at most {n - 1}" in found.failures[0].message


def line(seed: int) -> tuple[pl.DataFrame, list[list[Fraction]]]:
    """Numbers of one column whose range is 16, so that distances are exact sixteenths."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([[0, 16], rng.integers(0, 17, int(rng.integers(3, 7)))])
    x.sort()
    return pl.DataFrame({"x": x}), [[Fraction(abs(int(a) - int(b)), 16) for b in x] for a in x]


def check(seed: int) -> None:
    rng = np.random.default_rng([seed, 3])
    frame, distance = line(seed)
    asked = {"k": 2, "seed": seed, "columns": {"x": {"role": "quasi"}}}
    m = int(rng.integers(1, 4))
    gathered = shoal.anonymize(frame, asked | {"method": "gather", "max_groups": m}).partition
    best = best_record_radius(distance, 2, max_groups=m)
    assert gathered.n_groups <= m
    assert gathered.theorem == "GATHER-4"
    assert gathered.lower_bound <= best <= Fraction(gathered.cost) <= gathered.ratio_proved * best
    opening = Fraction(int(rng.integers(1, 33)), 16)
    cells = shoal.anonymize(frame, asked | {"method": "cellular", "opening_cost": float(opening)})
    cheapest = best_cellular_cost(distance, [opening] * len(distance), 2)
    found = cells.partition
    own = sum(
        opening + len(block) * min(max(distance[c][i] for i in block) for c in range(len(distance)))
        for block in blocks_of(found.labels)
    )
    assert own <= Fraction(found.cost) * (1 + Fraction(1, 10**9))
    assert found.lower_bound <= cheapest * (1 + Fraction(1, 10**9))
    assert cheapest <= Fraction(found.cost) * (1 + Fraction(1, 10**9))
    assert found.cost <= found.ratio_proved * cheapest


def test_the_limits_are_those_of_the_optimum_that_the_ratio_is_about() -> None:
    for seed in range(15):
        check(seed)


@pytest.mark.deep
def test_the_limits_are_those_of_the_optimum_on_many_lines() -> None:
    for seed in range(15, 1015):
        check(seed)


def test_a_larger_opening_cost_opens_fewer_groups() -> None:
    counts = [released(method="cellular", opening_cost=cost).partition.n_groups for cost in (0.001, 1.0, 100.0)]
    assert counts[0] > counts[1] >= counts[2] == 1


def test_the_cost_of_repaired_groups_has_their_opening_costs() -> None:
    release = released(method="cellular", opening_cost=0.5, diversity={"l": 3})
    assert release.partition.repair is not None
    radii = release.partition.sizes @ release.partition.radii
    assert release.partition.cost == pytest.approx(radii + 0.5 * release.partition.n_groups)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"max_groups": 3, "method": "forest"}, "max_groups is for the method gather, not for forest"),
        ({"opening_cost": 1.0, "method": "gather"}, "opening_cost is for the method cellular, not for gather"),
        ({"opening_cost": 1.0, "method": "cellular", "max_suppressed": 0.1}, "made of all rows"),
        ({"max_groups": 0, "method": "gather"}, "max_groups"),
        ({"opening_cost": -1.0, "method": "cellular"}, "opening_cost"),
    ],
)
def test_what_cannot_be_kept_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(shoal.errors.ShoalError, match=message):
        released(**asked)


def test_the_flags_of_the_command_line_are_the_settings(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "in.csv")
    roles = ["--quasi", "x,y", "--sensitive", "ill", "-k", "2", "--json"]
    call = ["anonymize", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out"), *roles]
    done = CliRunner().invoke(app, [*call, "--method", "gather", "--max-groups", "4"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["theorem"] == "GATHER-4"
    done = CliRunner().invoke(app, [*call, "--method", "cellular", "--opening-cost", "0.25"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["theorem"] == "CELLULAR-2"


def test_a_sequence_cannot_limit_its_groups() -> None:
    with pytest.raises(ParameterError, match="max_groups cannot be kept"):
        shoal.anonymize(
            TABLE.with_columns(id=pl.Series(range(40))),
            {
                "k": 2,
                "method": "gather",
                "max_groups": 3,
                "sequence": {"link": "id"},
                "columns": COLUMNS | {"id": {"role": "identifier"}},
            },
        )
