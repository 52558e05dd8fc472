"""A release holds what it shows: nothing under a null, of a removed row, or in a list of categories."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.tables import Origin, give_back, read, write_file

TEXT, CATEGORY, LEVEL, CODE = "a text of one person, long enough for a buffer", "onlyhers", "onlyhis", b"8BYTES!!"
SECRETS = (TEXT.encode(), CATEGORY.encode(), LEVEL.encode(), CODE)

RAW = pl.DataFrame(
    {
        "text": ["a text that many people have in common"] * 5 + [TEXT],
        "category": pl.Series(["x", "y", "z", "x", "y", CATEGORY], dtype=pl.Categorical),
        "level": pl.Series(["low", "high", "low", "low", "high", LEVEL], dtype=pl.Enum([LEVEL, "low", "high"])),
        "code": [1, 2, 3, 4, 5, int.from_bytes(CODE, "little")],
    }
)
REMOVALS: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "filtered": lambda frame: frame.filter(pl.col("text") != TEXT),
    "sliced": lambda frame: frame.head(5),
    "gathered": lambda frame: frame[[4, 3, 2, 1, 0]],
    "masked": lambda frame: frame.with_columns(pl.when(pl.col("text") != TEXT).then(pl.all())),
}


def ipc_bytes(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def buffers(table: pa.Table) -> bytes:
    parts = []
    for column in table.columns:
        for chunk in column.chunks:
            arrays = [chunk, chunk.dictionary] if isinstance(chunk, pa.DictionaryArray) else [chunk]
            parts += [buffer.to_pybytes() for array in arrays for buffer in array.buffers() if buffer is not None]
    return b"".join(parts)


def hidden(content: bytes) -> list[bytes]:
    return [secret for secret in SECRETS if secret in content]


def test_the_removals_do_leave_something_behind() -> None:
    """Else the tests below would prove nothing."""
    left = set()
    for remove in REMOVALS.values():
        sink = io.BytesIO()
        remove(RAW).write_ipc(sink)
        left.update(hidden(sink.getvalue()))
    assert left >= {TEXT.encode(), LEVEL.encode(), CODE}


@pytest.mark.parametrize("removal", REMOVALS)
@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "xlsx"])
def test_files_hold_only_what_they_show(tmp_path: Path, removal: str, ending: str) -> None:
    released = REMOVALS[removal](RAW)
    path = tmp_path / f"release.{ending}"
    write_file(released, path)
    assert hidden(path.read_bytes()) == []
    if ending == "parquet":  # compression could hide it from the test
        again = pa.parquet.read_table(path)
        assert hidden(ipc_bytes(again)) == []
    if ending == "xlsx":
        with zipfile.ZipFile(path) as packed:
            assert hidden(b"".join(map(packed.read, packed.namelist()))) == []


@pytest.mark.parametrize("removal", REMOVALS)
def test_polars_and_arrow_frames_hold_only_what_they_show(removal: str) -> None:
    released = REMOVALS[removal](RAW)
    frame = give_back(released, read(RAW).origin)
    assert frame.select(pl.col("level").cast(pl.String)).equals(released.select(pl.col("level").cast(pl.String)))
    assert frame.drop("level").equals(released.drop("level"))
    sink = io.BytesIO()
    frame.write_ipc(sink)
    assert hidden(sink.getvalue()) == []
    assert hidden(pickle.dumps(frame)) == []
    arrow = RAW.to_arrow()
    table = give_back(released, read(arrow).origin)
    assert hidden(ipc_bytes(table)) == []
    assert hidden(buffers(table)) == []


@pytest.mark.parametrize("removal", REMOVALS)
def test_pandas_frames_hold_only_what_they_show(removal: str) -> None:
    raw = RAW.to_pandas()
    raw.attrs["about"] = TEXT
    raw["code"] = raw["code"].astype("Int64")
    table = read(raw)
    back = give_back(REMOVALS[removal](table.frame), table.origin)
    assert list(back["category"].cat.categories) == ["x", "y", "z"]
    assert hidden(pickle.dumps(back)) == []


def test_categories_keep_their_order() -> None:
    raw = pd.DataFrame({"a": pd.Categorical(["lo", "hi", "mid"], categories=["lo", "mid", "hi"], ordered=True)})
    table = read(raw)
    back = give_back(table.frame.filter(pl.col("a") != "mid"), table.origin)["a"].cat
    assert list(back.categories) == ["lo", "hi"]
    assert back.ordered
    enum = give_back(RAW.filter(pl.col("level") != LEVEL), Origin("polars"))["level"].dtype
    assert list(enum.categories) == ["low", "high"]


def test_a_frame_without_rows_names_no_category() -> None:
    empty = give_back(RAW.clear(), Origin("polars"))
    assert empty.columns == RAW.columns
    assert list(empty["level"].dtype.categories) == []
