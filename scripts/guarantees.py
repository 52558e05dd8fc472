"""Write the table of guarantees on docs/proofs/index.md from what the source registers, so that they cannot differ.

The registry (`shoal.partition.guarantees()`) gives the theorem, the function and the ratio. What no program knows
stands here: the case in words, and the paper. `python scripts/guarantees.py --check` compares.
"""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from pathlib import Path

from shoal.partition import Guarantee, guarantees

PROOFS = Path(__file__).resolve().parents[1] / "docs" / "proofs"
BEGIN, END = "<!-- guarantees: scripts/guarantees.py writes this table -->\n", "<!-- end -->\n"
AGGARWAL_2010 = "Aggarwal et al. 2010"
AGGARWAL_2005 = "Aggarwal et al. 2005"
DU = "Du, Eppstein, Goodrich, Lueker 2009"

FAMILIES = {
    "GATHER": ("Largest radius", "gather", AGGARWAL_2010),
    "CELLULAR": ("Size times radius", "cellular", AGGARWAL_2010),
    "DIVERSE": ("Diversity", "diverse", "Li, Yi, Zhang 2010"),
    "FOREST": ("Generalization", "forest", AGGARWAL_2005),
    "GREEDY": ("Generalization", "forest", "Park, Shim 2007; Kenig, Tassa 2012"),
    "PAIRS": ("Generalization, k = 2", "factors", AGGARWAL_2005),
    "TRIPLES": ("Generalization, k = 3", "factors", AGGARWAL_2005),
    "RESIDUE": ("Generalization, l by shares", "residue", "Xiao, Yi, Tao 2010"),
    "CYCLES": ("Generalization, l = 2 by shares", "residue", "Xiao, Yi, Tao 2010"),
    "LATTICE": ("One level per column", "lattice", "Samarati 2001; El Emam et al. 2009"),
    "INTERVALS": ("Ordered classes", "intervals", DU),
    "COVER": ("Classes of labels", "cover", DU),
    "REGIONS": ("Regions of a map", "regions", DU),
    "RECTANGLES": ("Rectangles of places", "rectangles", DU),
    "UNI": ("Squared error, one column", "univariate", "Hansen, Mukherjee 2003"),
}
"""The problem, the page and the paper of each family of theorems, in the order of the table."""

OWN = {
    "CELLULAR-3",
    "CELLULAR-4",
    "CELLULAR-5",
    "CELLULAR-6",
    "CELLULAR-7",
    "CELLULAR-8",
    "COVER-3",
    "CYCLES-1",
    "DIVERSE-3",
    "GATHER-6",
    "GREEDY-1",
    "RECTANGLES-2",
    "REGIONS-4",
    "RESIDUE-1",
    "TRIPLES-2",
}
"""Theorems, or their constants, that are not in the paper: the page says what is ours."""

CASES = {
    "GATHER-1": "",
    "GATHER-2": "rows may be left out; any centers",
    "GATHER-3": "rows may be left out; centers are records",
    "GATHER-4": "number of groups limited",
    "GATHER-5": "both",
    "GATHER-6": "one column of numbers, records as centers",
    "CELLULAR-1": "with opening costs",
    "CELLULAR-2": "groups of at least r, one opening cost",
    "CELLULAR-3": "groups of at least r, opening costs differ",
    "CELLULAR-4": "groups of at least r, rows may be left out",
    "CELLULAR-5": "as CELLULAR-2, more than 5,000 records",
    "CELLULAR-6": "as CELLULAR-4, more than 5,000 records",
    "CELLULAR-7": "as CELLULAR-1, more than 5,000 records",
    "CELLULAR-8": "as CELLULAR-3, more than 5,000 records",
    "DIVERSE-1": "at least l records, all values different",
    "DIVERSE-2": "two values and l = 2; centers are members",
    "DIVERSE-3": "the fewest rows left out",
    "FOREST-1": "any k, any columns",
    "GREEDY-1": "hierarchies, numbers, columns of two values",
    "PAIRS-1": "numbers and columns of two values",
    "PAIRS-2": "any columns",
    "TRIPLES-1": "numbers and columns of two values",
    "TRIPLES-2": "any columns",
    "RESIDUE-1": "k up to l; any columns, H the cost of a hidden record, δ the least difference",
    "CYCLES-1": "k up to 2, any columns",
    "LATTICE-1": "among full-domain recodings",
    "INTERVALS-1": "",
    "COVER-1": "`fold`",
    "COVER-2": "`spread`",
    "COVER-3": "`halves` and `best`; no polynomial algorithm does better unless P = NP",
    "COVER-4": "`exact`",
    "REGIONS-1": "3-connected planar map",
    "REGIONS-2": "4-connected planar map",
    "REGIONS-3": "any map, d the degree of the tree found",
    "REGIONS-4": "any map",
    "RECTANGLES-1": "on the Earth, where RECTANGLES-2 is not shown",
    "RECTANGLES-2": "",
    "UNI-1": "method `optimal`",
}
FORMULAS = {
    "FOREST-1": r"\max(2k - 1, 3k - 5)",
    "GREEDY-1": r"(2 - \frac1k)(1 + \frac12 + \dots + \frac1k)",
    "REGIONS-3": "d + 1",
    "RESIDUE-1": r"l \, H / \delta",
}
"""Ratios that are no number; those of FOREST-1 and GREEDY-1 are compared with the registered ones below."""


