"""The table of guarantees: every theorem that the source registers, with its ratio, its page and nothing else."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from shoal.partition.result import Guarantee, guarantees

PROOFS = Path(__file__).resolve().parents[2] / "docs" / "proofs"
INDEX = (PROOFS / "index.md").read_text(encoding="utf-8")
ROWS = {
    cells[0]: cells[1:]
    for cells in (line.strip("| ").split(" | ") for line in INDEX.splitlines())
    if re.fullmatch(r"[A-Z]+-\d+", cells[0])
}


@pytest.mark.parametrize("proved", guarantees(), ids=lambda proved: proved.theorem)
def test_the_ratio_on_the_page_is_the_registered_one(proved: Guarantee) -> None:
    told = ROWS[proved.theorem][2].split(" times")[0]
    if proved.ratio is None:  # the run's own
        assert told == "d + 1"
        return
    for k in range(2, 12):
        written = re.sub(r"\bk\b", str(k), re.sub(r"(\d)k", r"\1*k", told))
        assert Fraction(str(eval(written, {"max": max}))) == proved.ratio_for(k)


def test_no_ratio_is_on_the_page_that_is_not_registered() -> None:
    assert {name for name in ROWS if not name.startswith(("PRIVACY", "SEQUENCE"))} == {
        g.theorem for g in guarantees()
    }


@pytest.mark.parametrize("theorem", ROWS)
def test_the_page_of_a_theorem_has_its_heading(theorem: str) -> None:
    link = re.search(r"\]\((\w+\.md)\)", ROWS[theorem][-1])
    assert link is not None
    headings = re.findall(r"^#+ .*", (PROOFS / link[1]).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert any(re.search(rf"\b{theorem}\b", heading) for heading in headings)
