"""How released files are opened: in which encoding, at once or in parts, and what their bytes must belong to."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.certify import reading
from shoal.certify.hidden_arrow_bytes import bytes_between_blocks
from shoal.certify.proved import _greedy
from shoal.certify.reading import Released, is_large, open_release
from shoal.policy import Policy

TEXT = "q,s\n1,Köln\n1,\n"
POLICY = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}}})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "r.csv"


def cells(opened: Released) -> list[Any] | None:
    return None if opened.frame is None else opened.frame["s"].to_list()


@pytest.mark.parametrize(
    ("written", "stated", "otherwise", "seen"),
    [
        ("utf-8", None, None, "Köln"),
        ("utf-8", None, "cp1252", "Köln"),
        ("cp1252", None, "cp1252", "Köln"),
        ("cp1252", None, "cp437", "K÷ln"),
        ("cp437", None, "cp437", "Köln"),
        ("cp437", "cp437", "cp1252", "Köln"),
        ("cp437", "cp437", None, "Köln"),
        ("utf-8", "cp437", "cp1252", "K├╢ln"),
    ],
)
def test_a_file_is_read_in_the_encoding_that_is_stated_or_known(
    file: Path, written: str, stated: str | None, otherwise: str | None, seen: str
) -> None:
    file.write_text(TEXT, encoding=written)
    assert cells(open_release(file, encoding=stated, otherwise=otherwise)) == [seen, None]


def test_a_file_is_large_from_its_limit_on_and_where_it_can_be_read_in_parts(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(TEXT, encoding="utf-8")
    size = file.stat().st_size
    monkeypatch.setattr(reading, "LARGE", {"csv": size, "parquet": size, "arrow": size})
    assert is_large(file, None, None)
    assert not is_large(file, "cp437", None)
    assert not is_large(file, None, "cp1252")
    assert not is_large(str(file), None, None)
    assert not is_large(pl.DataFrame(), None, None)
    assert not is_large(file.with_name("none.csv"), None, None)
    assert not is_large(file.with_name("none.txt"), None, None)
    monkeypatch.setattr(reading, "LARGE", {"csv": size + 1})
    assert not is_large(file, None, None)


def test_a_file_in_parts_has_its_digest_and_what_is_hidden_in_it(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    table = pa.table({"q": ["1", "1"], "s": ["a", "b"]}).replace_schema_metadata({"who": "Zoe"})
    pq.write_table(table, path)
    whole, parts = open_release(path), open_release(path, in_parts=True)
    assert parts.frame is None
    assert parts.sha256 == whole.sha256
    assert parts.failures == whole.failures
    assert len(whole.failures) == 1
    frame, reduced = whole.seen(POLICY, "generalize")
    assert reduced is None
    assert frame.height == 2
    ours = open_release(path, in_parts=True, ours=True)
    assert len(ours.failures) >= 1
    assert [one.message for one in ours.failures] == [one.message for one in open_release(path, ours=True).failures]


def test_what_was_counted_under_one_policy_and_form_is_not_taken_for_another() -> None:
    frame = pl.DataFrame({"q": ["1", "1"], "s": ["a", "b"], "q_missing": ["0", "0"]})
    times = []

    def scan() -> Any:
        times.append(1)
        return iter([frame])

    opened = Released(None, scan=scan)
    first = opened.seen(POLICY, "generalize")[1]
    assert first is not None
    assert opened.seen(POLICY, "generalize")[1] is first
    assert len(times) == 1
    other = opened.seen(POLICY, "aggregate")[1]
    assert other is not None
    assert other is not first
    assert (first.columns.quasi, other.columns.quasi) == (("q",), ("q", "q_missing"))
    third = opened.seen(POLICY.model_copy(update={"k": 3}), "generalize")[1]
    assert third is not first
    assert len(times) == 3


def test_what_a_theorem_proves_is_rounded_up_to_a_thousandth() -> None:
    assert _greedy(2) == Fraction(2251, 1000)  # 3/2 of 3/2
    assert _greedy(3) == Fraction(3056, 1000)  # 5/3 of 11/6


# -- the bytes of an Arrow file ----------------------------------------------------------------------------------


def arrow() -> bytes:
    file = io.BytesIO()
    pl.DataFrame({"q": ["Köln"] * 3, "s": ["a", "b", None]}).write_ipc(file, compression="uncompressed")
    return file.getvalue()


NO_COLUMN = "bytes that belong to no column"


def test_every_byte_of_an_arrow_file_belongs_to_a_block_or_its_footer() -> None:
    good = arrow()
    assert list(bytes_between_blocks(good)) == []
    length = int.from_bytes(good[-10:-6], "little")
    start = len(good) - 10 - length
    head, footer = good[:start], good[start:]
    assert list(bytes_between_blocks(head + b"\0" * 8 + footer)) == []
    assert list(bytes_between_blocks(head + b"Zoe Smith" + footer)) == [NO_COLUMN]
    assert list(bytes_between_blocks(head + b"\0X\0" + footer)) == [NO_COLUMN]
    assert list(bytes_between_blocks(head + b"\n" + footer)) == [NO_COLUMN]


def test_an_arrow_file_without_a_footer_or_with_another_schema_before_it_is_refused() -> None:
    good = arrow()
    broken = good[:-10] + (4).to_bytes(4, "little") + good[-6:]
    assert list(bytes_between_blocks(broken))[:1] == [NO_COLUMN]
    assert list(bytes_between_blocks(b"ARROW1\0\0" + b"\0" * 4 + b"ARROW1")) == [NO_COLUMN]
    named = good[:8] + b"Zoe Smith" + good[17:]
    assert NO_COLUMN in list(bytes_between_blocks(named))
