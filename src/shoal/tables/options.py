"""Options of the user for reading a file; an option that is None is detected from the file."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import ParameterError
from shoal.tables.encodings import canonical


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a CSV file, and which `sheet` of an .xlsx file. Sources with types of their own ignore the rest.

    `quote=""` means that cells are never quoted. A cell is missing if it is empty and not quoted, or equal to one of
    `null_values`, quoted or not; no word is read as missing unless it is given here (NA is also Namibia).
    """

    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    null_values: tuple[str, ...] = ()
    has_header: bool | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        for name, value in (("separator", self.separator), ("quote", self.quote)):
            if value is not None and not _is_mark(value) and not (name == "quote" and value == ""):
                raise ParameterError(f"{name} must be one ASCII character; it has {len(value)}.")
        if self.separator is not None and self.separator == self.quote:
            raise ParameterError("separator and quote are the same character.", "choose two different ones.")
        if self.decimal not in (None, ".", ","):
            raise ParameterError("decimal must be a point or a comma.")
        if self.encoding is not None:
            try:
                canonical(self.encoding)
            except LookupError:
                raise ParameterError(
                    f"encoding {self.encoding!r} is not known.", "utf-8, utf-16, cp1252 and latin-1 are common ones."
                ) from None


def _is_mark(value: str) -> bool:
    return len(value) == 1 and value.isascii() and value not in "\r\n\0"
