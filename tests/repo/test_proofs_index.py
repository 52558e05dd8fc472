"""The table of guarantees: every theorem that the source registers, its ratio and its proof, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from shoal.partition import Guarantee, guarantees

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "docs" / "proofs"
INDEX = (PROOFS / "index.md").read_text(encoding="utf-8")
ROWS = {
    found[1]: (found[2], [cell.strip() for cell in line.strip("| ").split(" | ")])
    for line in INDEX.splitlines()
    if (found := re.match(r"\| \[([A-Z]+-\d+)\]\((\w+\.md)", line))
}


def test_the_table_is_the_one_that_the_script_writes() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/guarantees.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("proved", guarantees(), ids=lambda proved: proved.theorem)
def test_the_ratio_on_the_page_is_the_registered_one(proved: Guarantee) -> None:
    written = ROWS[proved.theorem][1][4].strip("$").replace("\\", "")
    if proved.ratio is None:  # the run's own
        assert written == {"REGIONS-3": "d + 1", "RESIDUE-1": "l , H / delta"}[proved.theorem]
        return
    if proved.theorem == "GREEDY-1":  # a sum up to k, rounded up to thousandths
        assert written == "(2 - frac1k)(1 + frac12 + dots + frac1k)"
        for k in range(2, 12):
            exact = (2 - Fraction(1, k)) * sum(Fraction(1, i) for i in range(1, k + 1))
            assert exact < proved.ratio_for(k) <= exact + Fraction(1, 1000)
        return
    written = re.sub(r"frac\{(\d+)\}\{(\d+)\}", r"Fraction(\1, \2)", written)
    for k in range(2, 12):
        formula = re.sub(r"\bk\b", str(k), re.sub(r"(\d)k", r"\1*k", written))
        assert Fraction(str(eval(formula, {"max": max, "Fraction": Fraction}))) == proved.ratio_for(k)


def test_no_ratio_is_on_the_page_that_is_not_registered() -> None:
    assert set(ROWS) == {one.theorem for one in guarantees()}


@pytest.mark.parametrize("theorem", [*ROWS, *re.findall(r"^\| ((?:PRIVACY|SEQUENCE)-\d)", INDEX, flags=re.MULTILINE)])
def test_the_page_of_a_theorem_has_its_heading(theorem: str) -> None:
    page = ROWS[theorem][0] if theorem in ROWS else f"{theorem.partition('-')[0].lower()}.md"
    headings = re.findall(r"^#+ .*", (PROOFS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert any(re.search(rf"\b{theorem}\b", heading) for heading in headings)
