"""A steward accepts all that is proposed: nobody's name, number or note is in what is then published.

What goes wrong, and what is refused, is listed by name in acceptance_misses.txt, and the list is exact. Every table
is tried by the deep tests; the quick ones try a sixth of them, chosen by name, because what is proposed for each is
compared with the truth by test_proposals.py in any case.
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

from tests.corpus.accepting import accept
from tests.corpus.known import known
from tests.corpus.tables import NAMES, build

SOME = [name for name in NAMES if crc32(name.encode()) % 6 == 0]


def _accepted(name: str, folder: Path) -> None:
    table, path = build(name), folder / f"{name}.csv"
    path.write_bytes(table.data())
    listed = [line for line in known("acceptance") if line.startswith((f"{name}.", f"{name}:"))]
    assert accept(table, path) == listed


@pytest.mark.parametrize("name", SOME)
def test_accepting_the_proposal_harms_nobody(name: str, tmp_path: Path) -> None:
    _accepted(name, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(set(NAMES) - set(SOME)))
def test_accepting_the_proposal_harms_nobody_in_the_other_tables(name: str, tmp_path: Path) -> None:
    _accepted(name, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_accepting_the_proposal_for_a_longer_table_harms_nobody(name: str, tmp_path: Path) -> None:
    """The same tables, five times as long: what is wrong is wrong with the same columns."""
    table, path = build(name, times=5), tmp_path / f"{name}.csv"
    path.write_bytes(table.data())
    listed = {line.split(": ")[0] for line in known("acceptance")}
    assert {line.split(": ")[0] for line in accept(table, path)} <= listed
