"""The page of a codebook, as format 1 has it: the same data package gives the same bytes in every later version."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from shoal.certify.codebook import page
from shoal.certify.codebook.page import codebook_page

DIGEST = "0123456789abcdef" * 4
CSV: dict[str, Any] = {
    "path": "release.csv", "bytes": 1234, "hash": f"sha256:{DIGEST}", "encoding": "cp1252",
    "dialect": {"delimiter": ";"},
}  # fmt: skip
BINARY: dict[str, Any] = {
    "path": ["release-00001-of-00003.parquet", "release-00002-of-00003.parquet", "release-00003-of-00003.parquet"],
    "bytes": 999, "hash": f"sha256:{DIGEST}",
}  # fmt: skip
TEXT = "<b> & 'it'\x07"
"""A text that is no markup, and a character that cannot be seen."""


def field(name: str, dtype: str, role: str, part: str = "value", **about: Any) -> dict[str, Any]:
    """A column as a data package has it."""
    plain = {
        key: about.pop(key) for key in list(about) if key in ("format", "decimalChar", "groupChar", "bareNumber")
    }
    whole = {"column": name, "role": role, "part": part, "means": f"What {name} means.", "cells": [], "empty": 0}
    return {"name": name, "type": dtype, **plain, "shoal": whole | about}


def claim(criterion: str, **more: Any) -> dict[str, Any]:
    plain = {"criterion": criterion, "column": None, "kind": None, "claimed": 2.0, "measured": 3.5, "unit": "people"}
    return plain | more


def package(fields: list[dict[str, Any]], resource: dict[str, Any], *more: Any, **about: Any) -> dict[str, Any]:
    plain = {"form": "generalize", "rows": 2000, "groups": 150, "suppressed": 0, "counterfeits": 0, "claims": []}
    table = resource | {"schema": {"fields": fields}}
    return {
        "title": f"A table, {TEXT}",
        "shoal": plain | {"protects": f"Whoever knows {TEXT}."} | about,
        "resources": [table, *more],
    }


NODES = [f"n{number}" for number in range(9)]
FIELDS = [
    field(TEXT, "string", "quasi", kind="label", exact=7, cells=[{"example": TEXT, "means": f"it is {TEXT}"}]),
    field("age", "string", "quasi", kind="number", exact=2000, empty=1, recoded=f"Recoded {TEXT}."),
    field("zip", "string", "quasi", kind="hierarchy", exact=0, empty=2000, levels=[
        {"level": 0, "cells": 1999, "nodes": []}, {"level": 1, "cells": 1, "nodes": NODES[:8]},
        {"level": 2, "cells": 1000, "nodes": [*NODES, TEXT]}]),
    field("born_min", "date", "quasi", "min", kind="date", format="%d.%m.%Y"),
    field("born_max", "date", "quasi", "max", kind="date", format="any"),
    field("born_missing", "boolean", "quasi", "missing", kind="date"),
    field("count_missing", "integer", "quasi", "missing", kind="number"),
    field("at_radius_m", "string", "quasi", "radius", kind="place"),
    field("at", "string", "quasi", kind="place"),
    field("where", "string", "quasi", kind="region"),
    field("grade", "string", "quasi", kind="ordered"),
    field("codes", "string", "quasi", kind="set", cells=[{"example": "", "means": "empty"}]),
    field("ill", "string", "sensitive", exact=2000),
    field("cost", "number", "sensitive", decimalChar=",", groupChar=".", bareNumber=False),
    field("sum", "number", "sensitive", bareNumber=True, perturbed=f"Perturbed {TEXT}."),
    field("note", "string", "other", perturbed="Perturbed."),
    field("when", "yearmonth", "other"),
    field("at once", "datetime", "other", format="any"),
    field("whole", "integer", "weight"),
    field("who", "integer", "person"),
    field("people", "integer", "people"),
    field("radius", "number", "radius"),
]  # fmt: skip
CLAIMS = [
    claim("k-anonymity", unit="rows", claimed=5.0, measured=6.0),
    claim("l-diversity", column=TEXT, kind="entropy", measured=2.25),
    claim("t-closeness", column="ill", kind="ordered", claimed=0.2, measured=0.15),
    claim("alpha-anonymity", column="ill", kind="listed", claimed=0.5, measured=0.4),
    claim("beta-likeness", column="ill", kind="basic"),
    claim("delta-disclosure", column="ill"),
    claim("key-anonymity", column="a, b"),
    claim("consistent-people", column="who"),
    claim("km-anonymity", column="codes", m=2),
    claim("open-cells", column="ill"),
]
SYNTHETIC = {"path": "synthetic.csv", "description": f"Made up {TEXT}."}
PAGES = {
    "whole": package(FIELDS, CSV, SYNTHETIC, claims=CLAIMS, suppressed=1, counterfeits=1234),
    "small": package(FIELDS[:1], BINARY, rows=1, groups=1, form="centers"),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_of_a_package_stays_as_it_is(name: str) -> None:
    """The style is cut out of the kept page: it is a file of its own."""
    said = codebook_page(PAGES[name])
    style = files("shoal.certify.codebook").joinpath("page.css").read_text(encoding="utf-8")
    assert said.count(style) == 1
    kept = Path(__file__).with_name(f"codebook_page_{name}.html").read_text(encoding="utf-8")
    assert said.replace(style, "") == kept


@pytest.mark.parametrize(
    ("form", "counterfeits", "begins"),
    [
        ("generalize", 0, "Every row is one of the original table. Where people could be told apart, exact values"),
        ("aggregate", 0, "Every row is one of the original table. Where people could be told apart, values were"),
        ("centers", 0, "Every row stands for a group of people: its center, how many they are, and which values"),
        ("suppress", 0, "Every row is one of the original table. Where people could be told apart, a star"),
        ("generalize", 1, "Every row that is not made up is one of the original table. Where people could be told"),
    ],
)
def test_the_page_says_what_a_row_is(form: str, counterfeits: int, begins: str) -> None:
    said = page._form({"form": form, "counterfeits": counterfeits})
    assert said.startswith(begins)
    assert said.count("made up") == counterfeits


@pytest.mark.parametrize(
    ("suppressed", "counterfeits", "said"),
    [
        (0, 0, ""),
        (1, 0, " 1 row of the original table was left out."),
        (0, 1, " 1 row of the release was made up."),
        (
            2000,
            3,
            " 2,000 rows of the original table were left out. 3 rows of the release were made up.",
        ),
    ],
)
def test_rows_that_are_left_out_and_made_up_are_counted(suppressed: int, counterfeits: int, said: str) -> None:
    assert page._left_out({"suppressed": suppressed, "counterfeits": counterfeits}) == said


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 5, "0"), (0, 0, "0"), (5, 5, "100"), (1, 1, "100"), (1, 3, "33.3"), (1, 2, "50.0"), (998, 1000, "99.8"),
        (1, 1000, "0.1"), (1, 10_000, "0.1"), (3, 2000, "0.1"), (3, 1999, "0.2"), (9_999, 10_000, "99.9"),
        (999, 1000, "99.9"),
    ],
)  # fmt: skip
def test_a_share_is_nothing_or_all_only_if_it_is_so(part: int, whole: int, said: str) -> None:
    assert page._share(part, whole) == f"{said}&nbsp;%"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("release.csv", "<code>release.csv</code>"),
        (["release-00001-of-00001.csv"], "<code>release-00001-of-00001.csv</code>"),
        (["a.csv", "b.csv"], "2 files, <code>a.csv</code> to <code>b.csv</code>"),
        (["a.csv"] * 1999 + ["z.csv"], "2,000 files, <code>a.csv</code> to <code>z.csv</code>"),
    ],
)
def test_files_are_named_from_the_first_to_the_last(path: Any, said: str) -> None:
    assert page._path({"path": path}) == said


@pytest.mark.parametrize(("separator", "said"), [("\t", "tab"), (",", "<code>,</code>"), ("<", "<code>&lt;</code>")])
def test_the_separator_can_be_seen(separator: str, said: str) -> None:
    assert f"<dt>separator</dt><dd>{said}</dd>" in page._file(CSV | {"dialect": {"delimiter": separator}})


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "<code>n0</code>"), (8, "<code>n7</code>"), (9, "<code>n7</code> and 1 more"),
     (1008, "<code>n7</code> and 1,000 more")],
)  # fmt: skip
def test_eight_nodes_of_a_level_are_named(count: int, said: str) -> None:
    listed = page._nodes(1, [f"n{number}" for number in range(count)])
    assert listed.endswith(said)
    assert listed.count("<code>") == min(count, 8)
    assert page._nodes(0, ["n0"]) == "the values themselves"
