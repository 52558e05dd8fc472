"""`shoal`: parse, call the API, show. Heavy modules are imported by the command that needs them."""

from __future__ import annotations

import json
import os
import signal
import sys
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from shoal._version import __version__
from shoal.cli import anonymize, attack, compare, demo, profile, verify
from shoal.cli.options import OUTPUT
from shoal.errors import ShoalError


class _QuickHelp(TyperGroup):
    """The first help a user asks for, in plain text: loading rich's markdown would take most of 0.3 s."""

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
    help="Publish a table about people so that nobody in it can be singled out, and prove it.",
    epilog="Start with: shoal demo. Then: shoal profile your.csv --write policy.toml",
)
for command in (anonymize, verify, profile, compare, attack, demo):
    command.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run a command; every error is one sentence with a way out, and an exit code that a script can read."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        app()
    except ShoalError as error:
        _say(error.message, error.hint, error.exit_code)
    except KeyboardInterrupt:
        _say("stopped; nothing was written.", None, 130)
    except BrokenPipeError:
        # The reader (head, less) has gone: no message, as other tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError:
        _say("the table does not fit into memory.", "give a smaller file, or fewer columns.", 2)
    sys.exit(0)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _say(message: str, hint: str | None, code: int) -> NoReturn:
    if OUTPUT.json:
        typer.echo(json.dumps({"ok": False, "error": message, "hint": hint, "status": code}))
    else:
        typer.echo(f"error: {message}", err=True)
        if hint:
            typer.echo(f"Hint: {hint}", err=True)
    sys.exit(code)
