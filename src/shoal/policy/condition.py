"""Conditions on the cells of a row, such as ``country = 'DE' and age >= 18``: a small part of SQL.

A condition compares columns with values and nothing else: there are no functions, no other tables, no files. Names
with blanks or other signs are written in double quotes, texts and dates in single quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

Value = str | int | float | bool
Sign = Literal["=", "<>", "<", "<=", ">", ">="]
WORDS = ("and", "or", "not", "in", "between", "is", "null", "true", "false")
LONGEST = 10_000
DEEPEST = 50
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>'(?:[^']|'')*')
      | (?P<quoted>"(?:[^"]|"")+")
      | (?P<number>-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
      | (?P<name>[^\W\d]\w*)
      | (?P<sign><=|>=|<>|!=|=|<|>|\(|\)|,)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A column compared with one value."""

    column: str
    sign: Sign
    value: Value


@dataclass(frozen=True, slots=True)
class Missing:
    """Whether the cell of a column is missing."""

    column: str


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition; of an unknown one it is unknown."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Joined:
    """Several conditions of which all or any must hold."""

    how: Literal["and", "or"]
    parts: tuple[Condition, ...]


Condition = Compared | Missing | Not | Joined


def parse_condition(text: str) -> Condition:
    """Return the condition that a text states; a ValueError says what is wrong and quotes nothing of it."""
    if len(text) > LONGEST:
        raise ValueError("the condition is too long")
    return _Parser(text).whole()


def columns_of(condition: Condition) -> Iterator[str]:
    """Yield the names of the columns that a condition is about."""
    match condition:
        case Not(part):
            yield from columns_of(part)
        case Joined(_, parts):
            for part in parts:
                yield from columns_of(part)
        case _:
            yield condition.column


class _Parser:
    """Reads a condition from left to right; `or` binds less than `and`, and that less than `not`."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0

    def whole(self) -> Condition:
        found = self._either()
        if self._at < len(self._tokens):
            raise ValueError("something follows the end of the condition; join conditions by and, or")
        return found

    def _either(self) -> Condition:
        return self._series("or", lambda: self._series("and", self._one))

    def _series(self, word: Literal["and", "or"], part: object) -> Condition:
        assert callable(part)
        parts = [part()]
        while self._word(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _one(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError("the condition is nested too deeply")
        try:
            if self._word("not"):
                return Not(self._one())
            if self._sign("("):
                found = self._either()
                self._expect(")")
                return found
            return self._comparison(self._column())
        finally:
            self._depth -= 1

    def _comparison(self, column: str) -> Condition:
        if self._word("is"):
            opposite = self._word("not")
            if not self._word("null"):
                raise ValueError("is must be followed by null or not null")
            return Not(Missing(column)) if opposite else Missing(column)
        opposite = self._word("not")
        if self._word("in"):
            self._expect("(")
            values = [self._value()]
            while self._sign(","):
                values.append(self._value())
            self._expect(")")
            found: Condition = Joined("or", tuple(Compared(column, "=", value) for value in values))
        elif self._word("between"):
            low = self._value()
            if not self._word("and"):
                raise ValueError("between needs two values: between 1 and 5")
            found = Joined("and", (Compared(column, ">=", low), Compared(column, "<=", self._value())))
        elif opposite:
            raise ValueError("after a column, not must be followed by in or between")
        else:
            return Compared(column, self._comparing(), self._value())
        return Not(found) if opposite else found

    def _comparing(self) -> Sign:
        kind, text = self._next()
        sign = "<>" if text == "!=" else text
        for known in get_args(Sign):
            if kind == "sign" and sign == known:
                return known  # type: ignore[no-any-return]
        raise ValueError("a column must be compared: =, <>, <, <=, >, >=, in, between or is null")

    def _column(self) -> str:
        kind, text = self._next()
        if kind == "quoted":
            return text[1:-1].replace('""', '"')
        if kind != "name" or text.lower() in WORDS:
            raise ValueError("a comparison must begin with the name of a column")
        if self._peek() == ("sign", "("):
            raise ValueError("functions cannot be used; compare columns with values")
        return text

    def _value(self) -> Value:
        kind, text = self._next()
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return float(text) if re.search("[.eE]", text) else int(text)
        if kind == "name" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise ValueError("a column must be compared with a value: a number, true, false, or a text in single quotes")

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        found = self._peek()
        self._at += 1
        return found

    def _word(self, word: str) -> bool:
        kind, text = self._peek()
        hit = kind == "name" and text.lower() == word
        self._at += hit
        return hit

    def _sign(self, sign: str) -> bool:
        hit = self._peek() == ("sign", sign)
        self._at += hit
        return hit

    def _expect(self, sign: str) -> None:
        if not self._sign(sign):
            raise ValueError(f"a {sign} is missing")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text as pairs of what they are and how they are written."""
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"what stands at character {at + 1} cannot be read")
        kind = found.lastgroup
        assert kind is not None
        yield kind, found[kind]
        at = found.end()
