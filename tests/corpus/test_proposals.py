"""What `shoal profile` proposes for tables as people export them, against the truth about each.

Every miss is listed by name in proposal_misses.txt, and the list is exact: a new miss fails, and one that was mended
must be taken off the list.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.corpus.known import known
from tests.corpus.proposals import Judged, judge
from tests.corpus.tables import NAMES, build


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corpus")


@cache
def judged(name: str, folder: Path) -> Judged:
    table, path = build(name), folder / f"{name}.csv"
    path.write_bytes(table.data())
    return judge(table, path)


@pytest.mark.parametrize("name", NAMES)
def test_the_proposal_differs_from_the_truth_only_where_it_is_known_to(name: str, folder: Path) -> None:
    listed = [line for line in known("proposal") if line.startswith((f"{name}.", f"{name}:"))]
    assert list(judged(name, folder).misses) == listed


def test_every_known_miss_is_of_a_table_of_the_corpus() -> None:
    lost = [
        line
        for line in known("proposal")
        if not line.startswith(tuple(f"{name}{end}" for name in NAMES for end in ".:"))
    ]
    assert not lost


def test_nearly_all_types_and_roles_are_right_and_nobody_is_exposed(folder: Path) -> None:
    """At least 97 % of types and 98 % of roles."""
    found = [judged(name, folder) for name in NAMES]
    n_columns = sum(one.n_columns for one in found)
    assert sum(one.wrong_types for one in found) <= 0.03 * n_columns
    assert sum(one.wrong_roles for one in found) <= 0.02 * n_columns
    assert not [column for one in found for column in one.exposed]


@pytest.mark.parametrize("name", NAMES)
def test_no_question_or_reason_shows_a_cell(name: str, folder: Path) -> None:
    """A profile is read on screens and sent by e-mail: of cells that name people nothing may stand in it."""
    import shoal

    table, path = build(name), folder / f"{name}.csv"
    path.write_bytes(table.data())
    try:
        shown = str(shoal.profile(path))
    except shoal.ShoalError as error:
        shown = str(error)
    secret = {cell.strip() for truth in table.columns.values() if truth.names_people for cell in truth.cells}
    secret |= {one for truth in table.columns.values() for one in truth.planted}
    assert not [one for one in secret if len(one) > 6 and one in shown]
