"""Finding the encoding of a text file that is not UTF-8, and which encodings a release can be written in.

Guarantee   An encoding is taken without being asked for only if the whole file is valid in it and encoding its text
            again gives the same bytes, so that a wrong guess loses no character. Where no encoding fits well, or two
            of several bytes per character fit alike, the file is refused with the way out.

A general detector (charset-normalizer 3.5) took 9 of 11 short tables of Western European words in cp1252 for cp1250,
with other letters. Tables have few words, but nearly all letters of one language beyond ASCII are in its alphabet; so
each encoding is tried with the alphabets of the languages that are written in it, and the best share decides.
"""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pyarrow as pa

UTF16 = "utf-16"
WRITABLE = frozenset(
    {UTF16, "gb18030", "gbk", "gb2312", "cp932", "shift_jis", "euc_jp", "cp949", "euc_kr", "big5", "koi8-r", "koi8-u",
     "cp437", "cp850", "cp852", "cp858", "cp866", "mac-roman", *(f"cp{page}" for page in range(1250, 1259)),
     *(f"iso8859-{part}" for part in range(1, 17) if part != 12)}
)  # fmt: skip
"""The encodings, beside UTF-8, in which a release is written; each writes ASCII as ASCII, or is UTF-16."""

_SAMPLE = 1 << 16  # bytes of lines with other characters than ASCII that are judged
_ENOUGH = 0.4  # the least share, of at most 1, with which an encoding is taken
_CLEARLY = 0.1  # how much better the best must be than another of several bytes per character
_ZEROS = 0.25  # the share of zeros from which on valid UTF-8 is rather UTF-16: of ASCII every second byte is zero
_SYMBOLS = frozenset("€£¥§°²³µ½¼¾±–—‘’‚“”„…•·«»¡¿©®™×÷ªº¹‰†´¬\xa0")
_INSIDE_WORDS = frozenset("’·–-´\xa0")


def _both(letters: str) -> frozenset[str]:
    return frozenset(letters + letters.upper().replace("SS", ""))


