"""Generated tables and policies, all the way through anonymize, write and verify, counted again by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import event, given

import shoal
from shoal.errors import InfeasibleError
from shoal.tables.text import as_written
from tests.api import oracle
from tests.api.cases import Case, cases


def released(case: Case, folder: Path) -> tuple[shoal.Release, Path] | None:
    """The release of a case, written; None where the policy cannot be met by anybody."""
    try:
        release = shoal.anonymize(case.as_source(folder), case.settings)
    except InfeasibleError as refused:
        event(f"infeasible: {refused.message.split('=')[0]}")
        return None
    release.write(folder / "out", format=case.format)
    file = next((folder / "out").glob("release.*"))
    event(f"{release.partition.method}, {release.choice.form}, {release.partition.n_groups} groups")
    return release, file


@given(case=cases())
def test_what_was_asked_holds_when_counted_by_hand(case: Case) -> None:
    with TemporaryDirectory() as name:
        made = released(case, Path(name))
        if made is None:
            assert_nobody_can(case)
            return
        release, file = made
        rows = oracle.read_rows(file)
        groups = oracle.check(rows, case.settings, release.choice.form)
        assert_verified(release, file, case, groups)
        assert_all_rows_are_accounted_for(release, rows, case)
        assert_columns_are_kept(release, rows, case)


def assert_verified(release: shoal.Release, file: Path, case: Case, groups: list[oracle.Group]) -> None:
    """By the certificate beside the file, and by the policy alone, with the same numbers."""
    by_certificate = shoal.verify(file)
    (file.parent / "certificate.json").unlink()
    by_policy = shoal.verify(file, file.parent.with_name("out.private") / "policy.toml")
    for found in (by_certificate, by_policy, shoal.verify(release.table, release.policy)):
        assert found.holds, found
        assert found.k == min(group.people for group in groups)
        assert found.groups == len(groups)


def assert_all_rows_are_accounted_for(release: shoal.Release, rows: list[oracle.Row], case: Case) -> None:
    suppressed = release.certificate.suppressed
    assert suppressed <= case.settings["max_suppressed"] * case.frame.height
    groups = release.mapping()["group"].to_list()
    assert groups.count(-1) == suppressed
    kept = case.frame.filter(pl.Series(groups) >= 0)
    person = next(iter(case.named("person")), None)
    if release.choice.form != "centers":
        assert len(rows) == kept.height == case.frame.height - suppressed
        # within a published combination, the numbers are people: one to one
        pairs = {(place, who) for place, who in people_behind(release, case)}
        assert len(pairs) == len({place for place, _ in pairs}) == len({who for _, who in pairs})
    else:
        assert len(rows) == len(set(groups) - {-1})
        for name in case.named("sensitive") + case.named("other"):
            published: Counter[str | None] = Counter()
            for row in rows:
                published += oracle.parse_multiset(row[name])
            members = kept.with_columns(pl.Series("", [g for g in groups if g >= 0]))
            if person:
                members = members.unique(["", person, name])
            assert published == Counter(texts(members[name]))
        return
    for name in case.named("sensitive") + case.named("other"):
        assert Counter(texts(kept[name])) == Counter(texts(pl.Series(name, [row[name] for row in rows])))


def people_behind(release: shoal.Release, case: Case) -> list[tuple[Any, Any]]:
    """(class and published number, class and true person) of every released row."""
    person = next(iter(case.named("person")), None)
    if person is None:
        return []
    frame = release.published.frame
    quasi = [name for name in frame.columns if name.removesuffix("_min").removesuffix("_max") in case.named("quasi")]
    truth = case.frame[person].to_list()
    behind = [truth[row] for row in release.order[release.published.rows].tolist()]
    classes, numbers = frame.select(quasi).rows(), frame[person].to_list()
    return [((c, n), (c, who)) for c, n, who in zip(classes, numbers, behind, strict=True)]


def texts(values: pl.Series) -> list[str | None]:
    """Cells as they are written; a number keeps no sign of zero."""
    written = as_written(values.to_frame()).to_series().to_list()
    return ["0.0" if text == "-0.0" else text for text in written]


def assert_columns_are_kept(release: shoal.Release, rows: list[oracle.Row], case: Case) -> None:
    """Identifiers are gone, the others stand in their order, and types stay where the form promises it."""
    names = list(rows[0])
    assert not set(case.named("identifier")) & set(names)
    if release.choice.form == "centers":
        expected = [*case.named("quasi"), "people", *case.named("sensitive"), *case.named("other")]
        assert [name for name in names if name != "radius"] == sorted(expected, key=names.index)
        assert names[: len(case.named("quasi"))] == case.named("quasi")
        return
    whole = [name.removesuffix("_min") for name in names if not name.endswith("_max")]
    assert whole == [name for name in case.frame.columns if name not in case.named("identifier")]
    frame = release.published.frame
    if case.source not in ("csv", "pandas"):
        for name in case.named("sensitive") + case.named("other"):
            assert frame.schema[name] == case.frame.schema[name]
    if release.choice.form == "aggregate" and case.source not in ("csv", "pandas"):
        for name in case.named("quasi"):
            averaged = frame.schema[name] == pl.Float64 and case.frame.schema[name].is_integer()
            assert frame.schema[name] == case.frame.schema[name] or averaged


def assert_nobody_can(case: Case) -> None:
    """The whole table as one group misses what was asked, so no grouping of all its rows meets it."""
    columns = {name: dict(column) for name, column in case.columns.items() if column["role"] != "quasi"}
    numbers = (
        {who: number for number, who in enumerate(dict.fromkeys(case.frame["who"].to_list()), start=1)}
        if ("who" in columns)
        else {}
    )
    rows = [row | ({"who": numbers[row["who"]]} if numbers else {}) for row in case.frame.to_dicts()]
    rows = [{name: plain(value) for name, value in row.items()} for row in rows]
    with pytest.raises(AssertionError):
        oracle.check(rows, case.settings | {"columns": columns}, "generalize")


def plain(value: Any) -> Any:
    return 0.0 if value == 0.0 and isinstance(value, float) else value
