"""Generated tables and policies, all the way through anonymize, write and verify, counted again by hand."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError
from shoal.tables.text import as_written
from tests.api import oracle
from tests.api.cases import Case, cases
from tests.fixed_secret import SECRET


def anonymized(case: Case, source: Any) -> shoal.Release | None:
    """The release of a case; None where the policy cannot be met by anybody."""
    try:
        release = shoal.anonymize(source, case.settings, secret=SECRET)
    except InfeasibleError as refused:
        event(f"infeasible: {refused.message.split('=')[0]}")
        return None
    event(f"{release.partition.method}, {release.choice.form}, {min(release.partition.n_groups, 4)} groups or more")
    return release


@given(case=cases())
def test_what_was_asked_holds_when_counted_by_hand(case: Case) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        release = anonymized(case, case.as_source(folder))
        if release is None:
            assert_nobody_can(case)
            return
        release.write(folder / "out", format=case.format)
        file = next((folder / "out").glob("release.*"))
        rows = oracle.read_rows(file)
        groups = oracle.check(rows, case.settings, release.choice.form)
        assert_verified(release, file, groups)
        assert_all_rows_are_accounted_for(release, rows, case)
        assert_people_are_numbered_one_to_one(release, case)
        assert_columns_are_kept(release, rows, case)
        assert_cells_are_true_of_every_member(release, case)


@settings(max_examples=25)
@given(case=cases(sources=("polars", "csv")), shuffle=st.integers(0, 9))
def test_the_order_of_rows_changes_not_one_byte(case: Case, shuffle: int) -> None:
    shuffled = Case(case.frame.sample(fraction=1, shuffle=True, seed=shuffle), case.settings, case.source)
    written = []
    for one in (case, shuffled):
        with TemporaryDirectory() as name:
            release = anonymized(one, one.as_source(Path(name)))
            assume(release is not None)
            assert release is not None
            release.write(Path(name) / "out")
            written.append({file.name: file.read_bytes() for file in (Path(name) / "out").iterdir()})
    assert written[0] == written[1]


@settings(max_examples=25)
@given(case=cases(sources=("polars",)))
def test_another_seed_gives_another_order(case: Case) -> None:
    frame = case.frame.with_columns(pl.int_range(pl.len()).alias("row"))
    asked = case.settings | {"columns": case.columns | {"row": {"role": "other"}}, "publication": "generalize"}
    orders = []
    for seed in (1, 2):
        release = anonymized(Case(frame, asked | {"seed": seed}), frame)
        assume(release is not None)
        assert release is not None
        orders.append(release.table["row"].to_list())
    first, second = orders
    if min(len(first), len(second)) > 10:  # two shuffles of eleven rows or more agree once in millions
        assert first != second
        assert first not in (sorted(first), sorted(first, reverse=True))


def assert_verified(release: shoal.Release, file: Path, groups: list[oracle.Group]) -> None:
    """By the certificate beside the file, and by the policy alone, with the same numbers."""
    by_certificate = shoal.verify(file)
    (file.parent / "certificate.json").unlink()
    by_policy = shoal.verify(file, file.parent.with_name("out.private") / "policy.toml")
    for found in (by_certificate, by_policy, shoal.verify(release.table, release.policy)):
        assert found.holds, found
        assert found.k == min(group.people for group in groups)
        assert found.groups == len(groups)


def assert_all_rows_are_accounted_for(release: shoal.Release, rows: list[oracle.Row], case: Case) -> None:
    """Published, or counted as suppressed; sensitive values are those of the input, in another order."""
    suppressed = release.certificate.suppressed
    assert suppressed <= case.settings["max_suppressed"] * case.frame.height
    groups = release.mapping()["group"]
    assert int((groups < 0).sum()) == suppressed
    members = case.frame.with_columns(groups.alias("group")).filter(pl.col("group") >= 0)
    as_they_are = case.named("sensitive") + case.named("other")
    if release.choice.form != "centers":
        assert len(rows) == members.height
        for name in as_they_are:
            assert Counter(texts(members[name])) == Counter(texts(pl.Series(name, [row[name] for row in rows])))
        return
    assert len(rows) == members["group"].n_unique()
    for name in as_they_are:
        published: Counter[str | None] = Counter()
        for row in rows:
            for text, count in oracle.parse_multiset(row[name]).items():
                published[unsigned(text)] += count
        held = members
        if case.named("person"):  # a person with one value in two rows counts once; in a file, 0.0 and -0.0 are two
            spelled = pl.Series("spelled", as_written(members.select(name)).to_series())
            held = members.with_columns(spelled if case.source == "csv" else members[name].alias("spelled"))
            held = held.unique(["group", *case.named("person"), "spelled"])
        assert published == Counter(texts(held[name]))


def assert_people_are_numbered_one_to_one(release: shoal.Release, case: Case) -> None:
    """Among rows that are published alike, equal numbers are one person and different numbers are two."""
    if release.choice.form == "centers" or not case.named("person"):
        return
    frame, person = release.published.frame, case.named("person")[0]
    truth = case.frame[person].to_list()
    behind = [truth[row] for row in release.order[release.published.rows].tolist()]
    classes, numbers = frame.select(published_quasi(frame, case)).rows(), frame[person].to_list()
    pairs = {((cells, n), (cells, who)) for cells, n, who in zip(classes, numbers, behind, strict=True)}
    assert len(pairs) == len({place for place, _ in pairs}) == len({who for _, who in pairs})


def published_quasi(frame: pl.DataFrame, case: Case) -> list[str]:
    ends = ("_min", "_max", "_missing")
    quasi = {name + end for name in case.named("quasi") for end in ("", *ends)}
    return [name for name in frame.columns if name in quasi]


def texts(values: pl.Series) -> list[str | None]:
    """Cells as they are written; zero has no sign."""
    return [unsigned(text) for text in as_written(values.to_frame()).to_series().to_list()]


def unsigned(text: str | None) -> str | None:
    return "0.0" if text == "-0.0" else text


def assert_columns_are_kept(release: shoal.Release, rows: list[oracle.Row], case: Case) -> None:
    """Identifiers are gone, the others stand in their order, and types stay where the form promises it."""
    names = list(rows[0])
    quasi, as_they_are = case.named("quasi"), case.named("sensitive") + case.named("other")
    if release.choice.form == "centers":
        whole = [
            name for name in names if name != "radius" and name.removesuffix("_missing") not in {*quasi} - {name}
        ]
        assert whole == [*quasi, "people", *as_they_are]
        return
    whole = [name.removesuffix("_min") for name in names if not name.endswith(("_max", "_missing"))]
    assert whole == [name for name in case.frame.columns if name != "name"]
    if case.source != "polars":  # others have types of their own
        return
    before, after = case.frame.schema, release.published.frame.schema
    for name in as_they_are:
        assert after[name] == before[name]
    if release.choice.form == "aggregate":
        assert [after[name] for name in quasi] == [before[name] for name in quasi]


def assert_cells_are_true_of_every_member(release: shoal.Release, case: Case) -> None:
    """A generalized cell may say little, but nothing false."""
    if release.choice.form not in ("generalize", "suppress") or case.source == "pandas":  # which has types of its own
        return
    frame = release.published.frame
    original = case.frame[release.order[release.published.rows]]
    for name in case.named("quasi"):
        values = original[name].to_list()
        if case.source == "csv":  # where decimals are read as floats
            values = [float(value) if isinstance(value, Decimal) else value for value in values]
        shown = texts(original[name])
        if name not in frame.columns:
            low, high = frame[f"{name}_min"].to_list(), frame[f"{name}_max"].to_list()
            told = [False] * len(values)
            if f"{name}_missing" in frame.columns:
                told = frame[f"{name}_missing"].to_list()
            cells = zip(values, low, high, told, strict=True)
            assert all(missing if v is None else a is not None and a <= v <= b for v, a, b, missing in cells)
            continue
        legend = dict(release.published.legends.get(name, ()))
        assert bool(legend) == ("classes" in case.columns[name])
        for value, text, cell in zip(values, shown, frame[name].to_list(), strict=True):
            if legend and cell != "*":
                classes = [cell] if cell in legend else oracle.parse_labels(cell)
                assert sum(text in legend[one] for one in classes) == 1, (name, value, cell)
            else:
                assert oracle.may_stand_for(cell, value, text), (name, value, cell)


def assert_nobody_can(case: Case) -> None:
    """The whole table as one group misses what was asked, so no grouping of all its rows meets it."""
    columns = {name: column for name, column in case.columns.items() if column["role"] != "quasi"}
    rows = case.frame.to_dicts()
    if case.named("person"):
        numbers = {who: number for number, who in enumerate(dict.fromkeys(case.frame["who"].to_list()), start=1)}
        rows = [row | {"who": numbers[row["who"]]} for row in rows]
    rows = [
        {name: value or 0.0 if isinstance(value, float) else value for name, value in row.items()} for row in rows
    ]
    with pytest.raises(AssertionError):
        oracle.check(rows, case.settings | {"columns": columns}, "generalize")
