"""`datapackage.json`: a release described for programs, as a tabular data package of Frictionless Data, version 1.

It states, for every column, its type, what its cells mean, how many of them are exact and how missing is written; for
the file, its size, digest, encoding and separator; and the claims of the certificate. What the standard does not
define is under the key `shoal`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.certify.certificate import Certificate
from shoal.certify.codebook.exact import exact_cells
from shoal.certify.codebook.field_types import Types, field_type, types_of
from shoal.certify.codebook.kinds import INTERVALS, Stated
from shoal.certify.codebook.parts import Part, parts_of
from shoal.certify.codebook.perturbation import perturbation_words
from shoal.certify.codebook.recoding import recoding_words
from shoal.certify.codebook.tally import Tally
from shoal.certify.codebook.words import ROLES, words_of
from shoal.certify.files import SYNTHETIC
from shoal.certify.legend import Classes
from shoal.certify.reduced import Reduced
from shoal.policy import Policy

FORMAT = 1
TITLE = "A table about people, published in groups of at least {k}"
PROTECTS = (
    "Whoever knows of a person only columns that were made coarser finds at least {k} people who fit and cannot tell "
    "which of them it is; whoever also knows a column that was published as it was may find a single row, and what "
    "all people of a group have in common is learned without finding anyone."
)
PROTECTS_SETS = (
    "Whoever knows of a person columns that were made coarser, and of {column} at most {items}, finds at least {k} "
    "people who fit and cannot tell which of them it is; whoever knows more items, or that an item is not there, or "
    "a column that was published as it was, may find a single row, and what all people of a group have in common is "
    "learned without finding anyone."
)
HOW = (
    "The rows of people who could be told apart were made alike in groups. certificate.json says what holds of every "
    "group, and with which policy. Every file of the folder has its SHA-256 there. To count it again from the table "
    "alone: shoal verify FOLDER. To read the table with its types: shoal.read_release(FOLDER) in Python. What a cell "
    "of each column means is in codebook.html for people, and in the schema below for programs. The examples there "
    "are made up."
)
MADE_UP = (
    "Every row of this file is made up: it was drawn from the cells of the same row of {path}, and from the values "
    "that the group of that row has in the columns published as they were, {how}. Nothing else went into it, so it "
    "tells nothing that {path} does not tell. No row is that of a person, and a row that looks like one is chance. "
    "No k is claimed of this file by itself."
)
_HOW = {
    "marginals": "every column by itself",
    "copula": "numbers, dates and ordered values related to one another as they are in that whole table",
}
_MEDIA = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_RANGES = r"^(?:\*|(?:[^\[\]]+|\[.+[,;] .+[\])])(?: or missing)?)$"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedFile:
    """The released table as text, and the facts about its file that a codebook states."""

    frame: pl.DataFrame
    name: str
    size: int
    sha256: str
    encoding: str | None = None
    """The encoding by its Python name; None for a binary file."""
    separator: str = ","
    reduced: Reduced | None = None
    """The counts of a table that was read in parts; `frame` then has every different cell."""
    schema: Mapping[str, pl.DataType] | None = None
    """The types of a binary file; None for a CSV file."""
    names: tuple[str, ...] = ()
    """The names of all files of a table in several files; `size` and `sha256` are then of them together."""

    @property
    def kind(self) -> str:
        return self.name.rpartition(".")[2]


def data_package(
    file: ReleasedFile,
    certificate: Certificate,
    policy: Policy,
    stated: Mapping[str, Stated],
    legend: Mapping[str, Classes],
) -> dict[str, Any]:
    """Return the data package of a release; `policy` is the public one of its certificate."""
    tabular = file.kind == "csv"  # the standard defines tabular packages for CSV files only
    resource: dict[str, Any] = {
        "name": "release",
        "path": list(file.names) or file.name,
        "profile": "tabular-data-resource" if tabular else "data-resource",
        "format": file.kind,
        "mediatype": _MEDIA[file.kind],
        "bytes": file.size,
        "hash": f"sha256:{file.sha256}",
    }
    if tabular:
        resource["encoding"] = file.encoding
        resource["dialect"] = {"delimiter": file.separator, "quoteChar": '"', "doubleQuote": True, "header": True}
    types = types_of(file.frame, file.schema, file.separator)
    parts = parts_of(file.frame.columns, policy, certificate.form)
    fields = [_field(part, file, certificate, policy, stated, legend, types) for part in parts]
    resource["schema"] = {"fields": fields, "missingValues": [""]}
    return {
        "profile": "tabular-data-package" if tabular else "data-package",
        "name": "release",
        "title": TITLE.format(k=policy.k),
        "description": f"{_protects(policy)} {HOW}",
        "shoal": {
            "format": FORMAT,
            "form": certificate.form,
            "rows": certificate.rows,
            "groups": certificate.n_groups,
            "suppressed": certificate.suppressed,
            "counterfeits": certificate.counterfeits,
            "k": policy.k,
            "protects": _protects(policy),
            "claims": [
                {
                    "criterion": claim.criterion,
                    "column": claim.column,
                    "kind": claim.kind,
                    **({} if claim.m is None else {"m": claim.m}),
                    "claimed": claim.claimed,
                    "measured": claim.measured,
                    "unit": claim.unit,
                }
                for claim in certificate.claims
            ],
            **({} if policy.synthetic is None else {"synthetic": policy.synthetic}),
            "verify": "shoal verify FOLDER",
            "read": "shoal.read_release(FOLDER)",
        },
        "resources": [resource, *_synthetic(file, policy, parts)],
    }


def _synthetic(file: ReleasedFile, policy: Policy, parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return the resource with synthetic rows, if the release has them; it says that nothing in it is true."""
    if policy.synthetic is None:
        return []
    names = dict.fromkeys(part.column for part in parts if part.role != "person")
    resource: dict[str, Any] = {
        "name": "synthetic",
        "path": SYNTHETIC[file.name],
        "profile": "tabular-data-resource" if file.kind == "csv" else "data-resource",
        "title": "Synthetic rows",
        "description": MADE_UP.format(path=file.name, how=_HOW[policy.synthetic]),
        "format": file.kind,
        "mediatype": _MEDIA[file.kind],
    }
    if file.kind == "csv":
        resource["encoding"] = file.encoding
        resource["dialect"] = {"delimiter": file.separator, "quoteChar": '"', "doubleQuote": True, "header": True}
    resource["schema"] = {"fields": [{"name": name, "type": "any"} for name in names], "missingValues": [""]}
    return [resource]


