"""Who reads a release whose change was interrupted is told where the other half is and what puts it right."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import shoal
from shoal.errors import TableError
from shoal.results import release_folder
from shoal.results.release import Release
from shoal.tables import disk, write_text
from tests.api.test_rules import policy, visits
from tests.cli.running import shoal as run
from tests.faults.plan import FAULTS, KilledError, Shim, open_to_others, tree
from tests.faults.scenarios import scenario, writer


@pytest.fixture(scope="module")
def release() -> Release:
    return shoal.anonymize(visits(24), policy())


@pytest.fixture(scope="module")
def later() -> Release:
    return shoal.anonymize(visits(28), policy())


@pytest.fixture(scope="module", params=["nothing", "exchange", "move public"])
def interrupted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, release: Release, later: Release
) -> tuple[Path, Path]:
    """A place in the middle of its change, killed where the public folder is worst off, and what it must become."""
    folder, parent = tmp_path_factory.mktemp("killed"), tmp_path_factory.mktemp("here") / "place"
    one = scenario("one", folder, release, writer(later))
    clean = one.steps(parent, request.param)
    moves = [at for at, name in enumerate(clean.seen, 1) if name in ("rename", "exchange")]
    at = {"nothing": moves[2], "exchange": moves[-1], "move public": moves[-3]}[request.param]
    out = one.prepare(parent)
    with Shim(out, "kill", at, request.param)(), pytest.raises(KilledError):
        one.write(out)
    return parent, folder / "new"


def test_verify_says_where_the_other_half_is_and_recover_puts_it_right(
    interrupted: tuple[Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(interrupted[0], tmp_path / "place", symlinks=True)
    out = tmp_path / "place" / "out"
    before = tree(out.parent)
    ran = run("verify", out)
    assert f"a change of {str(out)!r} was interrupted" in ran.err
    assert "shoal recover out" in ran.err
    assert ".out.shoal-" in ran.err
    assert (ran.code == 0) == (out / "certificate.json").exists()
    assert tree(out.parent) == before
    done = run("recover", out, "--json")
    assert done.code == 0
    assert done.json["completed"] is True
    assert {name: held for name, held in tree(out.parent).items() if name.startswith(("out/", "out.private/"))} == {
        name: held for name, held in tree(interrupted[1]).items() if "/" in name
    }
    assert not open_to_others(out.parent)
    assert run("verify", out).err == ""
    again = run("recover", out, "--json")
    assert again.json["completed"] is False


def test_a_missing_half_is_told_by_whoever_looks_for_a_file_in_it(
    release: Release, later: Release, tmp_path: Path
) -> None:
    release.write(tmp_path / "out")
    with Shim(tmp_path / "out", cannot="exchange")() as shim:
        later.write(tmp_path / "out")
    aside = next(at for at, name in enumerate(shim.seen, 1) if name == "exchange") + 1  # the folder moved aside
    with Shim(tmp_path / "out", "kill", aside + 1, "exchange")(), pytest.raises(KilledError):
        release.write(tmp_path / "out")
    assert not (tmp_path / "out.private").exists()
    for read in (lambda file: shoal.apply(file, visits()), lambda file: shoal.profile(file.with_suffix(".csv"))):
        with pytest.raises(TableError, match="was interrupted"):
            read(tmp_path / "out.private" / "plan.json")
    assert shoal.recover(tmp_path / "out")
    assert shoal.apply(tmp_path / "out.private" / "plan.json", visits(), max_suppressed=0.9, join=True)


def test_a_work_folder_that_somebody_planted_is_not_taken_for_a_change(release: Release, tmp_path: Path) -> None:
    """It would put a stranger's release in the place of one's own: only a folder closed to others is believed."""
    release.write(tmp_path / "out")
    planted = tmp_path / ".out.shoal-0123456789abcdef"
    planted.mkdir(mode=0o755)
    (planted / "journal.json").write_text("{}", encoding="utf-8")
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "thesis.tex").write_text("years of work", encoding="utf-8")
    (tmp_path / ".out.shoal-0123456789abcdee").symlink_to(tmp_path / "victim")
    assert not shoal.recover(tmp_path / "out")
    release.write(tmp_path / "out")
    assert (planted / "journal.json").read_text(encoding="utf-8") == "{}"
    assert (tmp_path / "victim" / "thesis.tex").exists()


def test_a_stranger_that_comes_during_the_change_is_found_and_everything_taken_back(
    release: Release, later: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release.write(tmp_path / "out")
    before = tree(tmp_path)
    exchange = disk.exchange

    def late(one: Path, other: Path) -> None:
        if not (tmp_path / "out" / "late.txt").exists() and other.name == "out":
            (other / "late.txt").write_text("the only copy", encoding="utf-8")
        exchange(one, other)

    monkeypatch.setattr(disk, "exchange", late)
    with pytest.raises(TableError, match=r"holds files that no release wrote: late\.txt"):
        later.write(tmp_path / "out")
    assert (tmp_path / "out" / "late.txt").read_text(encoding="utf-8") == "the only copy"
    (tmp_path / "out" / "late.txt").unlink()
    assert tree(tmp_path) == before


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("there", [True, False])
def test_a_page_or_policy_is_written_whole_or_not_at_all(tmp_path: Path, fault: str, there: bool) -> None:
    """What `compare --html`, `profile --write` and `hierarchy --write` write."""
    page = tmp_path / "page.html"
    with Shim(tmp_path / "out")() as clean:
        write_text(page, "new", private=True)
    for at in range(1, clean.count + 1):
        page.unlink(missing_ok=True)
        if there:
            page.write_text("old", encoding="utf-8")
        with Shim(tmp_path / "out", fault, at)():
            try:
                write_text(page, "new", private=True)
            except (KilledError, TableError):
                pass
            else:
                assert page.read_text(encoding="utf-8") == "new"
        if there or page.exists():
            assert page.read_text(encoding="utf-8") in ("old", "new")
        assert all(path == page or path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())
        for left in tmp_path.glob(".*"):
            assert fault in ("kill", "EROFS"), "a page that failed left a part of it"
            left.unlink()


TOUCHING = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.link", "os.symlink", "os.utime")


def test_nothing_writes_to_a_release_but_through_the_steps_that_faults_are_placed_in(
    release: Release, tmp_path: Path
) -> None:
    """A plan of faults that some write goes around would prove nothing: every change Python makes is listened to."""
    around: list[str] = []
    listening = True

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if not listening or event not in TOUCHING or not str(arguments[0]).startswith(str(tmp_path)):
            return
        reads = event == "open" and not int(str(arguments[2] or 0)) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        frame, files = sys._getframe(1), set()
        while frame.f_back is not None:
            files.add(frame.f_code.co_filename)
            frame = frame.f_back
        if not reads and disk.__file__ not in files:
            around.append(f"{event} {arguments[0]}")

    sys.addaudithook(hear)
    try:
        for _ in range(2):
            release_folder.write_release(release, tmp_path / "out", mapping=True, raw={"raw.csv": visits()})
        assert not around
        (tmp_path / "x").write_text("heard", encoding="utf-8")
        assert around, "the hook hears nothing"
    finally:
        listening = False
