"""A process that only imports, and for every line it is given makes a process that writes releases until killed.

No release is computed here before a process is made: the libraries have started no thread that works on anything, so
that the new process has all it needs. What it writes was pickled by who kills it.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import NoReturn

from shoal.results.release import Release
from tests.faults.plan import Shim
from tests.faults.scenarios import writer


def main() -> None:
    pickled = Path(sys.argv[1]).read_bytes()
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            try:
                write_on(pickled, Path(asked["out"]), asked["cannot"], kept=asked["kept"])
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)  # only a kill ends it well
        tell(f"ended {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")


def write_on(pickled: bytes, out: Path, cannot: str, *, kept: bool) -> NoReturn:
    """One release after the other; with `kept` nearly all of the time is spent in the steps on the disk."""
    releases: list[Release] = pickle.loads(pickled)
    writes: list[Callable[[Path], object]] = [writer(one) if kept else one.write for one in releases]
    with nullcontext() if cannot == "nothing" else Shim(out, cannot=cannot)():
        tell(f"writes {os.getpid()}")
        while True:
            for write in writes:
                write(out)


def tell(what: str) -> None:
    os.write(sys.stdout.fileno(), f"{what}\n".encode())


if __name__ == "__main__":
    main()
