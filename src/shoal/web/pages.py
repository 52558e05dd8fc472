"""Pages rendered from templates: escaped everywhere, in the language of the reader, with the report's own style."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from shoal._escape import shown
from shoal._version import __version__
from shoal.policy.preset import PRESETS
from shoal.web.about import key_sets, section_fields
from shoal.web.desk import Desk
from shoal.web.draft import KINDS, ROLES
from shoal.web.fields import column_fields, privacy_fields
from shoal.web.fixes import in_words
from shoal.web.open_table import OpenTable, differences
from shoal.web.remarks import fix_label, keep_label, type_of
from shoal.web.texts import LANGUAGES, Texts

HERE = Path(__file__).parent
REPORT = HERE.parent / "report" / "templates"
STEPS = ("data", "columns", "privacy", "result", "risk", "report")


@cache
def environment() -> Environment:
    """Return the templates of the pages, and those of the report that they share."""
    made = Environment(
        loader=FileSystemLoader([HERE / "templates", REPORT]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown(value) if type(value) is str else value,
    )
    made.globals.update(
        STEPS=STEPS,
        column_fields=column_fields,
        differences=differences,
        key_sets=key_sets,
        privacy_fields=privacy_fields,
        section_fields=section_fields,
        fix_label=fix_label,
        keep_label=keep_label,
        type_of=type_of,
        in_words=in_words,
        ROLES=ROLES,
        KINDS=KINDS,
        LANGUAGES=LANGUAGES,
        PRESETS=PRESETS,
        version=__version__,
        Markup=Markup,
    )
    made.filters["lines"] = lambda text: Markup(escape(shown(text, keep="\n")))
    return made


@cache
def style() -> str:
    """Return the style of the report and of the pages."""
    report = environment().get_template("style.css").render()
    return report + (HERE / "static" / "app.css").read_text(encoding="utf-8")


def desk_of(request: Request) -> Desk:
    """Return the desk that this server has."""
    desk: Desk = request.app.state.desk
    return desk


def texts_of(request: Request) -> Texts:
    """Return the texts in the language that the reader chose, or that the browser asks for."""
    chosen: str | None = request.app.state.language
    if chosen is None:
        wanted = request.headers.get("accept-language", "")
        chosen = next((one for one in (part[:2].lower() for part in wanted.split(",")) if one in LANGUAGES), "en")
    return Texts(chosen)


def page(
    request: Request, name: str, *, status: int = 200, table: OpenTable | None = None, **values: Any
) -> HTMLResponse:
    """Return a page, or a part of one, with everything that templates use."""
    base = request.scope.get("root_path", "")
    rendered = (
        environment()
        .get_template(name)
        .render(
            t=texts_of(request),
            base=base,
            table=table,
            at=f"{base}/t/{table.id}" if table is not None else base,
            tables=list(desk_of(request).tables.values()),
            url=request.url.path,
            **values,
        )
    )
    return HTMLResponse(rendered, status)


def is_part(request: Request) -> bool:
    """Return whether htmx asks for a part of a page."""
    return request.headers.get("hx-request") == "true"
