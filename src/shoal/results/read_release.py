"""Reading the public folder of a release as a typed table: the work of `shoal.read_release`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from shoal.certify.certificate import Certificate
from shoal.certify.codebook.check import check_codebook, file_facts, read_package, stated_kinds
from shoal.certify.codebook.kinds import HIDDEN, INTERVALS, Stated
from shoal.certify.codebook.package import ReleasedFile
from shoal.certify.codebook.parts import parts_of
from shoal.certify.date_cells import check_dates, dates_of
from shoal.certify.files import CERTIFICATE, LEGEND, PACKAGE
from shoal.certify.folder import check_folder, unsafe_entries
from shoal.certify.legend import Classes, read_legend
from shoal.certify.number_cells import check_numbers, numbers_of
from shoal.certify.reading import open_release
from shoal.certify.recoded import unmarked, without_marks
from shoal.certify.sensitive_values import UnreadableError
from shoal.certify.several_files import files_of
from shoal.certify.stated import read_certificate, released_file
from shoal.errors import CertificateError, ParameterError
from shoal.policy import Column, Policy
from shoal.results.interval_cells import beyond_limits, circle_columns, interval_columns, middle
from shoal.results.label_cells import label_columns, level_column, multiset_column, node_columns, order_columns
from shoal.results.typed_values import dates, numbers
from shoal.tables import read
from shoal.tables.infer import infer


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A release whose files match its certificate; `plain` has its texts with plain numbers and ISO dates."""

    file: ReleasedFile
    path: Path
    plain: pl.DataFrame
    certificate: Certificate
    policy: Policy
    stated: Mapping[str, Stated]
    legend: Mapping[str, Classes]


def read_typed(folder: str | Path, *, midpoints: bool) -> pl.DataFrame:
    """Return the table of a release with typed columns; a released column may become several, in the same order."""
    release = _open(folder)
    found: list[pl.Series] = []
    own = _own_types(release)
    parts = parts_of(release.file.frame.columns, release.policy, release.certificate.form)
    taken = {part.name for part in parts if part.role != "quasi"}
    seen: set[str] = set()
    for part in parts:
        if part.role != "quasi":
            found.append(own[part.name].alias(part.name))
        elif part.column not in seen:
            seen.add(part.column)
            made = _quasi(release, part.column, own, midpoints=midpoints)
            found += [column.alias(_free(column.name, taken)) for column in made]
    return pl.DataFrame(found)


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no column has yet; underscores are added while another column has the name."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _open(folder: str | Path) -> _Opened:
    """Return the release in a folder, after comparing every file with the certificate, and the codebook with both."""
    path = released_file(folder)
    home = path.parent
    if not (home / CERTIFICATE).exists():
        raise ParameterError(f"there is no {CERTIFICATE} beside {path.name}.", "give the folder of a release.")
    unsafe = unsafe_entries(home)
    if unsafe:
        raise CertificateError(f"{unsafe[0].message}.", _hint(home))
    certificate, policy = read_certificate(home / CERTIFICATE)
    if PACKAGE not in certificate.files:
        raise ParameterError(
            f"the release has no {PACKAGE}, which describes its columns: an earlier version wrote it.",
            "write the release again, or read the file itself.",
        )
    opened = open_release(path, ours=True, encoding=policy.source.encoding)
    failures = [*opened.failures, *check_folder(home, certificate.files)[1]]
    if opened.frame is None or failures:
        raise CertificateError(f"{failures[0].message}.", _hint(home))
    file = file_facts(path, opened.frame, opened.sha256 or "", policy.source.encoding)
    failures = check_codebook(home, file, certificate, policy)
    if failures:
        raise CertificateError(f"{failures[0].message}.", _hint(home))
    plain = check_dates(check_numbers(without_marks(opened.frame, policy), policy)[0], policy)[0]
    stated = stated_kinds(read_package(home / PACKAGE), policy)
    legend = read_legend(home / LEGEND) if LEGEND in certificate.files else {}
    if legend is None:
        raise CertificateError(f"{LEGEND} cannot be read.", _hint(home))
    return _Opened(file, path, plain, certificate, policy, stated, legend)


def _hint(home: Path) -> str:
    return f"`shoal verify {home.name}` lists everything that is wrong; get the folder again from its source."


def _own_types(release: _Opened) -> dict[str, pl.Series]:
    """Return all columns that are published unchanged, and means, in their own types."""
    frame, centers = release.file.frame, release.certificate.form == "centers"
    limited = [name for name in frame.columns if _has_limits(release.policy, name)]
    frame = frame.with_columns(unmarked(frame[name]).alias(name) for name in limited)
    if release.file.schema is not None:
        texts = [name for name in limited if release.file.schema[name] == pl.String]
        stored = pl.concat([read(file).frame for file in files_of(release.path)])
        typed = stored.with_columns(infer(frame.select(texts), ",", None)[0].get_columns())
    else:
        typed = infer(frame, release.file.separator, None)[0]
    found = {name: typed[name] for name in frame.columns}
    for part in parts_of(frame.columns, release.policy, release.certificate.form):
        column = release.policy.columns.get(part.column)
        if part.role in ("sensitive", "weight", "other") and centers:
            found[part.name] = multiset_column(frame[part.name])
        elif column is not None and part.role in ("sensitive", "weight", "other"):
            found[part.name] = _in_format(column, frame[part.name], found[part.name])
    return found


