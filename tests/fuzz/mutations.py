"""Inputs near those of the corpus, for where atheris is not: deterministic, and blind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

PIECES = (
    b"\x00", b"\xff", b"\xef\xbb\xbf", b'"', b"'", b"\n", b"\r\n", b",", b";", b"\t", b"|", b"{", b"}", b"[", b"]",
    b"[[", b"null", b"NaN", b"Infinity", b"-1", b"1e999", b"9" * 30, b"0", b"true", b'{"a":', b"[" * 200, b"{a=" * 60,
    b"\xed\xa0\x80", b"\xe2\x80\xae", b"sep=;\n", b"=1+1", b"2024-13-45", b"1.7976931348623157e308", b" " * 40,
    b"'''", b'""',
    b"..", b"/dev/null", b"\\u0000", b"\\ud800", b"#", b"PAR1", b"ARROW1", b"\x1f\x8b\x08",
)  # fmt: skip


def mutations(seeds: Sequence[bytes], rng: Random) -> Iterator[bytes]:
    """Without end: one to four changes of a seed."""
    while True:
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.choice([1, 1, 2, 4])):
            data = _changed(data, seeds, rng)
        yield bytes(data)


def _changed(data: bytearray, seeds: Sequence[bytes], rng: Random) -> bytearray:
    place, end = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
    low, high = min(place, end), min(max(place, end), min(place, end) + 64)
    way = rng.randrange(8)
    if way == 0 and data:
        data[place % len(data)] ^= 1 << rng.randrange(8)
    elif way == 1 and data:
        data[place % len(data)] = rng.randrange(256)
    elif way == 2:
        data[place:place] = rng.choice(PIECES)
    elif way == 3:
        del data[low:high]
    elif way == 4:
        data[high:high] = data[low:high] * rng.choice([1, 2, 50])
    elif way == 5:
        del data[place:]
    elif way == 6:
        other = rng.choice(seeds)
        data[place:] = other[rng.randrange(len(other) + 1) :]
    else:
        data[low:high] = rng.choice(PIECES)
    return data