_WESTERN = tuple(
    map(
        _both,
        ("äöüßé", "éèêëàâçîïôùûüœæ", "áéíóúüñ", "áâãàçéêíóôõú", "àèéìòù", "éëïöüèç", "åäöé", "æøåéö", "áðéíóúýþæö"),
    )
)
_CENTRAL = tuple(
    map(_both, ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ", "äöüßé"))
)
_CYRILLIC = (_both("абвгдеёжзийклмнопрстуфхцчшщъыьэюя"), _both("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"))


class Candidate(NamedTuple):
    """One encoding to try: how common it is (added to its share), and the letters by which it is judged.

    A rare encoding is not chosen for its symbols alone, such as a no-break space.
    """

    name: str
    prior: float
    alphabets: tuple[frozenset[str], ...] = ()
    common: Callable[[str], float] | None = None
    """For encodings of several bytes per character: from -1 for a character that hardly occurs to 1."""


def _in_rows(encoding: str, first: int, last: int) -> Callable[[str], float]:
    """Return how common a character is: 1 if the encoding has it in the rows of frequent characters."""

    def common(character: str) -> float:
        if unicodedata.category(character) not in ("Lo", "Lm", "Nl"):
            return 0.0 if ord(character) >= 0x2000 else -1.0
        try:
            lead = character.encode(encoding)[0]
        except UnicodeEncodeError:
            return -1.0
        return 1.0 if first <= lead <= last else -1.0

    return common


def _japanese(character: str) -> float:
    if "ぁ" <= character <= "ヿ":
        return 1.0
    return 0.3 if "｡" <= character <= "ﾟ" else _in_rows("euc_jp", 0xB0, 0xCF)(character)


CANDIDATES = (
    Candidate("cp1252", 0.06, _WESTERN),
    Candidate("cp1250", 0.03, _CENTRAL),
    Candidate("iso8859-2", 0.02, _CENTRAL),
    Candidate("iso8859-15", 0.01, _WESTERN),
    Candidate("cp1254", 0.01, (_both("çğıöşüâîİ"),)),
    Candidate("cp1257", 0.0, (_both("ąčęėįšųūž"), _both("āčēģīķļņšūž"), _both("äöõüšž"))),
    Candidate("cp1253", 0.0, (_both("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋ"),)),
    Candidate("cp1251", 0.02, _CYRILLIC),
    Candidate("koi8-r", 0.0, _CYRILLIC),
    Candidate("cp850", -0.2, _WESTERN),
    Candidate("mac-roman", -0.2, _WESTERN),
    Candidate("gb18030", 0.0, common=_in_rows("gb2312", 0xB0, 0xD7)),
    Candidate("cp932", 0.0, common=_japanese),
    Candidate("euc_jp", 0.0, common=_japanese),
    Candidate("big5", 0.0, common=_in_rows("big5", 0xA4, 0xC6)),
    Candidate("cp949", 0.0, common=_in_rows("euc_kr", 0xB0, 0xC8)),
)


def canonical(encoding: str) -> str:
    """Return the name by which Shoal calls an encoding; raises LookupError for none that encodes text."""
    found = codecs.lookup(encoding)
    if not found._is_text_encoding:
        raise LookupError(encoding)
    name = {"utf-8-sig": "utf-8", "ascii": "utf-8", "utf-16-le": UTF16, "utf-16-be": UTF16}.get(
        found.name, found.name
    )
    return name.replace("utf_", "utf-")


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are valid UTF-8, without making a text of them."""
    ends = (0).to_bytes(8, sys.byteorder) + len(data).to_bytes(8, sys.byteorder)
    try:
        pa.LargeStringArray.from_buffers(1, pa.py_buffer(ends), pa.py_buffer(data)).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def encoded(text: str, encoding: str) -> bytes:
    """Return a text in an encoding; one in UTF-16 has the mark of its byte order, the same on every machine."""
    return codecs.BOM_UTF16_LE + text.encode("utf-16-le") if encoding == UTF16 else text.encode(encoding)


def broken_utf8(data: bytes) -> bool:
    """Return whether bytes that are not valid UTF-8 are UTF-8 with a few faults.

    That is so if they end within a character, or if at least half of the characters beyond ASCII are valid.
    """
    sample = b"\n".join(_lines(data))
    valid = len(re.findall(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}", sample))
    cut = re.search(rb"[\x00-\x7f](?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z", data[-4:])
    return cut is not None or 0 < sample.decode("utf-8", errors="replace").count("\ufffd") <= valid


def utf16_without_mark(data: bytes) -> str | None:
    """Return the byte order of a text in UTF-16 that does not begin with its mark; None if it is none."""
    head = data[: _SAMPLE * 2]
    if head.count(0) < _ZEROS * len(head) and is_utf8(data):
        return None  # UTF-8 in which a cell holds NUL: letters of UTF-16 whose zeros are few are not valid UTF-8
    order = "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"
    try:
        text = data.decode(order)
    except UnicodeDecodeError:
        return None
    return order if "\0" not in text and ("\n" in text or "\r" in text) else None


def guess(data: bytes) -> list[str]:
    """Return the encodings that fit bytes that are not UTF-8: one, or several if they cannot be told apart, or none.

    Encodings by which the text is the same are not told apart: the first of `CANDIDATES` stands for them.
    """
    sample = b"\n".join(_lines(data))
    scored = []
    for candidate in CANDIDATES:
        try:
            text = sample.decode(candidate.name)
        except UnicodeDecodeError:
            continue
        scored.append((_share(text, candidate) + candidate.prior, candidate, text))
    scored.sort(key=lambda one: -one[0])
    fitting = [one for one in scored if one[0] >= _ENOUGH]
    while fitting and not _same_again(data, fitting[0][1].name):
        del fitting[0]
    if not fitting:
        return []
    best, first, text = fitting[0]
    rivals = [
        candidate.name
        for share, candidate, other in fitting[1:]
        if share > best - _CLEARLY and other != text and (candidate.common or first.common)
    ]
    return [first.name, *rivals]


def _same_again(data: bytes, encoding: str) -> bool:
    try:
        return data.decode(encoding).encode(encoding) == data
    except UnicodeError:
        return False


def _lines(data: bytes) -> Iterator[bytes]:
    """Yield lines with other characters than ASCII, up to `_SAMPLE` bytes in all."""
    total = 0
    for found in re.finditer(rb"[^\r\n]*[\x80-\xff][^\r\n]*", data):
        yield found[0]
        total += len(found[0])
        if total > _SAMPLE:
            return


def _share(text: str, candidate: Candidate) -> float:
    """Return from the characters beyond ASCII how well a text fits: 1 if all are letters of one alphabet."""
    found = re.findall(r"(?s)(.)([^\x00-\x7f])(?=(.))", f" {_doubled(text)} ")
    if not found:
        return 0.0
    if candidate.common is not None:
        return sum(candidate.common(character) for _, character, _ in found) / len(found)
    totals = [sum(_points(one, alphabet) for one in found) for alphabet in candidate.alphabets]
    return max(totals) / len(found)


def _doubled(text: str) -> str:
    """Return the text with every character beyond ASCII preceded by a copy, so that matches do not overlap."""
    return re.sub(r"(.)(?=[^\x00-\x7f])", r"\1\1", text)


def _points(three: tuple[str, str, str], alphabet: frozenset[str]) -> float:
    """Return how well the second of three characters fits into a text of a language."""
    before, character, after = three
    if character in alphabet:
        other_script = character > "\u036f" and (before + after).isascii() and (before.isalpha() or after.isalpha())
        return -2.0 if other_script or (character.isupper() and before.islower()) else 1.0
    if character in _SYMBOLS:
        return -2.0 if before.isalpha() and after.isalpha() and character not in _INSIDE_WORDS else 0.5
    return -2.0 if character.isprintable() else -6.0
