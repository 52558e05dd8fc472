"""A release is written, replaced and read back where the system has only what Windows has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from pathlib import Path
from tests.tables.without_unix import LOCKED, as_windows, pretend
pretend()
import shoal
from shoal.cli import child, main
from shoal.datasets import hospital
from shoal.errors import TableError
from shoal.tables import disk, stage
as_windows(disk)
table = hospital(30).select("birth_date", "sex", "diagnosis")
asked = dict(k=5, quasi=["birth_date", "sex"], sensitive="diagnosis", method="mondrian")
out = Path(sys.argv[1]) / "out"
first = shoal.anonymize(table, **asked)
first.write(out)
key = out.parent / "key.hex"
key.write_text("22" * 32)
shoal.anonymize(table, **asked | {"k": 7, "secret": key}).write(out)
assert shoal.verify(out).k >= 7
assert sorted(path.name for path in out.parent.iterdir()) == ["key.hex", "out", "out.private"]
assert b"\\r" not in (out / "certificate.json").read_bytes()
first.policy.write(out.parent / "policy.toml")
first.policy.write(out.parent / "policy.toml", force=True)
with stage(out):
    try:
        first.write(out)
    except TableError as refused:
        assert "another run is writing" in refused.message, refused
    else:
        raise AssertionError("two runs write to one folder")
    raise SystemExit(0 if len(LOCKED) == 1 else 1)
"""


LINKED = """
import sys
from pathlib import Path
from tests.tables.without_unix import pretend
pretend()
from shoal.tables import disk
place = Path(sys.argv[1])
(place / "file").write_text("text")
(place / "link").symlink_to(place / "file")
assert disk.read_text(place / "file", most=10) == "text"
for refused in (disk.open_to_read, disk.open_to_lock):
    try:
        refused(place / "link")
    except OSError as error:
        continue
    raise AssertionError(refused)
"""


def run(script: str, folder: Path) -> None:
    """Run a script without compiled kernels, which are not what it tests."""
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_release_is_written_where_there_is_no_fcntl(tmp_path: Path) -> None:
    run(SCRIPT, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key.hex", "out", "out.private", "policy.toml"]


def test_a_link_in_the_place_of_a_file_is_refused_where_opening_cannot_do_so(tmp_path: Path) -> None:
    run(LINKED, tmp_path)
