"""The work folder of an engine goes with its run, also where the run was killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.engines.local import LocalEngine

KILLED = (
    "import os, sys; from pathlib import Path; from shoal.engines.local import LocalEngine; "
    "engine = LocalEngine(Path(sys.argv[1]), n_workers=1); (engine.folder / '1.arrows').write_text('raw'); "
    "os.kill(os.getpid(), 9)"
)


def test_the_next_run_removes_what_a_killed_one_left_and_nothing_else(tmp_path: Path) -> None:
    running = LocalEngine(tmp_path, n_workers=1)
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    others = tmp_path / ".shoal-notes", tmp_path / ".shoal-piped", tmp_path / ".shoal-link"
    others[0].mkdir()  # somebody's own: no run has held it
    others[1].mkdir()
    os.mkfifo(others[1] / "in-use")  # would be waited for
    others[2].symlink_to(others[0])
    assert len(list(tmp_path.iterdir())) == 5
    after = LocalEngine(tmp_path, n_workers=1)
    assert set(tmp_path.iterdir()) == {running.folder, after.folder, *others}
    running.close()
    after.close()
    assert set(tmp_path.iterdir()) == set(others)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other modes")
def test_only_its_owner_enters_it(tmp_path: Path) -> None:
    engine = LocalEngine(tmp_path, n_workers=1)
    assert engine.folder.stat().st_mode & 0o777 == 0o700
    engine.close()
