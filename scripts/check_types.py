"""Type-check a small user's project against an installed Shoal, with mypy and with pyright.

Lines that end with `# error` must be errors for both, and no other line may be one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "tests" / "typing" / "user_project"
Lines = set[tuple[str, int]]


def marked() -> Lines:
    """The file and line of everything that is wrong on purpose."""
    return {
        (file.name, number)
        for file in sorted(PROJECT.glob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if line.endswith("# error")
    }


def by_mypy(python: Path) -> dict[tuple[str, int], str]:
    """What mypy, strict, says of the project in the environment of `python`."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", cache,
             "--python-executable", str(python), "--no-error-summary", "--hide-error-context", "--no-pretty",
             "correct.py", "wrong.py"],
            cwd=PROJECT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode not in (0, 1):
        sys.exit(f"mypy failed:\n{done.stdout}{done.stderr}")
    said = re.finditer(r"^(\w+\.py):(\d+): error: (.*)$", done.stdout, re.M)
    return {(one[1], int(one[2])): one[3] for one in said}


def by_pyright(python: Path) -> dict[tuple[str, int], str]:
    """What pyright says of the project in the environment of `python`."""
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", str(python), "correct.py", "wrong.py"],
        cwd=PROJECT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        sys.exit(f"pyright failed:\n{done.stdout}{done.stderr}")
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1): one["message"].splitlines()[0]
        for one in found
        if one["severity"] == "error"
    }


def check(python: Path) -> int:
    """How many wrong uses both find; leaves the program where one of them finds more or fewer."""
    wanted = marked()
    for name, checker in (("mypy", by_mypy), ("pyright", by_pyright)):
        found = checker(python)
        wrong = [f"{file}:{line}: no error for {name}" for file, line in sorted(wanted - set(found))]
        wrong += [f"{file}:{line}: {name}: {found[file, line]}" for file, line in sorted(set(found) - wanted)]
        if wrong:
            sys.exit("types for users:\n" + "\n".join(wrong))
    return len(wanted)


if __name__ == "__main__":
    print(f"types: {check(Path(sys.executable))} wrong uses are errors for mypy and pyright, and nothing else is")
