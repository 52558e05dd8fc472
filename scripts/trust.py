"""Write docs/trust.md from docs/evidence/: what was tried against the promises, how often, what got through."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EVIDENCE = ROOT / "docs" / "evidence"
PAGE = ROOT / "docs" / "trust.md"
MADE_BY = {
    "endtoend": ("Releases made and recounted", "make fuzz"),
    "crosscheck": ("Tables counted by verify and by others", "make fuzz"),
    "fuzz": ("Files, policies and certificates", "make fuzz"),
    "forgeries": ("Forged certificates", "make forgeries"),
    "faults": ("Faults of the disk, and kills", "make faults"),
    "attacks": ("Attackers", "make attacks"),
    "row-order": ("Orders of rows, and seeds", "python -m tests.attacks.row_order_evidence"),
    "mutants": ("Mutants of the code itself", "make mutants"),
}
INTRODUCTION = """# What was tried, and what got through

Shoal's promises are proved on paper ([what is proved](proofs/index.md)) and checked on every release by code that
shares nothing with what made it. This page counts what has been done to find out whether that is so. It is written by
`make trust` from the files in `docs/evidence/`, which the commands below leave behind; nobody types a number here.

*Tried* counts inputs, faults, attacks or changes. *Got through* counts those that ended otherwise than they must: a
release below its claim, a crash instead of a sentence, an old release lost, an attacker above what is promised, a
change that no test noticed. Every one of them is explained below its table, or mended. Where a run goes on with new
inputs, all runs are counted together; the tables below are of the last one.

"""
CLOSING = """## What no count here can say

Whether the right columns were called quasi-identifiers, what an attacker knows besides, and what a reader learns
about *everybody* in a group: see [what k-anonymity does not protect from](explanation/limits.md), and the threat
model in SECURITY.md. These runs were made by the people who wrote the program; a second pair of eyes is welcome,
and the commands are the same for everyone.
"""


def page(found: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of all evidence, in a fixed order."""
    order = [kind for kind in MADE_BY if kind in found] + sorted(set(found) - set(MADE_BY))
    rows = ["| what | tried | got through | again |", "|---|--:|--:|---|"]
    parts = []
    for kind in order:
        one = found[kind]
        title, command = MADE_BY.get(kind, (kind.capitalize(), ""))
        whole = one.get("in_all", one)  # of all runs, where these are added up
        rows.append(f"| [{title}](#{anchor(title)}) | {whole['tried']:,} | {whole['got_through']:,} | `{command}` |")
        parts.append(section(title, one))
    return INTRODUCTION + "\n".join(rows) + "\n\n" + "\n".join(parts) + CLOSING


def section(title: str, one: Mapping[str, Any]) -> str:
    taken = f" ({one['seconds'] / 60:,.0f} minutes, version {one['version']})" if one.get("seconds") else ""
    lines = [f"## {title}", "", f"{one['what']}{taken}", ""]
    details = one.get("details") or {}
    if details:
        columns = sorted({name for detail in details.values() if isinstance(detail, Mapping) for name in detail})
        lines += table(details, columns) if columns else ["| | |", "|---|--:|"]
        if not columns:
            lines += [f"| {cell(name)} | {cell(value)} |" for name, value in details.items()]
        lines.append("")
    lines += [f"{note}\n" for note in one.get("notes", [])]
    return "\n".join(lines) + ("\n" if lines[-1] else "")


def table(details: Mapping[str, Any], columns: list[str]) -> list[str]:
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'--:|' * len(columns)}"]
    for name, detail in details.items():
        values = detail if isinstance(detail, Mapping) else {columns[0]: detail}
        lines.append(f"| {cell(name)} | {' | '.join(cell(values.get(column, '')) for column in columns)} |")
    return lines


def cell(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).replace("|", "\\|")
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def anchor(title: str) -> str:
    return "".join(sign for sign in title.lower().replace(" ", "-") if sign.isalnum() or sign == "-")


def evidence() -> dict[str, dict[str, Any]]:
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(EVIDENCE.glob("*.json"))}


def main() -> None:
    text = page(evidence())
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            sys.exit("docs/trust.md is not what docs/evidence/ says: run make trust.")
        return
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
