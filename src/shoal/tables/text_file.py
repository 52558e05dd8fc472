"""Reading the text of a file as UTF-8 bytes, unpacked and converted where need be."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from pathlib import Path
from typing import NamedTuple

from shoal.errors import TableError
from shoal.tables.encodings import UTF16, broken_utf8, canonical, guess, is_utf8, utf16_without_mark
from shoal.tables.file_bytes import EMPTY_HINT, UTF8_MARK, Buffer, file_bytes
from shoal.tables.room import refuse_beyond_room, room
from shoal.tables.zip_file import only_text

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CHUNK = 1 << 24  # bytes unpacked or checked at a time (16 MiB)
_ENCODING_HINT = 'say how the file is encoded, such as encoding="cp1252" (--encoding cp1252), or save it as UTF-8.'


class Text(NamedTuple):
    """The text of a file as UTF-8 bytes, the encoding that the file has, and what the user should know about it."""

    data: Buffer
    encoding: str
    notes: tuple[str, ...] = ()


def text_bytes(path: Path, encoding: str | None) -> Text:
    """Return the file's text as UTF-8 bytes, unpacked if its name ends in .gz or .zip.

    Without an `encoding` it is found out: UTF-8 if all bytes are valid, UTF-16 by its first bytes or by the zeros in
    it, and otherwise the encoding in which the letters are those of a language (`shoal.tables.encodings`), which a
    note then names. A file that fits none, or two alike, is refused.
    """
    data = _UNPACKED.get(path.suffix.lower(), file_bytes)(path)
    notes: tuple[str, ...] = ()
    if encoding is None:
        encoding = _found_encoding(data, path)
        if encoding not in ("utf-8", UTF16):
            notes = (f"read as {encoding}, which its letters fit best; --encoding (encoding=...) says otherwise.",)
    elif canonical(encoding) not in ("utf-8", UTF16) and not data.isascii() and is_utf8(data):
        notes = (f"read as {encoding} as asked for, though it is valid UTF-8: check that its letters are right.",)
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        try:
            data = codecs.decode(data, encoding).encode("utf-8")
        except UnicodeError as error:
            where = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
            raise TableError(
                f"{str(path)!r} is not {encoding}{where}.", "say which encoding it has, or save it as UTF-8."
            ) from None
    return Text(data.removeprefix(UTF8_MARK) if canonical(encoding) == UTF16 else data, canonical(encoding), notes)


def _found_encoding(data: Buffer, path: Path) -> str:
    """Return the encoding of a text: the one that fits; raises a `TableError` if none does, or several do."""
    if data[:2] in _UTF16_MARKS:
        return UTF16
    if 0 in data and (order := utf16_without_mark(data)) is not None:
        return order
    if data.isascii() or 0 in data or is_utf8(data) or broken_utf8(data):
        return "utf-8"  # what is not valid is refused where it is read, with the place
    fitting = guess(data)
    if not fitting:
        refuse_invalid_utf8(data, path)
    if len(fitting) > 1:
        raise TableError(
            f"the encoding of {str(path)!r} is not certain: {' and '.join(fitting)} fit its bytes alike.",
            f'say which: encoding="{fitting[0]}" (--encoding {fitting[0]}).',
        )
    return fitting[0]


def refuse_nul(data: Buffer, path: Path) -> None:
    """Raise a `TableError` if there is a NUL byte: the file has another encoding or is not text."""
    at = data.find(b"\0")
    if at >= 0:
        raise TableError(f"{str(path)!r} holds a NUL byte at byte {at}, so it is not UTF-8 text.", _ENCODING_HINT)


def refuse_invalid_utf8(data: Buffer, path: Path) -> None:
    """Raise a `TableError` that names the first byte that is not UTF-8, if there is one."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK):
        pending = len(decoder.getstate()[0])  # bytes of a character that began in the chunk before
        try:
            decoder.decode(data[start : start + _CHUNK], final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            at = start - pending + error.start
            raise TableError(f"{str(path)!r} is not UTF-8 at byte {at}.", _ENCODING_HINT) from None


def _unpacked(path: Path) -> bytes:
    """Return the contents of a gzip file; one that unpacks to more than there is room for is refused on the way."""
    parts: list[bytes] = []
    n_bytes, most = 0, room()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(file_bytes(path))) as file:
            while part := file.read(_CHUNK):
                n_bytes += len(part)
                if n_bytes > most:
                    refuse_beyond_room(path, n_bytes)
                parts.append(part)
    except EOFError:
        raise TableError(f"{str(path)!r} is a truncated gzip file.", "copy or download it again.") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TableError(
            f"{str(path)!r} is not a gzip file, or it is damaged.", "check the file; .gz means gzip."
        ) from None
    if not parts:
        raise TableError(f"{str(path)!r} is empty once unpacked.", EMPTY_HINT)
    return b"".join(parts)


_UNPACKED = {".gz": _unpacked, ".zip": only_text}
