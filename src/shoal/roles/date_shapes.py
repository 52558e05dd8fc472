"""The formats in which the texts of a column may be dates, from their shape: `31.12.1999`, `Dec 31, 1999`, `1999-Q4`.

A text is split into numbers, names of months and the separators between them. Texts of one shape have the same
separators and numbers of the same lengths. A shape gives one format, or several if it does not decide which number is
the day, the month or the year.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.policy.month_names import LONG, SHORT, Language, numbers_of_months, plain

LANGUAGES: tuple[Language, ...] = ("en", "de", "fr", "es", "it")
_TIME = re.compile(
    r"(?P<before>[T :,]{1,2})(?P<H>\d{1,2}):(?P<M>\d\d)(?::(?P<S>\d\d)(?:(?P<mark>[.,])(?P<f>\d{1,6}))?)?"
    r"(?P<blank> ?)(?P<half>[AaPp]\.?[Mm]\.?)?(?P<gap> ?)(?P<zone>Z|[+-]\d\d:?\d\d)?"
)
_SHORT_HOUR, _ZERO_HOUR = re.compile(r"[T :,]\d:\d\d"), re.compile(r"[T :,]0\d:\d\d")
_WORD = re.compile(r"[^\W\d_]+")
_FIELD = re.compile(r"\d+|[^\W\d_]+")
_TOKEN = re.compile(r"\d+|[^\W\d_]+\.?|.", re.DOTALL)
_SEPARATORS = re.compile(r"[./\-, ]|年|月|日")
_JOINING = {"de", "of", "q", "quartal", "trimestre", "quarter"}
_ORDERS: dict[str, tuple[str, ...]] = {
    "ddY": ("dmY", "mdY"),
    "ddd": ("dmy", "mdy", "ymd"),
    "Ydd": ("Ymd",),
    "Yd": ("Ym",),
    "dY": ("mY",),
    "dNY": ("dbY",),
    "dNd": ("dby",),
    "NdY": ("bdY",),
    "YNd": ("Ybd",),
    "NY": ("bY",),
    "YN": ("Yb",),
    "Nd": ("by",),
    "8": ("Ymd", "dmY", "mdY"),
    "12": ("YmdHM",),
    "14": ("YmdHMS",),
}
"""For the numbers and names of a shape (d: one or two digits, Y: four digits, N: a name), the orders to try."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a text: its numbers and names (`ddY`), what stands between them, and the format of its time."""

    tokens: str
    between: tuple[str, ...]
    time: str = ""

    @property
    def quarterly(self) -> bool:
        """Whether a Q, or a word for quarter, stands before the single number."""
        return self.tokens in ("Yd", "dY") and any(
            re.search(r"q|quartal|trimestre", text, re.IGNORECASE) for text in self.between
        )


def shape_of(text: str) -> Shape | None:
    """Return the shape of a text that may be a date; None for any other text."""
    if not 4 <= len(text) <= 60 or not any(map(str.isdigit, text)) or not text.isprintable():
        return None
    time = ""
    for found in _TIME.finditer(text):
        if found.end() == len(text) and found.start() > 3:
            text, time = text[: found.start()], _time_format(found)
            break
    tokens, between = "", [""]
    for token in _TOKEN.findall(text):
        kind = _kind(token)
        if kind is None:
            return None
        if kind:
            tokens, between = tokens + kind, [*between, ""]
        else:
            between[-1] += token
    return Shape(tokens, tuple(between), time) if tokens in _ORDERS and (not time or len(tokens) < 4) else None


def _kind(token: str) -> str | None:
    """Return what a token is: d, Y or a length for numbers, N for the name of a month, "" for a separator."""
    if token.isascii() and token.isdigit():
        return {1: "d", 2: "d", 4: "Y", 8: "8", 12: "12", 14: "14"}.get(len(token))
    if _WORD.match(token):
        if plain(token) in _JOINING or _SEPARATORS.fullmatch(token):
            return ""
        return "N" if any(plain(token) in numbers_of_months(one) for one in LANGUAGES) else None
    return "" if _SEPARATORS.fullmatch(token) else None


