"""Walking through the XML of an .xlsx file, element by element, without ever holding the whole of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.parsers import expat

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_DEEPEST = 100


class BrokenXmlError(Exception):
    """The XML is damaged, or has a document type, which no spreadsheet program writes."""


class Walk:
    """A walk through one XML file. `begin`, `text` and `end` are called in the order of the file.

    Names come without their prefix: a strict file, and that of another program, has other prefixes for the same.
    """

    def __init__(self) -> None:
        self._local: dict[str, str] = {}
        self._depth = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None: ...

    def text(self, part: str) -> None: ...

    def end(self, name: str) -> None: ...

    def over(self, chunks: Iterable[bytes]) -> None:
        """Walk through a file that comes in pieces."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self.text
        parser.StartDoctypeDeclHandler = _refuse
        try:
            for chunk in chunks:
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except (expat.ExpatError, LookupError, ValueError):  # an encoding that Python does not know is a LookupError
            raise BrokenXmlError from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BrokenXmlError
        local = self._local.get(name)
        if local is None:
            local = self._local[name] = name.rpartition(":")[2]
        self.begin(local, attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self.end(self._local[name])


def _refuse(*_: object) -> None:
    raise BrokenXmlError


def unescaped(text: str) -> str:
    """Return a text of an .xlsx file as it is shown; control characters, which XML lacks, are written _x0007_."""
    return _ESCAPED.sub(_character, text) if "_x" in text else text


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return found[0] if 0xD800 <= code < 0xE000 else chr(code)  # half of a surrogate pair is no character