def _has_limits(policy: Policy, name: str) -> bool:
    """Return whether a column is published unchanged except for a top or bottom, which is read as that number."""
    column = policy.columns.get(name)
    asked = column is not None and column.role in ("sensitive", "weight", "other")
    return asked and column is not None and (column.top is not None or column.bottom is not None)


def _in_format(column: Column, texts: pl.Series, typed: pl.Series) -> pl.Series:
    """Return a column as numbers or dates by the format in the policy; `typed` if the policy has no format for it."""
    try:
        if column.date_format is not None and not typed.dtype.is_temporal():
            return dates(dates_of(texts, column.date_format).to_list())
        if column.number is not None and not typed.dtype.is_numeric():
            return numbers(numbers_of(texts, column.number).to_list())
    except UnreadableError:
        return texts  # it was published unchanged, and some cells do not have the format
    return typed


def _quasi(release: _Opened, name: str, own: Mapping[str, pl.Series], *, midpoints: bool) -> list[pl.Series]:
    """Return the columns that a quasi-identifier becomes."""
    stated, form, frame = release.stated[name], release.certificate.form, release.file.frame
    beside = f"{name}_missing"
    has_beside = beside in frame.columns and beside not in release.policy.columns
    if name not in frame.columns:
        return _two_columns(release, name, beside if has_beside else None, midpoints=midpoints)
    if form in ("aggregate", "centers"):
        counted = [numbers(frame[beside].to_list()).alias(beside)] if has_beside else []
        return [_value(release, name, own[name]), *counted]
    if form == "suppress":
        hidden = frame[name] == HIDDEN
        shown = pl.select(pl.when(~hidden).then(frame[name]).alias(name)).to_series()
        missing = pl.select(pl.when(frame[name].is_null()).then(True).when(~hidden).then(False)).to_series()
        plain = pl.select(pl.when(~hidden).then(release.plain[name])).to_series()
        value = _plain_values(plain, stated) if stated.kind in INTERVALS else shown
        return [value.alias(name), missing.alias(beside)]
    return _generalized(release, name, stated, midpoints=midpoints)


def _generalized(release: _Opened, name: str, stated: Stated, *, midpoints: bool) -> list[pl.Series]:
    """Return the columns of a quasi-identifier in ranges, sets, nodes or areas."""
    frame, plain = release.file.frame, release.plain
    circles = [one for one, its in release.policy.columns.items() if its.shape == "circle" and its.longitude]
    circle = next((one for one in circles if name in (one, release.policy.columns[one].longitude)), None)
    if circle is not None:
        other, radius = release.policy.columns[circle].longitude or "", frame[f"{circle}_radius_m"]
        made = circle_columns(plain[circle], plain[other], radius, midpoints=midpoints)[name]
        meters = numbers([None if text == HIDDEN else text for text in radius.to_list()])
        return [*made, meters.alias(radius.name)] if name == circle else made
    if stated.kind in INTERVALS:
        made = interval_columns(name, plain[name], stated, midpoints=midpoints)
        made[:2] = beyond_limits(made[0], made[1], release.policy.columns[name])
    elif stated.kind == "hierarchy":
        made = node_columns(name, frame[name])
    elif stated.kind == "ordered":
        made = order_columns(name, frame[name])
    else:
        made = label_columns(name, frame[name], release.legend.get(name))
    return made if stated.levels is None else [*made, level_column(name, frame[name], stated)]


def _two_columns(release: _Opened, name: str, beside: str | None, *, midpoints: bool) -> list[pl.Series]:
    """Return both ends of ranges that are published in two columns."""
    stated, plain = release.stated[name], release.plain
    low, high = (_plain_values(plain[f"{name}_{end}"], stated) for end in ("min", "max"))
    if low.dtype != high.dtype:
        wider = pl.Float64 if low.dtype.is_numeric() else pl.Datetime("us")
        low, high = low.cast(wider), high.cast(wider)
    missing = low.is_null() if beside is None else plain[beside] == "true"
    center = [middle(low, high).alias(f"{name}_mid")] if midpoints else []
    low, high = beyond_limits(low, high, release.policy.columns[name])
    return [low.alias(f"{name}_min"), high.alias(f"{name}_max"), missing.alias(f"{name}_missing"), *center]


def _value(release: _Opened, name: str, own: pl.Series) -> pl.Series:
    """Return means and the like: numbers and dates in their types, labels as they are published."""
    stated = release.stated[name]
    if stated.kind in INTERVALS:
        return _plain_values(release.plain[name], stated).alias(name)
    return own if release.file.schema is not None else release.file.frame[name]


def _plain_values(plain: pl.Series, stated: Stated) -> pl.Series:
    return dates(plain.to_list()) if stated.kind == "date" else numbers(plain.to_list())
