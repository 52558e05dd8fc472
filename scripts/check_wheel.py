"""Build the wheel, run it in a clean environment, and type-check a user's project against it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from check_types import check as check_types

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def installed(place: Path, extras: str = "") -> tuple[Path, Path]:
    """Build the wheel into `place` and install it there into a new environment: the wheel and the interpreter."""
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, ROOT)
    wheel = next(place.glob("*.whl"))
    venv.create(place / "env", with_pip=True)
    python = place / "env" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "-q", "--disable-pip-version-check")
    run(*pip, "-c", ROOT / "constraints.txt", f"{wheel}[{extras}]" if extras else wheel)
    return wheel, python


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel, python = installed(place)
        shoal = python.with_name("shoal")
        version = run(shoal, "--version").strip()
        run(shoal, "demo", "--out", place / "out", "--people", "300", "--quiet", cwd=place)
        run(shoal, "verify", place / "out" / "release.csv", cwd=place)
        # Types of frames that a user may have; the libraries themselves are not needed to check types.
        stubs = ("--no-deps", "-c", ROOT / "constraints.txt", "pandas-stubs", "pyarrow-stubs")
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *stubs)
        n_wrong = check_types(python)
    print(f"wheel: {wheel.name} installs, {version} runs its demo and verifies it")
    print(f"types: {n_wrong} wrong uses are errors for mypy and pyright, and nothing else is")


if __name__ == "__main__":
    main()
