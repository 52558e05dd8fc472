"""The data package of a release: what it states of the file, of the release and of every kind of column."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from shoal.certify import Certificate, Claim
from shoal.certify.codebook.kinds import Stated
from shoal.certify.codebook.package import ReleasedFile, data_package, to_text
from shoal.certify.reduced import reduce
from shoal.policy import Policy

KEPT = Path(__file__).with_name("codebook_package.json")
QUASI, OTHER = {"role": "quasi"}, {"role": "other"}
NUMBER, PLACE = Stated("number"), Stated("place")
DIGEST = "ab" * 32


def certificate(form: str = "generalize", claims: tuple[Claim, ...] = ()) -> Certificate:
    """What a data package takes from a certificate."""
    told = SimpleNamespace(form=form, rows=4, n_groups=2, suppressed=3, counterfeits=1, claims=claims)
    return cast(Certificate, told)


def policy(columns: dict[str, Any], **more: Any) -> Policy:
    return Policy.parse({"k": 3, "columns": columns} | more)


def released(cells: dict[str, Any], name: str = "release.csv", **more: Any) -> ReleasedFile:
    facts: dict[str, Any] = {"name": name, "size": 99, "sha256": DIGEST}
    return ReleasedFile(frame=pl.DataFrame(cells), **facts | more)


def of_column(
    name: str, cells: list[str | None], columns: dict[str, Any], stated: Stated | None, form: str, **more: Any
) -> dict[str, Any]:
    """What a data package says of one column, but for the words that test_codebook_words.py has."""
    legend = more.pop("legend", {})
    file = released({name: pl.Series(cells, dtype=pl.String)} | more.pop("beside", {}), **more.pop("file", {}))
    home = name.removesuffix("_radius_m").removesuffix("_missing").removesuffix("_min").removesuffix("_max")
    kinds = {} if stated is None else {home: stated}
    made = data_package(file, certificate(form), policy(columns, **more), kinds, legend)
    found: dict[str, Any] = made["resources"][0]["schema"]["fields"][0]
    about = found["shoal"]
    return found | {"shoal": {key: about[key] for key in about if key not in ("means", "cells")}}


ENDS = {"ranges": "columns", "beside": {"age_max": ["1", "2", None]}}
RECODED, CHANGED = {"top": 5}, {"perturb": {"method": "pram", "keep": 0.5}}
CIRCLE = {"n": QUASI | {"kind": "place", "longitude": "e", "shape": "circle"}, "e": QUASI | {"kind": "place"}}
RECTANGLE = CIRCLE | {"n": CIRCLE["n"] | {"shape": "rectangle"}}
PARQUET = {"file": {"name": "release.parquet", "schema": {"age": pl.Int64(), "ill": pl.Float64()}}}
TREE = Stated("hierarchy", {"1*": 1, "**": 2, "0*": 1})
COLUMNS: dict[str, tuple[Any, ...]] = {
    "numbers in ranges": ("age", ["1", "[1, 2]", None], {"age": QUASI}, NUMBER, "generalize"),
    "dates in ranges": ("born", ["2020-01-01"], {"born": QUASI}, Stated("date"), "generalize"),
    "labels": ("it", ["a", "{a, b}", "a"], {"it": QUASI}, Stated("label"), "generalize"),
    "classes": ("it", ["a +1", "c", "c"], {"it": QUASI | {"kind": "label", "classes": "k"}}, Stated("label"),
                "generalize"),
    "an order": ("it", ["a", "[a, b]"], {"it": QUASI}, Stated("ordered"), "generalize"),
    "nodes": ("it", ["1*", "**", "11", "1* or missing", None, "12", "**", "**"], {"it": QUASI}, TREE, "generalize"),
    "no nodes": ("it", ["11"], {"it": QUASI}, Stated("hierarchy", {}), "generalize"),
    "sets": ("it", ["a;b", None], {"it": QUASI | {"kind": "set"}}, Stated("set"), "generalize"),
    "sets, aggregated": ("it", ["1", "2"], {"it": QUASI | {"kind": "set"}}, Stated("set"), "aggregate"),
    "latitude of a circle": ("n", ["48.1", "*", None], CIRCLE, PLACE, "generalize"),
    "longitude of a circle": ("e", ["11.5", "*", None], CIRCLE, PLACE, "generalize"),
    "latitude of a rectangle": ("n", ["48.1", "*", None], RECTANGLE, PLACE, "generalize"),
    "longitude of a rectangle": ("e", ["11.5", "*", None], RECTANGLE, PLACE, "generalize"),
    "numbers beside a circle": ("age", ["1", "[1, 2]", None], CIRCLE | {"age": QUASI}, NUMBER, "generalize"),
    "radius of a circle in numbers": ("n_radius_m", ["850", "900"], CIRCLE, PLACE, "generalize"),
    "radius of a circle": ("n_radius_m", ["850", "*", None], CIRCLE, PLACE, "generalize"),
    "stars": ("age", ["1", "*"], {"age": QUASI}, NUMBER, "suppress"),
    "means": ("age", ["1", "2", None], {"age": QUASI}, NUMBER, "aggregate"),
    "modes": ("it", ["1", "2", None], {"it": QUASI}, Stated("label"), "aggregate"),
    "centers": ("age", ["1.5", "2"], {"age": QUASI}, NUMBER, "centers"),
    "lower ends": ("age_min", ["1", "1", None], {"age": QUASI}, NUMBER, "generalize", ENDS),
    "upper ends": ("age_max", ["1", "1", None], {"age": QUASI}, NUMBER, "generalize",
                   {"ranges": "columns", "beside": {"age_min": ["1", "2", None]}}),
    "ends of nodes": ("age_min", ["1", "1", None], {"age": QUASI}, Stated("number", {"[0, 5)": 1}), "generalize",
                      ENDS),
    "whether missing": ("age_missing", ["true", "false"], {"age": QUASI}, NUMBER, "generalize"),
    "how many missing": ("age_missing", ["1", "0"], {"age": QUASI}, NUMBER, "aggregate"),
    "how many missing, centers": ("age_missing", ["1", "0"], {"age": QUASI}, NUMBER, "centers"),
    "people": ("people", ["3", "?"], {"age": QUASI}, None, "centers"),
    "radius": ("radius", ["3.5", "4"], {"age": QUASI}, None, "centers"),
    "a person": ("who", ["1", "2"], {"who": {"role": "person"}}, None, "generalize"),
    "a pseudonym": ("who", ["1", "2"], {"who": {"role": "person", "consistent": True, "pseudonym": True}}, None,
                    "generalize"),
    "sensitive": ("ill", ["1", "2", None], {"ill": {"role": "sensitive"}}, None, "generalize"),
    "sensitive, stated like others": ("ill", ["1", "2", None], {"ill": {"role": "sensitive"}}, NUMBER, "generalize"),
    "decimal commas": ("ill", ["1,5", "2,5"], {"ill": OTHER}, None, "generalize", {"file": {"separator": ";"}}),
    "commas": ("ill", ["1,5", "2,5"], {"ill": OTHER}, None, "generalize"),
    "sensitive, counted": ("ill", ["1", "2"], {"ill": {"role": "sensitive"}}, None, "centers"),
    "other, counted": ("ill", ["1", "2"], {"ill": OTHER}, None, "centers"),
    "a weight, counted": ("ill", ["1", "2"], {"ill": {"role": "weight"}}, None, "centers"),
    "a weight": ("ill", ["1", "2"], {"ill": {"role": "weight"}}, None, "aggregate"),
    "sensitive, recoded": ("ill", ["1", "5"], {"ill": {"role": "sensitive"} | RECODED}, None, "generalize"),
    "other, recoded": ("ill", ["1", "5"], {"ill": OTHER | RECODED}, None, "generalize"),
    "numbers, recoded": ("age", ["1", "5"], {"age": QUASI | RECODED}, NUMBER, "generalize"),
    "sensitive, perturbed": ("ill", ["1", "5"], {"ill": {"role": "sensitive"} | CHANGED}, None, "generalize"),
    "other, perturbed": ("ill", ["1", "5"], {"ill": OTHER | CHANGED}, None, "generalize"),
    "means of a binary file": ("age", ["1", "2"], {"age": QUASI}, NUMBER, "aggregate", PARQUET),
    "modes of a binary file": ("age", ["1", "2"], {"age": QUASI}, Stated("label"), "aggregate", PARQUET),
    "sets of a binary file": ("age", ["1", "2"], {"age": QUASI | {"kind": "set"}}, Stated("set"),
                              "aggregate", PARQUET),
    "ranges of a binary file": ("age", ["1", "2"], {"age": QUASI}, NUMBER, "generalize", PARQUET),
    "sensitive of a binary file": ("ill", ["1", "2"], {"ill": {"role": "sensitive"}}, None, "generalize", PARQUET),
    "dates as they are written": ("when", ["01.02.2020"], {"when": OTHER | {"format": "%d.%m.%Y"}}, None,
                                  "generalize"),
}  # fmt: skip
"""A name, cells, settings, what is stated, the form of the release, and what else a column needs."""


def packages() -> dict[str, dict[str, Any]]:
    """Whole packages: of a CSV file, of several binary files, and of a release with sets and synthetic rows."""
    columns = {"who": {"role": "person"}, "age": QUASI, "ill": {"role": "sensitive"}, "note": OTHER}
    claims = (
        Claim(criterion="k-anonymity", claimed=3.0, measured=4.0, unit="people", holds=True),
        Claim(criterion="km-anonymity", column="codes", m=2, claimed=3.0, measured=3.0, unit="rows", holds=True),
        Claim(
            criterion="l-diversity", column="ill", kind="entropy", claimed=2.0, measured=2.5, unit="rows", holds=True
        ),
    )
    cells = {"who": ["1", "2"], "age": ["1", "[1, 2]"], "ill": ["flu", None], "note": ["ü", "x"]}
    plain = policy(columns)
    made_up = policy(columns, synthetic="copula")
    sets = policy({"codes": QUASI | {"kind": "set"}, "ill": {"role": "sensitive"}}, m=1, synthetic="marginals")
    two = policy({"codes": QUASI | {"kind": "set"}})
    several = released(
        cells, "release-00001-of-00002.parquet", schema=dict.fromkeys(cells, pl.String()), names=("a", "b")
    )
    stated = {"age": NUMBER}
    xlsx = released(
        {"codes": ["a"], "ill": ["flu"]}, "release.xlsx", schema=dict.fromkeys(("codes", "ill"), pl.String())
    )
    csv = released(cells, encoding="cp1252", separator=";")
    return {
        "csv": data_package(csv, certificate(claims=claims), plain, stated, {}),
        "two items": data_package(released({"codes": ["a"]}), certificate(), two, {"codes": Stated("set")}, {}),
        "several": data_package(several, certificate(), plain, stated, {}),
        "synthetic csv": data_package(csv, certificate(), made_up, stated, {}),
        "synthetic xlsx": data_package(xlsx, certificate(), sets, {"codes": Stated("set")}, {}),
    }


def said(name: str) -> Any:
    """The package without its columns, or one column of it."""
    if name in COLUMNS:
        column, cells, columns, stated, form, *more = COLUMNS[name]
        legend = {"it": (("a +1", ("a", "b")), ("c", ("c",)))}
        return of_column(column, cells, columns, stated, form, legend=legend, **(more[0] if more else {}))
    return packages()[name]


@pytest.mark.parametrize("name", [*COLUMNS, "csv", "two items", "several", "synthetic csv", "synthetic xlsx"])
def test_what_a_data_package_says_stays_as_it_is(name: str) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))[name]
    assert json.dumps(said(name)) == json.dumps(kept)  # in this order: equal releases give equal bytes


def test_all_that_is_kept_is_said() -> None:
    assert set(json.loads(KEPT.read_text(encoding="utf-8"))) == {*COLUMNS, *packages()}


def test_what_is_written_can_be_read_by_people() -> None:
    assert to_text({"a": ["ü", 1]}) == '{\n  "a": [\n    "ü",\n    1\n  ]\n}\n'


def test_a_table_that_is_read_in_parts_is_counted_like_one_that_is_not() -> None:
    asked = policy({"age": QUASI, "ill": {"role": "sensitive"}})
    frame = pl.DataFrame({"age": ["1", "1", "[1, 2]", "1"], "ill": ["flu", "flu", None, "flu"]})
    reduced = reduce([frame.head(2), frame.tail(2)], asked, "generalize")
    facts: dict[str, Any] = {"name": "release.csv", "size": 9, "sha256": DIGEST}
    stated = {"age": NUMBER}
    whole = data_package(ReleasedFile(frame=frame, **facts), certificate(), asked, stated, {})
    parts = data_package(
        ReleasedFile(frame=reduced.frame, reduced=reduced, **facts), certificate(), asked, stated, {}
    )
    assert whole == parts
