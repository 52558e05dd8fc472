"""Canaries: values planted in a table are looked for in every message, log and public file."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShoalError

WORD = "zanzibar"
NUMBER = 918273645
CANARIES = re.compile(rf"{WORD}|{NUMBER}|9\.18273|918,273|1987-06-05|918 ?273")


def planted(n: int = 30) -> pl.DataFrame:
    """Every column has a canary in each of its cells or in one of them."""
    chance = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "name": [f"{WORD} {i}" for i in range(n)],
            "age": [*chance.integers(20, 60, n - 1).tolist(), NUMBER],
            "town": [*chance.choice(["Ulm", "Bonn"], n - 1).tolist(), WORD],
            "born": [*["1970-01-01"] * (n - 1), "1987-06-05"],
            "ill": [*["flu", "gout"] * ((n - 1) // 2), WORD, "flu"][:n],
        }
    )


NAMED = {"identifier": ["name"], "quasi": ["age", "town", "born"], "sensitive": ["ill"]}
COLUMNS: dict[str, dict[str, Any]] = {name: {"role": role} for role, names in NAMED.items() for name in names}
COLUMNS["town"]["publish_rare"] = True  # the canary, which stands there once
ROLES = NAMED | {"publish_rare": ["town"]}


def csv(text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "in.csv").write_bytes(text.encode("utf-8", errors="surrogateescape"))
        return folder / "in.csv"

    return write


def hierarchy(text: str) -> Callable[[Path], dict[str, Any]]:
    def settings(folder: Path) -> dict[str, Any]:
        (folder / "towns.csv").write_text(text, encoding="utf-8")
        return ROLES | {"hierarchy": {"town": folder / "towns.csv"}}

    return settings


def policy(**columns: Any) -> dict[str, Any]:
    return {"policy": {"columns": COLUMNS | columns}}


WRONG: dict[str, tuple[Any, Any]] = {
    "a column of text said to be numbers": (planted, policy(town={"role": "quasi", "kind": "number"})),
    "a column of text said to be dates": (planted, policy(town={"role": "quasi", "kind": "date"})),
    "an order that leaves a value out": (planted, policy(town={"role": "quasi", "order": ["Ulm", "Bonn"]})),
    "no order": (planted, policy(town={"role": "quasi", "kind": "ordered"})),
    "an order of the sensitive values that leaves one out": (
        planted,
        policy(ill={"role": "sensitive", "order": ["flu", "gout"], "closeness": {"t": 0.5, "distance": "ordered"}}),
    ),
    "bins of categories": (
        lambda: planted().with_columns(ill=pl.lit(WORD).cast(pl.Enum([WORD, "flu"]))),
        policy(ill={"role": "sensitive", "bins": [1, 2], "diversity": {"l": 1}}),
    ),
    "records of categories": (
        lambda: planted().with_columns(ill=pl.struct(pl.lit(WORD).cast(pl.Enum([WORD])))),
        ROLES,
    ),
    "bins of text": (planted, policy(ill={"role": "sensitive", "bins": [1, 2]})),
    "closeness in an order of labels": (
        planted,
        policy(ill={"role": "sensitive", "closeness": {"t": 0.5, "distance": "ordered"}}),
    ),
    "a hierarchy that misses a value": (planted, hierarchy("Ulm;South\nBonn;West\n")),
    "a hierarchy with a value twice": (planted, hierarchy(f"Ulm;S\nBonn;W\n{WORD};W\n{WORD};S\n")),
    "a hierarchy that is no tree": (planted, hierarchy(f"Ulm;S;X\nBonn;S;Y\n{WORD};S;{WORD}\n")),
    "a hierarchy with ragged lines": (planted, hierarchy(f"Ulm;S\nBonn;W\n{WORD};{WORD};{WORD}\n")),
    "too many people asked for": (planted, ROLES | {"k": 31}),
    "too much diversity asked for": (planted, ROLES | {"l": 9}),
    "averages of labels": (planted, ROLES | {"method": "optimal"}),
    "infinite numbers": (
        lambda: planted().with_columns(age=pl.Series([float(NUMBER), *[float("inf")] * 29])),
        ROLES,
    ),
    "nested values": (lambda: planted().with_columns(age=pl.Series([[[NUMBER]]] * 30)), ROLES),
    "bytes": (lambda: planted().with_columns(town=pl.Series([WORD.encode()] * 30)), ROLES),
    "objects in pandas": (lambda: pd.DataFrame({"name": [{WORD: NUMBER}] * 9}), {"quasi": ["name"]}),
    "several types in pandas": (
        lambda: pd.DataFrame({"name": [WORD, NUMBER, 2.5, None] * 9}),
        {"policy": {"columns": {"name": {"role": "quasi", "kind": "number"}}}},
    ),
    "a nested Arrow column": (lambda: pa.table({"name": [[[WORD]]] * 9}), {"quasi": ["name"]}),
    "a row too long": (csv(f"name,age\nx,1\n{WORD},{NUMBER},3\n"), {"quasi": ["age"], "identifier": ["name"]}),
    "a quote inside a cell": (csv(f'name,age\n"x",1\n{WORD}"{WORD},{NUMBER}\n'), {"quasi": ["age"]}),
    "a quote never closed": (csv(f'name,age\n"x",1\n"{WORD},{NUMBER}\n'), {"quasi": ["age"]}),
    "bytes that are not UTF-8": (csv(f"name,age\n{WORD},1\n\udcff{WORD},{NUMBER}\n"), {"quasi": ["age"]}),
    "a NUL byte": (csv(f"name,age\n{WORD}\0,{NUMBER}\n"), {"quasi": ["age"]}),
    "infinities in a file": (csv(f"name,age\n{WORD},inf\n{WORD},{NUMBER}.5\n"), {"quasi": ["age"]}),
    "a policy for another table": (planted, {"quasi": ["height"]}),
    "data in the first line": (csv(f"{NUMBER},1\n{NUMBER},2\n"), {"quasi": ["age"]}),
    "a table as text": (lambda: f"name,age\n{WORD},{NUMBER}\n", {"quasi": ["age"]}),
    "a long table as text": (lambda: f"name,age\n{WORD},{NUMBER}/{NUMBER}\n" * 100, {"quasi": ["age"]}),
    "a long line as text": (lambda: f"{WORD} {NUMBER} " * 100, {"quasi": ["age"]}),
    "a table as bytes": (lambda: f"name,age\n{WORD},{NUMBER}\n".encode(), {"quasi": ["age"]}),
    "a dictionary of columns": (lambda: planted().to_dict(as_series=False), ROLES),
    "a list of records": (lambda: planted().to_dicts(), ROLES),
    "a policy as text": (planted, {"policy": f'k = 2\n[columns.town]\nrole = "quasi"\norder = ["{WORD}"]\n'}),
    "a table as a policy": (planted, {"policy": planted()}),
    "a hierarchy as text": (planted, ROLES | {"hierarchy": {"town": f"Ulm;South\nBonn;West\n{WORD};East\n"}}),
    "a map as text": (planted, ROLES | {"map": {"town": f"region,neighbor\nUlm,{WORD}\n"}}),
    "a column in place of its name": (planted, ROLES | {"quasi": planted()["town"]}),
    "one column with two types": (
        csv(f"name,age\n{WORD},1\nx,{WORD}\n"),
        {"policy": {"columns": {"name": {"role": "identifier"}, "age": {"role": "quasi", "kind": "number"}}}},
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_no_message_quotes_a_cell(case: str, tmp_path: Path) -> None:
    make, settings = WRONG[case]
    source = make(tmp_path) if make.__qualname__.startswith("csv.") else make()
    settings = settings(tmp_path) if callable(settings) else dict(settings)
    told = io.StringIO()
    with redirect_stderr(told), redirect_stdout(told), pytest.raises(ShoalError) as refused:
        shoal.anonymize(source, **settings)
    error: BaseException | None = refused.value
    while error is not None:  # what a traceback would show, the chain of causes included
        told.write(f"{error} {error.args}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert refused.value.hint or refused.value.message
    assert not CANARIES.search(told.getvalue()), told.getvalue()


@pytest.mark.parametrize(
    ("call", "way_out"),
    [
        (lambda text: shoal.anonymize(text, quasi=["age"]), "polars.read_csv(io.StringIO(text))"),
        (lambda text: shoal.profile(text), "polars.read_csv(io.StringIO(text))"),
        (lambda text: shoal.verify(text), "polars.read_csv(io.StringIO(text))"),
        (lambda text: shoal.attack(planted(), text, {"columns": COLUMNS}), "polars.read_csv(io.StringIO(text))"),
        (lambda text: shoal.anonymize(planted(), text), "shoal.Policy.loads(text)"),
        (lambda text: shoal.verify(planted(), text), "shoal.Policy.loads(text)"),
        (lambda text: shoal.apply(text, planted()), "shoal.Plan.parse(json.loads(text))"),
    ],
)
@pytest.mark.parametrize("lines", [1, 1000])
def test_a_text_in_place_of_a_path_is_told_with_the_way_out(
    call: Callable[[str], object], way_out: str, lines: int
) -> None:
    with pytest.raises(ShoalError, match="is a text, not the path of a file") as refused:
        call(f"{WORD},{NUMBER}\n" * lines)
    assert way_out in str(refused.value)
    assert not CANARIES.search(str(refused.value))


def test_a_file_with_a_line_break_in_its_name_is_read(tmp_path: Path) -> None:
    planted().write_csv(tmp_path / "two\nlines.csv")
    assert shoal.profile(tmp_path / "two\nlines.csv").n_rows == 30


@pytest.mark.parametrize("publication", ["generalize", "aggregate", "centers", "suppress"])
def test_the_public_certificate_holds_no_value(publication: str, tmp_path: Path) -> None:
    release = shoal.anonymize(planted(), k=4, seed=1, publication=publication, **ROLES)
    release.write(tmp_path / "out")
    assert not CANARIES.search((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert not CANARIES.search(release.certificate.to_private_json())


def test_profiles_and_comparisons_hold_no_value(tmp_path: Path) -> None:
    profile = shoal.profile(planted())
    told = json.dumps(profile.to_dict()) + profile._repr_html_()
    compared = shoal.compare(planted(), k=[2, 5], seed=1, **ROLES)
    told += json.dumps(compared.to_dict()) + compared.to_html() + compared._repr_html_()
    assert not CANARIES.search(told)


def test_a_broken_release_is_told_in_counts(tmp_path: Path) -> None:
    release = shoal.anonymize(planted(), k=4, l=2, seed=1, **ROLES)
    broken = pl.concat([release.table, planted().select(pl.lit(WORD).alias("age"), "town", "born", "ill").head(1)])
    found = shoal.verify(broken, release.policy)
    assert not found.holds
    told = f"{found} {found.to_dict()} {found.failures} {found._repr_html_()}"
    assert not CANARIES.search(told)
    with pytest.raises(ShoalError) as refused:
        found.require()
    assert not CANARIES.search(str(refused.value))
