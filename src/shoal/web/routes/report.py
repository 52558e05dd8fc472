"""The report and the files of a release: what may be published, and what must not be."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from shoal.errors import ParameterError, TableError
from shoal.report.pdf import pdf_browser, pdf_of
from shoal.web.commands import command_line, python_code, written_here
from shoal.web.open_table import OpenTable, Run
from shoal.web.pages import desk_of, page, texts_of
from shoal.web.routes.data import to_table
from shoal.web.routes.result import run_of
from shoal.web.waiting import done

router = APIRouter(include_in_schema=False)
FORMATS = ("csv", "xlsx", "parquet")
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""The report has its style inside, and may be put into a frame of our own pages, to be printed."""


@router.get("/t/{wanted}/report")
async def report(request: Request, wanted: str, run: int | None = None) -> Response:
    table = desk_of(request).table(wanted)
    if table.found is None:
        return to_table(request, table)
    found = table.run(run)
    if found is None:
        return page(request, "no_result.html", table=table, step="report", failed=None)
    format = found.result["format"]
    return page(
        request,
        "report_page.html",
        table=table,
        step="report",
        run=found,
        formats=FORMATS,
        prints=pdf_browser() is not None,
        public=_listed(found.folder / format),
        private=_listed(found.folder / f"{format}.private"),
        command=command_line(table, found),
        code=python_code(table, found),
    )


@router.get("/t/{wanted}/runs/{number}/report.html")
async def report_file(request: Request, wanted: str, number: int) -> Response:
    run = run_of(desk_of(request).ready_table(wanted), number)
    file = _report(run, texts_of(request).language)
    headers = {"content-security-policy": REPORT_POLICY, "x-frame-options": "SAMEORIGIN"}
    return FileResponse(file, media_type="text/html; charset=utf-8", headers=headers)


@router.get("/t/{wanted}/runs/{number}/report.pdf")
async def report_pdf(request: Request, wanted: str, number: int) -> Response:
    """Send the report as PDF, printed by a browser of this computer."""
    table = desk_of(request).ready_table(wanted)
    run = run_of(table, number)
    page = _report(run, texts_of(request).language).read_text(encoding="utf-8")
    content = await asyncio.to_thread(pdf_of, page)
    called = f'attachment; filename="PRIVATE-report-{_stem(table)}.pdf"'
    return Response(content, media_type="application/pdf", headers={"content-disposition": called})


@router.get("/t/{wanted}/runs/{number}/dossier.html")
async def dossier(request: Request, wanted: str, number: int, save: bool = False) -> Response:
    """Send the dossier of a run, which is made when it is asked for first."""
    table = desk_of(request).ready_table(wanted)
    file = await made_dossier(request, table, run_of(table, number))
    if save:
        return FileResponse(file, filename=f"PRIVATE-dossier-{_stem(table)}.html", media_type="text/html")
    return FileResponse(
        file, media_type="text/html; charset=utf-8", headers={"content-security-policy": REPORT_POLICY}
    )


@router.get("/t/{wanted}/runs/{number}/dossier.pdf")
async def dossier_pdf(request: Request, wanted: str, number: int) -> Response:
    """Send the dossier of a run as PDF, printed by a browser of this computer."""
    table = desk_of(request).ready_table(wanted)
    page = (await made_dossier(request, table, run_of(table, number))).read_text(encoding="utf-8")
    content = await asyncio.to_thread(pdf_of, page)
    called = f'attachment; filename="PRIVATE-dossier-{_stem(table)}.pdf"'
    return Response(content, media_type="application/pdf", headers={"content-disposition": called})


async def made_dossier(request: Request, table: OpenTable, run: Run) -> Path:
    """Return the file with the dossier of a run, once it is made."""
    file, job = desk_of(request).dossier(run, _stem(table))
    await done(job)
    return file


@router.get("/t/{wanted}/runs/{number}/{half}/{name}")
async def file(request: Request, wanted: str, number: int, half: str, name: str) -> Response:
    """Send one file of a release; those of the private half have a name that says so."""
    run = run_of(desk_of(request).ready_table(wanted), number)
    if half not in ("public", "private"):
        raise ParameterError("a release has a public and a private half.")
    format = run.result["format"]
    folder = run.folder / (format if half == "public" else f"{format}.private")
    if name not in _listed(folder):
        raise TableError("the release has no file of this name.")
    called = name if half == "public" else f"PRIVATE-{name}"
    return FileResponse(folder / name, filename=called, media_type="application/octet-stream")


@router.get("/t/{wanted}/runs/{number}/{name}")
async def packed(request: Request, wanted: str, number: int, name: str) -> Response:
    """Send a half of the release, all of it, as a ZIP archive: public-FORMAT.zip or private.zip."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    run = run_of(table, number)
    format = name.removeprefix("public-").removesuffix(".zip")
    if name == "private.zip":
        folder, called = run.folder / f"{run.result['format']}.private", f"PRIVATE-do-not-publish-{_stem(table)}.zip"
    elif format in FORMATS and name == f"public-{format}.zip":
        await done(desk.export(table, run, format))
        folder, called = run.folder / format, f"release-{_stem(table)}-{format}.zip"
    else:
        raise TableError("the release has no file of this name.")
    private = name == "private.zip"
    more = _levels(table, run) | _reports(run) if private else {}
    content = await asyncio.to_thread(_zip, folder, "release.private" if private else "release", more)
    return Response(
        content, media_type="application/zip", headers={"content-disposition": f'attachment; filename="{called}"'}
    )


def _levels(table: OpenTable, run: Run) -> dict[str, Path]:
    """Return the hierarchies of a run that were written by hand, by their names in the archive."""
    return {
        called: Path(run.asked["columns"][name]["hierarchy"]["file"])
        for name, called in written_here(table, run).items()
    }


def _report(run: Run, language: str) -> Path:
    """Return the report in a language; the English one is a file of the release's private half."""
    english = run.folder / f"{run.result['format']}.private" / "report.html"
    return _reports(run).get(f"report.{language}.html", english)


def _reports(run: Run) -> dict[str, Path]:
    """Return the reports in other languages than English, by their names in the archive."""
    return {file.name: file for file in sorted(run.folder.glob("report.*.html"))}


def _zip(folder: Path, called: str, more: dict[str, Path]) -> bytes:
    """Return the files of a folder as a ZIP archive without times, which would say when the release was made."""
    packed = io.BytesIO()
    files = {f"{called}/{name}": folder / name for name in _listed(folder)} | more
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            archive.writestr(entry, file.read_bytes())
    return packed.getvalue()


def _listed(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.is_file())


def _stem(table: OpenTable) -> str:
    """Return the name of a table as a part of a file name: letters, digits and hyphens alone."""
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in Path(table.name).stem)
    return plain.strip("-")[:60] or "table"
