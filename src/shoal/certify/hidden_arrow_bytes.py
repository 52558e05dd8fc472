"""Find bytes of an Arrow file that belong to no column.

An Arrow file ends with a footer, which says where each block of rows begins and how long it is. Programs read the
blocks alone, so that anything fits between them, and into the copy of the schema at the beginning.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

_HEAD, _TAIL = 8, 10
"""Bytes of the mark at the beginning; of the footer's length and the mark at the end."""
_DICTIONARIES, _BATCHES = 2, 3
"""The fields of the footer that list blocks."""
_BLOCK = struct.Struct("<qixxxxq")
_READABLE = re.compile(rb"[\x20-\x7e\x80-\xf7]{5,}")
"""Text in UTF-8; offsets beside it have bytes that no text has."""
_STOP = b"\xff\xff\xff\xff\0\0\0\0"


def bytes_between_blocks(data: bytes) -> Iterator[str]:
    """Describe the bytes of an Arrow file outside of its blocks and its footer, if they may hold data."""
    length = int.from_bytes(data[-_TAIL : -_TAIL + 4], "little")
    start = len(data) - _TAIL - length
    footer = data[start : start + length]
    try:
        blocks = sorted([*_blocks(footer, _DICTIONARIES), *_blocks(footer, _BATCHES)])
    except (struct.error, IndexError):
        yield "bytes that belong to no column"
        return
    end = blocks[0][0] if blocks else start
    known = b"\0".join(_READABLE.findall(footer))
    if any(text not in known for text in _READABLE.findall(data[_HEAD:end])):
        yield "bytes that belong to no column"
    for place, size in [*blocks, (start, 0)]:
        if place < end or data[end:place].replace(_STOP, b"").strip(b"\0"):
            yield "bytes that belong to no column"
        end = place + size


def _blocks(footer: bytes, field: int) -> list[tuple[int, int]]:
    """Return where the blocks begin that a field of the footer lists, and their sizes; flatbuffers are relative."""
    root = struct.unpack_from("<I", footer)[0]
    table = root - struct.unpack_from("<i", footer, root)[0]
    if struct.unpack_from("<H", footer, table)[0] < 6 + 2 * field:
        return []
    offset = struct.unpack_from("<H", footer, table + 4 + 2 * field)[0]
    if not offset:
        return []
    listed = root + offset + struct.unpack_from("<I", footer, root + offset)[0]
    found = [_BLOCK.unpack_from(footer, listed + 4 + place) for place in _places(footer, listed)]
    return [(start, about + body) for start, about, body in found]


def _places(footer: bytes, listed: int) -> range:
    return range(0, _BLOCK.size * struct.unpack_from("<I", footer, listed)[0], _BLOCK.size)
