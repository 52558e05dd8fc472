"""Where the time of a release goes, step by step, and the least that each step could take on this machine."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.process import OURS, run

NEIGHBORS = 16
"""How many neighbors of each record the floors reckon with: an assumption, not read from the method."""
STEPS = ("read", "code", "neighbors", "partition", "improve", "publish", "verify", "measure", "write")
PARTS = {"nearest records": "neighbors", "records within reach": "neighbors"} | dict.fromkeys(
    ("regrouping", "recombining", "improving groups", "exchanging records"), "improve"
)
"""Which of the steps each progress bar inside the grouping belongs to; the rest of the grouping is `partition`."""


@dataclass(frozen=True)
class Step:
    """`floor` is the least it could take, and `limit` says what that is; None where nothing is known."""

    name: str
    seconds: float
    floor: float | None
    limit: str


@dataclass(frozen=True)
class Speeds:
    """Bytes a second."""

    disk_read: float
    disk_write: float
    memory: float


class Stopwatch:
    """Listens to the steps that a person would see as progress bars; a step's own time is without those inside."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, float] = {}
        self._clock, self._inside = clock, [0.0]

    @contextmanager
    def step(self, name: str, total: int | None) -> Iterator[Callable[[int], None]]:
        begun = self._clock()
        self._inside.append(0.0)
        try:
            yield lambda _amount: None
        finally:
            took = self._clock() - begun
            self.seconds[name] = self.seconds.get(name, 0.0) + took - self._inside.pop()
            self._inside[-1] += took

    def note(self, text: str) -> None:
        pass


def profile(n: int | None = None) -> list[Step]:
    """The steps of `anonymize` and `write` on the mixed table, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source = data.mixed(Path(folder), n)
        command = (sys.executable, "-m", "benchmarks.profiles", source, Path(folder) / "out")
        told = run(*command, environment=OURS).told
    return [Step(**step) for step in told["steps"]]


def split(clock: dict[str, float], bars: dict[str, float], writing: float) -> dict[str, float]:
    """Seconds of each of STEPS, from the release's own clock and the progress bars inside its grouping."""
    found = dict.fromkeys(STEPS, 0.0)
    found |= {name: clock.get(name, 0.0) for name in ("read", "publish", "verify", "measure")}
    found["code"] = clock.get("roles", 0.0) + clock.get("points", 0.0)
    for bar, step in PARTS.items():
        found[step] += bars.get(bar, 0.0)
    found["partition"] = max(clock.get("groups", 0.0) - found["neighbors"] - found["improve"], 0.0)
    found["write"] = writing
    return found


def floors(n: int, d: int, given: int, made: int, speeds: Speeds) -> dict[str, tuple[float, str]]:
    """The least seconds of a step, and why: `given` and `made` are the bytes of the file and of the release."""
    cells = 8 * n * d
    pairs = NEIGHBORS * n
    return {
        "read": (given / speeds.disk_read, "the file's bytes at the speed of the disk"),
        "code": (cells / speeds.memory, "one number a cell, at the speed of memory"),
        "neighbors": (NEIGHBORS * cells / speeds.memory, "16 distances a record, at the speed of memory"),
        "partition": (16 * pairs / speeds.memory, "16 neighbors a record, number and distance, read once"),
        "improve": (NEIGHBORS * cells / speeds.memory, "every record against 16 others once more"),
        "publish": (made / speeds.memory, "the release's bytes at the speed of memory"),
        "verify": (made / speeds.memory, "the release's bytes at the speed of memory"),
        "measure": ((given + made) / speeds.memory, "both tables' bytes at the speed of memory"),
        "write": (made / speeds.disk_write, "the release's bytes at the speed of the disk"),
    }


def _profile(source: Path, target: Path) -> list[Step]:
    import polars as pl

    import shoal
    from shoal import progress

    columns = pl.read_csv(source, n_rows=1).columns
    asked = {"k": 5, "quasi": columns[:-1], "publish_rare": columns[:-1], "sensitive": columns[-1:], "seed": 1}
    shoal.anonymize(pl.read_csv(source, n_rows=2000), **asked)
    print("ready", flush=True)
    speeds = measured_speeds(source.parent)
    watch = Stopwatch()
    with progress.watch(watch):
        release = shoal.anonymize(source, **asked)
        bars = dict(watch.seconds)
        begun = time.perf_counter()
        release.write(target)
        writing = time.perf_counter() - begun
    made = next(target.glob("release.*")).stat().st_size
    least = floors(release.table.shape[0], len(columns) - 1, source.stat().st_size, made, speeds)
    return [Step(name, took, *least[name]) for name, took in split(release.seconds, bars, writing).items()]


def measured_speeds(folder: Path, size: int = 2**28) -> Speeds:
    """A large file written and read past the cache where the system allows it; numbers in memory added up."""
    values, path = np.ones(size // 8), folder / "speed"

    def writing() -> None:
        with path.open("wb") as file:
            file.write(values.data)
            file.flush()
            os.fsync(file.fileno())

    def reading() -> None:
        with path.open("rb", buffering=0) as file:
            while file.read(2**24):
                pass

    written = _seconds(writing)
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    read = _seconds(reading)
    path.unlink()
    added = min(_seconds(values.sum) for _ in range(3))
    return Speeds(values.nbytes / read, values.nbytes / written, values.nbytes / added)


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    print(json.dumps({"steps": [asdict(step) for step in _profile(Path(sys.argv[1]), Path(sys.argv[2]))]}))
