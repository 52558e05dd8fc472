"""The comparison with anonymeter: when two risks agree, and that the page has a line for each table and question."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.questions import PAGE
from benchmarks.yardstick import ASKED, MARK, TABLES, agree
from shoal.measure.questions.intervals import rate_of
from shoal.measure.questions.trial import question


@pytest.mark.parametrize(
    ("risk", "said"),
    [([0.5, 0.45, 0.55], True), ([0.9, 0.8, 1.0], False), ([0.0, 0.0, 0.1], False), (None, None)],
)
def test_two_risks_agree_if_their_intervals_have_a_point_in_common(
    risk: list[float] | None, said: bool | None
) -> None:
    success, control = (rate_of(np.repeat([1.0, 0.0], [hits, 200 - hits])) for hits in (120, 40))
    one = question("linkability", "published", "a with b", success, 0.0, control)
    assert one.risk == pytest.approx(0.5)
    other: dict[str, Any] = {"refused": "too few"} if risk is None else {"risk": risk}
    assert agree(one, other) is said


def test_the_page_has_every_table_and_question() -> None:
    part = PAGE.read_text(encoding="utf-8").split(f"<!-- {MARK} -->\n")[1].split("<!-- end -->")[0]
    rows = [line for line in part.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(TABLES) * len(ASKED)
    assert all(any(row.startswith(f"| {name} |") for row in rows) for name in TABLES)
    overlap = sum(row.endswith("| overlap |") for row in rows)
    assert f"all {overlap} intervals" in PAGE.read_text(encoding="utf-8")
