"""Archives made byte by byte: every field of a ZIP or gzip file at its edge, and what the verifier says of it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace

import pytest

from shoal.certify import hidden_archive
from shoal.certify.hidden_archive import BETWEEN, FILES, NOTES, hidden_in_gzip, hidden_in_zip

DATA = b"age,city\n1,A\n"


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@dataclass(frozen=True)
class Entry:
    """One file of an archive."""

    name: bytes = b"r.csv"
    packed: bytes = deflated(DATA)
    method: int = 8
    flags: int = 0
    local: bytes = b""
    central: bytes = b""
    note: bytes = b""
    behind: bytes = b""
    mark: bytes = b"PK\3\4"
    own_name: bytes | None = None
    before: bytes = b""
    moved: int = 0


def zipped(
    *entries: Entry,
    between: bytes = b"",
    disks: tuple[int, int] = (0, 0),
    here: int | None = None,
    more: int = 0,
    comment: bytes = b"",
    listed: bytes = b"",
    mark: bytes = b"PK\1\2",
    end: bytes = b"PK\5\6",
) -> bytes:
    body, directory = b"", b""
    for one in entries:
        body += one.before
        start = len(body) + one.moved
        name = one.name if one.own_name is None else one.own_name
        sizes = struct.pack("<3I", zlib.crc32(DATA), len(one.packed), len(DATA))
        head = struct.pack("<5H", 20, one.flags, one.method, 0, 33) + sizes
        body += one.mark + head + struct.pack("<2H", len(name), len(one.local)) + name + one.local
        body += one.packed + one.behind
        directory += mark + struct.pack("<H", 20) + head
        directory += struct.pack("<5H2I", len(one.name), len(one.central), len(one.note), 0, 0, 0, start)
        directory += one.name + one.central + one.note
    body += between
    directory += listed
    count = len(entries) + more
    tail = struct.pack("<4H2I", *disks, count if here is None else here, count, len(directory), len(body))
    return body + directory + end + tail + struct.pack("<H", len(comment)) + comment


def found(*entries: Entry, **more: object) -> list[str]:
    return list(hidden_in_zip(zipped(*entries, **more)))  # type: ignore[arg-type]


A, B = Entry(), Entry(name=b"second.csv", packed=b"stored", method=0)


def field(kind: int, content: bytes, size: int | None = None) -> bytes:
    return struct.pack("<HH", kind, len(content) if size is None else size) + content


def test_an_archive_of_files_alone_hides_nothing() -> None:
    assert found(A) == []
    assert found(A, B) == []
    assert found(B, A) == []
    assert found() == []
    assert found(replace(A, packed=b"", method=0)) == []


@pytest.mark.parametrize(
    ("extra", "hides"),
    [
        (field(0x5455, b"\1" * 13), False),
        (field(0x5455, b"\1" * 14), True),
        (field(0x5455, b"\1"), False),
        (field(0x5455, b""), True),
        (field(0x0001, b"\1" * 28), False),
        (field(0x0001, b"\1" * 29), True),
        (field(0x000A, b"\1" * 32), False),
        (field(0x000A, b"\1" * 33), True),
        (field(0x5855, b"\1" * 12), False),
        (field(0x7855, b"\1" * 4), False),
        (field(0x7855, b"\1" * 5), True),
        (field(0x7875, b"\1" * 15), False),
        (field(0x7875, b"\1" * 16), True),
        (field(0x7A6F, b"Z"), True),
        (field(0x7A6F, b""), True),
        (field(0xA220, b"\x28\xa0\4\0" + b"\0" * 9), False),
        (field(0xA220, b"\x28\xa0\4\0"), False),
        (field(0xA220, b""), False),
        (field(0xA220, b"\x28\xa0\4\0") + field(0x5455, b"\1" * 5), False),
        (field(0xA220, b"\x28\xa0\4\0" + b"\0\0Z"), True),
        (field(0xA220, b"\x28\xa0\4\0" + b"Z\0\0"), True),
        (field(0xA220, b"\x28\xa0\4\0" + b"X"), True),
        (field(0x5455, b"\1" * 4, 5), True),
        (field(0x5455, b"\1" * 5) + field(0x7855, b"\1" * 4), False),
        (field(0x5455, b"\1" * 5) + field(0x7A6F, b"Zoe"), True),
        (field(0x5455, b"\1" * 5) + b"Z", True),
        (b"Zoe", True),
        (b"\x55\x54\0\0", True),
        (b"\x55\x54\1\0", True),
    ],
)
def test_further_fields_hold_numbers_of_their_size(extra: bytes, hides: bool) -> None:
    assert found(replace(A, local=extra)) == [NOTES] * hides
    assert found(replace(A, central=extra)) == [NOTES] * hides
    assert found(replace(A, local=extra), B) == [NOTES] * hides
    assert found(replace(A, central=extra), B) == [NOTES] * hides


def test_notes_are_found_and_what_follows_them_is_read() -> None:
    assert found(replace(A, note=b"Zoe")) == [NOTES]
    assert found(replace(A, note=b"Zoe"), B) == [NOTES]
    assert found(A, replace(B, note=b"Zoe", central=field(0x7A6F, b"Z"))) == [NOTES, NOTES]
    assert found(A, comment=b"Zoe") == [NOTES, BETWEEN]
    assert found(A, comment=b"\0\0") == [NOTES, BETWEEN]


def test_a_folder_is_a_file_beside_the_table() -> None:
    folder = Entry(name=b"Zoe/", packed=b"", method=0)
    assert found(A, folder) == [FILES]
    assert found(replace(A, note=b"x"), folder) == [NOTES, FILES]


@pytest.mark.parametrize(
    "case",
    [
        {"between": b"Z"},
        {"disks": (1, 0)},
        {"disks": (0, 1)},
        {"here": 0},
        {"here": 3},
        {"listed": b"Z"},
        {"listed": b"Z" * 60},
        {"more": 1},
        {"more": 1, "listed": b"Z" * 46},
        {"mark": b"PK\1\3"},
    ],
)
def test_whatever_the_directory_does_not_account_for_is_between(case: dict[str, object]) -> None:
    assert found(A, **case)[-1:] == [BETWEEN]
    assert found(A, B, **case)[-1:] == [BETWEEN]


def test_an_archive_that_does_not_end_as_one_is_not_read() -> None:
    good = zipped(A)
    assert list(hidden_in_zip(good + b"Z")) == [NOTES, BETWEEN]
    assert list(hidden_in_zip(good[-21:])) == [NOTES, BETWEEN]
    assert list(hidden_in_zip(b"")) == [NOTES, BETWEEN]
    assert list(hidden_in_zip(zipped(A, end=b"PK\5\7"))) == [NOTES, BETWEEN]
    assert list(hidden_in_zip(zipped())) == []


@pytest.mark.parametrize(
    "entry",
    [
        replace(A, mark=b"PK\3\5"),
        replace(A, own_name=b"Zoe.c"),
        replace(A, own_name=b"r.cs"),
        replace(A, own_name=b"", mark=b"PK\3\4"),
        replace(A, before=b"Z"),
        replace(A, behind=b"Z"),
        replace(A, moved=1),
        replace(A, moved=10_000),
        replace(A, packed=deflated(DATA) + b"Z"),
        replace(A, packed=deflated(DATA)[:-1]),
        replace(A, packed=b""),
    ],
)
def test_every_byte_of_a_file_belongs_to_it(entry: Entry) -> None:
    assert found(entry) == [BETWEEN] or found(entry) == [BETWEEN, BETWEEN]
    assert BETWEEN in found(entry, B)
    assert BETWEEN in found(B, entry)


def test_a_directory_that_leaves_no_room_for_a_head_is_refused() -> None:
    whole = zipped(replace(A, moved=0))
    at = len(zipped(A)) - 22 - 46 - 5
    headless = whole[at:-22] + whole[-22:-6] + struct.pack("<I", 0) + b"\0\0"
    assert list(hidden_in_zip(headless)) == [BETWEEN]


@pytest.mark.parametrize("marked", [b"PK\7\10", b""])
@pytest.mark.parametrize("size", [12, 20])
def test_sizes_behind_a_file_belong_to_it_where_its_flag_says_so(marked: bytes, size: int) -> None:
    behind = marked + b"\1" * size
    assert found(replace(A, flags=8, behind=behind)) == []
    assert found(replace(A, flags=8, behind=behind), B) == []
    assert found(B, replace(A, flags=8, behind=behind)) == []
    assert found(replace(A, behind=behind)) == [BETWEEN]
    assert found(replace(A, flags=4, behind=behind)) == [BETWEEN]
    assert found(replace(A, flags=8, behind=behind + b"Z")) == [BETWEEN]
    assert found(replace(A, flags=8, behind=behind[:-1])) == [BETWEEN]


def test_a_flag_alone_allows_no_bytes() -> None:
    assert found(replace(A, flags=8)) == []
    assert found(replace(A, flags=8), B) == []


# -- gzip --------------------------------------------------------------------------------------------------------


def gzipped(data: bytes = DATA, flags: int = 0, more: bytes = b"") -> bytes:
    head = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff"
    return head + more + deflated(data) + struct.pack("<II", zlib.crc32(data), len(data))


@pytest.mark.parametrize(
    ("packed", "hides"),
    [
        (gzipped(), []),
        (gzipped() + gzipped(), []),
        (gzipped() + b"\0" * 5, []),
        (gzipped() + b"\0" * 5 + gzipped(), []),
        (gzipped(flags=8, more=b"r.csv\0"), []),
        (gzipped(flags=8, more=b"R.csv\0"), [NOTES]),
        (gzipped(flags=8, more=b"\0"), [NOTES]),
        (gzipped(flags=16, more=b"r.csv\0"), [NOTES]),
        (gzipped(flags=16, more=b"\0"), [NOTES]),
        (gzipped(flags=24, more=b"r.csv\0Zoe\0"), [NOTES]),
        (gzipped(flags=2, more=b"ab"), []),
        (gzipped(flags=4, more=b"\3\0Zoe"), [NOTES]),
        (gzipped(flags=4, more=b"\0\1" + b"Z" * 256), [NOTES]),
        (gzipped(flags=4, more=b"\1\1" + b"Z" * 257) + gzipped(flags=16, more=b"Zoe\0"), [NOTES, NOTES]),
        (gzipped(flags=4, more=b"\0\0"), [NOTES]),
        (gzipped(flags=30, more=b"\3\0Zoer.csv\0Zoe\0ab") + gzipped(), [NOTES, NOTES]),
        (gzipped() + gzipped(flags=8, more=b"Zoe\0"), [NOTES]),
        (gzipped()[:-9], [BETWEEN]),
        (b"", []),
        (b"\0\0", []),
    ],
)
def test_a_gzip_file_states_its_own_name_and_nothing_else(packed: bytes, hides: list[str]) -> None:
    assert list(hidden_in_gzip(packed, "r.csv")) == hides


@pytest.mark.parametrize("most", [1, 7, 1 << 24])
@pytest.mark.parametrize("chunk", [1, 5, 1 << 12])
def test_a_packed_content_is_followed_to_its_end_in_parts_of_any_size(
    most: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden_archive, "_MOST", most)
    monkeypatch.setattr(hidden_archive, "_CHUNK", chunk)
    packed = deflated(b"a" * 300 + bytes(range(200)))
    assert hidden_archive._after(b"xy" + packed + b"tail", 2) == 2 + len(packed)
    assert hidden_archive._after(packed, 0) == len(packed)
    assert hidden_archive._after(packed[:-1], 0) == -1
    assert hidden_archive._after(b"", 0) == -1
