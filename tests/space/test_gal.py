"""A contiguity file that lies about its numbers is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import SchemaError
from shoal.policy import Map
from shoal.space.map_sources import read_map


@pytest.mark.parametrize("text", ["1\na -2\n", "2\na -1\nb\n", "1\na 3\nb\n", "3\na 0\n\nb 0\n"])
def test_numbers_of_neighbors_that_cannot_be(tmp_path: Path, text: str) -> None:
    (tmp_path / "map.gal").write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError, match="is not a GAL file"):
        read_map("county", Map(gal=tmp_path / "map.gal"))
