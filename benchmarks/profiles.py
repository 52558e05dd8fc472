"""Where the time of a release goes, step by step, and the least that reading, writing and measuring could take."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.process import run

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Step:
    """`floor` is the least it could take, None where nothing is known; `inner` is a part of the step before it."""

    name: str
    seconds: float
    floor: float | None = None
    inner: bool = False


class _Stopwatch:
    """Listens to the steps that a person would see as progress bars."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str, total: int | None) -> Iterator[object]:
        begun = time.perf_counter()
        try:
            yield lambda _amount: None
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun

    def note(self, text: str) -> None:
        pass


def profile(n: int | None = None) -> list[Step]:
    """The steps of `anonymize` and `write` on the mixed table, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source = data.mixed(Path(folder), n)
        environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        told = run(
            sys.executable, "-m", "benchmarks.profiles", source, Path(folder) / "out", environment=environment
        ).told
    return [Step(**step) for step in told["steps"]]


def _profile(source: Path, target: Path) -> list[Step]:
    import polars as pl

    import shoal
    from shoal import progress

    columns = pl.read_csv(source, n_rows=1).columns
    asked = {"k": 5, "quasi": columns[:-1], "sensitive": columns[-1:], "seed": 1}
    shoal.anonymize(pl.read_csv(source, n_rows=2000), **asked)
    watch = _Stopwatch()
    with progress.watch(watch):  # type: ignore[arg-type]
        release = shoal.anonymize(source, **asked)
        inside = dict(watch.seconds)
        begun = time.perf_counter()
        release.write(target)
        writing = time.perf_counter() - begun
    n, d = release.table.shape[0], len(columns) - 1
    floors = {
        "read": _seconds(source.read_bytes),
        # Every record's distances to its sixteen neighbours, at the speed at which memory is read.
        "groups": n * 16 * d * 8 / _bandwidth(),
        "verify": _seconds(lambda: release.table.group_by(columns[:-1]).len()),
    }
    steps = [Step(name, seconds, floors.get(name)) for name, seconds in release.seconds.items()]
    steps += [Step(name, seconds, None, inner=True) for name, seconds in inside.items() if seconds > 0.01]
    written = next(target.glob("release.*"))
    payload = written.read_bytes()
    steps.append(Step("write", writing, _seconds(lambda: target.with_suffix(".copy").write_bytes(payload))))
    return steps


def _seconds(work: object) -> float:
    begun = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - begun


def _bandwidth() -> float:
    """Bytes a second that one thread adds up."""
    values = np.ones(20_000_000)
    values.sum()
    return values.nbytes / _seconds(values.sum)


if __name__ == "__main__":
    from dataclasses import asdict

    print(json.dumps({"steps": [asdict(step) for step in _profile(Path(sys.argv[1]), Path(sys.argv[2]))]}))
