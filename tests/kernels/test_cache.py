"""Kernels kept between runs are whole and this user's own, or compiled anew; a run never fails for them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.kernels._cache import trouble_with

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from shoal.kernels._compile_events import on_compile
from shoal.kernels._jit import cache_trouble
from small import double
compiled = []
with on_compile(lambda: compiled.append(1)):
    assert double(21.0) == 42.0
print(len(compiled), cache_trouble())
"""
DIGEST = 32  # bytes before the pickle, which stay those of the file that was kept
KERNEL = "from shoal.kernels._jit import jit\n\n@jit\ndef double(x):\n    return x + x\n"


def run(folder: Path, cache: Path) -> str:
    """How many functions were compiled, and the trouble with the cache."""
    (folder / "small.py").write_text(KERNEL, encoding="utf-8")
    os.utime(folder / "small.py", (1, 1))
    settings = os.environ | {"SHOAL_CACHE_DIR": str(cache), "SHOAL_NUMBA_CACHE": "1", "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)], env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a kernel and the cache of its first run."""
    folder = tmp_path_factory.mktemp("kernel")
    assert run(folder, folder / "cache") == "1 None"
    assert (folder / "cache").stat().st_mode & 0o777 == 0o700
    assert run(folder, folder / "cache") == "0 None"
    return folder


class Evil:
    """What a pickle may do when it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(Path(__file__).with_name("taken_over")),)


@pytest.mark.parametrize("damage", [{"nbi": "pickle", "nbc": "pickle"}, {"nbc": "truncated"}, {"nbi": "garbage"}])
def test_damaged_files_are_compiled_anew(filled: Path, damage: dict[str, str]) -> None:
    for ending, what in damage.items():
        for file in (filled / "cache").rglob(f"*.{ending}"):
            whole = file.read_bytes()
            half, evil = whole[: len(whole) // 2], whole[:DIGEST] + pickle.dumps(Evil())
            file.write_bytes({"truncated": half, "garbage": b"\x00" * 99, "pickle": evil}[what])
    assert run(filled, filled / "cache") == "1 None"
    assert not Path(__file__).with_name("taken_over").exists()


@pytest.mark.parametrize("writable", ["folder", "file"])
def test_what_others_may_write_is_not_read(tmp_path: Path, writable: str) -> None:
    cache = tmp_path / "cache"
    assert trouble_with(cache) is None
    (cache / "kernels").mkdir(mode=0o700)
    (cache / "kernels" / "one.nbi").touch(mode=0o600)
    assert trouble_with(cache) is None
    (cache if writable == "folder" else cache / "kernels" / "one.nbi").chmod(0o666 if writable == "file" else 0o777)
    assert "another user owns or may write" in str(trouble_with(cache))


def test_what_others_own_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert trouble_with(tmp_path) is None
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert "another user owns or may write" in str(trouble_with(tmp_path))


def test_a_disk_that_is_full_does_not_stop_a_run(tmp_path: Path) -> None:
    """Every write fails as on a full disk once the folder is there."""
    settings = os.environ | {"SHOAL_CACHE_DIR": str(tmp_path / "cache"), "SHOAL_NUMBA_CACHE": "1"}
    (tmp_path / "small.py").write_text(KERNEL, encoding="utf-8")
    full = (
        "import errno, shoal.kernels._cache as kept\n"
        "def full(*_): raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "kept._WholeFiles._write = full\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", full + PROGRAM, str(tmp_path)],
        env=settings, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "1 None", done.stderr


def test_a_cache_that_cannot_be_made_does_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    assert run(tmp_path, tmp_path / "file" / "cache") == "1 it cannot be written"


def test_a_kernel_is_compiled_anew_when_a_kernel_that_it_calls_has_changed(tmp_path: Path) -> None:
    """What a kernel calls is compiled into it: its cache must not outlive a change in the other module."""
    calling = (
        "from shoal.kernels._jit import jit\nfrom called import step\n\n@jit\ndef double(x):\n    return step(x)\n"
    )
    program = PROGRAM.replace("assert double(21.0) == 42.0", "result = double(21.0)").replace(
        "len(compiled)", "result"
    )
    settings = os.environ | {"SHOAL_CACHE_DIR": str(tmp_path / "cache"), "SHOAL_NUMBA_CACHE": "1"}
    (tmp_path / "small.py").write_text(calling, encoding="utf-8")
    answers = []
    for body in ("x + x", "x * 3.0"):
        (tmp_path / "called.py").write_text(KERNEL.replace("double", "step").replace("x + x", body), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env=settings | {"NUMBA_DISABLE_JIT": "0"},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(done.stdout.split()[0])
    assert answers == ["42.0", "63.0"]
