"""Raw copies: readable for this user alone, and gone at the end, however it comes."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.errors import TableError
from shoal.web.private_folder import PrivateFolder


def test_only_this_user_may_enter_and_nothing_is_left_at_the_end(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "all")
    for place in (folder.parent, folder.path, folder.new_folder()):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    folder.new(".csv").write_text("raw")
    folder.close()
    assert list(folder.parent.iterdir()) == []


def test_the_next_start_removes_what_a_killed_server_left_and_nothing_else(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from shoal.web.private_folder import PrivateFolder; "
        "f = PrivateFolder(Path(sys.argv[1])); f.new('.csv').write_text('raw'); os.kill(os.getpid(), 9)"
    )
    running = PrivateFolder(tmp_path / "all")
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "all")], check=False)
    assert len(list((tmp_path / "all").iterdir())) == 2
    after = PrivateFolder(tmp_path / "all")
    assert after.removed == 1
    assert set((tmp_path / "all").iterdir()) == {running.path, after.path}
    running.close()
    after.close()


def test_a_folder_that_somebody_else_prepared_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "all").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TableError, match="belongs to somebody else"):
        PrivateFolder(tmp_path / "all")
