"""Write the folders of a release: the public `out/` and the private `out.private/`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal import progress
from shoal.caller import named, setting
from shoal.certify import signature, verify
from shoal.certify.areas import map_file
from shoal.certify.files import RESERVED, SIGNATURE, SYNTHETIC, is_plain
from shoal.certify.multiset import parse as multiset
from shoal.certify.several_files import digest_of_files, files_of, is_one_of_several
from shoal.errors import ParameterError
from shoal.report.to_json import dumps
from shoal.results.codebook_files import codebook_files
from shoal.results.several_files import check_several, shown_names, write_several
from shoal.secret import FILE as SECRET
from shoal.secret import MEASURES
from shoal.space.map_sources import RegionMap, read_map
from shoal.tables import Dialect, FrameT, disk, fits_encoding, stage, write_file
from shoal.tables.database.source import Target
from shoal.tables.database.writing import written_table
from shoal.tables.file_sizes import ends_of_files
from shoal.tables.text import text_of
from shoal.tables.visible import only_visible

if TYPE_CHECKING:
    from shoal.results.release import Release

FORMATS = ("csv", "parquet", "arrow", "xlsx")
CERTIFICATE, LEGEND = "certificate.json", "legend.json"
PLANNED = ("generalize", "suppress")
"""The forms of publication for which a plan exists, which assigns new records to classes."""


def write_release(
    release: Release[FrameT],
    out: str | Path,
    *,
    format: str | None = None,
    mapping: bool = False,
    excel: bool = False,
    raw: Mapping[str, pl.DataFrame] | None = None,
    sign: str | Path | None = None,
    target: Target | None = None,
    rows_per_file: int | None = None,
) -> Release[FrameT]:
    """Write both folders, or neither, and return the release with the digest and the findings of the written file.

    `raw` has further tables for the private folder, by file name. `sign` is the file of a private key with which the
    public certificate is signed. `target` is a table of a database that the release is written to as well: it is read
    back, verified by the certificate, and visible only when all files are written. With `rows_per_file` the table is
    written to several files (`results.several_files`).
    """
    if format not in (None, *FORMATS):
        raise ParameterError(f"format={format} is not known.", f"choose one of {', '.join(FORMATS)}.")
    called = f"release.{format}" if format else release.file_name
    if excel and not called.endswith((".csv", ".xlsx")):
        raise ParameterError(
            f"{named('excel')} is for CSV and Excel files, not for {called}.", f"add {setting('format', 'csv')}."
        )
    ends = None
    if rows_per_file is not None:
        check_several(release.policy, called, excel=excel)
        ends = ends_of_files(release.published.frame.height, rows_per_file)
    dialect, release = _dialect(release, text=called.endswith(".csv"), excel=excel)
    with stage(out) as staged:
        file = staged.public / called
        if ends is None:
            write_file(release.published.frame, file, dialect=dialect, excel=excel)
        else:
            file = write_several(release.published.frame, file, ends, release.secret, dialect)
        if release.published.legends:
            staged.write_public(LEGEND, release.legend_json())
        if release.policy.synthetic is not None:
            write_file(release.synthetic_rows(), file.with_name(SYNTHETIC[file.name]), dialect=dialect, excel=excel)
        for name, text in _public_hierarchies(release).items():
            staged.write_public(name, text)
        encoding = None if dialect is None or dialect.encoding == "utf-8" else dialect.encoding
        found = replace(release.findings, sha256=_table_digest(file), encoding=encoding)
        for name, text in codebook_files(replace(release, findings=found), file).items():
            staged.write_public(name, text)
        claimed = replace(release, findings=replace(found, files=_digests(staged.public)))
        certificate = claimed.certificate.to_public_json()
        staged.write_public(CERTIFICATE, certificate)
        if sign is not None:
            staged.write_public(SIGNATURE, signature.sign(certificate.encode("utf-8"), sign).decode("ascii"))
        found = replace(verify(file).require(), true_claims=release.findings.true_claims)  # not in the file
        written = replace(release, findings=found)
        private = {
            "policy.toml": release.policy.relative_to(Path.cwd()).dumps(),
            SECRET: release.secret.hex() + "\n",
            "report.html": written.to_html(checked=shown_names(file)),
            MEASURES: dumps(
                {
                    "loss": release.loss.to_dict(),
                    "risk": release.risk.to_dict(),
                    **({} if release.evidence is None else {"evidence": release.evidence.to_dict()}),
                    "fingerprint": release.secret.fingerprint,
                    **_made_of(release),
                }
            ),
        }
        if release.choice.form in PLANNED and not release.circles and release.policy.quasi:
            private["plan.json"] = release.plan.dumps()
        for name, text in private.items():
            staged.write_private(name, text)
        for name, content in (release.history.files() if release.history else {}).items():
            staged.write_private(name, content)
        tables = dict(raw or {}) | ({"mapping.csv": release.mapping()} if mapping else {})
        for name, table in tables.items():
            write_file(table, staged.private / name, private=True)
        kept = replace(written.certificate, files=_digests(staged.private))
        staged.write_private(CERTIFICATE, kept.to_private_json())
        if target is not None:
            _write_table(release, target, staged.public / CERTIFICATE)
    return written


def _write_table(release: Release[Any], target: Target, certificate: Path) -> None:
    """Write the released table to a database; it is committed only if it meets what the certificate claims."""
    recoded = {name for name, column in release.policy.columns.items() if column.is_recoded}
    kept = () if release.choice.form == "centers" else release.policy.unchanged
    frame = only_visible(release.published.frame)
    with written_table(target, frame, release.origin, set(kept) - recoded) as table:
        verify(table.frame, certificate).require()
        table.commit()


def _dialect(release: Release[FrameT], *, text: bool, excel: bool) -> tuple[Dialect | None, Release[FrameT]]:
    """Return how the released file is written, and the release with a note if its encoding has to change.

    The file has the encoding of the original file, unless it is not a text file, is for spreadsheets, or contains
    characters that the encoding lacks, for example from a hierarchy file.
    """
    dialect = release.origin.dialect
    if dialect is None or dialect.encoding == "utf-8":
        return dialect, release
    if text and not excel and fits_encoding(release.published.frame, dialect.encoding):
        return dialect, release
    utf8 = replace(dialect, encoding="utf-8")
    if not text or excel:
        return utf8, release
    remark = f"written as UTF-8, because {dialect.encoding}, the encoding of the source, lacks some characters."
    progress.note(remark)
    return utf8, replace(release, notes=(*release.notes, remark))


def _made_of(release: Release[Any]) -> dict[str, dict[str, str]]:
    """Return the name and digest of the file that the release was made of, both private; empty if it was no file."""
    if release.original_sha256 is None:
        return {}
    return {"original": {"file": release.source, "sha256": release.original_sha256}}


def _table_digest(file: Path) -> str:
    """Return the digest of the released table, which may be in several files."""
    digests = {one.name: disk.sha256_of(one) for one in files_of(file)}
    return digest_of_files(digests) if is_one_of_several(file.name) else digests[file.name]


def _digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 digest of every file in a folder; called before the certificate is written."""
    return {name: disk.sha256_of(folder / name) for name in disk.names(folder)}


