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
_MORE_TITLES = "|".join(
    (
        r"\b(?:Revd?|Fr|Capt|Sgt|Cpl|Insp|Fam|Dott|Avv|Dra|Dña|MUDr|MVDr|PhDr|JUDr|RNDr|Mudr|Dhr|Mej|Lek|özv|ifj)"
        r"\. ?(?:\p{Lu}\. ?)*\p{Lu}\p{Ll}{2,}",
        r"\b(?:Revd?|Smt|Shri|Shrimati|Kumari|Bapak|Dña|Doña|Fräulein|Familie|dr|mgr) \p{Lu}\p{Ll}{2,}",
        r"\b(?:dr|mgr|lek|prof)\. \p{Lu}\p{Ll}{2,}",
        r"\b(?:MRS?|MISS|MSTR)\.? (?:\p{Lu}(?:[.\-]\p{Lu})?\.? )*\p{Lu}{3,}|\bMS (?:\p{Lu} )+\p{Lu}{3,}",
        r"\p{Lu}{2,}[/ ](?:\p{Lu}{2,} )*(?:MRS?|MISS|MSTR)$",
        r"(?:г-н|г-жа|гр\.|гражданин|гражданка|д-р|пан|пані) \p{Lu}\p{Cyrillic}{2,}",
        r"^(?:นาย|นางสาว|นาง|น\.ส\.|ด\.ช\.|ด\.ญ\.|นพ\.|พญ\.|ทพ\.|ทพญ\.|ดร\.) ?\p{Thai}{2,}",
        r"(?:^|\s)(?:د|أ|م|أ\.د)\. ?\p{Arabic}{2,}|(?:السيد|السيدة|الدكتور|الدكتورة|الشيخ|المهندس) \p{Arabic}{2,}",
        r"(?:^|\s)(?:ד\"ר|ד״ר|פרופ'|פרופ׳|גב'|גב׳|מר) \p{Hebrew}{2,}",
        r"^\p{Han}{2,4}(?:先生|女士|小姐|様)$|^\p{Hangul}{2,4} ?(?:씨|님)$",
    )
)
_RELATIVES = "|".join(
    (  # no label has one of these before a capital letter
        r"\b(?:Uncle|Aunt|Auntie|Grandad|Granddad|Grandpa|Grandma|Granny|Nana|Oma|Opa|Onkel|Tante|Mami|Papi|Tía|Tío|Abuela|"
        r"Abuelo|Comadre|Compadre|Doña|Tita|Tito|Kuya|Ate|Aling|Mang|Mamie|Papi|Tonton|Tata|Nonna|Nonno|Zia|Zio|Babcia|"
        r"Dziadek|Ciocia|Wujek|Babička|Teta|Strýc) \p{Lu}\p{Ll}{2,}",
        # in small letters, before a capital one
        r"\b(?:mother|father|mum|mom|dad|son|daughter|brother|sister|uncle|aunt|cousin|wife|husband|nephew|niece|neighbou?r|"
        r"friend|boyfriend|girlfriend|ex|colleague|manager|boss|mère|père|fils|fille|frère|sœur|soeur|mari|épouse|voisine?|"
        r"madre|padre|hijo|hija|hermano|hermana|esposo|esposa|marido|tío|tía|abuelo|abuela|vecino|vecina|comadre|compadre|"
        r"suegra|primo|prima|mãe|pai|filho|filha|irmão|irmã|tio|tia|vizinh[oa]|figlio|figlia|fratello|sorella|moglie|marito|"
        r"moeder|vader|zoon|dochter|broer|zus|oma|opa|buurvrouw|buurman|mor|far|søn|sønn|datter|son|dotter|bror|søster|syster|"
        r"nabo|granne|matka|ojciec|syn|córka|brat|siostra|mąż|żona|sąsiad|sąsiadka|matkou|otcem|syna|dcera|annesi|babası|oğlu|"
        r"kızı|kardeşi|eşi|kuzeni|komşusu|dukra|sūnus|motina|tėvas|aling|mang|tita|tito|kuya|anyja|apja|fia|lánya|"
        r"äidille|isälle|äiti|isä|sisko|veli|мать|мама|отец|сын|дочь|брат|сестра|муж|жена|соседка?) \p{Lu}\p{Ll}{2,}",
    )
)
"""A word for a relative or friend before a name. After German nouns a capital letter says nothing."""
_INITIALS = (
    r"(?:^|[\s,;(:/])\p{Lu}\p{Ll}[\pL'’\-]+,? \p{Lu}\. ?\p{Lu}\.(?:$|[\s,;)/])|"
    r"(?:^|[\s,;(:/])\p{Lu}\. ?\p{Lu}\. ?\p{Lu}\p{Ll}{2,}(?:$|[\s,;)/])"
)
"""A family name with two initials, before or after it: Подгорная Н.В., J. R. Tarpey."""
_PAIRS = "SA SL SC NV BV AG SE LP PC US UK DC NY NJ LA PO AD BC AM PM EV AS AŞ"
_COMPANY = r"\b(?:" + "|".join(rf"{one[0]}\. ?{one[1]}\." for one in _PAIRS.split()) + r")(?: ?[A-Z]\.)*"
"""Two letters with points that are no initials: forms of companies, states, times of the day."""
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
    if by_form := _only_initials(values):
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


def _only_initials(values: pl.Series) -> int:
    """Return how many values are initials with points, as `J.M.` and `M.v.H.`, if nearly all are."""
    hit = values.str.contains(r"^\p{Lu}\.(?:[ \-]?(?:v|d|de|van|von)?\.?)?(?:[ \-]?\p{Lu}\.){1,3}$")
    hit &= ~values.str.contains(rf"^(?:{_COMPANY})$")
    return int(hit.sum()) if int(hit.sum()) >= FEW and share(hit) >= 0.8 else 0


def _given_times_family(values: pl.Series) -> int:
    """Return how many values are two capitalized words, if the words combine as given and family names do; else 0.

    First and second words must occur in several combinations and have no word in common. Either both are many, or
    nearly all of their combinations occur, as they do among few names and many people.
    """
    caseless = r"[\p{Arabic}\p{Hebrew}\p{Thai}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Georgian}]{2,}"
    word = r"(?:(?:Mc|Mac|O['’]|D['’])?\p{Lu}[\p{Ll}'’]+(?:-\p{Lu}[\p{Ll}'’]+)*|\p{Lu}{3,}(?:-\p{Lu}{2,})*"
    word = rf"{word}|{caseless})"
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
    titled |= values.str.contains(_MORE_TITLES) | values.str.contains(_RELATIVES)
    titled |= values.str.replace_all(_COMPANY, " ").str.contains(_INITIALS)
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
