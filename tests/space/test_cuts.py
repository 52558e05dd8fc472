"""Codes of a classification are cut where their units end, and codes read as numbers get their zeros back."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certify.hierarchies import levels_of
from shoal.errors import ShoalError
from shoal.policy import Column, Hierarchy
from shoal.space.hierarchy_sources import build_tree, names_above

ICD = ["C50", "C50.1", "C50.11", "C61", "J45.0"]


def names(source: Hierarchy, texts: list[str]) -> dict[str, list[str]]:
    return names_above(pl.Series("x", texts), source)


def test_levels_are_those_of_the_cuts() -> None:
    found = names(Hierarchy(prefix=True, cuts=(1, 3)), ICD)
    assert found["C50.11"] == ["C50.11", "C50***", "C*****"]
    assert found["C50.1"] == ["C50.1", "C50***", "C*****"]
    assert found["J45.0"] == ["J45.0", "J45***", "J*****"]


def test_a_code_that_ends_at_a_cut_is_in_the_unit_with_those_below_it() -> None:
    tree = build_tree(pl.Series("x", ICD), Hierarchy(prefix=True, cuts=(1, 3)))
    ranks = tree.ranks(pl.Series("x", ["C50", "C50.11"]))
    level, _, _ = tree.lowest_common(ranks, np.zeros(2, dtype=np.int64), 1)
    assert tree.names(ranks[:1], level) == ["C50***"]


def test_a_cut_beyond_the_longest_code_is_no_level() -> None:
    assert names(Hierarchy(prefix=True, cuts=(1, 3, 6, 9)), ICD)["C61"] == ["C61", "C61***", "C*****"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"prefix": True, "cuts": []},
        {"prefix": True, "cuts": [3, 1]},
        {"prefix": True, "cuts": [0, 1]},
        {"prefix": True, "digits": 0},
        {"widths": [5], "cuts": [1]},
        {"periods": ["year"], "digits": 5},
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ShoalError):
        shoal.Policy.parse({"columns": {"x": {"role": "quasi", "hierarchy": wrong}}})


def test_the_policy_is_written_with_its_cuts_and_read_back() -> None:
    policy = shoal.Policy.parse(
        {"columns": {"x": {"role": "quasi", "hierarchy": {"prefix": True, "cuts": [1, 3], "digits": 5}}}}
    )
    text = policy.dumps()
    assert "cuts = [1, 3]" in text
    assert shoal.Policy.loads(text) == policy


def icd_table() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    codes = [f"{letter}{n}.{d}" for letter in "CJ" for n in (50, 51, 61) for d in range(3)]
    return pl.DataFrame({"icd": rng.choice(codes, 120), "age": rng.integers(20, 90, 120)})


def test_a_release_publishes_codes_blocks_and_chapters_that_are_true_of_everyone() -> None:
    table = icd_table()
    policy = {
        "k": 4,
        "seed": 1,
        "effort": 5,
        "columns": {
            "icd": {"role": "quasi", "hierarchy": {"prefix": True, "cuts": [1, 3]}},
            "age": {"role": "quasi"},
        },
    }
    release = shoal.anonymize(table, policy)
    assert release.findings.holds
    rows = release.order[release.published.rows]
    for cell, code in zip(release.table["icd"], table["icd"].gather(rows), strict=True):
        begin = cell.rstrip("*")
        assert len(begin) in (0, 1, 3, 5)
        assert code.startswith(begin)
    assert release.table["icd"].str.ends_with("*").any()


def test_the_verifier_measures_closeness_on_the_same_cuts(tmp_path: Any) -> None:
    sensitive = {
        "role": "sensitive",
        "hierarchy": {"prefix": True, "cuts": [1, 3]},
        "closeness": {"t": 0.6, "distance": "hierarchical"},
    }
    policy = {"k": 4, "seed": 1, "effort": 5, "columns": {"icd": sensitive, "age": {"role": "quasi"}}}
    release = shoal.anonymize(icd_table(), policy)
    release.write(tmp_path / "out")
    checked = shoal.verify(tmp_path / "out")
    assert checked.holds
    assert checked.t == release.findings.t
    assert 0 < float(release.findings.t["icd"]) <= 0.6


def test_the_verifier_finds_the_units_of_the_cuts_by_itself() -> None:
    column = Column(role="sensitive", hierarchy=Hierarchy(prefix=True, cuts=(1, 3)))
    _, block, chapter, root = levels_of("x", ICD, column)
    assert block.tolist() == [0, 0, 0, 1, 2]
    assert chapter.tolist() == [0, 0, 0, 0, 1]
    assert set(root.tolist()) == {0}


@pytest.mark.parametrize(
    "cells", [[2139, 2141, 10_115] * 20, [2139.0, 2141.0, 10_115.0] * 20], ids=["whole", "decimal"]
)
def test_postal_codes_that_were_read_as_numbers_get_their_zeros_back(cells: list[Any]) -> None:
    table = pl.DataFrame({"zip": cells, "age": [30 + at % 7 for at in range(60)]})
    proposed = shoal.profile(table).policy
    assert proposed.columns["zip"].hierarchy == Hierarchy(prefix=True, digits=5)
    for policy in (proposed, {"k": 5, "columns": {"zip": {"role": "quasi"}, "age": {"role": "quasi"}}}):
        shown = set(shoal.anonymize(table, policy, seed=1, effort=5).table["zip"])
        assert shown <= {"02139", "02141", "10115", "021**", "0213*", "0214*", "*"}


def test_a_release_plan_keeps_the_cuts() -> None:
    table = icd_table()
    policy = {
        "k": 3,
        "seed": 1,
        "effort": 5,
        "columns": {
            "icd": {"role": "quasi", "hierarchy": {"prefix": True, "cuts": [1, 3]}},
            "age": {"role": "quasi"},
        },
    }
    first = shoal.anonymize(table.head(80), policy)
    second = shoal.apply(first.plan, table.tail(100), max_suppressed=0.95)
    assert second.findings.holds
    assert {len(cell.rstrip("*")) for cell in second.table["icd"]} <= {0, 1, 3, 5}
