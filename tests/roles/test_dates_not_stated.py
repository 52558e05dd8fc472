"""Dates as text whose kind nobody stated are not published as sets of exact dates."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.errors import SchemaError

SURE = [f"{day:02}.{month:02}.19{60 + month}" for day in range(1, 29) for month in range(1, 13)]
OPEN = [f"{day:02}/{month:02}/1960" for day in range(1, 13) for month in range(1, 13)]


def test_sure_formats_are_used() -> None:
    table = pl.DataFrame({"born": SURE, "sex": ["m", "f"] * (len(SURE) // 2)})
    release = shoal.anonymize(table, k=5, quasi=["born", "sex"])
    assert release.policy.columns["born"].format == "%d.%m.%Y"
    cells = release.table["born"].unique()
    assert not cells.str.contains("{", literal=True).any()
    assert shoal.verify(release.table, release.policy, form="generalize").holds


def test_open_ones_are_refused_with_the_way_out() -> None:
    table = pl.DataFrame({"born": OPEN})
    with pytest.raises(SchemaError, match="not sure how they are written") as said:
        shoal.anonymize(table, k=5, quasi="born")
    assert "format" in (said.value.hint or "")
    assert not any(cell in str(said.value) for cell in OPEN)


def test_labels_stay_labels_where_the_policy_says_so() -> None:
    columns = {"born": {"role": "quasi", "kind": "label", "publish_rare": True}}
    release = shoal.anonymize(pl.DataFrame({"born": OPEN}), {"k": 5, "columns": columns})
    assert release.policy.columns["born"].kind == "label"
