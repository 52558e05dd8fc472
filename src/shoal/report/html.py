"""The report as one HTML file that needs nothing else: no network, no script, no font.

A content security policy in the page forbids what the page does not have, so that even a column named like a
script stays a name. Equal content gives equal bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shoal.report import charts, sentences
from shoal.report import formatting as numbers
from shoal.report import table_rows as lists
from shoal.report.content import Content, Trial


@cache
def environment() -> Environment:
    """Templates with everything escaped, and control characters of foreign text replaced."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: numbers.name(value) if type(value) is str else value,
    )
    made.globals.update(charts=charts, lists=lists, say=sentences, show=numbers)
    return made


def render(content: Content) -> str:
    """The whole page."""
    return environment().get_template("report.html").render(content=content)


def render_comparison(trials: Sequence[Trial], *, source: str, version: str = "") -> str:
    """The frontier of a comparison as a page of its own."""
    page = environment().get_template("comparison.html")
    return page.render(trials=trials, source=source, version=version)
