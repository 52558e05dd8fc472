"""The command line as a process: signals, pipes, completion, and how little it loads to answer `--help`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.datasets import hospital
from tests.cli.running import shoal, spawn

ROLES = ["--quasi", "height_cm", "--sensitive", "diagnosis", "-k", "4"]

# Stops at a chosen step, says so, and waits for the signal: in short sleeps, because the system may hand a signal to
# another thread, which does not wake the one that sleeps.
STALLED = """
import importlib, sys, time
from shoal.cli.main import main

def stall(*arguments, **options):
    print("ready", flush=True)
    for _ in range(1200):
        time.sleep(0.1)

module, name = sys.argv[1].rsplit(".", 1)
setattr(importlib.import_module(module), name, stall)
sys.argv = ["shoal", *sys.argv[2:]]
main()
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("process")
    hospital(60).select("height_cm", "diagnosis").write_csv(folder / "stays.csv")
    assert shoal("anonymize", folder / "stays.csv", "-o", folder / "out", *ROLES, "-q").code == 0
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_signal_at_any_step_leaves_the_old_release_and_nothing_else(here: Path) -> None:
    before = contents(here)
    running = {}
    for step in ("shoal.pipeline.groups.solve", "shoal.results.release_folder.verify"):
        for number, out in ((signal.SIGINT, "out"), (signal.SIGTERM, "out" if step.endswith("solve") else "fresh")):
            call = ["anonymize", str(here / "stays.csv"), "-o", str(here / out), *ROLES]
            if out == "out" and step.endswith("verify"):
                call += ["--json"]
            process = subprocess.Popen(
                [sys.executable, "-c", STALLED, step, *call],
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            running[step, number] = process
    for (step, number), process in running.items():
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 128 + number, (step, number, out, err)
        assert "Traceback" not in err
        assert "stopped" in out + err
        assert ('"status"' in out) == (not err), "one object, or one sentence"
    assert contents(here) == before
    assert not [path.name for path in here.iterdir() if path.name.startswith(".")]
    assert not (here / "fresh").exists()


def test_the_installed_script_ends_in_the_same_codes(here: Path) -> None:
    runs = {
        0: spawn("verify", here / "out" / "release.csv"),
        2: spawn("verify", here / "nowhere.csv"),
        4: spawn("verify", here / "stays.csv", here / "out.private" / "policy.toml"),
    }
    for code, process in runs.items():
        _, err = process.communicate(timeout=60)
        assert process.returncode == code, err
        assert "Traceback" not in err


def test_what_a_library_prints_behind_python_is_no_part_of_the_output(here: Path) -> None:
    noisy = STALLED.split("module, name")[0] + (
        "import ctypes\n"
        "import shoal.results.release\n"
        "verify = shoal.results.release_folder.verify\n"
        "def loud(*arguments, **options):\n"
        "    ctypes.CDLL(None).puts(b'noise')\n"
        "    return verify(*arguments, **options)\n"
        "shoal.results.release_folder.verify = loud\n"
        "main()\n"
    )
    call = ["anonymize", str(here / "stays.csv"), "-o", str(here / "loud"), *ROLES, "--json"]
    done = subprocess.run([sys.executable, "-c", noisy, *call], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["ok"]


def test_the_package_runs_as_a_module_too() -> None:
    done = subprocess.run([sys.executable, "-m", "shoal", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == spawn("--version").communicate(timeout=60)[0]


def test_a_reader_that_goes_away_gets_no_traceback(here: Path) -> None:
    process = spawn("verify", here / "out" / "release.csv")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_a_completion_script_is_produced(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SHOAL_COMPLETE", f"source_{kind}")
    ran = shoal()
    assert ran.code == 0
    assert "_SHOAL_COMPLETE" in ran.out


def test_commands_and_formats_are_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SHOAL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "shoal anon")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert shoal().out.split() == ["anonymize", "anonymize-tables"]
    monkeypatch.setenv("COMP_WORDS", "shoal anonymize --format pa")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert shoal().out.split() == ["parquet"]


@pytest.mark.parametrize("call", [["--help"], ["--version"], ["anonymize", "--help"]])
def test_help_waits_for_nothing_heavy(call: list[str]) -> None:
    heavy = ["numba", "polars", "numpy", "scipy", "pyarrow", "pandas", "narwhals", "jinja2", "shoal.api"]
    if len(call) == 1:  # the first help that a newcomer asks for; typer itself may use more for the others
        heavy += ["pydantic", "rich.markdown", "rich.table"]
    code = (
        "import sys\n"
        "from shoal.cli.main import main\n"
        f"sys.argv = ['shoal', *{call}]\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n"
        f"    print([name for name in {heavy} if name in sys.modules], end.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"
