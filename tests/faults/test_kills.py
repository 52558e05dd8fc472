"""`kill -9` at random moments leaves a pair that is whole, or that `recover` makes whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.kills import kill_often


@pytest.mark.deep
def test_a_process_killed_at_any_moment_leaves_one_release(tmp_path: Path) -> None:
    assert sum(kill_often(tmp_path, times=10, seed=1).values()) == 10
