"""What a result says of itself at a prompt, in a log and in a traceback: one short line, and never a cell's value."""

from __future__ import annotations

WIDTH = 120


def brief(result: object, told: str) -> str:
    """`Space(300 records on 6 axes)`: one line that fits, whatever the columns named in it are called."""
    line = "".join(sign if sign.isprintable() else "�" for sign in f"{type(result).__name__}({told})")
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 2]}…)"
