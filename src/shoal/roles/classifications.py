"""Official classifications whose codes begin with the larger unit: ICD, ATC, NAICS, NACE, ISCO, SOC, places ...

Such a code is generalized by dropping characters from its end: C50.1, C50, C. The number of characters that are kept
on a level is called a `cut`, and every form in which the codes of a classification are written has its own cuts.
Codes that were read as whole numbers have lost their leading zeros; they are restored from the number of `digits`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.roles.recognize import Recognizer, says, share_of_form

FEWEST = 8
"""With fewer different values, a classification is not recognized by the form of its codes alone."""


@dataclass(frozen=True, slots=True)
class Classification:
    """One classification: how it is recognized, and where codes of each form are cut."""

    known: Recognizer
    cuts: tuple[tuple[str, tuple[int, ...]], ...]
    """Pairs of a form and its cuts; the first form that at least 90% of the values have is used."""
    health: bool = False
    """Whether the codes say something about a person's health."""


@dataclass(frozen=True, slots=True)
class Found:
    """A classification that was recognized in a column.

    It has the name of the classification, its cuts, the number of digits if leading zeros were lost, whether it is
    about health, and whether the name of the column matched.
    """

    what: str
    cuts: tuple[int, ...]
    digits: int | None
    health: bool
    by_name: bool


def _entry(
    what: str, names: str, forms: dict[str, tuple[int, ...]], *, alone: str | None = None, health: bool = False
) -> Classification:
    """Return a classification; with `alone`, it is also recognized in columns whose name does not match."""
    known = Recognizer(what, names=names, values="|".join(f"(?:{form})" for form in forms), share=0.9)
    return Classification(_alone(known, alone), tuple(forms.items()), health)


def _alone(known: Recognizer, form: str | None) -> Recognizer:
    return (
        known
        if form is None
        else Recognizer(known.what, names=known.names, values=known.values, share=0.9, alone=0.9)
    )


_ICD_NAMES = r"icd(?: ?10)?|icd10\w*|\w*diagnos\w*|diag ?\d*|dx ?\d*|todesursache|cause of death|causa|cod"
_MARK = r"[+*!]?"

CLASSIFICATIONS: tuple[Classification, ...] = (
    _entry(
        "ICD-10 code",
        _ICD_NAMES,
        {rf"[A-Z]\d[\dA-Z](?:\.[\dA-Z]{{1,4}}|\.-)?{_MARK}": (1, 3), rf"[A-Z]\d[\dA-Z][\dA-Z]{{0,4}}{_MARK}": (1, 3)},
        alone="dot",
        health=True,
    ),
    _entry(
        "ICD-9 code",
        r"icd(?: ?9)?|icd9\w*|\w*diagnos\w*|diag ?\d*|dx ?\d*",
        {r"(?:\d{3}|V\d\d|E\d{3})(?:\.\d{1,2})?": (1, 3)},
        health=True,
    ),
    _entry("ICPC code", r"icpc\w*", {r"[A-Z]\d\d(?:\.\d\d)?": (1, 3)}, health=True),
    _entry(
        "ATC code",
        r"atc\w*|medi[ck]ations?|medikamente?|drugs?|wirkstoffe?|arznei\w*|medicine",
        {r"[A-DG-JL-NP-SV]\d\d(?:[A-Z](?:[A-Z](?:\d\d)?)?)?": (1, 3, 4, 5)},
        alone="seven",
        health=True,
    ),
    _entry(
        "OPS code",
        r"ops\w*|prozedur\w*",
        {r"\d-\d\d[\da-z](?:\.[\da-z]{1,2})?": (1, 3, 5)},
        alone="dash",
        health=True,
    ),
    _entry(
        "CPT or HCPCS code",
        r"cpt\w*|hcpcs\w*|procedure code",
        {r"\d{4}[\dFTU]|[A-V]\d{4}": (1, 3)},
        health=True,
    ),
    _entry(
        "SOC code",
        r"soc(?: ?\d+)?|soc ?code|occ\w*|occupation\w*|standard occupational \w+",
        {r"\d\d-\d{4}(?:\.\d\d)?": (2, 4, 6)},
        alone="dash",
    ),
    _entry("SOC code", r"soc(?: ?\d+)?|soc ?code", {r"\d{4}": (1, 2, 3)}),
    _entry("NAICS code", r"naics\w*", {r"\d{2,6}": (2, 3, 4, 5)}),
    _entry(
        "NACE code",
        r"nace\w*|wz ?\d*|wz2008|wirtschaftszweig\w*|ateco\w*|naf\w*",
        {
            r"[A-U]\d\d(?:\.\d{1,2}(?:\.\d)?)?": (1, 3, 5),
            r"[A-U]\d{2,5}": (1, 3, 4),
            r"\d\d(?:\.\d{1,2}(?:\.\d)?)?": (2, 4),
            r"\d{2,5}": (2, 3),
        },
    ),
    _entry(
        "HS code",
        r"hs|hs ?code|hs ?\d|harmoni[sz]ed(?: system)?(?: code)?|(?:customs )?tariff(?: ?(?:code|no|number|line))?|"
        r"commodity ?code|taric|cn ?code|zolltarif\w*|warennummer|code douanier|nomenclature|ncm|partida arancelaria|"
        r"fraccion arancelaria|gtip",
        {r"\d{4}\.\d{2}(?:\.?\d{2,4}(?:\.\d{2})?)?": (2, 4, 7), r"\d{6,10}": (2, 4, 6)},
    ),
    _entry("ISCO code", r"isco\w*", {r"\d{1,4}": (1, 2, 3)}),
    _entry("KldB code", r"kldb\w*|berufsschl(?:u|ue)ssel", {r"\d{3,5}": (1, 2, 3, 4)}),
    _entry("NUTS code", r"nuts ?\d?", {r"[A-Z]{2}[\dA-Z]{1,3}": (2, 3, 4)}),
    _entry(
        "area number",
        r"ags|ars|arnr|gemeindeschl(?:u|ue)ssel|kreisschl(?:u|ue)ssel|gkz|"
        r"(?:kreis|gemeinde) ?(?:schl\w*|kennziffer|nr)",
        {r"\d{4,5}": (2, 3), r"\d{7,8}": (2, 3, 5)},
    ),
    _entry(
        "FIPS area number",
        r"(?:\w* )?fips(?: ?code)?|geo ?id|county ?fips|countyfp|census ?tract",
        {r"\d{4,5}": (2,), r"\d{10,11}": (2, 5), r"\d{14,15}": (2, 5, 11)},
    ),
)

