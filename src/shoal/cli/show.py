"""What a command prints: one JSON object, or the same for people; progress on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer

from shoal._escape import shown
from shoal.cli.options import OUTPUT, Format


@contextmanager
def watched() -> Iterator[None]:
    """Progress bars on what takes long, unless the run is quiet or speaks JSON."""
    from shoal import progress
    from shoal.report.progress_bars import listener

    with progress.watch(listener(quiet=OUTPUT.quiet or OUTPUT.json)):
        yield


def failed(what: str) -> NoReturn:
    """Exit code 4: a claim does not hold. What a quiet run did not print is said now."""
    if OUTPUT.quiet and not OUTPUT.json:
        typer.echo(f"error: {shown(what)}.", err=True)
    raise typer.Exit(4)


def result(facts: Mapping[str, Any], for_people: Callable[[], Any]) -> None:
    """Print the result once, in the way that was asked for."""
    if OUTPUT.json:
        from shoal.report.to_json import dumps

        typer.echo(shown(dumps({"ok": True} | dict(facts)), keep="\n"), nl=False)
    elif not OUTPUT.quiet:
        from rich.console import Console

        Console().print(for_people())


def write(release: Any, out: Path, format: Format | None, *, mapping: bool, sign: Path | None, excel: bool) -> None:
    """Write what `api.anonymize` or `api.apply` gave, with its private folder, and print what was written."""
    from shoal.report import terminal

    file = out / (f"release.{format.value}" if format else release.file_name)
    written = release.write(out, format=format.value if format else None, mapping=mapping, sign=sign, excel=excel)
    result(
        written.to_dict() | {"out": str(out), "file": str(file)},
        lambda: terminal.release(written.content(checked=file.name), out),
    )
