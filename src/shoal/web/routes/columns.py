"""What every column is: roles, kinds, weights, recodings, and the questions that only people can answer."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from shoal.errors import ParameterError, ShoalError
from shoal.web.draft import with_column, with_kind, with_role
from shoal.web.forms import Form, column_settings, form_of
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
    changed = [name for name, column in table.settings["columns"].items() if column["role"] == "quasi"]
    proposed = table.found["risk"] | {"combinations": table.found["combinations"]}
    same = changed == [column["name"] for column in table.columns if column["role"] == "quasi"]
    found = proposed if same else await done(desk_of(request).singled_out(table)) if changed else None
    return page(request, "columns.html", table=table, step="columns", singled=found if changed else None)


@router.post("/t/{wanted}/columns/{place}")
async def change(request: Request, wanted: str, place: int) -> Response:
    """Change one column, and show it again with everything that depends on it."""
    table = desk_of(request).ready_table(wanted)
    form = await form_of(request)
    error, hint, before = "", "", table.quasi
    try:
        change_column(table, place, form)
    except ShoalError as wrong:
        error, hint = wrong.message, wrong.hint or ""
    if not is_part(request):
        return to_table(request, table, "columns")
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
    if table.quasi != before:
        answer.headers["hx-trigger-after-settle"] = "roles-changed"
    return answer


@router.get("/t/{wanted}/singled")
async def singled(request: Request, wanted: str) -> Response:
    """Show who is singled out by the columns that others may know, as it is decided now."""
    table = desk_of(request).ready_table(wanted)
    found = await done(desk_of(request).singled_out(table)) if table.quasi else None
    return page(request, "singled.html", table=table, step="columns", singled=found)


@router.get("/t/{wanted}/columns/{place}/levels")
async def levels(request: Request, wanted: str, place: int) -> Response:
    """Show what each level of a column's hierarchy leaves."""
    table = desk_of(request).ready_table(wanted)
    if (
        not 0 <= place < len(table.columns)
        or "hierarchy" not in table.settings["columns"][table.columns[place]["name"]]
    ):
        raise ParameterError("this column has no hierarchy.")
    found = await done(desk_of(request).levels(table, table.columns[place]["name"]))
    return page(request, "levels.html", table=table, step="columns", levels=found["levels"])


def change_column(table: OpenTable, place: int, form: Form) -> None:
    """Change the column as the fields say: first its role, then its kind, then the rest."""
    assert table.found is not None
    if not 0 <= place < len(table.columns):
        raise ParameterError("there is no such column.")
    name = table.columns[place]["name"]
    own, proposed = table.settings["columns"][name], table.found["by_role"].get(name, {})
    settings = table.settings
    if form.get("role", own["role"]) != own["role"]:
        settings = with_role(settings, name, form["role"], proposed)
    elif form.get("kind", own.get("kind") or "") != (own.get("kind") or ""):
        settings = with_kind(settings, name, form["kind"], proposed)
    else:
        settings = with_column(settings, name, column_settings(form))
    table.change(settings)


@router.post("/t/{wanted}/questions/{place}")
async def answer(request: Request, wanted: str, place: int) -> Response:
    """Take a question as answered, as proposed or by one of its fixes; `place` -1 takes all as proposed."""
    table = desk_of(request).ready_table(wanted)
    fix = (await form_of(request)).get("fix", "")
    if place < 0:
        table.change(answered={question.place for question in table.questions})
    else:
        desk_of(request).answer(table, place, int(fix) if fix.isdigit() else None)
    if not is_part(request):
        return to_table(request, table, "columns")
    return page(request, "columns_changed.html", table=table, step="columns")
