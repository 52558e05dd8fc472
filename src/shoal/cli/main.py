"""The command `shoal`. Heavy modules are imported only by the command that needs them."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from shoal._escape import shown
from shoal._version import __version__
from shoal.caller import by_flags
from shoal.cli import (
    anonymize,
    anonymize_tables,
    apply,
    attack,
    compare,
    demo,
    dossier,
    hierarchy,
    keygen,
    papers,
    profile,
    recover,
    risk,
    serve,
    verify,
)
from shoal.cli.child import ENDED_BY_LIBRARIES, LOADER_ENDED, can_have_child, limit, run_in_child
from shoal.cli.options import OUTPUT
from shoal.errors import ShoalError, TableError

INTERRUPTED = 128 + signal.SIGINT
_UsageError: Any = typer.BadParameter.__base__  # typer has its own copy of click, or uses the installed one


class _QuickHelp(TyperGroup):
    """The overview of commands in plain text: loading rich's markdown would take most of 0.3 s."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.rich_markup_mode = None
        super().format_help(ctx, formatter)


app = typer.Typer(
    name="shoal",
    cls=_QuickHelp,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Publish a table about people so that nobody is singled out by what others know of them, and prove it.",
    epilog="Start with: shoal demo. Then: shoal profile your.csv --write policy.toml",
)
for command in (
    anonymize,
    anonymize_tables,
    apply,
    verify,
    profile,
    hierarchy,
    compare,
    attack,
    risk,
    dossier,
    recover,
    serve,
    demo,
    papers,
    keygen,
):
    command.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


_AT_ONCE = 2.0
"""Seconds within which a second signal is the first: a terminal sends Ctrl-C to a child, and so does its parent."""
_STOPPED: dict[int, float] = {}


class _Stopped(BaseException):
    """A signal asked the process to end. (typer would handle a KeyboardInterrupt without a message.)"""


def main() -> NoReturn:
    """Run a command; every error is one sentence with a way out, and an exit code that scripts can use."""
    OUTPUT.json, OUTPUT.quiet = "--json" in sys.argv[1:], False  # set here for calls that cannot be parsed
    serves = sys.argv[1:2] == ["serve"]  # it runs until it is stopped, and handles signals itself
    if limit() is None and (serves or not can_have_child()):
        sys.exit(_run())
    code = run_in_child(_run)
    if limit() is not None and code in (LOADER_ENDED, *(-number for number in (signal.SIGKILL, *ENDED_BY_LIBRARIES))):
        sys.exit(_no_memory())
    sys.exit(code if code >= 0 else _ended(-code))


def _ended(number: int) -> int:
    """Say why a signal has ended a command, and return the exit code."""
    if number != signal.SIGKILL and number not in ENDED_BY_LIBRARIES:
        return 128 + number
    error = TableError.killed() if number == signal.SIGKILL else TableError.ended_by_library()
    return _say(error.message, error.hint, error.exit_code)


def _run() -> int:
    """Run the command and return its exit code."""
    _STOPPED.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    _keep_output_ours()
    try:
        with by_flags():
            code = app(prog_name="shoal", standalone_mode=False)
    except ShoalError as error:
        code = _say(error.message, error.hint, error.exit_code)
    except _UsageError as error:
        code = _wrong_call(error)
    except (_Stopped, KeyboardInterrupt, SystemExit) as end:
        code = end.code if isinstance(end, SystemExit) else end.args[0] if end.args else INTERRUPTED
    except BrokenPipeError:
        # the reader (head, less) has closed the pipe: no message, as with other tools
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except MemoryError:
        code = _no_memory()
    except BaseException as fault:  # a panic in a Rust library is not an Exception
        code = _no_memory() if limit() is not None else _say(*_inside(fault), 1)
    if code in (INTERRUPTED, 128 + signal.SIGTERM):
        _say("stopped. No output is incomplete: it is as it was before, or complete.", None, code)
    return int(code or 0)


def _no_memory() -> int:
    most = limit()
    error = TableError.no_memory("this table" if most is None else f"this table within {most / 1e9:.1f} GB")
    return _say(error.message, error.hint, error.exit_code)


def _keep_output_ours() -> None:
    """Keep the standard output for the command: solvers write to file descriptor 1 without Python's knowledge."""
    given = sys.__stdout__
    if given is None or sys.stdout is not given or given.fileno() != 1:
        return  # called from Python code that replaced the stream
    ours = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = os.fdopen(ours, "w", buffering=1, encoding=given.encoding, errors=given.errors)


def _stop(number: int, _frame: FrameType | None) -> None:
    now = time.monotonic()
    if now - _STOPPED.get(number, -_AT_ONCE) < _AT_ONCE:
        return
    _STOPPED[number] = now
    raise _Stopped(128 + number)


def _wrong_call(error: Any) -> int:
    """Report a call that typer could not parse; a call without any command prints the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(shown(error.format_message(), keep="\n"), err=True)
        return 2
    asked = error.ctx.command_path if error.ctx is not None else "shoal"
    return _say(error.format_message(), f"`{asked} --help` lists the options.", 2)


def _inside(fault: BaseException) -> tuple[str, str]:
    """Return message and hint for a fault of Shoal, without the exception's text, which may quote cells."""
    if os.environ.get("SHOAL_TRACEBACK"):
        raise fault
    trace = traceback.extract_tb(fault.__traceback__)
    places = [place for place in trace if f"{os.sep}shoal{os.sep}" in place.filename]
    where = f"{Path(places[-1].filename).name}, line {places[-1].lineno}" if places else "an unknown place"
    return (
        f"internal error of Shoal ({type(fault).__name__} in {where}).",
        "please report it. SHOAL_TRACEBACK=1 shows the whole traceback, which may contain values of the table.",
    )


def _say(message: str, hint: str | None, code: int) -> int:
    """Print an error and return the exit code."""
    if OUTPUT.json:
        typer.echo(json.dumps({"ok": False, "error": message, "hint": hint, "status": code}))
    else:
        typer.echo(f"error: {shown(message)}", err=True)
        if hint:
            typer.echo("Hint: " + shown(hint, keep="\n"), err=True)
    return code
