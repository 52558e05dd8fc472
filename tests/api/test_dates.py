"""Releases of dates in the formats that people write: same format, true of everyone, and verified from the folder."""

from __future__ import annotations

import datetime as dt
import random
import re
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.certify.date_cells import reader_of
from shoal.errors import SchemaError
from shoal.policy.date_format import DateFormat
from shoal.tables import read_back
from shoal.tables.date_text import write_dates
from tests.date_formats import FORMATS, as_dates, settings_of

GERMAN = DateFormat("%d.%m.%Y")
SOME = [
    GERMAN,
    DateFormat("%b %-d, %Y"),
    DateFormat("%d-%b-%y", "it", 1940),
    DateFormat("%Y%m%d"),
    DateFormat("excel"),
    DateFormat("%Y-%m"),
    DateFormat("%Y-Q%q"),
    DateFormat("%m/%d/%Y %-I:%M %p"),
    DateFormat("%Y-%m-%dT%H:%M:%S%z"),
]
"""The formats that are tried whenever tests are run; the others take their turn in the long run."""


def dates(form: DateFormat, n: int = 40, *, missing: int = 0, seed: int = 0) -> pl.Series:
    """Random dates of fifty years, some of them twice."""
    rng = random.Random(f"{form.pattern} {seed}")
    begin = dt.datetime((form.first_year or 1930) + 20, 1, 1)
    found = [begin + dt.timedelta(seconds=rng.randrange(50 * 365 * 86_400)) for _ in range(n // 2)]
    return as_dates([*[None] * missing, *found, *found][:n], form)


def table(form: DateFormat, **more: int) -> pl.DataFrame:
    born = write_dates(dates(form, **more), form)
    rows = range(len(born))
    return pl.DataFrame(
        {"born": born, "sex": ["m" if i % 3 else "f" for i in rows], "ill": [f"i{i % 4}" for i in rows]}
    )


def policy(form: DateFormat, **more: object) -> dict[str, object]:
    born = {"role": "quasi", "kind": "date", **settings_of(form)}
    return {"k": 4, "columns": {"born": born, "sex": {"role": "quasi"}, "ill": {"role": "sensitive"}}, **more}


def ends(cell: str) -> list[str]:
    """Both ends of a range, or the value itself twice."""
    found = re.fullmatch(r'\[("?)(.+)\1, ("?)(.+)\3\]', cell)
    return [found[2], found[4]] if found else [cell, cell]


EVERY = [pytest.param(form, marks=[] if form in SOME else [pytest.mark.deep], id=form.pattern) for form in FORMATS]


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
@pytest.mark.parametrize("form", EVERY)
def test_everyone_lies_in_the_published_range(form: DateFormat, ranges: str, tmp_path: Path) -> None:
    table(form).write_csv(tmp_path / "in.csv")
    asked = policy(form, publication="generalize", ranges=ranges)
    release = shoal.anonymize(tmp_path / "in.csv", asked)
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    shown, read = read_back(tmp_path / "out" / "release.csv"), reader_of(form)
    cells = shown.select(pl.col("^born.*$")).rows()
    limits = [row if len(row) == 2 else ends(row[0]) for row in cells]
    born = [date.isoformat() for date in dates(form).to_list()]
    rows = release.order[release.published.rows].tolist()
    for row, (low, high) in zip(rows, limits, strict=True):
        assert (read(low) or "?") <= born[row] <= (read(high) or "!")
    assert write_dates(dates(form), form).cast(pl.String).str.len_chars().max() >= max(len(low) for low, _ in limits)


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize("publication", ["aggregate", "centers", "suppress"])
def test_other_forms_publish_dates_of_the_format(form: DateFormat, publication: str, tmp_path: Path) -> None:
    table(form).write_csv(tmp_path / "in.csv")
    shoal.anonymize(tmp_path / "in.csv", policy(form, publication=publication)).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    read = reader_of(form)
    cells = set(read_back(tmp_path / "out" / "release.csv")["born"].to_list())
    assert cells
    assert [cell for cell in cells if cell != "*" and read(cell) is None] == []


def test_birth_dates_are_no_set_of_labels() -> None:
    release = shoal.anonymize(table(GERMAN), policy(GERMAN))
    assert not release.table["born"].str.contains("{", literal=True).any()


def test_ranges_of_months_have_no_days() -> None:
    form = DateFormat("%Y-%m")
    cells = shoal.anonymize(table(form), policy(form, publication="generalize")).table["born"].unique().to_list()
    assert all(re.fullmatch(r"\[\d{4}-\d\d, \d{4}-\d\d\]|\d{4}-\d\d", cell) for cell in cells)


@pytest.mark.parametrize("period", ["month", "quarter", "year", "decade"])
@pytest.mark.parametrize(
    "form", [GERMAN, DateFormat("%b %-d, %Y"), DateFormat("%Y-%m"), DateFormat("%d.%m.%Y %H:%M")]
)
def test_rounded_ends_are_checked_in_the_format(form: DateFormat, period: str, tmp_path: Path) -> None:
    asked = policy(form, publication="generalize")
    asked["columns"]["born"]["round_ranges"] = period  # type: ignore[index]
    release = shoal.anonymize(table(form), asked)
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    if form != DateFormat("%Y-%m"):
        exact = shoal.anonymize(table(form), policy(form, publication="generalize")).table
        found = shoal.verify(exact, asked, form="generalize")
        assert "ranges" in [failure.check for failure in found.failures]


def test_rounding_beyond_the_hundred_years_is_refused() -> None:
    form = DateFormat("%d.%m.%y", first_year=1926)
    column = write_dates(pl.Series("born", [dt.date(2025, 6, day) for day in range(1, 11)]), form)
    asked = {"k": 3, "publication": "generalize",
             "columns": {"born": {"role": "quasi", **settings_of(form), "round_ranges": "decade"}}}  # fmt: skip
    with pytest.raises(SchemaError, match="cannot be written in its format"):
        shoal.anonymize(column.to_frame(), asked)


@pytest.mark.parametrize("method", ["forest", "full-domain", "mondrian"])
@pytest.mark.parametrize("form", [GERMAN, DateFormat("%Y-%m"), DateFormat("%Y-Q%q"), DateFormat("%d.%m.%Y %H:%M")])
def test_hierarchies_of_periods(form: DateFormat, method: str, tmp_path: Path) -> None:
    asked = policy(form, method=method, publication="generalize")
    if method == "forest":
        asked["columns"]["born"] |= {"kind": "hierarchy", "hierarchy": {"periods": ["quarter", "year"]}}  # type: ignore[index]
    release = shoal.anonymize(table(form), asked)
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    months = release.table["born"].cast(pl.String).str.contains(r"^\d{4}-\d\d$").any()
    assert not (months and form.resolution == "quarter")  # a quarter has no month


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
@pytest.mark.parametrize("form", [GERMAN, DateFormat("%b %-d, %Y"), DateFormat("%Y-%m"), DateFormat("excel")])
def test_a_plan_keeps_the_format(form: DateFormat, ranges: str, tmp_path: Path) -> None:
    asked = policy(form, publication="generalize", ranges=ranges)
    first = shoal.anonymize(table(form), asked)
    again = shoal.apply(first.plan, table(form))
    again.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    columns = [name for name in first.table.columns if name.startswith("born")]
    assert again.table[columns].sort(columns).equals(first.table[columns].sort(columns))


@pytest.mark.parametrize("form", [GERMAN, DateFormat("%Y%m%d"), DateFormat("%d. %b %Y", "de")])
def test_sensitive_dates_count_by_what_they_mean(form: DateFormat, tmp_path: Path) -> None:
    """`1.2.1999` and `01.02.1999` are one date: two spellings are no diversity."""
    cells = ["1.2.1999", "01.02.1999"] * 4 if form is GERMAN else write_dates(dates(form, 8), form)
    shown = pl.DataFrame({"age": [30, 40] * 4, "died": cells})
    columns = {"age": {"role": "quasi"}, "died": {"role": "sensitive", "kind": "date", **settings_of(form)}}
    asked = {"k": 2, "diversity": {"l": 2}, "publication": "generalize", "columns": columns}
    if form is GERMAN:
        with pytest.raises(shoal.errors.InfeasibleError):
            shoal.anonymize(shown, asked)
        assert not shoal.verify(shown.with_columns(age=pl.lit("[30, 40]")), asked, form="generalize").holds
    else:
        for distance in ("equal", "ordered"):
            release = shoal.anonymize(shown, asked | {"closeness": {"t": 0.9, "distance": distance}})
            release.write(tmp_path / distance)
            assert shoal.verify(tmp_path / distance).holds
            assert sorted(map(str, release.table["died"])) == sorted(map(str, cells))


def test_a_group_of_sensitive_dates_as_centers(tmp_path: Path) -> None:
    form = DateFormat("%b %-d, %Y")
    shown = pl.DataFrame({"age": list(range(20)), "died": write_dates(dates(form, 20), form)})
    columns = {"age": {"role": "quasi"}, "died": {"role": "sensitive", "kind": "date", **settings_of(form)}}
    asked = {"k": 4, "diversity": {"l": 2}, "publication": "centers", "columns": columns}
    shoal.anonymize(shown, asked).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    assert shoal.attack(shown, tmp_path / "out", asked) is not None


@pytest.mark.parametrize("form", [GERMAN, DateFormat("%b %-d, %Y"), DateFormat("%Y-Q%q"), DateFormat("excel")])
@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_an_attacker_reads_the_format(form: DateFormat, ranges: str, tmp_path: Path) -> None:
    """Who has the public folder alone gets from the dates what the holder of the mapping gets."""
    asked = policy(form, publication="generalize", ranges=ranges)
    release = shoal.anonymize(table(form), asked)
    release.write(tmp_path / "out")
    found = shoal.attack(table(form), tmp_path / "out", asked)
    assert found.full_join.rate > 0
    assert found.evidence == "files"


@pytest.mark.parametrize("cells", [["{01.02.1999, 03.04.2000}"], ["1999-02-01"], ["[03.04.2000, 01.02.1999]"],
                                   ["[01.02.1999, 1999-03-04]"], ["31.02.1999"], ["~"]])  # fmt: skip
def test_the_verifier_refuses_cells_in_another_form(cells: list[str]) -> None:
    asked = {"k": 2, "columns": {"born": {"role": "quasi", "format": "%d.%m.%Y"}}}
    found = shoal.verify(pl.DataFrame({"born": cells * 3}), asked, form="generalize")
    assert [failure.check for failure in found.failures] == ["columns"]
    assert cells[0] not in found.failures[0].message


@pytest.mark.parametrize("missing", [1, 40])
def test_missing_dates(missing: int, tmp_path: Path) -> None:
    for ranges in ("brackets", "columns"):
        asked = policy(GERMAN, publication="generalize", ranges=ranges)
        shoal.anonymize(table(GERMAN, missing=missing), asked).write(tmp_path / ranges)
        assert shoal.verify(tmp_path / ranges).holds


@pytest.mark.parametrize("stray", ["00.00.0000", "29.02.1900", "1999-12-31", "unknown", "31.12.99"])
def test_a_cell_that_is_no_date_is_counted_and_not_shown(stray: str) -> None:
    with pytest.raises(SchemaError, match="1 of 41 cells are not dates of its format") as said:
        shoal.anonymize(pl.concat([table(GERMAN), pl.DataFrame({"born": [stray], "sex": ["m"], "ill": ["i1"]})]),
                        policy(GERMAN))  # fmt: skip
    assert stray not in str(said.value)


def test_dates_of_a_frame_are_published_in_the_format_asked_for() -> None:
    shown = table(GERMAN).with_columns(born=dates(GERMAN))
    cells = shoal.anonymize(shown, policy(GERMAN, publication="aggregate")).table["born"]
    assert cells.str.contains(r"^\d\d\.\d\d\.\d{4}$").all()
