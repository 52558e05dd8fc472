"""`out` and `out.private` change together or not at all."""

from __future__ import annotations

import hashlib
import json
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
from shoal.tables import Staged, disk, stage


def release(out: Path, text: str) -> None:
    with stage(out) as staged:
        fill(staged, text)


def fill(staged: Staged, text: str) -> None:
    for name, content in both(text).items():
        folder = staged.private if "private" in name else staged.public
        (folder / Path(name).name).write_text(content)


def contents(folder: Path) -> dict[str, str]:
    """Everything in the folder that holds `out`: nothing may be left beside the two."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def both(text: str) -> dict[str, str]:
    told = {"format": 2, "shoal": text, "claims": [{}], "published_sha256": text}
    files = {"plan.txt": hashlib.sha256(text.encode()).hexdigest()}
    return {
        "out/certificate.json": json.dumps(told | {"files": {}}),
        "out.private/certificate.json": json.dumps(told | {"files": files, "reason": text}),
        "out.private/plan.txt": text,
    }


def test_a_release_takes_its_place_and_then_the_place_of_the_one_before(tmp_path: Path) -> None:
    release(tmp_path / "out", "first")
    assert contents(tmp_path) == both("first")
    with stage(tmp_path / "out") as staged:
        fill(staged, "second")
        assert contents(tmp_path / "out") == {"certificate.json": both("first")["out/certificate.json"]}
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


WRITER = """
import sys, time
from shoal.tables import stage
with stage(sys.argv[1]) as staged:
    (staged.public / "certificate.json").write_text("new")
    print("ready", flush=True)
    for _ in range(600):  # one long sleep would begin after a signal that came just before it
        time.sleep(0.1)
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
        assert any(path.name.startswith(".out.shoal-") for path in tmp_path.iterdir())
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


def test_an_interruption_in_the_middle_of_the_change_waits_for_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(tmp_path / "out", "old")
    exchange = disk.exchange
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

    def interrupted(one: Path, other: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        exchange(one, other)

    monkeypatch.setattr(disk, "exchange", interrupted)
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
    assert (tmp_path / "real" / "certificate.json").read_text() == both("x")["out/certificate.json"]


def test_every_file_and_folder_is_synced_before_the_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release(tmp_path / "out", "old")
    done: list[str] = []
    sync, exchange = disk.sync, disk.exchange

    def noting(handle: int) -> None:
        done.append(Path(f"/proc/self/fd/{handle}").resolve().name if sys.platform == "linux" else str(handle))
        sync(handle)

    def noting_exchange(one: Path, other: Path) -> None:
        done.append("exchange")
        exchange(one, other)

    monkeypatch.setattr(disk, "sync", noting)
    monkeypatch.setattr(disk, "exchange", noting_exchange)
    release(tmp_path / "out", "x")
    place = done.index("exchange")
    assert len(done[:place]) == 8  # three files, their two folders, the journal, its folder and the parent
    if sys.platform == "linux":
        names = ["certificate.json", "certificate.json", "journal.part", "plan.txt", "private", "public"]
        assert sorted(done[: place - 2]) == names
        assert done[place - 1] == tmp_path.name
        assert done[place:] == ["exchange", "exchange", "out.private", "out", tmp_path.name]


def test_old_runs_do_not_slow_the_next(tmp_path: Path) -> None:
    began = time.process_time()
    for turn in range(20):
        release(tmp_path / "out", str(turn))
    assert time.process_time() - began < 5
