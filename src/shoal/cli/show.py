"""Printing of results and progress: one JSON object, or text for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer

from shoal._escape import shown
from shoal.cli.options import OUTPUT, Format
from shoal.errors import ParameterError
from shoal.secret import FILE, as_secret

_AFTER = " For the next release of a table that changes, use --after."


@contextmanager
def watched() -> Iterator[None]:
    """Show progress bars for long steps during the block, unless the run is quiet or prints JSON."""
    from shoal import progress
    from shoal.report.progress_bars import listener

    with progress.watch(listener(quiet=OUTPUT.quiet or OUTPUT.json)):
        yield


def failed(what: str) -> NoReturn:
    """Exit with code 4, because a claim does not hold; a quiet run prints why."""
    if OUTPUT.quiet and not OUTPUT.json:
        typer.echo(f"error: {shown(what)}.", err=True)
    raise typer.Exit(4)


def result(facts: Mapping[str, Any], for_people: Callable[[], Any]) -> None:
    """Print the result as JSON or for people, as the options say; nothing if the run is quiet."""
    if OUTPUT.json:
        from shoal.report.to_json import dumps

        typer.echo(shown(dumps({"ok": True} | dict(facts)), keep="\n"), nl=False)
    elif not OUTPUT.quiet:
        from rich.console import Console

        Console().print(for_people())


def write(
    release: Any,
    out: Path,
    format: Format | None,
    *,
    mapping: bool,
    sign: Path | None,
    excel: bool,
    to: str | None,
    to_table: str | None,
    replace: bool,
    rows_per_file: int | None = None,
) -> None:
    """Write a release and its private folder, and print what was written."""
    from shoal.report import terminal

    file = out / (f"release.{format.value}" if format else release.file_name)
    earlier = secret_in(out)
    written = release.write(
        out,
        format=format.value if format else None,
        mapping=mapping,
        sign=sign,
        excel=excel,
        to=to,
        to_table=to_table,
        replace=replace,
        rows_per_file=rows_per_file,
    )
    if rows_per_file is not None:
        file = _first_file(out)
    result(
        written.to_dict() | {"out": str(out), "file": str(file)} | ({"table": to_table} if to_table else {}),
        lambda: terminal.release(written.content(checked=file.name), out, table=to_table),
    )
    if release.history is None:
        note_replaced(out, earlier, otherwise=_AFTER)


def note_replaced(out: Path, earlier: bytes | None, *, otherwise: str = "") -> None:
    """Say that a folder held another release, if its secret was `earlier` and is another one now.

    `otherwise` says what to do instead.
    """
    if earlier not in (None, secret_in(out)) and not (OUTPUT.quiet or OUTPUT.json):
        typer.echo(
            f"note: {shown(str(out))} held another release. If it was published, do not publish this one as well: by "
            f"comparing both, people can be told apart.{otherwise}",
            err=True,
        )


def write_large(
    release: Any, out: Path, format: Format | None, *, sign: Path | None, rows_per_file: int | None
) -> None:
    """Write a release in blocks and its private folder, and print what was written."""
    earlier = secret_in(out)
    written = release.write(out, format=format.value if format else None, sign=sign, rows_per_file=rows_per_file)
    result(
        written.to_dict() | {"out": str(out), "file": str(_first_file(out))},
        lambda: shown(f"{written}\nwritten to {out}", keep="\n"),
    )
    note_replaced(out, earlier, otherwise=_AFTER)


def _first_file(out: Path) -> Path:
    """Return the released table that was written to a folder; of several files the first."""
    from shoal.certify import released_file

    return released_file(out)


def private_folder(out: Path) -> Path | None:
    """Return the private folder of the release in `out`, if there is one with a secret that can be read."""
    folder = out.with_name(f"{out.name}.private") if out.name else None
    if folder is None or not (folder / FILE).is_file():
        return None
    try:
        as_secret(folder, seed=None)
    except ParameterError:
        return None
    return folder


def secret_in(out: Path) -> bytes | None:
    """Return what the secret's file of a release holds; None without one, or if it may not be read."""
    folder = private_folder(out)
    try:
        return None if folder is None else (folder / FILE).read_bytes()
    except OSError:
        return None
