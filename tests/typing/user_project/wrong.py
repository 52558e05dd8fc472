"""What a user's program gets wrong: every marked line is an error for a type checker, and no other line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

import shoal
from shoal.partition import diverse, gather, microaggregate

table = pl.DataFrame({"age": [30, 31, 32], "illness": ["flu", "flu", "cold"]})
release = shoal.anonymize(table, k=3, quasi=["age"])

# Misspelled or unknown keywords.
shoal.anonymize(table, quasy=["age"])  # error
shoal.apply(release.plan, table, max_suppresed=0.1)  # error
shoal.apply(release.plan, table, quasi=["age"])  # error
shoal.compare(table, method_s=["forest"])  # error
shoal.attack(table, release.table, effort=3)  # error
shoal.profile(table, k=5)  # error
shoal.hierarchy(table, "age", fanout=3)  # error
shoal.verify(table, frm="generalize")  # error
shoal.recover("out", force=True)  # error

# Values of another type.
shoal.anonymize(table, k="five")  # error
shoal.anonymize(table, method="mondrain")  # error
shoal.anonymize(table, l_kind="distinkt")  # error
shoal.anonymize(table, hierarchy="age.csv")  # error
shoal.anonymize(table, 5)  # error
shoal.anonymize(5)  # error
shoal.anonymize({"age": [1]})  # error
shoal.compare(table, k=5)  # error
shoal.compare(table, max_suppressed="some")  # error
shoal.hierarchy(table, "age", by="covers")  # error
shoal.verify(5)  # error
shoal.Policy(k=5).write(3)  # error
shoal.Policy(k="five")  # error
shoal.Column(role="quasy")  # error
shoal.Diversity(l=2, kind="distinkt")  # error

# Another kind of frame than came in.
release.table.iloc[0]  # error
shoal.anonymize("visits.csv").table.iloc[0]  # error
shoal.anonymize(pd.DataFrame({"age": [1]})).table.with_columns("age")  # error
frame: pd.DataFrame = release.table  # error

# Names of old, and names of nothing.
gather(np.zeros((10, 2)), r=3)  # error
gather(np.zeros((10, 2)), k=3, max_outliers=0.1)  # error
diverse(np.zeros((10, 2)), ["a"] * 10, l=2, drop_outliers=True)  # error
microaggregate(np.zeros((10, 2)), 3, bound="column")  # error
shoal.anonymise(table)  # error
release.certificat  # error
