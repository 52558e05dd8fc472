"""Writing the codebook of a release from the released file, as a reader would read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.certify.codebook.check import file_facts
from shoal.certify.codebook.kinds import Stated
from shoal.certify.codebook.package import data_package, to_text
from shoal.certify.codebook.page import codebook_page
from shoal.certify.files import CODEBOOK, LEGEND, PACKAGE
from shoal.certify.legend import read_legend
from shoal.certify.metadata.texts import metadata_files
from shoal.certify.several_files import files_of
from shoal.errors import TableError
from shoal.policy import Column, Kind
from shoal.publish.date_cells import in_format
from shoal.publish.notation import OR_MISSING
from shoal.publish.result import GroupColumn
from shoal.tables import ReadOptions, read_back
from shoal.tables.text import text_of

if TYPE_CHECKING:
    from shoal.results.release import Release


def codebook_files(release: Release[Any], file: Path) -> dict[str, str]:
    """Return the content of the codebook, and of descriptions for catalogs, for the written table, by file name."""
    certificate, sha256 = release.certificate, release.findings.sha256
    policy, encoding = certificate.public_policy(), release.findings.encoding
    frame = pl.concat([read_back(one, ReadOptions(encoding=encoding)) for one in files_of(file)])
    facts = file_facts(file, frame, sha256 or "", encoding)
    stated = stated_of(release)
    legend = read_legend(file.with_name(LEGEND)) if release.published.legends else {}
    if legend is None:
        raise TableError(f"the {LEGEND} that was just written cannot be read back.", "check the disk.")
    made = data_package(facts, certificate, policy, stated, legend)
    return {PACKAGE: to_text(made), CODEBOOK: codebook_page(made)} | metadata_files(made, policy.metadata)


def stated_of(release: Release[Any]) -> dict[str, Stated]:
    """Return what the codebook states about every quasi-identifier: its kind, and the levels of its nodes."""
    stated = {
        column.name: _stated(column, release.policy.columns[column.name]) for column in release.published.columns
    }
    return stated | {column.name: Stated("set") for column in release.published.sets}


def _stated(published: GroupColumn, column: Column) -> Stated:
    """Return the kind of a quasi-identifier, and the lowest level of every node among its cells."""
    levels: dict[str, int] | None = None
    if published.level is not None:
        levels = {}
        cells = text_of(in_format(published.published, column).to_series())
        for text, level in zip(cells.to_list(), (published.level + column.least_level).tolist(), strict=True):
            if text is not None and level > 0:
                node = text.removesuffix(OR_MISSING)
                levels[node] = min(level, levels.get(node, level))
    return Stated(_kind(published, column), levels)


def _kind(published: GroupColumn, column: Column) -> Kind:
    """Return the kind of the cells; nodes of a hierarchy of widths are numbers, and those of periods are dates."""
    kind = column.kind or published.kind  # a plan does not distinguish places from numbers, nor regions from labels
    if column.hierarchy is None:
        return kind
    if column.hierarchy.widths is not None:
        return "number"
    return "date" if column.hierarchy.periods is not None else "hierarchy"
