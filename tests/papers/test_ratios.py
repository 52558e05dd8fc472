"""Every paper without an experiment gets its ratios, on a page."""

from __future__ import annotations

import math

import pytest

from shoal.papers import ratios


@pytest.mark.parametrize("paper", ratios.PAPERS)
def test_no_run_costs_less_than_its_lower_bound(paper):
    rows = ratios.run(paper, scale=0.1)
    assert len({row.problem for row in rows}) >= 2
    for row in rows:
        assert row.seen >= 1 - 1e-9 or math.isnan(row.seen)
        assert not row.proved < 1
    page = ratios.page(paper, rows)
    assert page.count("<tr>") == len(rows) + 1
    assert "nan" not in page