def _time_format(found: re.Match[str]) -> str:
    """Return the format of a time of day, including the separator before it and the time zone after it."""
    parts = [found["before"], "%I:%M" if found["half"] else "%H:%M"]
    if found["S"]:
        parts.append(":%S")
    if found["f"]:
        parts.append(found["mark"] + ("%3f" if len(found["f"]) <= 3 else "%f"))
    if found["half"]:
        parts += [found["blank"], "%p" if found["half"].isupper() else "%P"]
    elif found["blank"]:
        parts.append(found["blank"])
    if found["zone"]:
        parts += [found["gap"], "Z" if found["zone"] == "Z" else "%z"]
    return "".join(parts)


def commonest(texts: Sequence[str]) -> tuple[Shape, float] | None:
    """Return the shape that most texts have, and the share of texts that have any shape of a date; None if none has.

    The format of its hours has no leading zero if some hours have one digit and none has a leading zero.
    """
    found = [shape_of(text) for text in texts]
    counts = Counter(shape for shape in found if shape is not None)
    if not counts:
        return None
    most = max(counts, key=lambda shape: (counts[shape], repr(shape)))
    if most.time and any(_SHORT_HOUR.search(text) for text in texts) and not any(map(_ZERO_HOUR.search, texts)):
        most = Shape(most.tokens, most.between, most.time.replace("%H", "%-H").replace("%I", "%-I"))
    return most, sum(counts.values()) / len(found)


def patterns(shape: Shape, texts: Sequence[str], *, quarters: bool) -> list[tuple[str, Language]]:
    """Return one pattern for every order in which the numbers of a shape may be read, with the language of its names.

    A number gets a directive without leading zero if the texts never have one. `quarters` says that a single number
    beside the year is a quarter.
    """
    named = "N" in shape.tokens
    language, name = _names(texts) if named else ("en", "")
    unpadded = [_unpadded(own) for own in _fields(texts, len(shape.tokens))] if not shape.tokens.isdigit() else []
    found = []
    for order in _ORDERS[shape.tokens]:
        if shape.tokens.isdigit():
            found.append(("".join(f"%{one}" for one in order), language))
            continue
        parts = [shape.between[0].replace("%", "%%")]
        for place, (one, after) in enumerate(zip(order, shape.between[1:], strict=True)):
            if one == "b":
                part = name
            elif one == "m" and quarters:
                part = "%q"
            else:
                part = f"%-{one}" if one in "dm" and unpadded[place] else f"%{one}"
            parts += [part, after.replace("%", "%%")]
        found.append(("".join(parts) + shape.time, language))
    return found


def _fields(texts: Sequence[str], n_fields: int) -> list[list[str]]:
    """Return, for each of the first `n_fields` positions, the numbers or month names that the texts have there."""
    fields = [[one for one in _FIELD.findall(text) if _kind(one)] for text in texts]
    return [[own[place] for own in fields if len(own) > place] for place in range(n_fields)]


def _unpadded(numbers: Sequence[str]) -> bool:
    """Return whether some of the numbers have one digit, and none has a leading zero."""
    return any(len(one) == 1 for one in numbers) and not any(one.startswith("0") for one in numbers)


def _names(texts: Sequence[str]) -> tuple[Language, str]:
    """Return the language that knows most of the names of months, and %B, %b or %^b for how they are written."""
    names = [word for text in texts for word in _WORD.findall(text) if _kind(word) == "N"]
    known = {one: sum(plain(name) in numbers_of_months(one) for name in names) for one in LANGUAGES}
    language = max(LANGUAGES, key=lambda one: known[one])
    own = [name for name in names if plain(name) in numbers_of_months(language)]
    long = {plain(name) for name in LONG[language]} - {plain(name) for name in SHORT[language]}
    style = "B" if any(plain(name) in long for name in own) else "b"
    return language, f"%^{style}" if own and all(name.isupper() and len(name) > 1 for name in own) else f"%{style}"
