"""A steward accepts all that is proposed: nobody's name, number or note is in what is then published.

What goes wrong, and what is refused, is listed by name in acceptance_misses.txt, and the list is exact.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.accepting import accept
from tests.corpus.known import known
from tests.corpus.tables import NAMES, build


@pytest.mark.parametrize("name", NAMES)
def test_accepting_the_proposal_harms_nobody(name: str, tmp_path: Path) -> None:
    table, path = build(name), tmp_path / f"{name}.csv"
    path.write_bytes(table.data())
    listed = [line for line in known("acceptance") if line.startswith((f"{name}.", f"{name}:"))]
    assert accept(table, path) == listed


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_accepting_the_proposal_for_a_longer_table_harms_nobody(name: str, tmp_path: Path) -> None:
    """The same tables, five times as long: what is wrong is wrong with the same columns."""
    table, path = build(name, times=5), tmp_path / f"{name}.csv"
    path.write_bytes(table.data())
    listed = {line.split(": ")[0] for line in known("acceptance")}
    assert {line.split(": ")[0] for line in accept(table, path)} <= listed
