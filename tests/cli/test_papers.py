"""`shoal papers` repeats every paper, on small data here: figures as JSON, and a page with its chart."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from shoal.cli.papers import Paper
from shoal.papers import names, ratios
from tests.cli.running import shoal


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


@pytest.mark.parametrize("paper", Paper)
def test_every_paper_is_repeated_with_a_page(paper, tmp_path, monkeypatch):
    monkeypatch.setattr(ratios, "run", partial(ratios.run, scale=0.1))
    monkeypatch.setattr(names, "generated", lambda seed: {"few": np.arange(1, 60)})
    page = tmp_path / "page.html"
    tables = ("--tables", "6") if paper == Paper.mst else ()
    ran = shoal("papers", paper.value, *tables, "--html", page, "--json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out, parse_constant=no_constant)["rows"]
    assert len(rows) >= 3
    text = page.read_text()
    assert ("<svg" in text) == (paper != Paper.mst), "of the tables of mst, 7 has the chart"
    theirs = {"mst": "printed", "names": "random_fold"}.get(paper.value, "proved")
    assert all(theirs in row for row in rows)
