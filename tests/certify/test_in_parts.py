"""A release that is read in parts is found to be what the release read whole is: sound, forged or damaged."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.certify import Findings, reading
from shoal.errors import ShoalError
from shoal.tables import scan, write_file
from tests.certify import releases


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "PART", 150)
    monkeypatch.setattr(scan, "ROWS", 4)


def both(*asked, **named) -> tuple[Findings | str, Findings | str, int]:
    """What is found in parts, what is found on the whole, and how often the table was reduced."""
    n_reduced = 0
    plain, large = reading.reduce, dict(reading.LARGE)

    def counted(*given):
        nonlocal n_reduced
        n_reduced += 1
        return plain(*given)

    found = []
    for limit in (0, 1 << 60):
        reading.reduce = counted
        reading.LARGE.update(dict.fromkeys(large, limit))
        try:
            found.append(shoal.verify(*asked, **named))
        except ShoalError as error:
            found.append(str(error))
        finally:
            reading.reduce = plain
            reading.LARGE.update(large)
    return found[0], found[1], n_reduced


CELL = st.sampled_from(["* or missing", "[30, 39]", "[40, 49]", "{a, b}", "*", None, "", "35", "[30, 39] or missing"])
SENSITIVE = st.sampled_from(["flu", "cold", "1", "1.0", None, " ", "flu "])
PEOPLE = st.sampled_from(["1", "2", "3", "01", None])


@given(st.data())
def test_any_table_is_counted_alike(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(CELL, CELL, SENSITIVE, PEOPLE, SENSITIVE), max_size=24))
    names = ["age", "zip", "illness", "who", "note"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    person = data.draw(st.booleans())
    columns = {
        "age": {"role": "quasi"},
        "zip": {"role": data.draw(st.sampled_from(["quasi", "sensitive", "identifier"]))},
        "illness": {"role": "sensitive"},
        "who": {"role": "person" if person else "other"},
        "note": {"role": data.draw(st.sampled_from(["other", "sensitive"]))},
    }
    policy = {"k": 2, "diversity": {"l": 2}, "closeness": {"t": 0.4}, "columns": columns, "publication": "generalize"}
    folder = tmp_path_factory.mktemp("any")
    path = folder / data.draw(st.sampled_from(["release.csv", "release.parquet"]))
    write_file(frame, path)
    parts, whole, _ = both(path, policy)
    assert parts == whole


FORMS = {
    "generalize": {"quasi": ["age", "sex"], "sensitive": "illness", "other": "note", "l": 2},
    "columns": {"quasi": ["age", "sex"], "sensitive": "illness", "other": "note", "ranges": "columns"},
    "aggregate": {"quasi": ["age"], "sensitive": ["illness", "sex"], "other": "note", "publication": "aggregate"},
    "centers": {"quasi": ["age"], "sensitive": ["illness", "sex"], "other": "note", "publication": "centers"},
    "suppress": {"quasi": ["age", "sex"], "sensitive": "illness", "other": "note", "publication": "suppress"},
    "classes": {"quasi": ["age", "sex"], "sensitive": "illness", "other": "note", "classes": ["sex"]},
    "top": {"quasi": ["age", "sex"], "sensitive": "illness", "other": "note", "top": {"age": 60}},
    "person": {"quasi": ["age", "sex"], "sensitive": "illness", "person": "note"},
}


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + 7 * n % 60 if n % 11 else None for n in range(90)],
            "sex": ["fmx"[n % 3] for n in range(90)],
            "illness": [["flu", "cold", "gout", None][n * n % 4] for n in range(90)],
            "note": [f"{n % 30}" for n in range(90)],
        }
    )


QUICK = [("generalize", "csv"), ("columns", "parquet"), ("aggregate", "arrow"), ("person", "csv"), ("centers", "csv")]


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        pytest.param(form, kind, marks=[] if (form, kind) in QUICK else [pytest.mark.deep])
        for form in FORMS
        for kind in ("csv", "parquet", "arrow")
    ],
)
def test_releases_of_every_form_are_found_alike_and_so_are_their_forgeries(
    form: str, kind: str, people: pl.DataFrame, tmp_path: Path
) -> None:
    release = shoal.anonymize(people, k=3, **FORMS[form])
    release.write(tmp_path / "out", format=kind)
    parts, whole, n_reduced = both(tmp_path / "out")
    assert parts == whole
    assert isinstance(parts, Findings)
    assert parts.holds
    assert n_reduced == (0 if form == "centers" else 1)
    certificate = tmp_path / "out/certificate.json"
    told = json.loads(certificate.read_text(encoding="utf-8"))
    for key, value in (("rows", told["rows"] + 1), ("n_groups", 1)):
        certificate.write_text(json.dumps(told | {key: value}), encoding="utf-8")
        parts, whole, _ = both(tmp_path / "out")
        assert parts == whole
    certificate.write_text(json.dumps(told), encoding="utf-8")
    table = tmp_path / f"out/release.{kind}"
    data = table.read_bytes()
    for forged in (data[:-3], data[: len(data) // 2] + b"x" + data[len(data) // 2 :], b""):
        table.write_bytes(forged)
        parts, whole, _ = both(tmp_path / "out")
        assert parts == whole
        assert isinstance(parts, str) or not parts.holds
    table.unlink()
    frame = release.published.frame
    write_file(pl.concat([frame.head(1), frame]), table)
    parts, whole, _ = both(tmp_path / "out")
    assert parts == whole
    assert isinstance(parts, Findings)
    assert not parts.holds


def test_people_who_are_not_numbered_are_found_in_parts(tmp_path: Path) -> None:
    frame, policy = releases.with_people()
    named = frame.with_columns(pl.lit("7").alias(str(policy.person)))
    write_file(named, tmp_path / "release.csv")
    parts, whole, n_reduced = both(tmp_path / "release.csv", policy)
    assert parts == whole
    assert isinstance(parts, Findings)
    assert any(failure.check == "person" for failure in parts.failures)
    assert n_reduced >= 1
