"""Compile what a first release needs, once: `python -m shoal.warm`. What is compiled stays in the cache folder.

Compiling keeps one core busy, so tables of numbers and mixed tables are done by two processes side by side.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

NUMBERS: dict[str, Any] = {"quasi": ["height_cm", "weight_kg"], "sensitive": ["diagnosis"]}
MIXED: dict[str, Any] = {"quasi": ["sex", "zip", "height_cm", "admitted"], "sensitive": ["diagnosis"]}
PATHS: dict[str, list[dict[str, Any]]] = {
    "numbers": [NUMBERS],
    "mixed": [MIXED | {"hierarchy": {"zip": {"prefix": True}}, "l": 3}, MIXED | {"method": "gather"}],
}


def main() -> None:
    """Run the default paths on a small table, showing what is compiled; say how long it took and where it is kept."""
    begun = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "shoal.warm", "numbers"]) as other:
        compiled = run("mixed", aloud=sys.stderr.isatty())
        if other.wait():
            sys.exit(other.returncode)
    if compiled:
        from shoal.kernels._jit import cache_folder

        seconds = time.perf_counter() - begun
        print(
            f"compiled the kernels of the default path in {seconds:.0f} s, kept in {cache_folder()}", file=sys.stderr
        )


def run(path: str, *, aloud: bool = False) -> int:
    """One path end to end; how many functions were compiled."""
    from shoal import api
    from shoal.demo import hospital
    from shoal.kernels._jit import on_compile

    compiled = 0

    def count() -> None:
        nonlocal compiled
        compiled += 1
        if aloud:
            print(f"\rcompiling (once): {compiled} functions", end="", file=sys.stderr, flush=True)

    table = hospital(150, seed=1)
    with on_compile(count):
        for asked in PATHS[path]:
            used = [*asked["quasi"], *asked["sensitive"]]
            rest = [name for name in table.columns if name not in used]
            api.anonymize(table, k=5, identifier=rest, seed=1, **asked)
    if aloud and compiled:
        print("\r", end="", file=sys.stderr)
    return compiled


if __name__ == "__main__":
    if sys.argv[1:] == ["numbers"]:
        run("numbers")
    else:
        main()