def _protects(policy: Policy) -> str:
    """Return whom the release protects from whom."""
    if policy.set_column is None:
        return PROTECTS.format(k=policy.k)
    items = "one item" if policy.known_items == 1 else f"{policy.known_items} items"
    return PROTECTS_SETS.format(k=policy.k, column=policy.set_column, items=items)


def _field(
    part: Part,
    file: ReleasedFile,
    certificate: Certificate,
    policy: Policy,
    stated: Mapping[str, Stated],
    legend: Mapping[str, Classes],
    types: Types,
) -> dict[str, Any]:
    """Return the schema of one released column."""
    cells, form, tally = file.frame[part.name], certificate.form, Tally(file.frame, file.reduced)
    column, own = policy.columns.get(part.column), stated.get(part.column) if part.role == "quasi" else None
    words = words_of(part, policy, form, own)
    found: dict[str, Any] = {"name": part.name, **_type(part, cells, form, policy, own, types)}
    found["description"] = f"{words.sentence} {ROLES[part.role]}"
    recoded = ""
    if column is not None and column.is_recoded:
        stated_role = ROLES[part.role].removesuffix("Published as it was.").strip()
        recoded = recoding_words(column)
        found["description"] = " ".join(filter(None, [words.sentence, stated_role, recoded]))
    perturbed = ""
    if column is not None and column.perturb is not None:
        stated_role = ROLES[part.role].removesuffix("Published as it was.").strip()
        perturbed = perturbation_words(column.perturb)
        found["description"] = " ".join(filter(None, [words.sentence, stated_role, recoded, perturbed]))
    constraints: dict[str, Any] = {} if tally.empty(part.name) else {"required": True}
    generalized = part.role == "quasi" and part.place == "value" and form == "generalize"
    if generalized and own is not None and own.kind in INTERVALS:
        constraints["pattern"] = _RANGES
    if constraints:
        found["constraints"] = constraints
    about: dict[str, Any] = {"column": part.column, "role": part.role, "part": part.place}
    if own is not None:
        about["kind"] = own.kind
    about["means"] = words.sentence
    if recoded:
        about["recoded"] = recoded
    if perturbed:
        about["perturbed"] = perturbed
    about["cells"] = [{"example": cell.example, "means": cell.means} for cell in words.cells]
    circle = column is not None and _in_circle(part.column, policy)
    exact = exact_cells(tally, part, form, own, legend.get(part.name), column, circle=circle)
    if exact is not None:
        about["exact"] = exact
    about["empty"] = tally.empty(part.name)
    if own is not None and own.levels is not None and part.place == "value":
        about["levels"] = _levels(tally.counts(part.name), own)
    found["shoal"] = about
    return found


def _type(
    part: Part, cells: pl.Series, form: str, policy: Policy, own: Stated | None, types: Types
) -> dict[str, Any]:
    """Return the type of a column: its own if its cells are plain values, and text if they are ranges or sets."""
    if part.role == "person" and policy.columns[part.column].pseudonym:
        return {"type": "string"}
    if part.role in ("people", "person") or (part.place == "missing" and form in ("aggregate", "centers")):
        return {"type": "integer"}
    if part.place == "missing":
        return {"type": "boolean"}
    if part.role in ("sensitive", "weight", "other") and form == "centers":
        return {"type": "string"}
    if own is not None and own.kind == "set":
        return {"type": "string"}
    if own is not None and part.place == "value":
        plain = form in ("aggregate", "centers") and (own.kind in INTERVALS or not types.is_text)
        if not plain:
            return {"type": "string"}
    if part.place == "radius":
        return {"type": "string"}
    return field_type(part.name, cells, types, policy.columns.get(part.column))


def _in_circle(column: str, policy: Policy) -> bool:
    """Return whether a column has coordinates of centers of circles."""
    home = next(
        (one for one, its in policy.columns.items() if column in (one, its.longitude) and its.longitude), None
    )
    return home is not None and policy.columns[home].shape == "circle"


def _levels(cells: Iterable[tuple[str | None, int]], own: Stated) -> list[dict[str, Any]]:
    """Return, for each level, its number of cells and its nodes; the values themselves (level 0) are not listed."""
    counts: Counter[int] = Counter()
    for text, times in cells:
        if text is not None:
            counts[own.level(text)] += times
    nodes: dict[int, list[str]] = {}
    for node, level in sorted((own.levels or {}).items()):
        nodes.setdefault(level, []).append(node)
    return [{"level": level, "cells": counts[level], "nodes": nodes.get(level, [])} for level in sorted(counts)]


def to_text(package: Mapping[str, Any]) -> str:
    """Return a data package as it is written: the same bytes for the same content."""
    return json.dumps(package, indent=2, ensure_ascii=False) + "\n"