def table() -> str:
    """One row per theorem, family by family."""
    rows = ["| theorem | problem | function | case | at most | paper |", "|---|---|---|---|---|---|"]
    order = list(FAMILIES)
    for proved in sorted(guarantees(), key=lambda one: (order.index(family(one)), number(one))):
        problem, page, paper = FAMILIES[family(proved)]
        theorem = f"[{proved.theorem}]({page}.md{anchor(page, proved.theorem)})"
        source = f"{paper} [+]" if proved.theorem in OWN else paper
        cells = (theorem, problem, f"`{proved.function}`", CASES[proved.theorem], f"${ratio(proved)}$", source)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def family(proved: Guarantee) -> str:
    return proved.theorem.rpartition("-")[0]


def number(proved: Guarantee) -> int:
    return int(proved.theorem.rpartition("-")[2])


def ratio(proved: Guarantee) -> str:
    """The registered ratio as a formula."""
    if proved.theorem in FORMULAS:
        if proved.theorem == "GREEDY-1":
            for k in range(2, 40):
                exact = (2 - Fraction(1, k)) * sum(Fraction(1, i) for i in range(1, k + 1))
                if not exact < (proved.ratio_for(k) or 0) <= exact + Fraction(1, 1000):
                    sys.exit(f"GREEDY-1: its formula is not the registered ratio for k = {k}.")
        elif callable(proved.ratio):
            written = FORMULAS[proved.theorem].replace("\\", "")
            for k in range(2, 40):
                computed = eval(re.sub(r"(\d)k", rf"\1*{k}", written), {"max": max})
                if proved.ratio(k) != computed:
                    sys.exit(f"{proved.theorem}: {written} is not the registered ratio for k = {k}.")
        return FORMULAS[proved.theorem]
    value = proved.ratio_for(2)
    if not isinstance(value, Fraction) or callable(proved.ratio):
        sys.exit(f"{proved.theorem} has a ratio that is no number: add its formula.")
    return (
        f"{float(value):g}"
        if value.denominator in (1, 2, 5, 10)
        else rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    )


def anchor(page: str, theorem: str) -> str:
    """The section of the proof, where it has one of its own."""
    text = (PROOFS / f"{page}.md").read_text(encoding="utf-8")
    for heading in re.findall(r"^##+ (.*)$", text, flags=re.MULTILINE):
        if re.search(rf"\b{theorem}\b", heading):
            slug = re.sub(r"[^\w\s-]", "", heading).strip().lower()
            return "#" + re.sub(r"[-\s]+", "-", slug)
    return ""


def with_table(text: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    index = PROOFS / "index.md"
    made = with_table(index.read_text(encoding="utf-8"))
    if "--check" not in sys.argv:
        index.write_text(made, encoding="utf-8")
    elif made != index.read_text(encoding="utf-8"):
        sys.exit("docs/proofs/index.md is not what the source registers; run `make docs`.")
