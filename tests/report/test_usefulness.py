"""A release that says hardly anything is called so before it is called safe."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.report import terminal
from shoal.report.plain_text import _printed


def table(n: int, columns: int) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame({f"q{i}": rng.integers(0, 10**6, n) for i in range(columns)})


def shown(release: shoal.Release) -> str:
    return " ".join(_printed(terminal.release(release.content(), plain=True)).split())


def test_one_group_is_said_first_with_what_to_change() -> None:
    release = shoal.anonymize(table(9, 2), k=5, quasi=["q0", "q1"])
    text = shown(release)
    assert text.startswith("Hardly usable: All 9 rows are published alike, as one group.")
    assert "lower k, which is 5" in text
    assert "max_suppressed" in text
    html = release.to_html()
    assert html.index("Hardly usable") < html.index('class="verdict warned"')
    assert "Hardly usable" in release._repr_html_()


def test_more_than_four_fifths_lost_is_said_first() -> None:
    release = shoal.anonymize(table(60, 8), k=20, publication="generalize", quasi=[f"q{i}" for i in range(8)])
    assert release.loss.information > 0.8
    assert "% of the information in the quasi-identifiers is lost" in shown(release)[:90]


def test_a_table_that_can_be_used_has_no_warning() -> None:
    release = shoal.anonymize(table(200, 1), k=5, quasi=["q0"])
    assert "Hardly usable" not in shown(release)
    assert 'class="verdict"' in release.to_html()
    alike = shoal.anonymize(pl.DataFrame({"q": ["a"] * 9}), k=5, quasi=["q"])
    assert "Hardly usable" not in shown(alike)  # one group, and nothing is lost
