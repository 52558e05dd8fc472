"""Find data in a packed file (gzip, ZIP) that is not in the table that it unpacks to.

Both formats have room for it: names, comments and further fields of a file, bytes between the files, other files.
Every byte of the archive must belong to the packed table or to a field whose content is a number.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

NOTES = "notes in the archive"
BETWEEN = "bytes between its parts"
FILES = "other files beside the table"
_ENTRY, _HEADER, _END = struct.Struct("<4s6H3I5H2I"), struct.Struct("<4s5H3I2H"), struct.Struct("<4s4H2IH")
_STREAMED = 0x8
"""The flag of a file whose sizes stand behind it."""
_FIELDS = {0x0001: 28, 0x000A: 32, 0x5455: 13, 0x5855: 12, 0x7855: 4, 0x7875: 15}
"""Further fields of a file that hold numbers alone, sizes, times and the numbers of users, with their most bytes."""
_PADDING = 0xA220
"""A field by which Excel keeps room: two numbers and zeros."""
_CHUNK, _MOST = 1 << 12, 1 << 24
"""Bytes that are unpacked at a time, and the most that they unpack to."""
_ZEROS = re.compile(rb"\0*")
_NAMED, _COMMENTED, _EXTENDED, _SUMMED = 8, 16, 4, 2
"""The flags of a gzip file."""


@dataclass(frozen=True, slots=True)
class _Packed:
    """A file in a ZIP archive as the directory lists it."""

    name: bytes
    flags: int
    method: int
    size: int
    start: int


def hidden_in_zip(data: bytes) -> Iterator[str]:
    """Describe the data in a ZIP archive besides the content of its files, one phrase for each place."""
    listed = list(_directory(data))
    files = sorted((one for one in listed if isinstance(one, _Packed)), key=lambda one: one.start)
    yield from (one for one in listed if isinstance(one, str))
    if BETWEEN in listed:
        return
    at = 0
    for one in files:
        if one.start != at or len(data) < at + _HEADER.size:
            yield BETWEEN
            return
        mark, _, _, _, _, _, _, _, _, name, extra = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if mark != b"PK\3\4" or data[at : at + name] != one.name:
            yield BETWEEN
            return
        yield from _fields(data[at + name : at + name + extra])
        at += name + extra
        yield from _content(data[at : at + one.size], one.method)
        at += one.size
        at += _sizes_behind(data, at) if one.flags & _STREAMED else 0
    if at != _END.unpack_from(data, len(data) - _END.size)[6]:
        yield BETWEEN


def _directory(data: bytes) -> Iterator[_Packed | str]:
    """Yield the files that the directory at the end lists, and what is hidden in it."""
    end = len(data) - _END.size
    if end < 0 or data[end : end + 4] != b"PK\5\6" or data[-2:] != b"\0\0":
        yield NOTES
        yield BETWEEN
        return
    _, *disks, here, entries, size, at, _ = _END.unpack_from(data, end)
    if any(disks) or here != entries or at + size != end:
        yield BETWEEN
        return
    for _ in range(entries):
        if at + _ENTRY.size > end:
            yield BETWEEN
            return
        mark, _, _, flags, method, _, _, _, packed, _, name, extra, note, *_, start = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size
        if mark != b"PK\1\2":
            yield BETWEEN
            return
        if note:
            yield NOTES
        yield from _fields(data[at + name : at + name + extra])
        if data[at : at + name].endswith(b"/"):
            yield FILES
        yield _Packed(data[at : at + name], flags, method, packed, start)
        at += name + extra + note
    if at != end:
        yield BETWEEN


def _fields(extra: bytes) -> Iterator[str]:
    """Report further fields of a file that may hold a text."""
    while extra:
        kind, size = struct.unpack_from("<HH", extra) if len(extra) >= 4 else (0, 0)
        content, extra = extra[4 : 4 + size], extra[4 + size :]
        is_padding = kind == _PADDING and not content[4:].strip(b"\0")
        if len(content) < size or not (is_padding or 0 < size <= _FIELDS.get(kind, 0)):
            yield NOTES
            return


def _content(packed: bytes, method: int) -> Iterator[str]:
    """Report bytes that follow the end of a deflated file."""
    if method == zlib.DEFLATED and _after(packed, 0) != len(packed):
        yield BETWEEN


def _sizes_behind(data: bytes, at: int) -> int:
    """Return the number of bytes of the sizes behind a file: with or without a mark, of 4 or 8 bytes each."""
    marked = 4 if data[at : at + 4] == b"PK\7\10" else 0
    following = {size: data[at + marked + size : at + marked + size + 4] for size in (12, 20)}
    return next((marked + size for size, mark in following.items() if mark in (b"PK\3\4", b"PK\1\2")), 0)


def _after(data: bytes, at: int) -> int:
    """Return the place that follows a deflated content, which begins at `at`; -1 if it does not end."""
    packer, waiting = zlib.decompressobj(-15), b""
    while not packer.eof and (waiting or at < len(data)):
        if not waiting:
            waiting = data[at : at + _CHUNK]
            at += len(waiting)
        packer.decompress(waiting, _MOST)  # what is unpacked is not kept
        waiting = packer.unconsumed_tail
    return at - len(packer.unused_data) if packer.eof else -1


def hidden_in_gzip(data: bytes, name: str) -> Iterator[str]:
    """Describe the data in a gzip file that can be unpacked, besides its content.

    The `name` of the file that was packed may be stated.
    """
    at = 0
    while (at := _ZEROS.match(data, at).end()) < len(data):  # type: ignore[union-attr]
        flags = data[at + 3]
        at += 10
        if flags & _EXTENDED:
            yield NOTES
            at += 2 + int.from_bytes(data[at : at + 2], "little")
        for flag in (_NAMED, _COMMENTED):
            if flags & flag:
                end = data.index(b"\0", at)
                if flag == _COMMENTED or data[at:end] != name.encode():
                    yield NOTES
                at = end + 1
        at += 2 if flags & _SUMMED else 0
        at = _after(data, at) + 8
        if at < 8:
            yield BETWEEN
            return
