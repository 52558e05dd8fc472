"""What a user's program does with Shoal: no type checker finds fault with it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import shoal
from shoal.partition import Partition, diverse, forest, gather, microaggregate

# The kind of frame that comes in comes out.
table = pl.DataFrame({"age": [30, 31, 32], "illness": ["flu", "flu", "cold"]})
release = shoal.anonymize(table, k=3, quasi=["age"], sensitive="illness", l=2, method="mondrian", seed=None)
assert_type(release, shoal.Release[pl.DataFrame])
assert_type(release.table, pl.DataFrame)
assert_type(release.write("out", format="parquet").table, pl.DataFrame)
assert_type(shoal.anonymize(table.lazy(), quasi="age").table, pl.LazyFrame)
assert_type(shoal.anonymize(pd.DataFrame({"age": [1]}), quasi=["age"]).table, pd.DataFrame)
assert_type(shoal.anonymize(pa.table({"age": [1]}), quasi=["age"]).table, pa.Table)
assert_type(shoal.anonymize("visits.csv", "policy.toml").table, pl.DataFrame)
assert_type(shoal.anonymize(Path("visits.csv"), Path("policy.toml")).table, pl.DataFrame)
assert_type(shoal.apply(release.plan, pd.DataFrame({"age": [1]}), join=True).table, pd.DataFrame)
assert_type(shoal.apply("out.private/plan.json", "june.csv", encoding="cp1252").table, pl.DataFrame)


def either(source: str | pl.DataFrame) -> pl.DataFrame:
    return shoal.anonymize(source, k=5).table


# A policy as an object.
policy = shoal.Policy(
    k=10,
    diversity=shoal.Diversity(l=3, kind="entropy"),
    columns={
        "age": shoal.Column(role="quasi", hierarchy=shoal.Hierarchy(widths=(5.0, 10.0))),
        "illness": shoal.Column(role="sensitive", closeness=shoal.Closeness(t=0.3)),
    },
)
policy.write("policy.toml", force=True)
shoal.anonymize(
    table,
    policy,
    hierarchy={"age": "age.csv"},
    round_ranges={"age": 10},
    classes={"ward": "k"},
    place={"lat": "lon"},
    null_values=["NA"],
    time_limit=10,
    publication="aggregate",
    secret="out.private/secret.key",
)

profile: shoal.Profile = shoal.profile("visits.csv", separator=";", has_header=True)
assert_type(profile.policy, shoal.Policy)
profile.write(Path("policy.toml"))
derived: shoal.Derived = shoal.hierarchy(table, "age", k=5, by="quantiles", fan_out=3)
derived.write("age.csv", force=True)
comparison: shoal.Comparison = shoal.compare(
    table, policy, k=[2, 5], l=[2.0], methods=["forest", "gather"], max_suppressed=[0, 0.1], t=0.2
)
assert_type(comparison.table, pl.DataFrame)
attacks: shoal.Attacks = shoal.attack(table, release.table, policy, people=100, seed=1, sensitive=["illness"])
loss: shoal.Loss = release.loss
risk: shoal.Risk = release.risk
findings: shoal.Findings = shoal.verify("out", key="steward.pub")
assert_type(findings.require().k, int)
assert_type(shoal.recover("out"), bool)
certificate: shoal.Certificate = shoal.Certificate.from_json(release.certificate.to_public_json())

# The algorithms by themselves.
points = np.zeros((10, 2))
groups: Partition = gather(points, k=3, max_suppressed=0.1, metric="precomputed")
groups = diverse(points, ["a", "b"] * 5, l=2, max_suppressed=0.2)
groups = forest([["a", "b"]] * 4, k=2)
groups = microaggregate(points, 3, bound="columns", effort=10)
