"""Which distance t is taken by where nobody says: in order for numbers, dates and orders, equal for labels."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal

N = 48


def people(values: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"age": [20 + i % 24 for i in range(N)], "x": values})


NUMBERS = [100.5 * (1 + i * 7 % 48) for i in range(N)]
DATES = [dt.date(2020, 1, 1) + dt.timedelta(days=11 * (i * 7 % 48)) for i in range(N)]
CODES = [[112, 250, 871, 402][i * 3 % 4] for i in range(N)]
LABELS = [["a", "b", "c"][i * 5 % 3] for i in range(N)]


@pytest.mark.parametrize(
    ("values", "column", "kind"),
    [
        (NUMBERS, {}, "ordered"),
        (DATES, {}, "ordered"),
        ([f"{day:%d.%m.%Y}" for day in DATES], {"kind": "date", "format": "%d.%m.%Y"}, "ordered"),
        (LABELS, {"order": ["a", "b", "c"]}, "ordered"),
        (NUMBERS, {"bins": [1000, 3000]}, "ordered"),
        (LABELS, {}, "equal"),
        (CODES, {}, "equal"),
        (CODES, {"kind": "label"}, "equal"),
        (NUMBERS, {"closeness": {"t": 0.6, "distance": "equal"}}, "equal"),
    ],
    ids=["numbers", "dates", "written dates", "an order", "bins", "labels", "codes", "stated labels", "stated"],
)
def test_the_distance_is_that_of_the_kind_and_the_certificate_says_which(
    values: list[Any], column: dict[str, Any], kind: str, tmp_path: Path
):
    columns = {"age": {"role": "quasi"}, "x": {"role": "sensitive"} | column}
    policy = {"k": 4, "closeness": {"t": 0.6}, "columns": columns}
    release = shoal.anonymize(people(values), policy).write(tmp_path / "out")
    (claim,) = (one for one in release.certificate.claims if one.criterion == "t-closeness")
    assert claim.kind == kind
    public = json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]["columns"]["x"]
    assert public["closeness"] == {"t": 0.6, "distance": kind}
    assert shoal.verify(tmp_path / "out").holds
    assert shoal.verify(tmp_path / "out" / "release.csv", shoal.Policy.parse(policy)).holds


def test_a_group_of_neighboring_incomes_is_far_in_order_and_less_so_by_equality_of_cents():
    """All different values: by the equal distance every group of 6 of 48 is 0.875 away, however well it is mixed."""
    table = people(NUMBERS)
    found = shoal.anonymize(table, quasi="age", sensitive="x", k=6, t=0.25)
    assert found.findings.t["x"] <= 0.25
    assert len(found.partition.sizes) > 1
    with_equal = shoal.anonymize(table, quasi="age", sensitive="x", k=6, t=0.25, t_distance="equal")
    assert len(with_equal.partition.sizes) == 1


def test_a_certificate_without_a_distance_is_of_the_equal_one(tmp_path: Path):
    """So certificates of earlier versions were written, and they still say what they said."""
    release = shoal.anonymize(people(NUMBERS), quasi="age", sensitive="x", k=6, t=0.9, t_distance="equal")
    out = tmp_path / "out"
    release.write(out)
    file = out / "certificate.json"
    told = json.loads(file.read_text())
    del told["policy"]["columns"]["x"]["closeness"]
    told["policy"]["closeness"] = {"t": 0.9}
    file.write_text(json.dumps(told))
    assert shoal.verify(out).holds


def test_attacks_and_a_sequence_know_the_distance():
    table = people(NUMBERS).with_columns(who=pl.int_range(pl.len()).cast(pl.String))
    asked: dict[str, Any] = {"quasi": "age", "sensitive": "x", "identifier": "who", "k": 6, "t": 0.3}
    first = shoal.anonymize(table, **asked, link="who")
    assert first.history is not None
    assert first.history.promise.closeness["x"]["distance"] == "ordered"
    assert shoal.attack(table, first.table, **asked) is not None
