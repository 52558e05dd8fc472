"""How dates are written in a column: the formats that a policy may state, such as `%d.%m.%Y`.

A format consists of directives, mostly those of Python's strftime, and of other characters that stand for themselves.
It has all that is needed to read a date and to write the same date again, so years of two digits come with the first
of their hundred years, and names of months with their language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from shoal.policy.month_names import Language

EXCEL = "excel"
"""The format of whole numbers that count days as spreadsheets do: 1 is 31 December 1899, 36526 is 1 January 2000."""
Resolution = Literal["year", "quarter", "month", "day", "hour", "minute", "second", "millisecond", "microsecond"]
RESOLUTIONS: tuple[Resolution, ...] = (
    "year", "quarter", "month", "day", "hour", "minute", "second", "millisecond", "microsecond",
)  # fmt: skip
_PART = re.compile(r"%([-^]?)(3f|[A-Za-z%])")
_MEANS: dict[str, tuple[str, Resolution | None]] = {
    "Y": ("year", "year"),
    "y": ("year", "year"),
    "q": ("month", "quarter"),
    "m": ("month", "month"),
    "b": ("month", "month"),
    "B": ("month", "month"),
    "d": ("day", "day"),
    "H": ("hour", "hour"),
    "I": ("hour", "hour"),
    "M": ("minute", "minute"),
    "S": ("second", "second"),
    "f": ("fraction", "microsecond"),
    "3f": ("fraction", "millisecond"),
    "p": ("half", None),
    "P": ("half", None),
    "z": ("zone", None),
}
"""For each directive, which part of a date it gives (a format may have each part once), and its resolution."""
_NEEDS = {
    "day": "month",
    "hour": "day",
    "minute": "hour",
    "second": "minute",
    "fraction": "second",
    "half": "hour",
    "zone": "hour",
}
_UNPADDED, _UPPER = "dmHI", "bB"
DIGITS = "YyqmdHIMSf"
"""The directives that are written with digits only."""
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class FormatPart:
    """A part of a format: a `directive` such as Y or m with its flag ("-": no leading zero, "^": capitals), or text.

    `packed` says that it is next to another part of digits, so that exactly its full number of digits is read.
    """

    directive: str = ""
    flag: str = ""
    text: str = ""
    packed: bool = False


@dataclass(frozen=True, slots=True)
class DateFormat:
    """How the dates of a column are written."""

    pattern: str
    language: Language = "en"
    first_year: int | None = None

    @property
    def is_serial(self) -> bool:
        """Whether dates are written as the whole numbers of a spreadsheet."""
        return self.pattern == EXCEL

    @property
    def parts(self) -> tuple[FormatPart, ...]:
        """The parts of the pattern, in order."""
        return _parts(self.pattern)

    @property
    def directives(self) -> frozenset[str]:
        """The directives that the pattern has."""
        return frozenset(part.directive for part in self.parts if part.directive)

    @property
    def resolution(self) -> Resolution:
        """The finest unit that is written; dates that differ in a finer unit only have the same text."""
        if self.is_serial:
            return "day"
        fine = [grain for one in self.directives if (grain := _MEANS[one][1]) is not None]
        return max(fine, key=RESOLUTIONS.index)

    @property
    def has_time(self) -> bool:
        """Whether a time of day belongs to the dates."""
        return not self.directives.isdisjoint("HI")

    @property
    def digits(self) -> int | None:
        """The number of digits of every date, if dates are written with a fixed number of digits and nothing else."""
        if self.is_serial or any(part.text or part.flag or part.directive[-1] not in DIGITS for part in self.parts):
            return None
        return sum({"Y": 4, "q": 1, "f": 6, "3f": 3}.get(part.directive, 2) for part in self.parts)

    def check(self) -> None:
        """Raise a ValueError with one sentence if the pattern cannot be read, or does not determine a date."""
        if self.is_serial:
            if self.first_year is not None or self.language != "en":
                raise ValueError(f'language and first_year do not belong to format = "{EXCEL}"')
            return
        if len(self.pattern) > _LONGEST or not self.pattern.isprintable() or re.search(r'[\[\]{}"*]', self.pattern):
            raise ValueError("format is a short text such as %d.%m.%Y, without brackets, quotes, stars or line ends")
        if (rest := _PART.sub("", self.pattern)).count("%"):
            raise ValueError("format has a % without a letter after it; a % itself is written %%")
        if re.search(r"\d", rest):
            raise ValueError("format has digits, which could be taken for those of a date")
        self._check_directives()
        if ("y" in self.directives) != (self.first_year is not None):
            raise ValueError(
                "years of two digits (%y) need first_year, and only they: first_year = 1930 makes them 1930 to 2029"
            )
        if self.language != "en" and self.directives.isdisjoint("bB"):
            raise ValueError("language belongs to a format with names of months (%b or %B)")

    def _check_directives(self) -> None:
        """Raise a ValueError unless the directives are known and together determine a date."""
        seen: dict[str, str] = {}
        for part in self.parts:
            if not part.directive:
                continue
            if part.directive not in _MEANS or part.flag not in _flags(part.directive):
                raise ValueError(
                    f"format has no part %{part.flag}{part.directive}; docs/reference/policy.md lists all parts"
                )
            if part.flag == "-" and part.packed:
                raise ValueError(f"format has %-{part.directive} next to other digits, so its end cannot be found")
            about = _MEANS[part.directive][0]
            if about in seen:
                raise ValueError(f"format gives the {about} twice")
            seen[about] = part.directive
        if "year" not in seen:
            raise ValueError("format has no year (%Y or %y)")
        for about, needed in _NEEDS.items():
            if about in seen and needed not in seen:
                raise ValueError(f"format has the {about} without the {needed}")
        if seen.get("month") == "q" and "day" in seen:
            raise ValueError("format has a day, but a quarter instead of the month")
        if ("half" in seen) != (seen.get("hour") == "I"):
            raise ValueError("format needs %p with %I, and only there: %H has 24 hours")


def _flags(directive: str) -> str:
    return ("-" if directive in _UNPADDED else "") + ("^" if directive in _UPPER else "")


@cache
def _parts(pattern: str) -> tuple[FormatPart, ...]:
    """Return the parts of a pattern; neighboring texts are one part."""
    found: list[FormatPart] = []
    for part in _pieces(pattern):
        if part.text and found and found[-1].text:
            found[-1] = FormatPart(text=found[-1].text + part.text)
        else:
            found.append(part)
    numeric = [part.directive != "" and part.directive[-1] in DIGITS for part in found]
    return tuple(
        FormatPart(
            part.directive,
            part.flag,
            part.text,
            numeric[i] and any(numeric[max(i - 1, 0) : i] + numeric[i + 1 : i + 2]),
        )
        for i, part in enumerate(found)
    )


def _pieces(pattern: str) -> Iterator[FormatPart]:
    at = 0
    for match in _PART.finditer(pattern):
        if match.start() > at:
            yield FormatPart(text=pattern[at : match.start()])
        yield FormatPart(text="%") if match[2] == "%" else FormatPart(directive=match[2], flag=match[1])
        at = match.end()
    if at < len(pattern):
        yield FormatPart(text=pattern[at:])