_STRICT = {
    "ICD-10 code": re.compile(r"[A-TV-Z]\d\d\.[\dA-Z]{1,4}[+*!]?"),
    "ATC code": re.compile(r"[A-DG-JL-NP-SV]\d\d[A-Z]{2}\d\d"),
    "OPS code": re.compile(r"\d-\d\d[\da-z]\.[\da-z]{1,2}"),
    "SOC code": re.compile(r"\d\d-\d{4}(?:\.\d\d)?"),
}
"""The form of a complete code. Without a matching column name, at least half of the values must have this form."""


def classify(name_words: str, texts: Sequence[str], *, numbers: bool) -> Found | None:
    """Return the classification to which the different values `texts` belong; None if there is none.

    `numbers` says that the values were read as whole numbers, which have lost their leading zeros.
    """
    if not texts:
        return None
    upper = [text.upper() if not text.isdigit() else text for text in texts]
    for entry in CLASSIFICATIONS:
        spelled = list(texts) if entry.known.what == "OPS code" else upper
        named = says(entry.known, name_words)
        padded, digits = _with_zeros(entry, spelled) if numbers else (spelled, None)
        if not named and not _by_form_alone(entry, padded):
            continue
        if share_of_form(entry.known, padded) >= entry.known.share:
            cuts = next((cuts for form, cuts in entry.cuts if _most(form, padded)), entry.cuts[0][1])
            longest = max(map(len, padded))
            within = tuple(cut for cut in cuts if cut < longest)
            if within:
                return Found(entry.known.what, within, digits, entry.health, named)
    return None


def _by_form_alone(entry: Classification, texts: Sequence[str]) -> bool:
    """Return whether the values are recognized as codes of the classification whatever the column's name is."""
    strict = _STRICT.get(entry.known.what)
    if entry.known.alone is None or strict is None or len(texts) < FEWEST:
        return False
    return 2 * sum(strict.fullmatch(text) is not None for text in texts) >= len(texts)


def _most(form: str, texts: Sequence[str]) -> bool:
    pattern = re.compile(form)
    return sum(pattern.fullmatch(text) is not None for text in texts) >= 0.9 * len(texts)


def _with_zeros(entry: Classification, texts: Sequence[str]) -> tuple[list[str], int | None]:
    """Return the codes with their leading zeros, and the number of digits if some code had lost a zero.

    In a classification whose codes all have one length, every code is as long as the longest one. Codes of the other
    classifications never begin with 0, so they are returned unchanged.
    """
    longest = max(map(len, texts))
    fixed = entry.known.what in ("ISCO code", "area number", "FIPS area number", "KldB code")
    if not fixed or min(map(len, texts)) == longest or longest < 4:
        return list(texts), None
    return [text.zfill(longest) for text in texts], longest
