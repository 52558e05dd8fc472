"""Write the table of methods on docs/reference/policy.md from `shoal.method_table`, so that the two cannot differ.

`python scripts/methods.py --check` compares.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from shoal.method_table import METHODS, MethodRecord

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "reference" / "policy.md"
BEGIN, END = "<!-- methods: scripts/methods.py writes this table -->\n", "<!-- end -->\n"
AUTO = (
    "`forest` if a quasi-identifier has labels, an order or a hierarchy, or if generalized values are asked for; "
    "`gather` for `centers`; else, and for `aggregate`, `best` (`optimal` for one column). The report says what was "
    "chosen and why"
)


def table() -> str:
    """One row per method, in the order of the table."""
    rows = ["| method | objective | what it does | proved | usual effort |", "|---|---|---|---|--:|"]
    rows.append(f"| `auto` | | {AUTO} | | |")
    for one in METHODS.values():
        told = f"{one.summary[:1].upper()}{one.summary[1:]}. {one.notes}".strip().removesuffix(".")
        ends = dict.fromkeys((*one.theorems[:1], *one.theorems[1:][-1:]))  # the first and the last
        proved = f"[{' to '.join(ends)}](../proofs/{page_of(one.theorems[0])})" if one.theorems else ""
        rows.append(f"| `{one.name}` | `{one.objective}` | {told} | {proved} | {effort(one)} |")
    return "\n".join(rows) + "\n"


def effort(one: MethodRecord) -> str:
    """Proposals per record; a search does fewer of them on more records."""
    if one.effort is None:
        return ""
    twice = f"{2 * one.effort.usual:,.0f} up to {one.effort.small:,} rows, " if one.effort.small else ""
    return f"{twice}{one.effort.usual:,.0f} up to {one.effort.large:,} rows, then less"


def page_of(theorem: str) -> str:
    """The page of docs/proofs whose headings name the theorem."""
    for page in sorted((DOCS / "proofs").glob("*.md")):
        if re.search(rf"^#+ .*\b{theorem}\b", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
            return page.name
    sys.exit(f"{theorem} has no heading on a page of docs/proofs.")


def with_table(text: str) -> str:
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    made = with_table(PAGE.read_text(encoding="utf-8"))
    if "--check" not in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
    elif made != PAGE.read_text(encoding="utf-8"):
        sys.exit("docs/reference/policy.md does not have the table of methods; run `make docs`.")
