"""The requirements on every group, and how groups are found."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from shoal.errors import ParameterError, ShoalError
from shoal.method_table import METHODS
from shoal.web.about import SECTIONS, key_settings, section_settings
from shoal.web.draft import Settings, names, with_column, with_privacy
from shoal.web.fields import Form, altered, privacy_fields, privacy_groups
from shoal.web.forms import closeness, disclosure, diversity, form_of, privacy_settings
from shoal.web.open_table import OpenTable
from shoal.web.pages import desk_of, is_part, page
from shoal.web.routes.data import to_table

router = APIRouter(include_in_schema=False)
SIZES = (2, 3, 5, 10, 20, 50)
"""The k that are tried."""


@router.get("/t/{wanted}/privacy")
async def privacy(request: Request, wanted: str) -> Response:
    table = desk_of(request).table(wanted)
    if table.found is None:
        return to_table(request, table)
    return _page(request, table, "privacy.html")


@router.post("/t/{wanted}/frontier")
async def try_several(request: Request, wanted: str) -> Response:
    """Begin to try several k; the points come one by one."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    if table.frontier is None or table.frontier.over:
        assert table.found is not None
        sizes = sorted({*SIZES, table.settings["k"]})
        desk.compare(table, [k for k in sizes if k <= table.found["n_rows"]])
    if not is_part(request):
        return to_table(request, table, "privacy")
    return _page(request, table, "privacy_changed.html")


@router.get("/t/{wanted}/frontier")
async def frontier(request: Request, wanted: str) -> Response:
    return page(request, "frontier.html", table=desk_of(request).ready_table(wanted), step="privacy")


@router.post("/t/{wanted}/privacy")
async def change(request: Request, wanted: str) -> Response:
    table = desk_of(request).ready_table(wanted)
    error = hint = ""
    try:
        change_privacy(table, await form_of(request))
    except ShoalError as wrong:
        error, hint = wrong.message, wrong.hint or ""
    if not is_part(request):
        return to_table(request, table, "privacy")
    return _page(request, table, "privacy_changed.html", error, hint)


@router.post("/t/{wanted}/keys")
async def keys(request: Request, wanted: str) -> Response:
    """Change the sets of columns that somebody knows, each with a k of its own."""
    table = desk_of(request).ready_table(wanted)
    columns = [column["name"] for column in table.columns]
    return await _saved(request, table, "keys", lambda form: key_settings(table.settings, columns, form))


@router.post("/t/{wanted}/about/{section}")
async def about(request: Request, wanted: str, section: str) -> Response:
    """Change what people say about the release: for its dossier, or for catalogs."""
    if section not in SECTIONS:
        raise ParameterError("there is no such part of a policy here.", "load the page again.")
    table = desk_of(request).ready_table(wanted)
    before = table.settings.get(section)
    return await _saved(request, table, section, lambda form: section_settings(section, form, before))


async def _saved(
    request: Request, table: OpenTable, section: str, read: Callable[[Form], Settings | None]
) -> Response:
    """Change a part of the policy by a form, and show the page again; what was wrong stays in its fields."""
    form, error, hint, said = await form_of(request), "", "", {}
    try:
        table.change(with_privacy(table.settings, {section: read(form)}))
    except ShoalError as wrong:
        error, hint, said = wrong.message, wrong.hint or "", {section: form}
    if not is_part(request):
        return to_table(request, table, "privacy")
    return _page(request, table, "privacy_changed.html", error, hint, said)


def _page(
    request: Request,
    table: OpenTable,
    name: str,
    error: str = "",
    hint: str = "",
    said: dict[str, Form] | None = None,
) -> Response:
    return page(request, name, table=table, step="privacy", methods=METHODS, error=error, hint=hint, said=said or {})


def change_privacy(table: OpenTable, form: Form) -> None:
    """Change the requirements as the fields say; those of columns are called ``l:PLACE``, ``t:PLACE`` and so on."""
    columns = [column["name"] for column in table.columns]
    form = altered(form, privacy_fields(table.settings, columns), privacy_groups(columns))
    settings = with_privacy(table.settings, privacy_settings(form))
    protected = names(settings, "sensitive", "quasi")
    for place, column in enumerate(table.columns):
        name, changes = column["name"], {}
        if name not in protected:
            continue
        own = settings["columns"][name]
        if f"l:{place}" in form:
            changes["diversity"] = diversity(form, place, own.get("diversity"))
        if f"t:{place}" in form:
            changes["closeness"] = closeness(form, place, own.get("closeness"))
        if f"alpha:{place}" in form:
            changes["disclosure"] = disclosure(form, place, own.get("disclosure"))
        if changes:
            settings = with_column(settings, name, changes)
    table.change(settings)
