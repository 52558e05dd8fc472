"""A command under a memory limit runs in a child process, and its parent says why it ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ("return 0", 0),
        ("return 3", 3),
        ("raise SystemExit(4)", 1),
        ("os._exit(127)", None),  # the loader of libraries
        ("os.abort()", None),
        ("os.kill(os.getpid(), signal.SIGKILL)", None),
        ("os.kill(os.getpid(), signal.SIGTERM)", 128 + 15),
    ],
)
def test_a_child_that_memory_has_ended_is_told_from_one_that_ends(ends: str, expected: int | None) -> None:
    code = f"""
import os, signal
from shoal.cli.limited import run_in_child
def command():
    {ends}
print(run_in_child(command))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == f"{expected}\n"
