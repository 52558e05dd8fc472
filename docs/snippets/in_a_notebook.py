"""Releases, certificates and comparisons show themselves in notebooks."""

import shoal
from shoal.datasets import hospital

table = hospital(300).select("birth_date", "sex", "diagnosis")
release = shoal.anonymize(table, quasi=["birth_date", "sex"], sensitive=["diagnosis"], k=5, seed=1)
shown = release._repr_html_()  # what a notebook displays for the last line of a cell
assert "5" in shown
assert "<script" not in shown
