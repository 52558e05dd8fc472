"""Where the draft of a policy comes from and goes to: a policy from before, a rule, a file."""

from __future__ import annotations

import re

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.policy.preset import PRESETS
from shoal.web.forms import form_of
from shoal.web.pages import desk_of
from shoal.web.policy_file import read_path, read_text
from shoal.web.routes.data import to_table

router = APIRouter(include_in_schema=False)


@router.post("/t/{wanted}/policy")
async def load(request: Request, wanted: str) -> Response:
    """Take a policy as the draft: its text is the raw body of the request, as of an upload."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    try:
        text = (await request.body()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError("the policy is not UTF-8 text.", "choose the file policy.toml.") from None
    desk.load_policy(table, read_text(text))
    return JSONResponse({"location": f"{request.scope.get('root_path', '')}/t/{table.id}/columns"})


@router.post("/t/{wanted}/policy/path")
async def load_path(request: Request, wanted: str) -> Response:
    """Take a policy of this computer as the draft, with the files that it names."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    desk.load_policy(table, read_path((await form_of(request)).get("path", "")))
    return to_table(request, table, "columns" if table.found is not None else "data")


@router.get("/t/{wanted}/policy.toml")
async def save(request: Request, wanted: str) -> Response:
    """Send the draft as a policy file."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    text = Policy.parse(desk.policy_of(table)).dumps()
    called = re.sub(r"[^A-Za-z0-9]+", "-", table.name.rpartition(".")[0] or table.name).strip("-")[:60] or "table"
    headers = {"content-disposition": f'attachment; filename="policy-{called}.toml"'}
    return Response(text, media_type="application/toml", headers=headers)


@router.post("/t/{wanted}/preset")
async def begin_with(request: Request, wanted: str) -> Response:
    """Propose roles and settings anew, by a rule or by none."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    desk.begin_with(table, known_preset((await form_of(request)).get("preset")))
    return to_table(request, table)


def known_preset(preset: str | None) -> str | None:
    """Return the name of a rule that comes with Shoal, or None for none; raise ParameterError for any other."""
    if preset and preset not in PRESETS:
        raise ParameterError("there is no such rule here.", f"choose one of {', '.join(PRESETS)}.")
    return preset or None
