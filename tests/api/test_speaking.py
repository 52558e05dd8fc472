"""Results speak for themselves at a prompt and in a log: one short line each, more when printed, never a cell."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from pprint import pformat
from typing import Any

import numpy as np
import polars as pl
import pytest
from pydantic import BaseModel
from rich.pretty import pretty_repr

import shoal
from shoal.datasets import hospital
from shoal.policy import Policy
from shoal.policy.setting_types import Part
from shoal.report.plain_text import profile as profile_text
from shoal.space import Space
from shoal.tables import read

SEED = 4611686018427387904
CELLS = re.compile(rf"zanzibar|918.?273|9\.18\d*e|1887|QX7|47\.11|8\.15|{SEED}|seed", flags=re.IGNORECASE)
"""Every cell that `planted` has, however it may be written, and the seed."""
LEVELS = ("zanzibar low", "zanzibar mid", "zanzibar high")


def planted(n: int = 40) -> pl.DataFrame:
    chance = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "name": [f"zanzibar {i}" for i in range(n)],
            "pay": 918_273_000 + chance.integers(0, 99, n),
            "town": [f"zanzibar {i}" for i in chance.integers(0, 5, n)],
            "born": [dt.date(1887, 1, 1) + dt.timedelta(int(days)) for days in chance.integers(0, 300, n)],
            "zip": [f"QX7{i:02}" for i in chance.integers(0, 30, n)],
            "grade": chance.choice(LEVELS, n),
            "lat": 47.11 + chance.integers(0, 9, n) / 1000,
            "lon": 8.15 + chance.integers(0, 9, n) / 1000,
            "ill": [f"zanzibar {i}" for i in chance.permutation(n) % 7],
            "stage": chance.choice(LEVELS, n),
        }
    )


def policy(**settings: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: {"role": "quasi"} for name in ("pay", "town", "born", "lat", "lon")}
    columns |= {
        "name": {"role": "identifier"},
        "zip": {"role": "quasi", "hierarchy": {"prefix": True}, "publish_rare": True},
        "grade": {"role": "quasi", "order": LEVELS},
        "ill": {"role": "sensitive", "diversity": {"l": 2}},
        "stage": {"role": "sensitive", "order": LEVELS, "closeness": {"t": 0.9, "distance": "ordered"}},
    }
    return {"k": 3, "seed": SEED} | settings | {"columns": columns | settings.get("columns", {})}


def areas(folder: Path) -> dict[str, Any]:
    """Regions on a map and places; labels in classes."""
    towns = [f"zanzibar {i}" for i in range(5)]
    lines = [f"{a},{b}" for a, b in pairwise(towns)]
    (folder / "map.csv").write_text("\n".join(["region,neighbor", *lines, ""]), encoding="utf-8")
    return policy(
        columns={
            "town": {"role": "quasi", "map": {"edges": folder / "map.csv"}},
            "lat": {"role": "quasi", "kind": "place", "longitude": "lon"},
            "lon": {"role": "quasi", "kind": "place"},
            "zip": {"role": "quasi", "classes": "k", "publish_rare": True},
        }
    )


RELEASES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "generalize": lambda folder: policy(publication="generalize"),
    "aggregate": lambda folder: policy(publication="aggregate"),
    "centers": lambda folder: policy(publication="centers", max_suppressed=0.1),
    "suppress": lambda folder: policy(publication="suppress"),
    "whole columns": lambda folder: policy(method="full-domain"),
    "areas and classes": areas,
}


def reachable(found: object, seen: dict[int, object] | None = None) -> Iterator[object]:
    """Everything of ours that a result holds, itself first."""
    seen = {} if seen is None else seen
    if id(found) in seen:
        return
    seen[id(found)] = found
    if type(found).__module__.startswith("shoal"):
        yield found
    parts: list[object] = []
    if is_dataclass(found):
        parts = [getattr(found, part.name) for part in fields(found)]
    elif isinstance(found, BaseModel):
        parts = list(found.__dict__.values())
    elif isinstance(found, Mapping):
        parts = list(found.values())
    elif isinstance(found, list | tuple):
        parts = list(found)
    if isinstance(found, shoal.Release):
        parts += [found.certificate, found.content(), shoal.verify(found.table, found.policy)]
        parts += [found.plan] if found.choice.form in ("generalize", "suppress") else []
    for part in parts:
        yield from reachable(part, seen)


def names(found: object) -> set[str]:
    return {type(one).__name__ for one in reachable(found)}


def check(found: object) -> None:
    for one in reachable(found):
        line = repr(one)
        assert "\n" not in line
        # What a user set is as long as it was set, such as a path.
        assert len(line) <= 120 or (isinstance(one, Part) and not isinstance(one, Policy)), line
        for told in (line, str(one), pformat(one), pretty_repr(one), f"{one}"):
            assert not CELLS.search(told), told


@pytest.mark.parametrize("form", RELEASES)
def test_nothing_that_a_release_holds_shows_a_cell_or_the_seed(form: str, tmp_path: Path) -> None:
    asked = RELEASES[form](tmp_path)
    release = shoal.anonymize(planted(), asked)
    assert CELLS.search(str(release.table.rows())), "there is something to be found"
    assert names(release) >= {
        "Release", "Origin", "Policy", "Column", "Choice", "Space", "Axis", "Partition", "Published", "GroupColumn",
        "Findings", "Claim", "Loss", "ColumnLoss", "Histogram", "Correlation", "Accuracy", "Risk", "Exposure", "Bar",
        "AtRisk", "SensitiveRisk", "Certificate", "Content", "Finding", "Facts",
    }  # fmt: skip
    if form == "areas and classes":
        assert names(release) >= {"Area", "AreaMap", "RegionMap", "Tree", "Recoding", "LabelClasses", "Plan", "Span"}
    check(release.write(tmp_path / "out"))
    check(shoal.attack(planted(), tmp_path / "out", release.policy))


def test_a_release_by_a_plan_shows_no_cell() -> None:
    release = shoal.anonymize(planted(), policy(max_suppressed=0.5))
    again = shoal.apply(release.plan, planted(), join=True, seed=SEED)
    assert (
        repr(again.plan) == f"Plan(form='generalize', method='forest', columns=7, classes={len(again.plan.classes)})"
    )
    check(again)


def test_what_is_found_without_a_release_shows_no_cell() -> None:
    broken = shoal.verify(shoal.anonymize(planted(), policy()).table.head(7), policy())
    assert not broken.holds
    for found in (
        shoal.profile(planted()),
        shoal.compare(planted(), policy(), k=[2, 3]),
        broken,
        read(planted()),
        Space.from_points(planted().select("pay", "lat").to_numpy()),
        Policy.parse(policy()),
    ):
        check(found)


def test_a_derived_hierarchy_is_printed_with_its_values_but_only_then() -> None:
    derived = shoal.hierarchy(planted(), "town", k=3)
    assert CELLS.search(str(derived))
    assert re.fullmatch(r"Derived\(of 'town' by cover: 5 values, \d levels\)", repr(derived))


def test_a_line_stays_one_short_line_whatever_a_column_is_called() -> None:
    name = "a\nb\x1b[31m" * 40
    for one in reachable(shoal.profile(planted().rename({"town": name}))):
        assert len(repr(one)) <= 120
        assert repr(one).isprintable()


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    table = hospital(120).select("height_cm", "weight_kg", "diagnosis")
    return shoal.anonymize(table, quasi=["height_cm", "weight_kg"], sensitive=["diagnosis"], k=5, l=2, seed=1)


def test_a_release_says_what_holds_what_was_lost_and_what_to_do_next(release: shoal.Release) -> None:
    groups = release.findings.groups
    assert re.fullmatch(rf"Release\(120 rows in {groups} groups, k = 5 holds, loss \d+(\.\d+)?%\)", repr(release))
    told = str(release).splitlines()
    assert "\n".join(told[:-5]) == str(release.certificate)
    assert told[-5].startswith("information lost: ")
    assert told[-4].startswith("cells still exact: ")
    assert told[-3] == f"highest re-identification risk: 1 in {release.findings.k}, before: certain"
    assert told[-2].startswith("unique in all published columns: ")
    assert "release.write(" in told[-1]


def test_what_is_printed_is_the_table_of_the_command_line_in_plain_text(
    release: shoal.Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    roles: dict[str, Any] = {"quasi": ["height_cm", "weight_kg"], "sensitive": ["diagnosis"]}
    table = hospital(120).select("height_cm", "weight_kg", "diagnosis")
    shown = (
        (shoal.profile(table), "height_cm  number"),
        (shoal.compare(table, k=[2, 5], seed=1, **roles), "method  k  groups"),
        (
            shoal.attack(table, release.table, release.policy),
            "No attack succeeds more often than guaranteed (k = 5).",
        ),
        (release.loss, "Loss per column"),
        (release.risk, "Prosecutor, worst"),
    )
    for result, line in shown:
        told = str(result)
        assert line in told
        assert told.isascii()
        assert "\x1b" not in told
        assert all(len(part) <= 80 and part == part.rstrip() for part in told.splitlines())


def test_a_result_changes_its_words_with_what_it_holds(release: shoal.Release) -> None:
    table = hospital(120).select(release.policy.columns.keys())
    found = shoal.attack(table, release.table, release.policy)
    assert "none exceeds" in repr(found)
    assert "one exceeds" in repr(replace(found, exceeds=True))
    assert repr(shoal.verify(release.table.head(4), release.policy)).endswith("FAIL)")
    assert profile_text(shoal.profile(hospital(50))) == str(shoal.profile(hospital(50)))
