"""What was noticed in a file, in words, each with the changes that one click makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from shoal.web.fixes import Fix
from shoal.web.open_table import OpenTable
from shoal.web.texts import Texts

_ENCODING = re.compile(r"read as \S+, which its letters fit best")
_DECIMAL = re.compile(r"numbers with '(.)' were read as text in (.*); pass decimal=")
_SIGNS = re.compile(r"%-?[a-zA-Z]")
OF_READING = {"format", "null_values", "number", "first_year", "language", "unreadable"}
"""Settings of a column that say how its cells are read."""


@dataclass(frozen=True, slots=True)
class Way:
    """A change that a click makes: what the button says, where it is sent, and with which fields."""

    label: str
    path: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about a file, whether it is in English only, and the ways to change what it says."""

    text: str
    english: bool
    ways: tuple[Way, ...] = ()


def remarks(table: OpenTable, t: Texts) -> list[Remark]:
    """Return what was noticed when a table was read: encoding, decimal signs, texts that are taken as missing."""
    found = table.found
    assert found is not None
    said = [_of_note(note, found, t) for note in found["notes"]]
    for place, column in enumerate(table.columns):
        codes = table.settings["columns"][column["name"]].get("null_values", [])
        if codes:
            shown = ", ".join(map(str, codes))
            way = Way(t("remark.values"), f"columns/{place}", {"null_values": "", "back": "data"})
            said.append(Remark(t("remark.missing", name=column["name"], codes=shown), False, (way,)))
    return said


def _of_note(note: str, found: dict[str, Any], t: Texts) -> Remark:
    if _ENCODING.match(note):
        samples = dict(found["letters"])
        own = found["dialect"]["encoding"]
        ways = [
            Way(f"{encoding}: {sample}", "reading", {"only": "1", "encoding": encoding})
            for encoding, sample in samples.items()
            if sample != samples.get(own)
        ]
        return Remark(t("remark.encoding", encoding=own, sample=samples.get(own, "")), False, tuple(ways))
    if decimal := _DECIMAL.match(note):
        way = Way(t("remark.is_decimal", sign=decimal[1]), "reading", {"only": "1", "decimal": decimal[1]})
        return Remark(t("remark.decimal", sign=decimal[1], columns=decimal[2]), False, (way,))
    return Remark(note, True)


def reading_questions(table: OpenTable) -> list[Any]:
    """Return the open questions about how cells are read."""
    return [one for one in table.open_questions if any(OF_READING & set(fix.settings) for fix in one.fixes)]


def pattern(format: str, t: Texts) -> str:
    """Return a format of dates as people write it: DD.MM.YYYY."""
    named = {"d": "DD", "-d": "D", "m": "MM", "-m": "M", "Y": "YYYY", "y": "YY", "b": "MMM", "B": "MMMM",
             "H": "hh", "-H": "h", "M": "mm", "S": "ss"}  # fmt: skip
    text = _SIGNS.sub(lambda sign: named.get(sign[0][1:], sign[0]), format)
    return text.replace("D", "T").replace("YY", "JJ") if t.language == "de" else text


def type_of(column: dict[str, Any], own: dict[str, Any], t: Texts) -> str:
    """Return of which type a column is, in words: dates with how they are written, also if they are texts."""
    if own.get("kind") == "date":
        written = own.get("format")
        return f"{t('type.date')} {pattern(str(written), t)}" if written else t("type.date")
    key = f"type.{column['type']}"
    return t(key) if t.has(key) else str(column["type"])


def fix_label(fix: Fix, t: Texts) -> str:
    """Return what a button says that makes the changes of a fix."""
    given = fix.settings
    if set(given) == {"role"}:
        return t("fix." + given["role"])
    if set(given) == {"format"}:
        return t("fix_to.format", pattern=pattern(str(given["format"]), t))
    if set(given) == {"kind"}:
        return t("fix_to.kind", kind=t("kind." + given["kind"]))
    if set(given) == {"role", "kind"}:
        return f"{t('fix.' + given['role'])}: {t('kind.' + given['kind'])}"
    if set(given) == {"role", "diversity"} and set(given["diversity"]) == {"l"}:
        return f"{t('fix.' + given['role'])} (l = {given['diversity']['l']:g})"
    if set(given) == {"null_values"}:
        return t("fix_to.null_values", codes=", ".join(map(str, given["null_values"])))
    return fix.text


def keep_label(question: Any, own: dict[str, Any], t: Texts) -> str:
    """Return what the button says that leaves a column as proposed."""
    if any("format" in fix.settings for fix in question.fixes) and own.get("format"):
        return t("fix_to.keep_format", pattern=pattern(str(own["format"]), t))
    if any(set(fix.settings) == {"kind"} for fix in question.fixes) and own.get("kind"):
        return t("fix_to.keep_kind", kind=t("kind." + own["kind"]))
    return t("columns.keep", role=t("role." + own["role"]))
