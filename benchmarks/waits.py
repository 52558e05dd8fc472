"""What a user waits for, each in a process of its own: start, set-up, the demo, a whole release."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data
from benchmarks.process import OURS, Run, run

BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Wait:
    """The fastest of several runs, start-up included."""

    name: str
    seconds: float
    cpu: float
    peak_mb: float


def waits(*, quick: bool) -> list[Wait]:
    """All of them; the quick run does without those of half a minute."""
    shoal, python = BIN / "shoal", sys.executable
    found = [_best("python, nothing else", 3, python, "-c", "pass"), _best("shoal --help", 3, shoal, "--help")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        setups = {"the default path": ()} if quick else {"the default path": (), "all kernels": ("--all",)}
        for what, more in setups.items():
            cold = OURS | {"SHOAL_CACHE_DIR": str(folder / what)}
            found.append(
                _wait(f"compile {what}, cold", run(python, "-m", "shoal.precompile", *more, environment=cold))
            )
        found.append(_best("shoal demo, 2,000 people", 2, shoal, "demo", "--out", folder / "demo", "-q"))
        asked = ("--policy", _policy(folder), "--out", folder / "out", "--seed", "1", "-q")
        adult = "anonymize Adult's 30,162 rows, 8 hierarchies, k = 5, l = 2"
        found.append(_best(adult, 1, shoal, "anonymize", data.mixed(folder), *asked))
        if not quick:
            found.append(_best("verify k, l, t of 1,000,000 rows", 1, python, "-m", "benchmarks.verify"))
    return found


def _best(name: str, repeat: int, *command: str | Path) -> Wait:
    return _wait(name, min((run(*command, environment=OURS) for _ in range(repeat)), key=lambda one: one.wall))


def _wait(name: str, one: Run) -> Wait:
    return Wait(name, one.wall, one.cpu, one.peak_mb)


def _policy(folder: Path) -> Path:
    hierarchies = data.hierarchies(folder / "hierarchies")
    text = "k = 5\n[diversity]\nl = 2\n[columns.salary-class]\nrole = 'sensitive'\n"
    for name in data.ADULT_QUASI:
        file = hierarchies / f"adult_hierarchy_{name}.csv"
        text += f"[columns.{name}]\nrole = 'quasi'\nhierarchy = '{file}'\n"
    path = folder / "adult.toml"
    path.write_text(text, encoding="utf-8")
    return path
