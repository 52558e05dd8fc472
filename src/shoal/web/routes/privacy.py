"""The requirements on every group, and how groups are found."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from shoal.errors import ShoalError
from shoal.method_table import METHODS
from shoal.web.draft import names, with_column, with_privacy
from shoal.web.forms import Form, disclosure, diversity, form_of, number, privacy_settings
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
    return page(request, "privacy.html", table=table, step="privacy", methods=METHODS, error="", hint="")


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
    return page(request, "privacy_changed.html", table=table, step="privacy", methods=METHODS, error="", hint="")


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
    return page(request, "privacy_changed.html", table=table, step="privacy", methods=METHODS, error=error, hint=hint)


def change_privacy(table: OpenTable, form: Form) -> None:
    """Change the requirements as the fields say; those of columns are called ``l:PLACE``, ``t:PLACE`` and so on."""
    settings = with_privacy(table.settings, privacy_settings(form))
    protected = names(settings, "sensitive", "quasi")
    for place, column in enumerate(table.columns):
        name, changes = column["name"], {}
        if name not in protected:
            continue
        if f"l:{place}" in form:
            changes["diversity"] = diversity(form, f"l:{place}", f"l_kind:{place}", f"c:{place}")
        if f"t:{place}" in form:
            asked = number(form[f"t:{place}"], "t")
            changes["closeness"] = None if asked is None else {"t": asked}
        if f"alpha:{place}" in form:
            changes["disclosure"] = disclosure(form, place, settings["columns"][name].get("disclosure"))
        if changes:
            settings = with_column(settings, name, changes)
    table.change(settings)
