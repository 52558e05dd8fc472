"""Short representations of results for a prompt, a log or a traceback: one line, and never a cell's value."""

from __future__ import annotations

WIDTH = 120  # the most characters of a representation


def brief(result: object, description: str) -> str:
    """Return the type and a description as one short line, such as `Space(300 records on 6 axes)`.

    It is cut to `WIDTH` characters, and characters that cannot be printed are replaced, because it may contain column
    names.
    """
    named = f"{type(result).__name__}({description})"
    line = "".join(character if character.isprintable() else "�" for character in named)
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 2]}…)"
