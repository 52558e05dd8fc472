"""`--out` on a mount point, a full disk and a read-only one: the real ones, in a mount namespace of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import shoal
from tests.api.test_rules import policy, visits
from tests.faults.plan import Shim, tree

SCRIPT = """
import os, subprocess, sys
from pathlib import Path
import shoal
from shoal.errors import TableError
from tests.api.test_rules import policy, visits

def mount(*options):
    subprocess.run(["mount", *map(str, options)], check=True)

def contents(*folders):
    return {path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}

here, what = Path(sys.argv[1]), sys.argv[2]
out, private = here / "out", here / "out.private"
first, later = (shoal.anonymize(visits(n), policy()) for n in (24, 40))
for folder in (out, private):
    folder.mkdir()
if what == "public":
    mount("-t", "tmpfs", "tmpfs", out)
elif what == "both":
    mount("-t", "tmpfs", "tmpfs", out)
    mount("-t", "tmpfs", "tmpfs", private)
elif what == "bind":
    (here / "real").mkdir()
    mount("--bind", here / "real", out)
if what in ("public", "both", "bind"):
    for release in (first, later, first):
        release.write(out, mapping=True)
        assert shoal.verify(out).holds
        assert os.path.ismount(out) or what == "bind"
        assert sorted(os.listdir(here)) == sorted(["out", "out.private", *(["real"] if what == "bind" else [])])
        assert not [name for folder in (out, private) for name in os.listdir(folder) if name[0] == "."]
        assert private.stat().st_mode & 0o077 == 0 or what == "both"
    (out / "thesis.tex").write_text("years of work")
    try:
        later.write(out)
        raise SystemExit("a stranger was not seen")
    except TableError as refused:
        assert "thesis.tex" in refused.message
elif what in ("full", "full inside"):
    place = here if what == "full" else out
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", place)
    first.write(out)
    before, tried = contents(out, private), 0
    there = os.statvfs(place)
    used = (there.f_blocks - there.f_bfree) * there.f_frsize // 1024
    for left in range(0, 400, 40):  # kilobytes that are free
        filler = place / "filler" if what == "full" else here / "x"
        if what == "full inside":
            filler = None
            with open("/proc/self/mountinfo") as told:
                assert str(out) in told.read()
            mount("-o", f"remount,size={used + left // 40 * 4}k", out)
        else:
            free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
            filler.write_bytes(b"x" * max(0, free - left * 1024))
        try:
            later.write(out)
            break
        except TableError as full:
            tried += 1
            assert "No space left" in full.message, full.message
            assert contents(out, private) == before
        finally:
            if filler is not None:
                filler.unlink()
    assert tried > 0 or what == "full inside"
    mount("-o", "remount,size=8m", place)
    later.write(out)
    assert shoal.verify(out).holds
elif what == "read-only":
    mount("-t", "tmpfs", "tmpfs", here)
    first.write(out)
    before = contents(here)
    mount("-o", "remount,ro", here)
    try:
        later.write(out)
        raise SystemExit("a read-only disk was written")
    except TableError as refused:
        assert "Read-only file system" in refused.message, refused.message
    assert contents(here) == before
print("done")
"""


@cache
def may_mount() -> bool:
    tried = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return shutil.which("unshare") is not None and subprocess.run(tried, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "what",
    [
        "public",
        pytest.param("both", marks=pytest.mark.deep),
        pytest.param("bind", marks=pytest.mark.deep),
        pytest.param("full", marks=pytest.mark.deep),
        pytest.param("full inside", marks=pytest.mark.deep),
        pytest.param("read-only", marks=pytest.mark.deep),
    ],
)
def test_a_release_on_a_mount_point_and_on_a_disk_that_is_full_or_closed(tmp_path: Path, what: str) -> None:
    if not may_mount():  # what the system would say is said by the shim
        cannot = {"public": "move public", "both": "move either", "bind": "move public"}.get(what, "nothing")
        fault = {"full": "ENOSPC", "full inside": "ENOSPC", "read-only": "EROFS"}.get(what)
        for n in (24, 40):
            with Shim(tmp_path / "out", cannot=cannot)():
                shoal.anonymize(visits(n), policy()).write(tmp_path / "out")
        before = tree(tmp_path)
        if fault is not None:
            with Shim(tmp_path / "out", fault, 1)(), pytest.raises(shoal.TableError):
                shoal.anonymize(visits(24), policy()).write(tmp_path / "out")
        assert shoal.verify(tmp_path / "out").holds
        assert tree(tmp_path) == before
        return
    call = ["unshare", "-m", sys.executable, "-c", SCRIPT, str(tmp_path), what]
    done = subprocess.run(call, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.stdout.endswith("done\n"), done.stderr
