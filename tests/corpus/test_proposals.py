"""What `shoal profile` proposes for tables as people export them, against the truth about each.

Every miss is listed by name in proposal_misses.txt, and the list is exact: a new miss fails, and one that was mended
must be taken off the list. So the shares of right answers follow from the list, and no table is profiled twice.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.known import known
from tests.corpus.proposals import judge
from tests.corpus.tables import NAMES, build


@pytest.mark.parametrize("name", NAMES)
def test_the_proposal_is_as_known_and_shows_no_cell(name: str, tmp_path: Path) -> None:
    """A profile is read on screens and sent by e-mail: of cells that name people nothing may stand in it."""
    table, path = build(name), tmp_path / f"{name}.csv"
    path.write_bytes(table.data())
    found = judge(table, path)
    assert list(found.misses) == [line for line in known("proposal") if line.startswith((f"{name}.", f"{name}:"))]
    assert not found.exposed
    secret = {cell.strip() for truth in table.columns.values() if truth.names_people for cell in truth.cells}
    secret |= {one for truth in table.columns.values() for one in truth.planted}
    assert not [one for one in secret if len(one) > 6 and one in found.shown]


def test_every_known_miss_is_of_a_table_of_the_corpus() -> None:
    lost = [
        line
        for line in known("proposal")
        if not line.startswith(tuple(f"{name}{end}" for name in NAMES for end in ".:"))
    ]
    assert not lost


def test_nearly_all_types_and_roles_are_right() -> None:
    """At least 97 % of types and 98 % of roles, and no table is refused: counted in the list, which is exact."""
    n_columns = sum(len(build(name).columns) for name in NAMES)
    missed = [line.split(": ", 1) for line in known("proposal")]
    places = {place for place, _ in missed}
    wrong_types = {place for place, aspect in missed if aspect.startswith(("kind", "format"))}
    wrong_roles = {place for place, aspect in missed if aspect.startswith("role")}
    assert len(wrong_types) <= 0.03 * n_columns
    assert len(wrong_roles) <= 0.02 * n_columns
    assert all("." in place for place in places)
