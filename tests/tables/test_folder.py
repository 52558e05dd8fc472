"""`out` and `out.private` change together or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from shoal.errors import TableError
from shoal.tables import Staged, stage
from shoal.tables.folder import _Places


def release(out: Path, text: str) -> None:
    with stage(out) as staged:
        fill(staged, text)


def fill(staged: Staged, text: str) -> None:
    for folder in (staged.public, staged.private):
        (folder / "certificate.json").write_text(text)
    (staged.private / "plans").mkdir()
    (staged.private / "plans" / "plan.txt").write_text(text)


def contents(folder: Path) -> dict[str, str]:
    """Everything in the folder that holds `out`: nothing may be left beside the two."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def both(text: str) -> dict[str, str]:
    return {
        "out/certificate.json": text,
        "out.private/certificate.json": text,
        "out.private/plans/plan.txt": text,
    }


def test_a_release_takes_its_place_and_then_the_place_of_the_one_before(tmp_path: Path) -> None:
    release(tmp_path / "out", "first")
    assert contents(tmp_path) == both("first")
    with stage(tmp_path / "out") as staged:
        fill(staged, "second")
        assert contents(tmp_path / "out") == {"certificate.json": "first"}
    assert contents(tmp_path) == both("second")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]


def test_the_private_folder_is_closed_to_others(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        release(tmp_path / "out", "x")
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out.private").rglob("*")}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert stat.S_IMODE((tmp_path / "out.private").stat().st_mode) == 0o700


def test_nothing_is_open_to_others_while_it_is_prepared(tmp_path: Path) -> None:
    with stage(tmp_path / "out") as staged:
        assert stat.S_IMODE(staged.public.parent.stat().st_mode) == 0o700
        assert staged.public.parent == staged.private.parent
        (staged.public / "certificate.json").write_text("x")


@pytest.mark.parametrize("failure", [ValueError, OSError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("earlier", [True, False])
def test_a_failure_leaves_everything_as_it_was(tmp_path: Path, failure: type[BaseException], earlier: bool) -> None:
    if earlier:
        release(tmp_path / "out", "old")

    def fail() -> None:
        with stage(tmp_path / "out") as staged:
            fill(staged, "new")
            raise failure

    with pytest.raises(TableError if failure is OSError else failure):  # the disk may be full in the block, too
        fail()
    assert contents(tmp_path) == (both("old") if earlier else {})
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())


@pytest.mark.parametrize("earlier", [True, False])
@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_a_failing_rename_takes_the_others_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, earlier: bool
) -> None:
    if earlier:
        release(tmp_path / "out", "old")
    calls = 0
    rename = Path.rename

    def fail_once(path: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    if not earlier and failing > 2:
        release(tmp_path / "out", "new")  # there are only two renames
        assert contents(tmp_path) == both("new")
        return
    with pytest.raises(TableError, match="Input/output error"):
        release(tmp_path / "out", "new")
    assert contents(tmp_path) == (both("old") if earlier else {})
    assert calls >= failing


@pytest.mark.parametrize("earlier", [True, False])
@pytest.mark.parametrize("killed_before", [1, 2, 3, 4])
def test_a_run_killed_between_two_renames_is_undone_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_before: int, earlier: bool
) -> None:
    if earlier:
        release(tmp_path / "out", "old")
    if not earlier and killed_before > 2:
        return  # there are only two renames

    class Killed(BaseException):
        """From here on the process changes nothing any more."""

    calls, rename = 0, Path.rename

    def die(path: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls >= killed_before:
            monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
            monkeypatch.setattr(Path, "rmdir", lambda _: None)
            raise Killed
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", die)
    with pytest.raises(Killed):
        release(tmp_path / "out", "new")
    monkeypatch.undo()
    assert (tmp_path / ".out.shoal").is_dir()

    with pytest.raises(RuntimeError), stage(tmp_path / "out"):
        raise RuntimeError
    if earlier:
        assert contents(tmp_path) == both("old")
    else:  # nothing was published
        assert not (tmp_path / "out").exists()
    release(tmp_path / "out", "next")
    assert contents(tmp_path) == both("next")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]


WRITER = """
import sys, time
from shoal.tables import stage
with stage(sys.argv[1]) as staged:
    (staged.public / "certificate.json").write_text("new")
    print("ready", flush=True)
    time.sleep(60)
"""


def start_writer(out: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(out)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_terminated_run_leaves_the_old_output(tmp_path: Path, number: signal.Signals, code: int) -> None:
    release(tmp_path / "out", "old")
    with start_writer(tmp_path / "out") as process:
        process.send_signal(number)
        assert process.wait(timeout=30) == code
    if number == signal.SIGTERM:
        assert contents(tmp_path) == both("old")
    else:  # leftovers, which the next run clears
        assert contents(tmp_path).items() >= both("old").items()
        assert (tmp_path / ".out.shoal").is_dir()
    release(tmp_path / "out", "next")
    assert contents(tmp_path) == both("next")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]


def test_two_runs_to_one_place_exclude_each_other(tmp_path: Path) -> None:
    with stage(tmp_path / "out") as staged:
        with pytest.raises(TableError, match="another run is writing"), stage(tmp_path / "out"):
            pass
        fill(staged, "first")  # the refused run did not remove it
    assert contents(tmp_path) == both("first")
    with start_writer(tmp_path / "out") as process:
        with pytest.raises(TableError, match="another run is writing"):
            release(tmp_path / "out", "x")
        with stage(tmp_path / "other"):
            pass
        process.kill()


def test_an_interruption_in_the_middle_of_the_renames_waits_for_their_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(tmp_path / "out", "old")
    rename = Path.rename
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

    def interrupted(path: Path, target: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release(tmp_path / "out", "new")
    monkeypatch.undo()
    assert contents(tmp_path) == both("new")
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_it_works_outside_the_main_thread(tmp_path: Path) -> None:
    worker = threading.Thread(target=release, args=(tmp_path / "out", "x"))
    worker.start()
    worker.join()
    assert contents(tmp_path) == both("x")


def test_a_folder_that_is_no_release_is_not_replaced(tmp_path: Path) -> None:
    for name in ("out", "out.private"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "thesis.txt").write_text("years of work")
        with pytest.raises(TableError, match="neither empty nor an earlier release") as caught:
            release(tmp_path / "out", "x")
        assert caught.value.hint
        assert contents(tmp_path) == {f"{name}/thesis.txt": "years of work"}
        (folder / "thesis.txt").unlink()
    release(tmp_path / "out", "x")  # both empty by now
    assert contents(tmp_path) == both("x")


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(TableError, match="is a file"):
        release(tmp_path / "file", "x")
    with pytest.raises(TableError, match="cannot be written") as caught:
        release(tmp_path / "missing" / "out", "x")
    assert "parent" in str(caught.value.hint)
    with pytest.raises(TableError, match="cannot be an output folder"):
        release(Path("/"), "x")
    assert contents(tmp_path) == {"file": "x"}


def test_a_relative_path_and_a_link_lead_to_the_real_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    release(Path("link/"), "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "certificate.json").read_text() == "x"


def test_every_file_and_folder_is_synced_before_the_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    sync = os.fsync
    swap = _Places.swap

    def noting(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").resolve().name if sys.platform == "linux" else str(handle))
        sync(handle)

    def noting_swap(places: _Places) -> None:
        synced.append("swap")
        swap(places)

    monkeypatch.setattr(os, "fsync", noting)
    monkeypatch.setattr(_Places, "swap", noting_swap)
    release(tmp_path / "out", "x")
    place = synced.index("swap")
    assert len(synced[:place]) == 6  # three files, their three folders
    if sys.platform == "linux":
        names = ["certificate.json", "certificate.json", "new", "new.private", "plan.txt", "plans"]
        assert sorted(synced[:place]) == names
        assert synced[place + 1 :] == [tmp_path.name]


def test_old_runs_do_not_slow_the_next(tmp_path: Path) -> None:
    began = time.process_time()
    for turn in range(20):
        release(tmp_path / "out", str(turn))
    assert time.process_time() - began < 5