def _public_hierarchies(release: Release[Any]) -> dict[str, str]:
    """Return the content of public files by name: maps, and hierarchies needed to verify t-closeness.

    The hierarchies contain only values that are released. Raises ParameterError if two files would have one name.
    """
    found: dict[str, str] = {}
    for name in release.policy.quasi:
        if (drawn := release.policy.columns[name].map) is not None:
            area = release.areas.get(name)
            text = edge_list(area.map if area and area.map else read_map(name, drawn))
            if found.setdefault(map_file(name), text) != text:
                raise ParameterError(f"the maps of two columns would both be called {map_file(name)}.", "rename one.")
    for name in release.policy.sensitive:
        source = release.policy.columns[name].hierarchy
        if release.policy.distance_of(name) != "hierarchical" or source is None or source.file is None:
            continue
        cells = text_of(release.published.frame[name]).unique().to_list()
        if release.choice.form == "centers":
            cells = [label for cell in cells for label in multiset(cell) or ()]
        try:
            text = hierarchy_above(source.file.read_text(encoding="utf-8-sig"), set(cells))
        except OSError as gone:
            raise ParameterError(
                f"the hierarchy of {name}, {source.file.name}, cannot be read any more ({gone.strerror}).",
                "put the file back where it was.",
            ) from None
        taken = source.file.name in RESERVED or is_one_of_several(source.file.name)
        plain = is_plain(source.file.name) and not taken
        if not plain or found.setdefault(source.file.name, text) != text:
            raise ParameterError(
                f"the hierarchy of {name} cannot be published as {source.file.name}: another file is called so, "
                "or the name would be hidden.",
                "rename the hierarchy's file.",
            )
    return found


def edge_list(known: RegionMap) -> str:
    """Return a map as CSV, one line per pair of neighbors; a region without neighbors has a line of its own."""
    alone = set(range(len(known.names))) - {region for edge in known.edges for region in edge}
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["region", "neighbor"])
    rows.writerows((known.names[a], known.names[b]) for a, b in known.edges)
    rows.writerows((known.names[region], "") for region in sorted(alone))
    return written.getvalue()


def hierarchy_above(text: str, values: set[str | None]) -> str:
    """Return the lines of a hierarchy file for some of its values, each ending with the root of the whole file.

    Lines are sorted, because the order in the original file may reveal that of the rows of the table. First come
    lines from which the separator can be detected.
    """
    separator = max(";,\t|", key=text.lstrip().partition("\n")[0].count)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    root = [] if len({row[-1] for row in rows}) == 1 and len(rows[0]) > 1 else ["*"]
    lines = []
    for row in sorted(row + root for row in rows if row[0] in values):
        written = io.StringIO()
        csv.writer(written, delimiter=separator, lineterminator="\n").writerow(row)
        lines.append(written.getvalue())
    lines.sort(key=lambda line: max(";,\t|", key=line.count) != separator)
    return "".join(lines)
