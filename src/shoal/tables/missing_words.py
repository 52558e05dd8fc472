"""How people write that a value is missing: the words, numbers and dates by which it is recognized.

Only what is listed here is ever proposed or asked about as a code for missing, so that no cell that tells something
about a person can get into a profile or a policy.
"""

from __future__ import annotations

from datetime import date


def _words(lines: str) -> frozenset[str]:
    return frozenset(word.strip() for line in lines.splitlines() for word in line.split("|") if word.strip())


SURE = _words("""
    n/a | #n/a | n/a. | #na | #nv | #n/v | null | (null) | [null] | <null> | #null! | nan | <na> | #missing
    <missing> | missing | missing value | missing data | (blank) | blank | (empty) | (leer) | leer
    #ref! | #wert! | #value! | #div/0! | #bezug! | unknown | not known | unk | unkn | not stated | not available
    not recorded | not reported | not specified | not given | not provided | no data | no answer | no information
    undefined | unspecified | saknas
    k.a. | k. a. | k.a | k. a | ka. | keine angabe | keine angaben | ohne angabe | o. a. | o.a. | unbekannt | unbek.
    nicht bekannt | nicht erhoben | nicht angegeben | nicht erfasst | nicht dokumentiert | nicht verfügbar | fehlt
    fehlend | fehlender wert | keine daten | k. d. | k.d. | n. v. | n.v.
    s/d | s. d. | sin dato | sin datos | desconocido | desconocida | no consta | no disponible | ns/nc | ns/nr
    n.d. | n. d. | inconnu | inconnue | non renseigné | non renseignée | non renseigne | non connu | manquant
    sconosciuto | sconosciuta | non noto | non disponibile | non disponible | mancante
    desconhecido | desconhecida | não informado | ignorado | onbekend | niet bekend | ontbreekt
    okänd | okänt | uppgift saknas | ukendt | uoplyst | ukjent | tuntematon | ei tietoa
    nieznany | nieznane | brak danych | neznámý | neuvedeno | nezjištěno | ismeretlen | necunoscut
    неизвестно | нет данных | не указано | н/д | невідомо | немає даних | не вказано | неизвестен | няма данни
    непознато | teadmata | pole teada | nav zināms | nezināms | nežinoma | neznano | nepoznato | nema podataka
    nincs adat | nu se cunoaște | fără date | óþekkt | bilinmiyor | belirtilmemiş | άγνωστο | δεν αναφέρεται
    غير معروف | غير محدد | غير متوفر | نامشخص | לא ידוע | לא צוין | אין מידע | अज्ञात | ไม่ทราบ | ไม่ระบุ | không rõ
    không có | tidak diketahui | tidak ada data | haijulikani | hindi alam | 不明 | 不详 | 未知 | 無回答 | 未回答
    미상 | 알 수 없음 | 무응답 | non communiqué | n.c. | n/c
""")
"""Texts, in lower case, that mean missing in any column."""
MARKS = frozenset({"-", "--", "---", "–", "—", ".", "..", "...", "?", "??", "???", "_", "__", "/", "//"})
"""Characters that are put where a value should be. A minus beside a plus is a result, so there it is asked."""
SHORT = frozenset({"na", "nc", "nd", "nk", "nr", "ns", "ka", "sd", "n.a.", "n. a."})
"""Abbreviations that are also codes (NA is Namibia, ND is North Dakota): asked beside other short codes."""
DOUBTFUL = _words("""
    none | nil | empty | undetermined | not applicable | nicht zutreffend | entfällt | no aplica | sans objet
    refused | declined | verweigert | prefer not to say | don't know | dont know | weiß nicht | weiss nicht
    no sabe | ne sait pas | nsp | nspp | brak | ninguno | aucun | keine | keiner
""")
"""Texts that may as well be an answer: asked in a column of labels."""

WORDS = SURE | MARKS | SHORT | DOUBTFUL
LONGEST_WORD = max(len(word.encode()) for word in WORDS) + 4

_NINES = [float("9" * length) for length in range(2, 10)]
HIGH = frozenset(
    [
        *_NINES,
        *(nines - 1 for nines in _NINES),
        *(nines - 2 for nines in _NINES),
        *(float(digit * length) for digit in "78" for length in range(2, 7)),
        *(99.9, 99.99, 999.9, 999.99, 9999.9, 99_991_231.0),
    ]
)
"""Numbers that stand for missing where they are far above all others."""
LOW = frozenset(
    [
        *(-1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0, -9.0, -9.9, -99.9, -999.9, -97.0, -98.0, -998.0, -997.0),
        *(-float(digit * length) for digit in "6789" for length in range(2, 7)),
    ]
)
"""Numbers that stand for missing where no other number is negative."""
ZEROS = tuple("0" * length for length in range(2, 9))
"""Texts of zeros that stand for missing among numbers without leading zeros."""
ON_SCALES = frozenset([7.0, 8.0, 9.0])
"""Numbers that often stand for missing beside a scale of a few lower ones."""

LATE = (date(9999, 12, 31), date(9999, 9, 9), date(9999, 1, 1), date(2999, 12, 31), date(3000, 1, 1),
        date(2099, 12, 31))  # fmt: skip
EARLY = (date(1, 1, 1), date(1111, 11, 11), date(1753, 1, 1), date(1800, 1, 1), date(1899, 12, 30),
         date(1899, 12, 31), date(1900, 1, 1), date(1901, 1, 1))  # fmt: skip
"""Dates that stand for missing where they are far after, or far before, all others."""
NO_DATES = ("0000-00-00", "00.00.0000", "00/00/0000", "0000/00/00", "00-00-0000", "0000-00-00 00:00:00")
"""Texts in the form of a date that are none."""
FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y.%m.%d", "%m-%d-%Y")
