"""Write docs/reference/commands.md from the command line's own help, so that the two cannot differ."""

from __future__ import annotations

import sys
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from shoal.cli.main import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands.md"
INTRODUCTION = """# Commands

Written by `make docs` from the program's own help. Every command takes `--json` (one object, nothing else) and
`--quiet` (errors only). Exit codes: 0 done, 2 wrong call or input, 3 infeasible, 4 a claim does not hold, 130
stopped.

"""


def reference() -> str:
    """The page: one section per command, as it looks in a terminal of 80 columns."""
    runner = CliRunner()
    parts = [INTRODUCTION]
    for name in ["", *getattr(get_command(app), "commands", {})]:
        shown = runner.invoke(
            app, [*name.split(), "--help"], prog_name="shoal", env={"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}
        )
        lines = [line.rstrip() for line in shown.output.strip("\n").splitlines()]
        text = "\n".join(lines).strip("\n")
        parts.append(f"## shoal {name}".rstrip() + f"\n\n```text\n{text}\n```\n\n")
    return "".join(parts).rstrip("\n") + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != reference():
            sys.exit("docs/reference/commands.md is not the program's help any more; run `make docs`.")
    else:
        PAGE.write_text(reference(), encoding="utf-8")
