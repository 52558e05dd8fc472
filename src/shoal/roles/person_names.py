"""Recognizing names of people by their form and by lists of frequent names, whatever the column is called.

A whole column of names has many values with a frequent given or family name. Inside text, a title before a name, a
Russian patronymic, or a frequent given name beside a frequent family name is enough.
"""

from __future__ import annotations

import polars as pl

from shoal.roles.frequent_names import CHINESE, FAMILY, GIVEN, JAPANESE, KOREAN
from shoal.roles.recognize import share

_FORM = r"^\pL[\pL'’.\-]*(?:[ ,]+\pL[\pL'’.\-]*){0,4}$"
_PLACE = (
    r"^(?i:san|santa|santo|são|saint|st|ste|sankt|sint|port|porto|fort|mount|lake|new|los|las|el|la|bad|north|south|"
    r"east|west|upper|lower)\b"
)
_TITLE = (
    r"\b(?:Mr|Mrs|Ms|Miss|Herrn?|Frau|Hr|Mme|Mlle|Monsieur|Madame|Señora?|Sra|Signora?|Dhr|Mevr|Mevrouw|Pani|Herra|Rouva|"
    r"Dr|Prof|Schwester|Pfleger|Nurse)\b\.?\s+(?:Dr\.?\s+|med\.?\s+|von\s+|van\s+|de\s+|\p{Lu}\.?\s+)*"
    r"\p{Lu}[\p{Ll}'’]*\p{Lu}?\p{Ll}{2,}"
)
_OFFICE = (
    r"\b(?:Dr|Prof|Nurse|Miss)\b\.?\s+(?:Office|Visit|Referral|Referred|Appointment|Practi\w+|Call|Line|Services?|School|"
    r"Specialty|Degree|Led|Manager|Assistant|Education)\b"
)
_PATRONYMIC = r"\p{Lu}\p{Cyrillic}+(?:ович|евич|овна|евна|инична)(?:$|[^\p{Cyrillic}])"
_SURNAME = r"^\p{Lu}\p{Cyrillic}+(?:ов|ев|ёв|ин|ын|ова|ева|ёва|ина|ский|ская|енко|чук)$"

SHARE = 0.3
"""A column holds names if at least this share of its different values, or of its cells, have a frequent name."""
FEW, MANY, PAIRED, FEW_PAIRED = 3, 20, 8, 4
RARE_SHARE = 0.1
"""The same share if many values have two or more words that look like a name: lists lack most names."""


def holds_names(values: pl.Series, counts: pl.Series) -> int:
    """Return how many of the different `values` look like names of people, if the column holds names; otherwise 0."""
    form = values.str.contains(_FORM)
    if int(form.sum()) < FEW:
        return 0
    if by_form := _east_asian(values) or _with_initial(values) or _given_times_family(values):
        return by_form
    if share(form) < 1 - SHARE:
        return 0
    texts, cells = values.filter(form), counts.filter(form)
    words = texts.str.to_lowercase().str.replace_all(r"[,.]", " ").str.strip_chars().str.split(" ")
    known = pl.Series(sorted(GIVEN | FAMILY))
    marked = pl.DataFrame({"at": pl.arange(len(texts), eager=True), "word": words}).explode("word")
    named = marked.filter(pl.col("word").is_in(known.implode()))["at"].unique()
    hit = pl.Series(range(len(texts))).is_in(named.implode()) & ~texts.str.contains(_PLACE)
    hit = hit | texts.str.contains(_SURNAME)
    n_hits, several = int(hit.sum()), share(words.list.len() > 1)
    of_values, of_cells = n_hits / len(texts), int(cells.filter(hit).sum()) / max(int(cells.sum()), 1)
    if n_hits >= FEW and min(of_values, of_cells) >= SHARE:
        return n_hits
    frequent = of_cells >= RARE_SHARE * 1.5 if several < 0.5 else of_values >= RARE_SHARE and several >= 0.9
    return n_hits if n_hits >= MANY and frequent else 0


def _east_asian(values: pl.Series) -> int:
    """Return how many values begin with a frequent Chinese, Japanese or Korean family name, if nearly all do."""
    japanese = rf"(?:{'|'.join(JAPANESE)})[ 　]?[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}]{{1,3}}"
    han = values.str.contains(rf"^(?:[{CHINESE}]\p{{Han}}{{1,2}}|{japanese})$")
    hangul = values.str.contains(rf"^[{KOREAN}]\p{{Hangul}}{{2}}$")
    for hit, needed in ((han, 0.8), (hangul, 0.9)):
        if int(hit.sum()) >= 5 and share(hit) >= needed:
            return int(hit.sum())
    return 0


def _with_initial(values: pl.Series) -> int:
    """Return how many values have the form `Applegarth, C.`, if nearly all do."""
    after, before = r"\p{Lu}[\pL'’\-]+,? (?:\p{Lu}\.[ \-]?){1,3}", r"(?:\p{Lu}\. ?){1,3}\p{Lu}[\pL'’\-]{2,}"
    hit = values.str.contains(rf"^(?:{after}|{before})$")
    return int(hit.sum()) if int(hit.sum()) >= 5 and share(hit) >= 0.8 else 0


def _given_times_family(values: pl.Series) -> int:
    """Return how many values are two capitalized words, if the words combine as given and family names do; else 0.

    First and second words must occur in several combinations and have no word in common. Either both are many, or
    nearly all of their combinations occur, as they do among few names and many people.
    """
    word = r"(?:(?:Mc|Mac|O['’]|D['’])?\p{Lu}[\p{Ll}'’]+(?:-\p{Lu}[\p{Ll}'’]+)*|\p{Lu}{3,}(?:-\p{Lu}{2,})*)"
    parts = values.str.extract_groups(rf"^({word}),? ({word})$").struct.unnest()
    pairs = parts.drop_nulls()
    first, second = (pairs.to_series(at).unique() for at in (0, 1))
    fewer, more = sorted((len(first), len(second)))
    many = fewer >= PAIRED and pairs.height >= 1.5 * more
    many |= fewer >= FEW_PAIRED and pairs.height >= 0.6 * fewer * more
    apart = not len(first.filter(first.is_in(second.implode())))
    return pairs.height if many and apart and pairs.height >= 0.9 * len(values) else 0


def name_inside(values: pl.Series) -> pl.Series:
    """Return which of the values hold the name of a person inside other text."""
    titled = values.str.replace_all(_OFFICE, " ").str.contains(_TITLE) | values.str.contains(_PATRONYMIC)
    several = values.str.contains(r"\p{Lu}\pL+[ ,]+\p{Lu}\pL+")
    if not several.any():
        return titled
    at = pl.arange(len(values), eager=True).filter(several)
    words = values.filter(several).str.extract_all(r"\pL[\pL'’\-]*|[^\pL ,]+")
    split = (
        pl.DataFrame({"at": at, "word": words})
        .explode("word")
        .with_columns(pl.col("word").str.to_lowercase().alias("low"))
    )
    upper = pl.col("word").str.contains(r"^\p{Lu}")
    split = split.select(
        "at",
        (upper & pl.col("low").is_in(pl.Series(sorted(GIVEN)).implode())).alias("given"),
        (upper & pl.col("low").is_in(pl.Series(sorted(FAMILY)).implode())).alias("family"),
    )
    pair = (pl.col("given") & pl.col("family").shift(-1)) | (pl.col("family") & pl.col("given").shift(-1))
    named = split.filter(pair & (pl.col("at") == pl.col("at").shift(-1)))["at"].unique()
    return titled | pl.arange(len(values), eager=True).is_in(named.implode())
