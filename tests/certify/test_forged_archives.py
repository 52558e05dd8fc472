"""A packed file that holds more than its table (notes, other files, bytes between) does not verify."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.certify import verify
from shoal.tables import write_file
from tests.certify import releases


def text(folder: Path) -> bytes:
    write_file(releases.release(), folder / "plain.csv")
    return (folder / "plain.csv").read_bytes()


def gzipped(data: bytes, flags: int = 0, more: bytes = b"") -> bytes:
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(data) + packer.flush()
    head = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff"
    return head + more + packed + struct.pack("<II", zlib.crc32(data), len(data))


GOOD_GZIP: dict[str, Callable[[bytes], bytes]] = {
    "by Python": gzip.compress,
    "plain": gzipped,
    "with the name of the file itself": lambda data: gzipped(data, 8, b"r.csv\0"),
    "in two parts": lambda data: gzipped(data[:40]) + gzipped(data[40:]),
    "with zeros behind it": lambda data: gzipped(data) + b"\0\0\0",
    "with the sum of its head": lambda data: gzipped(data, 2, b"\0\0"),
}
BAD_GZIP: dict[str, Callable[[bytes], bytes]] = {
    "another name": lambda data: gzipped(data, 8, b"Zoe.csv\0"),
    "a comment": lambda data: gzipped(data, 16, b"Zoe\0"),
    "an extra field": lambda data: gzipped(data, 4, struct.pack("<H", 7) + b"ZZ\3\0Zoe"),
    "a name in an empty part": lambda data: gzipped(data) + gzipped(b"", 8, b"Zoe\0"),
    "a name that the next part hides": lambda data: gzipped(data[:40]) + gzipped(data[40:], 8, b"Zoe\0"),
}


@pytest.mark.parametrize("case", GOOD_GZIP)
def test_a_gzip_file_of_the_table_alone_holds(tmp_path: Path, case: str) -> None:
    (tmp_path / "r.csv.gz").write_bytes(GOOD_GZIP[case](text(tmp_path)))
    assert verify(tmp_path / "r.csv.gz", releases.policy()).holds


@pytest.mark.parametrize("case", BAD_GZIP)
def test_a_gzip_file_with_more_than_the_table_does_not_hold(tmp_path: Path, case: str) -> None:
    (tmp_path / "r.csv.gz").write_bytes(BAD_GZIP[case](text(tmp_path)))
    refused(tmp_path / "r.csv.gz")


def refused(path: Path) -> None:
    findings = verify(path, releases.policy())
    assert not findings.holds
    assert any("more than its cells" in failure.message for failure in findings.failures)
    assert "Zoe" not in str(findings.failures)


def zipped(
    data: bytes, others: dict[str, bytes] | None = None, comment: bytes = b"", change: Callable = lambda _: None
) -> bytes:
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as packed:
        entry = zipfile.ZipInfo("r.csv")
        entry.compress_type = zipfile.ZIP_DEFLATED
        change(entry)
        packed.writestr(entry, data)
        for name, content in (others or {}).items():
            packed.writestr(name, content)
        packed.comment = comment
    return result.getvalue()


def streamed(data: bytes) -> bytes:
    """Packed as a pipe: sizes stand behind the content."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

        def seek(self, *_: int) -> int:
            raise OSError

    result = Pipe()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("r.csv", data)
    return result.getvalue()


def note(entry: zipfile.ZipInfo) -> None:
    entry.comment = b"Zoe"


def extra(entry: zipfile.ZipInfo) -> None:
    entry.extra = struct.pack("<HH", 0x7A6F, 3) + b"Zoe"


def padded(entry: zipfile.ZipInfo) -> None:
    entry.extra = struct.pack("<HH", 0xA220, 8) + b"\x28\xa0\4\0Zoe!"


def times(entry: zipfile.ZipInfo) -> None:
    entry.extra = struct.pack("<HHBI", 0x5455, 5, 1, 1_700_000_000)


def folder(name: str) -> Callable[[bytes], bytes]:
    return lambda data: zipped(data, {name: b""})


def between(data: bytes) -> bytes:
    """Bytes before the directory, which says where it begins."""
    packed = zipped(data)
    start = packed.rindex(b"PK\1\2")
    end = packed.rindex(b"PK\5\6")
    told = struct.unpack("<I", packed[end + 16 : end + 20])[0]
    tail = packed[start : end + 16] + struct.pack("<I", told + 3) + packed[end + 20 :]
    return packed[:start] + b"Zoe" + tail


def after_the_content(data: bytes) -> bytes:
    """A packed file that is longer than what it unpacks to."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(data) + packer.flush() + b"Zoe"
    head = struct.pack("<5H3I2H", 20, 0, 8, 0, 33, zlib.crc32(data), len(packed), len(data), 5, 0)
    local = b"PK\3\4" + head + b"r.csv" + packed
    central = b"PK\1\2" + struct.pack("<H", 20) + head + struct.pack("<3H2I", 0, 0, 0, 0, 0) + b"r.csv"
    return local + central + b"PK\5\6" + struct.pack("<4H2IH", 0, 0, 1, 1, len(central), len(local), 0)


GOOD_ZIP: dict[str, Callable[[bytes], bytes]] = {
    "by Python": zipped,
    "with times, as zip and macOS write them": lambda data: zipped(data, change=times),
    "as a pipe": streamed,
}
BAD_ZIP: dict[str, Callable[[bytes], bytes]] = {
    "what macOS packs beside it": lambda data: zipped(data, {"__MACOSX/Zoe.csv": b"Zoe"}),
    "a folder": folder("Zoe/"),
    "a comment": lambda data: zipped(data, comment=b"Zoe"),
    "a comment of the file": lambda data: zipped(data, change=note),
    "an extra field": lambda data: zipped(data, change=extra),
    "padding that is none": lambda data: zipped(data, change=padded),
    "bytes before the beginning": lambda data: b"Zoe" + zipped(data),
    "bytes before the directory": between,
    "bytes after the content": after_the_content,
    "another name in its head": lambda data: zipped(data).replace(b"r.csv", b"Zoe.c", 1),
}


@pytest.mark.parametrize("case", GOOD_ZIP)
def test_a_zip_file_of_the_table_alone_holds(tmp_path: Path, case: str) -> None:
    (tmp_path / "r.zip").write_bytes(GOOD_ZIP[case](text(tmp_path)))
    findings = verify(tmp_path / "r.zip", releases.policy())
    assert findings.holds, findings.failures


@pytest.mark.parametrize("case", BAD_ZIP)
def test_a_zip_file_with_more_than_the_table_does_not_hold(tmp_path: Path, case: str) -> None:
    (tmp_path / "r.zip").write_bytes(BAD_ZIP[case](text(tmp_path)))
    findings = verify(tmp_path / "r.zip", releases.policy())
    assert not findings.holds
    assert "Zoe" not in str(findings.failures)
    if case != "another name in its head":  # such a file is not read at all
        assert any("more than its cells" in failure.message for failure in findings.failures)


@pytest.mark.parametrize("change", [b"Zoe", b"PK"])
def test_what_follows_a_zip_file_is_found(tmp_path: Path, change: bytes) -> None:
    (tmp_path / "r.zip").write_bytes(zipped(text(tmp_path)) + change)
    findings = verify(tmp_path / "r.zip", releases.policy())
    assert not findings.holds
