"""The report's own sentences in the language of the reader, looked up in one catalog by their English form.

The report is written in English by many functions. A page in another language shows its sentences as the catalog
has them; a text with a sentence that the catalog lacks stays English as a whole, and is marked as such.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path

FEW_LETTERS, FEW_WORDS = 12, r"\S+(?: \S+){0,2}?"
"""A template with so few letters, such as ``{a} to {b}``, would fit any sentence if its places held long texts."""
_PLACE = re.compile(r"\{(\w+)(:t)?\}")
_END = re.compile(r"(?<=[.?!]) +(?=[A-Z0-9`k])")
_ANY_END = re.compile(r"(?<=[^\W\d][.?!]) +(?=\S)")  # a sentence may begin with the name of a column
_MORE, _LAST = re.compile(r" and (\d+) more$"), re.compile(r" and (?!.* and )(.+)$")
_CLAUSE = re.compile(r"; (?=\S)")
_DIGITS = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?")
_SIGNS = r"[-+≤≥<> ()]"
_NUMBER = re.compile(rf"{_SIGNS}*{_DIGITS.pattern}(?:{_SIGNS}+{_DIGITS.pattern})*{_SIGNS}*")


@cache
def _templates(language: str) -> tuple[dict[str, str], tuple[tuple[re.Pattern[str], str, tuple[str, ...]], ...]]:
    """Return the texts without places, and a pattern for each text with places: the most specific ones first."""
    file = Path(__file__).parent / f"report_{language}.toml"
    pairs = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    plain = {english: other for english, other in pairs.items() if not _PLACE.search(english)}
    open_ = []
    for english, other in pairs.items():
        if english in plain:
            continue
        parts = re.split(r"(\{\w+(?::t)?\})", english)
        letters = sum(map(str.isalpha, _PLACE.sub("", english)))
        held = ".+?" if letters >= FEW_LETTERS else FEW_WORDS
        pattern = "".join(
            f"(?P<{place[1]}>{held})" if (place := _PLACE.fullmatch(part)) else re.escape(part) for part in parts
        )
        looked_up = tuple(found[1] for found in _PLACE.finditer(english) if found[2])
        open_.append((letters, (re.compile(pattern, re.DOTALL), other, looked_up)))
    open_.sort(key=lambda one: -one[0])
    return plain, tuple(one for _, one in open_)


class Sentences:
    """The sentences of one language; `names` are the columns of the table, which no language changes.

    With `numbers`, a text that is nothing but a number is written as the language does. Labels of a table may look
    like numbers, so this is not for places where they are shown.
    """

    def __init__(self, language: str, names: Collection[str] = (), *, numbers: bool = False) -> None:
        self.language, self._names, self._numbers = language, frozenset(names), numbers
        self._plain, self._open = _templates(language)

    def __call__(self, text: str) -> str:
        """Return the text in this language; as it is if the catalog lacks a sentence of it."""
        return self.translated(text) or text

    def translated(self, text: str) -> str | None:
        """Return the text in this language, or None if the catalog lacks a sentence of it."""
        bare = text.strip()
        if not bare or bare in self._names:
            return None
        if _NUMBER.fullmatch(bare):
            return self._number(bare) if self._numbers else None
        if bare in self._plain:
            return self._plain[bare]
        for cut, joint in (
            (_CLAUSE, "; "),
            (_END, " "),
            (_ANY_END, " "),
        ):  # a place must not reach over the end of a sentence
            parts = cut.split(bare)
            found = [self._one(part) for part in parts]
            if len(parts) > 1 and None not in found:
                return joint.join(part for part in found if part is not None)
        return self._one(bare)

    def _one(self, sentence: str) -> str | None:
        if sentence in self._plain:
            return self._plain[sentence]
        fitting = []
        for pattern, other, looked_up in self._open:
            match = pattern.fullmatch(sentence)
            if match is not None and not any(map(_ANY_END.search, match.groupdict().values())):
                # of several templates, the one that leaves the least text as it is: `{x} of the values` fits much
                left = sum(len(value) for name, value in match.groupdict().items() if name not in looked_up)
                fitting.append((left, other, match.groupdict(), looked_up))
        if not fitting:
            return None
        _, other, held, looked_up = min(fitting, key=lambda one: one[0])
        return other.format(**{name: self._held(name, value, name in looked_up) for name, value in held.items()})

    def _held(self, place: str, value: str, looked_up: bool) -> str:
        if _NUMBER.fullmatch(value):
            return self._number(value)
        if place in ("names", "known"):  # a list of columns
            value = _MORE.sub(r" und \1 weitere", value)
            return _LAST.sub(r" und \1", value) if value not in self._names else value
        return self(value) if looked_up else value

    def _number(self, text: str) -> str:
        """Return numbers as the language writes them: 1.234,5 % in German."""
        swapped = str.maketrans({",": ".", ".": ","})
        return _DIGITS.sub(lambda one: one[0].translate(swapped).replace("%", " %"), text)
