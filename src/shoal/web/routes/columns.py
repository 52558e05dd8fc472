"""What every column is: roles, kinds, weights, recodings, and the questions that only people can answer."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from shoal.errors import ParameterError, ShoalError
from shoal.web.draft import Settings, names, recoding, with_column, with_kind, with_map, with_place, with_role
from shoal.web.fields import COLUMN_GROUPS, Form, altered, column_fields
from shoal.web.forms import column_settings, form_of, map_source, place_in
from shoal.web.hand_made import LEVELS
from shoal.web.open_table import OpenTable
from shoal.web.pages import desk_of, is_part, page
from shoal.web.routes.data import to_table
from shoal.web.waiting import done

router = APIRouter(include_in_schema=False)


@router.get("/t/{wanted}/columns")
async def columns(request: Request, wanted: str) -> Response:
    table = desk_of(request).table(wanted)
    if table.found is None:
        return to_table(request, table)
    proposed = table.found["risk"] | {"combinations": table.found["combinations"]}
    same = counted(table.settings) == counted(table.found["policy"])
    found, wrong = (proposed, None) if same and table.quasi else await _singled(request, table)
    return page(request, "columns.html", table=table, step="columns", singled=found, wrong=wrong)


async def _singled(request: Request, table: OpenTable) -> tuple[Any, ShoalError | None]:
    """Return who is singled out, or why it cannot be counted: a policy from before may not fit the cells."""
    if not table.quasi:
        return None, None
    try:
        return await done(desk_of(request).singled_out(table)), None
    except ShoalError as wrong:
        return None, wrong


def counted(settings: Settings) -> Any:
    """Return what decides who is singled out: the quasi-identifiers, and how their values are changed."""
    return names(settings, "quasi", "person"), recoding(settings)


@router.post("/t/{wanted}/columns/{place}")
async def change(request: Request, wanted: str, place: int) -> Response:
    """Change one column, and show it again with everything that depends on it."""
    table = desk_of(request).ready_table(wanted)
    form = await form_of(request)
    error, hint, before = "", "", counted(table.settings)
    try:
        change_column(table, place, form)
    except ShoalError as wrong:
        error, hint = wrong.message, wrong.hint or ""
    if not is_part(request):
        return to_table(request, table, "data" if form.get("back") == "data" else "columns")
    answer = page(
        request,
        "column_changed.html",
        table=table,
        step="columns",
        place=place,
        error=error,
        hint=hint,
        unfolded="open" in form or bool(error),
        given=form if error else {},
    )
    if counted(table.settings) != before:
        answer.headers["hx-trigger-after-settle"] = "roles-changed"
    return answer


@router.get("/t/{wanted}/singled")
async def singled(request: Request, wanted: str) -> Response:
    """Show who is singled out by the present quasi-identifiers."""
    table = desk_of(request).ready_table(wanted)
    found, wrong = await _singled(request, table)
    return page(request, "singled.html", table=table, step="columns", singled=found, wrong=wrong)


@router.get("/t/{wanted}/columns/{place}/levels")
async def levels(request: Request, wanted: str, place: int) -> Response:
    """Show the classes on each level of a column's hierarchy."""
    table = desk_of(request).ready_table(wanted)
    found = await done(desk_of(request).levels(table, _name_at(table, place)))
    return page(request, "levels.html", table=table, step="columns", levels=found["levels"])


@router.get("/t/{wanted}/columns/{place}/hand")
async def by_hand(request: Request, wanted: str, place: int, propose: bool = False) -> Response:
    """Show every value of a column with room for the names of its groups."""
    table = desk_of(request).ready_table(wanted)
    found = await done(desk_of(request).values(table, _name_at(table, place), propose=propose))
    return page(request, "hand.html", table=table, step="columns", place=place, values=found["values"], error="")


@router.post("/t/{wanted}/columns/{place}/hand")
async def write_by_hand(request: Request, wanted: str, place: int) -> Response:
    """Use a hierarchy that was written by hand, and show the classes on each of its levels."""
    table, form = desk_of(request).ready_table(wanted), await form_of(request)
    name, count = _name_at(table, place), sum(key.startswith("0:") for key in form)
    names = [[form.get(f"{level}:{at}", "") for level in range(LEVELS)] for at in range(count)]
    levels = await desk_of(request).group_by_hand(table, name, names)
    if not is_part(request):
        return to_table(request, table, "columns")
    return page(request, "hand_done.html", table=table, step="columns", place=place, levels=levels)


def _name_at(table: OpenTable, place: int) -> str:
    if not 0 <= place < len(table.columns):
        raise ParameterError("this column does not exist.", "load the page of the columns again.")
    return str(table.columns[place]["name"])


def change_column(table: OpenTable, place: int, form: Form) -> None:
    """Change the column as the fields say: first its role, then its kind, then the rest."""
    assert table.found is not None
    name = _name_at(table, place)
    own, proposed = table.settings["columns"][name], table.found["by_role"].get(name, {})
    columns, settings = [column["name"] for column in table.columns], table.settings
    file = own.get("hierarchy", {}).get("file")
    shown = column_fields(own, columns, by_hand=file is not None and table.wrote(file))
    form = altered(form, shown, COLUMN_GROUPS)
    if form.get("role", own["role"]) != own["role"]:
        settings = with_role(settings, name, form["role"], proposed)
    elif form.get("kind", own.get("kind") or "") != (own.get("kind") or ""):
        settings = with_kind(settings, name, form["kind"], proposed)
    elif "longitude" in form and _longitude(table, form) != own.get("longitude", ""):
        settings = with_place(settings, name, _longitude(table, form))
    elif "map" in form and (source := map_source(form, own.get("map", {}))) != own.get("map"):
        settings = with_map(settings, name, source)
    else:
        settings = with_column(settings, name, column_settings(form, own, columns))
    table.change(settings)


def _longitude(table: OpenTable, form: Form) -> str:
    """Return the name of the column that was chosen as the longitudes; columns are sent by their places."""
    chosen = place_in(form["longitude"])
    return _name_at(table, chosen) if chosen is not None else ""


@router.post("/t/{wanted}/questions/{place}")
async def answer(request: Request, wanted: str, place: int) -> Response:
    """Take a question as answered, as proposed or by one of its fixes; `place` -1 takes all as proposed."""
    table = desk_of(request).ready_table(wanted)
    form = await form_of(request)
    fix = form.get("fix", "")
    if place < 0:
        table.change(answered={question.place for question in table.questions})
    else:
        desk_of(request).answer(table, place, place_in(fix))
    if not is_part(request):
        return to_table(request, table, "data" if form.get("back") == "data" else "columns")
    return page(request, "columns_changed.html", table=table, step="columns")
