"""The command line, called in this process as its script calls it, or in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from shoal.cli.main import main

SCRIPT = Path(sys.executable).with_name("shoal")


@dataclass(frozen=True)
class Ran:
    """How a call ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on standard output."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def is_one_sentence(self) -> bool:
        """`error: ...` and perhaps `Hint: ...`; no traceback, no second error."""
        first, *rest = self.err.strip().split("\n")
        return (
            first.startswith("error: ")
            and "Traceback" not in self.err
            and self.err.count("error: ") == 1
            and (not rest or rest[0].startswith("Hint: "))
        )


def shoal(*arguments: str | Path) -> Ran:
    """Run `shoal ...` in this process."""
    out, err = StringIO(), StringIO()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    code: Any = None
    try:
        with patch.object(sys, "argv", ["shoal", *map(str, arguments)]), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return Ran(int(code or 0), out.getvalue(), err.getvalue())


def spawn(*arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Start `shoal ...` as a user does."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([str(SCRIPT), *map(str, arguments)], text=True, **pipes)
