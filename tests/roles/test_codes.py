"""Codes without a hierarchy are published as their first signs; what is no code is left alone."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.roles import is_code

ZIPS = [f"0{i:04d}" for i in range(2000, 2040)]
ICD = [f"J{i}.{i % 7}" if i % 3 else f"J{i}" for i in range(10, 50)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (ZIPS, True),
        (ICD, True),
        ([f"SW{i}A 1AA" for i in range(1, 10)], True),
        ([f"{i}-{i + 9}" for i in range(10, 100, 10)], False),
        ([f"2024-01-{i:02d}" for i in range(1, 20)], False),
        ([f"ward {i:02d}" for i in range(20)], False),
        (["A1", "B2", "C3", "D4", "E5", "F6", "G7", "H8", "I9"], False),
        (["ABC1", "ABD1", "ABE1"], False),
        ([f"ABC{'X' * (i % 3)}{i}" for i in range(30)], False),
        (["NORTH", "SOUTH", "WEST1", "EAST2", "N0RTH", "SOUT1", "SOUT2", "SOUT3"], False),
    ],
    ids=["zip", "icd", "postcode", "age bands", "dates", "words", "two signs", "few", "lengths", "no digit"],
)
def test_what_is_a_code(texts: list[str], expected: bool):
    assert is_code(pl.Series("x", texts)) is expected
    assert is_code(pl.Series("x", [*texts, None])) is expected


def test_numbers_are_no_codes():
    assert not is_code(pl.Series("x", range(10000, 10040)))


def test_a_code_without_a_hierarchy_is_published_as_its_common_beginning():
    table = pl.DataFrame({"zip": ZIPS, "icd": ICD})
    release = shoal.anonymize(table, quasi=["zip", "icd"], k=5, seed=1)
    assert release.findings.holds
    for cell, code in zip(
        release.table["zip"], table["zip"].gather(release.order[release.published.rows]), strict=True
    ):
        assert len(cell) == 5
        assert code.startswith(cell.rstrip("*"))
    assert all(cell == "*" or cell.startswith("J") for cell in release.table["icd"])
    assert release.table["zip"].str.contains(r"\*").any()


def test_a_kind_that_is_given_wins():
    table = pl.DataFrame({"zip": ZIPS})
    policy = {"k": 5, "seed": 1, "columns": {"zip": {"role": "quasi", "kind": "label", "publish_rare": True}}}
    assert all(cell.startswith("{") for cell in shoal.anonymize(table, policy).table["zip"])


def test_the_profile_proposes_to_mask_a_code():
    table = pl.DataFrame({"area": [f"AX{i:03d}" for i in range(40)] * 3})
    column = next(iter(shoal.profile(table).columns))
    assert (column.role, column.kind, column.prefix) == ("quasi", "hierarchy", True)
