"""Several runs on one table: releases at different k, and the printed numbers of `compare` beside one release."""

from __future__ import annotations

import json

import polars as pl

import shoal
from shoal.report import limits_text
from tests.attacks.intersection import intersect
from tests.attacks.reading import Seen
from tests.attacks.tables import ROLES, people


def test_two_releases_of_one_table_at_different_k_leave_fewer_than_the_smaller_k():
    """Each is safe, both together are not: every report says so."""
    table = people(300, 5)
    releases = [shoal.anonymize(table, method="mdav", publication="generalize", k=k, **ROLES) for k in (5, 8)]
    seen = [Seen(release.table, release.policy) for release in releases]
    alone = [intersect([one], table).candidates.min() for one in seen]
    assert alone[0] >= 5
    assert alone[1] >= 8
    found = intersect(seen, table)
    assert found.below(5) > 0.2
    assert found.candidates.min() >= 1
    assert "Two releases that are each safe can be combined" in " ".join(
        sentence for _, sentence in limits_text.limits(releases[0].content())
    )


def test_the_numbers_of_compare_tell_two_tables_apart_and_are_called_private():
    """Two tables that differ in one income alone: who sees the numbers of compare can tell which it was."""
    others = people(120, 5).filter(pl.col("income") < 60_000)
    row = others.head(1).with_columns(name=pl.lit("rich"))
    worlds = [
        pl.concat([others, row.with_columns(income=pl.lit(income, dtype=pl.Int64))])
        for income in (2_000_000, 4_000_000)
    ]
    settings = ROLES | {"method": "mdav", "publication": "generalize", "secret": bytes(32), "publish_rare": ["town"]}
    compared = [shoal.compare(world, k=[3], max_suppressed=0.01, **settings) for world in worlds]
    losses = [one.to_dict()["trials"][0]["loss"] for one in compared]
    assert losses[0] != losses[1]
    for one in compared:
        assert "do not publish" in " ".join(str(one).split()).lower()
        assert "do not publish" in one.to_html().lower()
        assert json.loads(json.dumps(one.to_dict()))["private"] is True
