"""Hashes of cells and rows that are the same on every machine, in every engine and in any order of rows."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.partition.blocks.sample import mixed
from shoal.tables.text import text_of

Words = npt.NDArray[np.uint64]
_MISSING = np.uint64(0x6D697373696E6721)


def cell_words(cells: pl.Series, key: bytes = b"") -> Words:
    """Return a 64-bit hash of every cell: of the bits of a number or date, or of a text; `key` makes it a secret one.

    Equal cells have equal hashes. Whole numbers beyond 2**53 may share theirs, as floating-point numbers do.
    """
    if not key and (cells.dtype.is_numeric() or cells.dtype.is_temporal()):
        plain = cells.to_physical() if cells.dtype.is_temporal() else cells
        numbers = np.ascontiguousarray(plain.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0)
        words = mixed(numbers.view(np.uint64))
    else:
        coded = text_of(cells).to_frame("text").with_row_index("place")
        texts = coded["text"].unique()
        hashes = [_of_text(text, key) for text in texts.to_list()]
        known = pl.DataFrame({"text": texts, "word": pl.Series(hashes, dtype=pl.UInt64)})
        joined = coded.join(known, on="text", how="left", nulls_equal=True, maintain_order="left")
        words = joined["word"].to_numpy().astype(np.uint64)
    missing = cells.is_null().to_numpy()
    return np.where(missing, _MISSING, words) if missing.any() else words


def row_words(frame: pl.DataFrame, key: bytes = b"") -> Words:
    """Return a 64-bit hash of every row, from those of its cells in the order of the columns."""
    words = np.zeros(frame.height, dtype=np.uint64)
    for column in frame.get_columns():
        words = mixed(words ^ cell_words(column, key))
    return words


def _of_text(text: str | None, key: bytes) -> int:
    data = b"" if text is None else text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8, key=key).digest(), "little")
