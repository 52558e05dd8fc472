"""Lists of texts and whole numbers are read as texts with a separator, from every kind of frame and file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from shoal.errors import SchemaError
from shoal.tables import read

LISTS: dict[str, Any] = {"x": [["b", "a"], [], None, ["c", None]], "n": [[2, 1], [3], [], None]}


def test_lists_become_texts_in_every_frame_and_file(tmp_path: Path) -> None:
    frame = pl.DataFrame(LISTS)
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    for source in (frame, frame.lazy(), frame.to_arrow(), tmp_path / "t.parquet", tmp_path / "t.arrow"):
        table = read(source)
        assert table.frame["x"].to_list() == ["b;a", "", None, "c"]
        assert table.frame["n"].to_list() == ["2;1", "3", "", None]
        assert table.origin.lists == ("x", "n")
        assert "column 'x' has lists: read as texts with ; between the items." in table.notes
    assert read(pd.DataFrame({"x": LISTS["x"]})).frame["x"].to_list() == ["b;a", "", None, "c"]


def test_an_item_with_the_separator_is_refused_by_count_and_not_shown() -> None:
    with pytest.raises(SchemaError, match="1 of their items contain ;") as refused:
        read(pl.DataFrame({"x": [["secret;word"], ["b"]]}))
    assert "secret" not in str(refused.value)
