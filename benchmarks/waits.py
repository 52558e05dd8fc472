"""What a user waits for, each in a process of its own: start, set-up, the demo, a check, a whole release."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import ADULT_QUASI, SHARED
from benchmarks.process import Run, run

BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Wait:
    """The fastest of several runs, start-up included."""

    name: str
    seconds: float
    cpu: float
    peak_mb: float


def waits() -> list[Wait]:
    """All of them; the one on Adult where it is there."""
    shoal, python = BIN / "shoal", sys.executable
    found = [_best("python, nothing else", 5, python, "-c", "pass"), _best("shoal --help", 5, shoal, "--help")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, more in (("the default path", []), ("all kernels", ["--all"])):
            cold = {"SHOAL_CACHE_DIR": str(folder / what)}
            one = run(python, "-m", "shoal.warm", *more, environment=cold)
            found.append(_wait(f"compile {what}, cold", one))
        found.append(_best("shoal demo, 2,000 people", 3, shoal, "demo", "--out", folder / "demo", "-q"))
        found.append(_best("verify k, l, t, 1,000,000 rows", 1, python, "-m", "benchmarks.verify"))
        if (SHARED / "adult").is_dir():
            asked = ("--policy", _policy(folder), "--out", folder / "adult", "--seed", "1", "-q")
            csv = SHARED / "adult" / "adult.csv"
            found.append(_best("anonymize Adult, 8 hierarchies, k=5, l=2", 1, shoal, "anonymize", csv, *asked))
    return found


def _best(name: str, repeat: int, *command: str | Path) -> Wait:
    return _wait(name, min((run(*command) for _ in range(repeat)), key=lambda one: one.wall))


def _wait(name: str, one: Run) -> Wait:
    return Wait(name, one.wall, one.cpu, one.peak_mb)


def _policy(folder: Path) -> Path:
    text = "k = 5\n[diversity]\nl = 2\n[columns.salary-class]\nrole = 'sensitive'\n"
    for name in ADULT_QUASI:
        file = SHARED / "adult" / f"adult_hierarchy_{name}.csv"
        text += f"[columns.{name}]\nrole = 'quasi'\nhierarchy = '{file}'\n"
    path = folder / "adult.toml"
    path.write_text(text, encoding="utf-8")
    return path
