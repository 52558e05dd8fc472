"""Histories: who is in them, what they refuse, and that they are private."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError, ShoalError
from shoal.sequence import read_history
from tests.sequence.tables import ROLES, held, months, seen

ASKED: dict[str, Any] = {"k": 3, "l": 2, "link": "patient", "keep": "values", "max_suppressed": 0.5, **ROLES}
TOGETHER: dict[str, Any] = ASKED | {"keep": "groups", "reserve": 20}


@pytest.fixture(scope="module")
def tables() -> list[pl.DataFrame]:
    return list(months(80, 3, seed=21, leaving=0.05))


@pytest.fixture(scope="module")
def written(tables: list[pl.DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sequence")
    shoal.anonymize(tables[0], **ASKED).write(folder / "first")
    return folder / "first.private"


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "copy.private"))


def refused(table: pl.DataFrame, after: Any, **changes: Any) -> str:
    with pytest.raises(ShoalError) as told:
        shoal.anonymize(table, after=after, **ASKED | changes)
    assert "\n" not in told.value.message
    assert told.value.hint
    return told.value.message


def test_a_folder_is_followed_as_its_release_is(tables: list[pl.DataFrame], written: Path, tmp_path: Path) -> None:
    second = shoal.anonymize(tables[1], after=written, **ASKED).write(tmp_path / "second")
    third = shoal.anonymize(tables[2], after=tmp_path / "second.private", **ASKED)
    assert (second.history.number, third.history.number) == (2, 3)
    assert shoal.verify(tmp_path / "second").holds
    assert read_history(tmp_path / "second.private").people.equals(second.history.people)


def test_the_folder_holds_no_value_of_the_link_and_nobody_else_may_read_it(
    tables: list[pl.DataFrame], written: Path
) -> None:
    files = [written / "history.json", written / "history.parquet"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (written, *files))
    stored = b"".join(path.read_bytes() for path in files)
    assert not [person for person in tables[0]["patient"] if person.encode() in stored and len(person) > 2]
    listed = json.loads((written / "certificate.json").read_text())["files"]
    assert {"history.json", "history.parquet"} <= listed.keys()
    public = written.with_name("first")
    assert "history" not in (public / "certificate.json").read_text()


def test_a_history_is_not_printed(written: Path) -> None:
    history = read_history(written)
    assert history.key.hex() not in repr(history)
    assert history.key.hex() in (written / "history.json").read_text()


def test_without_a_history_nothing_is_followed(tables: list[pl.DataFrame], written: Path, tmp_path: Path) -> None:
    assert "holds no history" in refused(tables[1], tmp_path)
    with pytest.raises(ParameterError, match="holds no history") as told:
        shoal.anonymize(tables[1], after=written.with_name("first"), **ASKED)
    assert "first.private" in str(told.value.hint)


@pytest.mark.parametrize("file", ["history.json", "history.parquet"])
@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_a_damaged_history_is_refused(tables: list[pl.DataFrame], copy: Path, file: str, damage: str) -> None:
    whole = (copy / file).read_bytes()
    middle = whole.index(b'"k": 3') + 5 if file == "history.json" else len(whole) // 2
    changed = whole[:middle] + (b"2" if whole[middle : middle + 1] != b"2" else b"3") + whole[middle + 1 :]
    (copy / file).write_bytes({"cut": whole[: len(whole) // 2], "changed": changed, "empty": b""}[damage])
    assert "damaged or was changed" in refused(tables[1], copy)


def test_half_a_history_is_refused(tables: list[pl.DataFrame], copy: Path) -> None:
    (copy / "history.parquet").unlink()
    assert "cannot be read" in refused(tables[1], copy)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"k": 2}, "another k: it was 3, and 2 is required now"),
        ({"k": 4}, "another k"),
        ({"l": 3}, "another l"),
        ({"keep": "groups"}, "another keep"),
        ({"link": "name", "identifier": ["patient", "name"]}, "another link"),
    ],
)
def test_a_promise_must_stay_the_same(
    tables: list[pl.DataFrame], written: Path, changes: dict[str, Any], what: str
) -> None:
    table = tables[1].with_columns(name=pl.col("patient")) if "link" in changes else tables[1]
    assert what in refused(table, written, **changes)


def test_a_release_follows_only_by_a_link(tables: list[pl.DataFrame], written: Path) -> None:
    assert "names the column that identifies people" in refused(tables[1], written, link=None, keep=None)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (pl.lit("one"), "share a value of patient"),
        (pl.when(pl.col("age") > 30).then(pl.col("patient")), "have no value in patient"),
        (pl.format("x{}", "patient"), "none of the 80 people of the latest release"),
    ],
)
def test_people_must_be_known_again(tables: list[pl.DataFrame], written: Path, change: pl.Expr, what: str) -> None:
    assert what in refused(tables[1].with_columns(change.alias("patient")), written)


def test_numbers_are_the_same_people_as_text_and_with_a_point(tables: list[pl.DataFrame]) -> None:
    numbers = [table.with_columns(pl.col("patient").str.slice(1).cast(pl.Int64)) for table in tables]
    first = shoal.anonymize(numbers[0], **ASKED)
    for kind in (pl.String, pl.Float64, pl.Int32):
        again = shoal.anonymize(numbers[0].with_columns(pl.col("patient").cast(kind)), after=first.history, **ASKED)
        assert again.history.people.height == 80


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (ASKED | {"l": None}, "no distinct l"),
        (ASKED | {"t": 0.5}, "or has a t"),
        (
            ASKED | {"other": ["zip"], "quasi": ["age"], "publication": "generalize"},
            "2 columns are published",
        ),
        (ASKED | {"publication": "aggregate", "method": "mdav"}, "means of two of them"),
        (TOGETHER | {"publication": "centers"}, 'publication="centers" does not support'),
        (TOGETHER | {"method": "full-domain"}, 'method="full-domain" does not support'),
        (TOGETHER | {"counterfeits": True}, "counterfeits belong to"),
        (ASKED | {"reserve": 3}, "reserve and departures belong to"),
        (ASKED | {"link": "age"}, "must be a column with the role identifier or person"),
        (ASKED | {"identifier": [], "person": "patient", "link": "zip"}, "must be a column with the role"),
    ],
)
def test_what_cannot_be_followed_is_said(tables: list[pl.DataFrame], asked: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        shoal.anonymize(tables[0], **asked)


def test_rows_that_must_go_are_counted(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **TOGETHER)
    with pytest.raises(InfeasibleError, match="of people whose groups have become too small") as told:
        shoal.anonymize(tables[1], after=first.history, **TOGETHER | {"max_suppressed": 0.0})
    assert "max_suppressed=" in str(told.value.hint)
    assert "(reserve)" in str(told.value.hint)


def test_who_was_absent_does_not_come_back_to_a_group(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **TOGETHER)
    absent = tables[0]["patient"][:4].to_list()
    second = shoal.anonymize(tables[0].filter(~pl.col("patient").is_in(absent)), after=first.history, **TOGETHER)
    third = shoal.anonymize(tables[0], after=second.history, **TOGETHER)
    assert not set(absent) & set(seen(third, tables[0]))
    with pytest.raises(InfeasibleError, match="absent from a release and cannot come back"):
        shoal.anonymize(tables[0], after=second.history, **TOGETHER | {"max_suppressed": 0.01})


def test_who_was_absent_comes_back_to_the_same_values(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **ASKED)
    absent = tables[0]["patient"][:4].to_list()
    second = shoal.anonymize(tables[0].filter(~pl.col("patient").is_in(absent)), after=first.history, **ASKED)
    third = shoal.anonymize(tables[0], after=second.history, **ASKED)
    before, after = seen(first, tables[0]), seen(third, tables[0])
    for person in set(absent) & set(after):
        assert set(held(first)[before[person]]) == set(held(third)[after[person]])
    assert set(absent) & set(after)


def test_a_value_outside_the_signature_is_left_out_and_one_inside_is_shown(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **ASKED)
    table = tables[0]
    changed = table["patient"][0]
    outside = table.with_columns(
        pl.when(pl.col("patient") == changed).then(pl.lit("rabies")).otherwise(pl.col("diagnosis")).alias("diagnosis")
    )
    release = shoal.anonymize(outside, after=first.history, **ASKED)
    assert changed not in seen(release, outside)
    assert "rabies" not in release.table["diagnosis"]
    with pytest.raises(InfeasibleError, match="no longer one of those in their earlier group"):
        shoal.anonymize(outside, after=first.history, **ASKED | {"max_suppressed": 0.0})


def test_a_missing_value_hides_nobody(tables: list[pl.DataFrame]) -> None:
    table = tables[0].with_columns(pl.when(pl.col("age") > 25).then(pl.col("diagnosis")).alias("diagnosis"))
    release = shoal.anonymize(table, **ASKED)
    assert release.table["diagnosis"].null_count() == 0


def test_quasi_identifiers_may_change(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **TOGETHER)
    older = tables[0].with_columns(pl.col("age") + 1, pl.col("zip").reverse().alias("zip"))
    release = shoal.anonymize(older, after=first.history, **TOGETHER)
    before, after = seen(first, tables[0]), seen(release, older)
    assert set(before) == set(after)
    for person in before:
        assert {one for one in before if before[one] == before[person]} <= {
            one for one in after if after[one] == after[person]
        }


def test_a_person_is_a_link_and_made_up_people_are_others(tables: list[pl.DataFrame]) -> None:
    asked = ASKED | {"identifier": [], "person": "patient", "counterfeits": True}
    first = shoal.anonymize(tables[0], **asked)
    rare = tables[0].group_by("diagnosis").len().sort("len")["diagnosis"][0]
    left = tables[0].filter(pl.col("diagnosis") != rare)
    release = shoal.anonymize(left, after=first.history, **asked)
    assert rare in release.table["diagnosis"]  # nobody has it any more, and that does not show
    assert release.certificate.counterfeits > 0
    assert f'"counterfeits": {release.certificate.counterfeits}' in release.certificate.to_public_json()
    assert release.findings.k >= 3
    assert release.mapping().height == left.height
    assert shoal.Certificate.from_json(release.certificate.to_public_json()).counterfeits > 0


def test_other_secrets_give_other_rows_and_the_same_secret_the_same_release(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **ASKED)
    again = [
        shoal.anonymize(tables[1], after=first.history, secret=first.secret, **ASKED | {"counterfeits": True})
        for _ in range(2)
    ]
    assert again[0].table.equals(again[1].table)


def test_text_that_is_no_path_is_not_shown(tables: list[pl.DataFrame]) -> None:
    assert "a text, not the path" in refused(tables[1], "anna\nberta")


def test_nobody_left_is_said(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **TOGETHER | {"reserve": 0})
    one_of_each = {group: person for person, group in seen(first, tables[0]).items()}
    rest = tables[0].filter(pl.col("patient").is_in(list(one_of_each.values())))
    with pytest.raises(InfeasibleError, match="no row of this table can be published"):
        shoal.anonymize(rest, after=first.history, **TOGETHER | {"reserve": 0})


def test_a_plan_of_a_sequence_makes_a_release_outside_of_it_and_says_so(tables: list[pl.DataFrame]) -> None:
    first = shoal.anonymize(tables[0], **TOGETHER)
    release = shoal.apply(first.plan, tables[1], max_suppressed=0.9)
    assert release.history is None
    assert release.policy.sequence is None
    assert "not part of it" in " ".join(release.certificate.notes)
