"""`kill -9` at random moments leaves a pair that is whole, or that `recover` makes whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.kills import THROUGH, kill_commands, kill_often


def test_a_process_killed_at_any_moment_leaves_one_release(tmp_path: Path) -> None:
    met = kill_often(tmp_path, times=5, seed=1)
    assert met.total() == 5
    assert not met[THROUGH]


@pytest.mark.deep
def test_a_process_killed_often_leaves_one_release(tmp_path: Path) -> None:
    met = kill_often(tmp_path, times=150, seed=2)
    assert not met[THROUGH]
    assert sum(count for where, count in met.items() if where.startswith("in the middle of the change")) > 0


@pytest.mark.deep
def test_a_command_killed_while_it_writes_leaves_one_release(tmp_path: Path) -> None:
    met = kill_commands(tmp_path, times=5, seed=1)
    assert met.total() == 5
    assert not met[THROUGH]
