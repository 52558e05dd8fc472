"""`make bench`: what a user waits for, each in a process of its own, as times and as ratios within this run.

The reference is a bare `python -c pass` for starting up, and a plain read of the same CSV for work on a file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult"
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Timed:
    name: str
    seconds: float
    peak_mb: float
    note: str = ""


def timed(name: str, *command: str | Path, repeat: int = 1, environment: dict[str, str] | None = None) -> Timed:
    """The fastest of `repeat` runs of a command, and its peak memory."""
    best, peak, note = float("inf"), 0.0, ""
    for _ in range(repeat):
        begun = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, text=True, env=os.environ | (environment or {})
        )
        out = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begun
        if process.returncode:
            sys.exit(f"{name} failed")
        if seconds < best:
            best, peak, note = seconds, usage.ru_maxrss / 1024, out.strip().splitlines()[-1] if out.strip() else ""
    return Timed(name, best, peak, note)


def adult_policy(folder: Path) -> Path:
    quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    text = "k = 5\n[diversity]\nl = 2\n[columns.salary-class]\nrole = 'sensitive'\n"
    for name in quasi:
        text += f"[columns.{name}]\nrole = 'quasi'\nhierarchy = '{ADULT / f'adult_hierarchy_{name}.csv'}'\n"
    file = folder / "adult.toml"
    file.write_text(text, encoding="utf-8")
    return file


def main() -> None:
    shoal, python = BIN / "shoal", sys.executable
    results = [timed("python, nothing else", python, "-c", "pass", repeat=5)]
    results.append(timed("shoal --help", shoal, "--help", repeat=5))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, more in (("the default path", []), ("all kernels", ["--all"])):
            cold = {"SHOAL_CACHE_DIR": str(folder / what)}
            results.append(timed(f"compile {what}, cold", python, "-m", "shoal.warm", *more, environment=cold))
        results.append(timed("shoal demo, 2,000 people", shoal, "demo", "--out", folder / "demo", "-q", repeat=3))
        results.append(timed("verify k, l, t, 1,000,000 rows", python, "-m", "benchmarks.verify"))
        if ADULT.is_dir():
            csv = ADULT / "adult.csv"
            read = f"import polars; polars.read_csv({str(csv)!r}, separator=';')"
            results.append(timed("read Adult with polars", python, "-c", read, repeat=3))
            asked = ("--policy", adult_policy(folder), "--out", folder / "adult", "--seed", "1", "--json")
            found = timed("anonymize Adult, k=5, l=2", shoal, "anonymize", csv, *asked)
            told = json.loads(Path(folder / "adult.private" / "measures.json").read_text())
            results.append(Timed(found.name, found.seconds, found.peak_mb, f"NCP {told['loss']['gcp']:.4f}"))
    floor = results[0].seconds
    print(f"{'':34} {'seconds':>9} {'x python':>9} {'peak MB':>8}")
    for one in results:
        note = one.note if len(one.note) < 60 else ""
        print(f"{one.name:34} {one.seconds:9.2f} {one.seconds / floor:9.0f} {one.peak_mb:8.0f}  {note}")


if __name__ == "__main__":
    main()
