"""Compile what a first release needs, once: `python -m shoal.warm`. What is compiled stays in the cache folder."""

from __future__ import annotations

import sys
import time
from typing import Any


def main() -> None:
    """Run the default path on small tables; say how long it took and where the result is kept."""
    from shoal import api
    from shoal.demo import hospital
    from shoal.kernels._jit import cache_folder, on_compile

    compiled = 0

    def count() -> None:
        nonlocal compiled
        compiled += 1
        sys.stderr.write(f"\rcompiling kernels (once): {compiled}")
        sys.stderr.flush()

    begun = time.perf_counter()
    on_compile(count)
    table = hospital(120, seed=1)
    numbers: dict[str, Any] = {"quasi": ["height_cm", "weight_kg"], "sensitive": ["diagnosis"]}
    mixed: dict[str, Any] = {"quasi": ["sex", "zip", "height_cm"], "sensitive": ["diagnosis"]}
    for roles in (numbers, mixed, mixed | {"method": "gather"}):
        rest = [name for name in table.columns if name not in roles["quasi"] + roles["sensitive"]]
        api.anonymize(table, k=5, l=2, identifier=rest, seed=1, **roles)
    on_compile(None)
    if compiled:
        seconds = time.perf_counter() - begun
        sys.stderr.write(f"\rcompiled {compiled} kernels in {seconds:.0f} s, kept in {cache_folder()}\n")


if __name__ == "__main__":
    main()
