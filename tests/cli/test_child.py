"""A command runs in a child process, and its parent says why it ended, whatever a library did to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such processes")


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ("return 0", 0),
        ("return 3", 3),
        ("raise SystemExit(4)", 4),
        ("os._exit(127)", 127),  # the loader of libraries
        ("os.abort()", -signal.SIGABRT),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    ],
)
def test_a_child_that_a_signal_has_ended_is_told_from_one_that_ends(ends: str, expected: int) -> None:
    code = f"""
import os, signal
from shoal.cli.child import run_in_child
def command():
    {ends}
print(run_in_child(command))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == f"{expected}\n"


# The command line with a command that does `does` in place of reading and computing.
COMMAND = """
import os, signal, sys, time
from shoal.cli import main

def app(**_):
    {does}

main.app = app
sys.argv = ["shoal", *sys.argv[1:]]
main.main()
"""


def started(does: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(does=does), *arguments],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.parametrize("command", ["verify", "profile", "anonymize"])
@pytest.mark.parametrize("name", ["SIGABRT", "SIGSEGV", "SIGBUS"])
def test_a_library_that_ends_the_process_is_told_in_one_sentence(command: str, name: str) -> None:
    does = f"os.write(2, b'thread panicked: Miller, 1961'); os.kill(os.getpid(), signal.{name})"
    process = started(does, command, "damaged.parquet")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("error: a library that reads or computes has broken down: ")
    assert [line.partition(":")[0] for line in err.splitlines()] == ["error", "Hint"]
    assert "Miller" not in err, "what a library prints may be a cell"


def test_a_broken_library_is_told_as_json_too() -> None:
    out, err = started("os.abort()", "verify", "damaged.parquet", "--json").communicate(timeout=60)
    assert err == ""
    assert {name: json.loads(out)[name] for name in ("ok", "status")} == {"ok": False, "status": 2}


def test_what_a_panic_prints_is_shown_to_who_asks_for_tracebacks() -> None:
    does = "os.write(2, b'thread panicked: Miller'); raise SystemExit(0)"
    assert started(does, "profile", "in.csv").communicate(timeout=60) == ("", "")
    asked = os.environ | {"SHOAL_TRACEBACK": "1"}
    assert started(does, "profile", "in.csv", env=asked).communicate(timeout=60) == ("", "thread panicked: Miller")
    _, err = started("raise ValueError('Miller')", "profile", "in.csv", env=asked).communicate(timeout=60)
    assert err.strip().endswith("ValueError: Miller")


def test_a_command_that_is_killed_says_that_memory_may_have_run_out() -> None:
    process = started("os.kill(os.getpid(), signal.SIGKILL)", "profile", "in.csv")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("error: the command was killed, as the system does when there is not enough memory")


def test_a_stop_that_parent_and_child_both_get_is_one_stop() -> None:
    """A terminal sends Ctrl-C to both of them, and the parent forwards it: what is put in order stays in order."""
    does = (
        "try:\n        print(os.getpid(), flush=True); time.sleep(60)\n"
        "    finally:\n        print('putting in order', flush=True); time.sleep(0.5); print('in order', flush=True)"
    )
    process = started(does, "anonymize", "in.csv")
    assert process.stdout is not None
    os.kill(int(process.stdout.readline()), signal.SIGINT)
    assert process.stdout.readline() == "putting in order\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "in order\n")
    assert err.startswith("error: stopped. ")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_command_ends_with_its_parent() -> None:
    process = started("print(os.getpid(), flush=True); time.sleep(60)", "anonymize", "in.csv")
    assert process.stdout is not None
    child = int(process.stdout.readline())
    assert child != process.pid
    process.kill()
    begun = time.monotonic()
    process.communicate(timeout=60)  # until the child, which holds the same pipes, has ended
    assert time.monotonic() - begun < 30
