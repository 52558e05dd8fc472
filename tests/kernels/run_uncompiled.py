"""Run all small cases with numba's compiler off: `run_uncompiled.py FILE` writes the answers and the lines that ran.

The file is a pickle of (answers by case, lines that ran by module, functions that ran by module).
"""

from __future__ import annotations

import pickle
import sys
import threading
import warnings
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numba

import shoal.kernels
from tests.kernels.small_cases import CASES

FOLDER = str(Path(shoal.kernels.__file__).parent)


class Lines:
    """Notes which lines of the kernels run; code whose lines have all run is not traced any more."""

    def __init__(self) -> None:
        self.ran: dict[str, set[int]] = defaultdict(set)
        self.functions: dict[str, set[str]] = defaultdict(set)
        self._missing: dict[CodeType, set[int]] = {}

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(FOLDER):
            return None
        missing = self._missing.get(code)
        if missing is None:
            missing = {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
            self._missing[code] = missing
            self.functions[Path(code.co_filename).name].add(code.co_name)
        if not missing:
            return None
        ran = self.ran[Path(code.co_filename).name]

        def line(inside: FrameType, what: str, _: Any) -> Any:
            if what == "line":
                ran.add(inside.f_lineno)
                missing.discard(inside.f_lineno)
            return line

        return line


def main(target: Path) -> None:
    assert numba.config.DISABLE_JIT
    warnings.simplefilter("ignore", RuntimeWarning)  # random numbers overflow on purpose; compiled code is silent
    lines = Lines()
    threading.settrace(lines.trace)
    sys.settrace(lines.trace)
    answers = {name: function() for name, function in CASES.items()}
    sys.settrace(None)
    target.write_bytes(pickle.dumps((answers, dict(lines.ran), dict(lines.functions))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
