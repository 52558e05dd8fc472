"""What a question of the profiler proposes to write into the policy, as changes that one click makes.

A question says "write role = "quasi" for it, or role = "identifier" to leave it out". Only what follows the word
write is offered, and never what would publish more than before: that is for the person to choose among the roles.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SETTING = r'[a-z_]+ = (?:"[^"]*"|\{[^{}]*\}|\[[^\[\]]*\]|[\w.]+)'
_CHAIN = re.compile(rf"{_SETTING}(?:(?:, and| and| with|,) {_SETTING})*")
_WRITE = re.compile(rf"\b[Ww]rite ({_CHAIN.pattern})(?:[^.;]*?,(?: or)? ({_CHAIN.pattern}))?")
_CODE = re.compile(r"^\d+ of \d+ cells are '(.+)': a value, or missing\?")
_ADD = re.compile(r"\bIf they are missing, add it to the column's null_values\b")


@dataclass(frozen=True, slots=True)
class Fix:
    """Settings of a column that answer a question, and how they are written in a policy."""

    text: str
    settings: dict[str, Any]


def fixes_of(question: str, columns: list[str]) -> list[Fix]:
    """Return the changes that a question proposes; names of columns, which anybody may choose, are not read."""
    for name in sorted(columns, key=len, reverse=True):
        if " = " in name:
            question = question.replace(name, "…")
    found = []
    if (code := _CODE.match(question)) and _ADD.search(question):
        found.append(Fix(f"null_values = [{code[1]!r}]", {"null_values": [code[1]]}))
    for match in _WRITE.finditer(question):
        for chain in match.groups():
            fix = None if chain is None else _fix(chain)
            if fix is not None and fix not in found:
                found.append(fix)
    return found


def in_words(question: str, fixes: Sequence[Fix]) -> str:
    """Return a question without the sentences that only say what to write where a button does just that."""
    offered = {fix.text for fix in fixes}
    kept = []
    for sentence in re.split(r"(?<=[.?;]) +", question):
        chains = [", ".join(re.findall(_SETTING, found[0])) for found in _CHAIN.finditer(sentence)]
        added = _ADD.search(sentence) and any("null_values" in fix.settings for fix in fixes)
        if not added and not (chains and re.search(r"\bwrite\b", sentence, re.IGNORECASE) and set(chains) <= offered):
            kept.append(sentence)
    text = " ".join(kept).removesuffix(";")
    return text[:1].upper() + text[1:] if text else question


def _fix(chain: str) -> Fix | None:
    parts = re.findall(_SETTING, chain)
    try:
        settings = tomllib.loads("\n".join(parts))
    except tomllib.TOMLDecodeError:
        return None
    publishes = settings.get("role") in ("other", "weight") or settings.get("publish_rare") is True
    if publishes or "..." in chain or "longitude" in settings or settings.get("kind") == "place":
        return None
    return Fix(", ".join(parts), settings)
