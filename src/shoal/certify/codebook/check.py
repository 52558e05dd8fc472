"""Read the codebook of a release strictly, and write it again to check that it agrees with the release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certify.certificate import Certificate
from shoal.certify.codebook.kinds import KINDS, Stated, misfit
from shoal.certify.codebook.package import ReleasedFile, data_package, to_text
from shoal.certify.codebook.page import codebook_page
from shoal.certify.codebook.parts import parts_of
from shoal.certify.date_cells import check_dates
from shoal.certify.files import CODEBOOK, LEGEND, MOST_BESIDE, PACKAGE, UnsafeError, read_regular
from shoal.certify.findings import Failure
from shoal.certify.legend import read_legend
from shoal.certify.metadata.texts import metadata_files
from shoal.certify.number_cells import check_numbers
from shoal.certify.recoded import without_marks
from shoal.certify.reduced import Reduced
from shoal.certify.several_files import files_of, is_one_of_several
from shoal.certify.strict_json import loads
from shoal.errors import ShoalError
from shoal.policy import Policy
from shoal.tables import ReadOptions
from shoal.tables.csv_file import separator_of
from shoal.tables.scan import separator_at_start
from shoal.tables.xlsx_file import xlsx_frame

Schema = Mapping[str, pl.DataType]


def file_facts(
    path: Path, frame: pl.DataFrame, sha256: str, encoding: str | None, reduced: Reduced | None = None
) -> ReleasedFile:
    """Return what a codebook states about a released file; `encoding` is the one that its certificate states.

    Of a table in several files, which are written alike, `path` is one, and need not be there.
    """
    files = files_of(path)
    path = files[0]
    size = sum(file.stat().st_size for file in files)
    facts: dict[str, Any] = {"frame": frame, "name": path.name, "size": size, "sha256": sha256, "reduced": reduced}
    if is_one_of_several(path.name):
        facts["names"] = tuple(file.name for file in files)
    if path.suffix == ".parquet":
        return ReleasedFile(**facts, schema=pl.read_parquet_schema(path))
    if path.suffix == ".arrow":
        return ReleasedFile(**facts, schema=pl.read_ipc_schema(path))
    if path.suffix == ".xlsx":
        return ReleasedFile(**facts, schema=xlsx_frame(path).schema)
    with path.open("rb") as file:
        marked = file.read(3) == b"\xef\xbb\xbf"
    plain = encoding or ("utf-8-sig" if marked else "utf-8")
    return ReleasedFile(**facts, encoding=plain, separator=_separator(path, encoding, reduced))


def _separator(path: Path, encoding: str | None, reduced: Reduced | None) -> str:
    """Return the separator of a CSV file; of one read in parts, which is in UTF-8, from its beginning."""
    if reduced is None:
        return separator_of(path, ReadOptions(encoding=encoding))
    return separator_at_start(path)


def stated_kinds(package: Any, policy: Policy) -> dict[str, Stated]:
    """Return the kinds and levels that a data package states for the quasi-identifiers.

    A ValueError is raised if they are not in the form that Shoal writes. Everything else in the package follows from
    the release, and is not read.
    """
    found: dict[str, Stated] = {}
    try:
        for field in package["resources"][0]["schema"]["fields"]:
            about = field["shoal"]
            if about["role"] != "quasi" or about["part"] not in ("value", "min"):
                continue
            levels = {
                node: one["level"] for one in about.get("levels", ()) for node in one["nodes"] if one["level"] != 0
            }
            if about["kind"] not in KINDS or not all(type(level) is int for level in levels.values()):
                raise ValueError
            found[about["column"]] = Stated(about["kind"], levels if "levels" in about else None)
        return {name: found[name] for name in policy.named("quasi")}
    except (KeyError, TypeError, IndexError, AttributeError):
        raise ValueError from None


def read_package(path: Path) -> Any:
    """Return the content of a data package; a ValueError or an UnsafeError where it cannot be read."""
    return loads(read_regular(path, MOST_BESIDE).decode("utf-8"))


def check_codebook(folder: Path, file: ReleasedFile, certificate: Certificate, policy: Policy) -> list[Failure]:
    """Return a failure for a codebook that cannot be read, or that differs from what release and certificate give."""
    try:
        package = read_package(folder / PACKAGE)
        stated = stated_kinds(package, policy)
    except (UnsafeError, ValueError):
        return [_failure(f"{PACKAGE} cannot be read, or does not say what the columns are")]
    failures = [
        _failure(f"{PACKAGE}: {wrong}", column) for column, wrong in misfits(file.frame, policy, stated).items()
    ]
    if failures:
        return failures
    legend = read_legend(folder / LEGEND) if LEGEND in certificate.files else {}
    if legend is None:
        return [_failure(f"{LEGEND}, which the codebook repeats, cannot be read")]
    try:
        made = data_package(file, certificate, policy, stated, legend)
        texts = {PACKAGE: to_text(made), CODEBOOK: codebook_page(made)} | metadata_files(made, policy.metadata)
    except (ShoalError, KeyError, AssertionError, pl.exceptions.PolarsError):
        return [_failure(f"{PACKAGE} does not fit the released table")]
    return [
        _failure(f"{name} says something else than the release and its certificate")
        for name, text in texts.items()
        if _read(folder / name) != text.encode("utf-8")
    ]


def misfits(frame: pl.DataFrame, policy: Policy, stated: Mapping[str, Stated]) -> dict[str, str]:
    """Return, for each quasi-identifier whose cells do not fit its stated kind or levels, the reason."""
    bare = without_marks(frame, policy)
    plain = check_dates(check_numbers(bare, policy)[0], policy)[0]
    found = {}
    for part in parts_of(frame.columns, policy, "generalize"):
        if part.role == "quasi" and part.place in ("value", "min", "max"):
            wrong = misfit(stated[part.column], policy.columns[part.column], frame[part.name], plain[part.name])
            if wrong is not None:
                found[part.column] = f"column {part.column} is not as stated: {wrong}"
    return found


def _read(path: Path) -> bytes | None:
    try:
        return read_regular(path, MOST_BESIDE)
    except UnsafeError:
        return None


def _failure(message: str, column: str | None = None) -> Failure:
    return Failure(check="codebook", message=message, column=column)
