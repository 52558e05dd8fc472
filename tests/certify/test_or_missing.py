"""Cells that say "or missing" are read by the verifier's own code; what says it twice, or of nothing, is refused."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.certify.or_missing import check_or_missing
from shoal.policy import Policy

ASKED = {"k": 2, "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}}}


def failures(*cells: str | None) -> list[str]:
    frame = pl.DataFrame({"q": pl.Series([*cells, *cells], dtype=pl.String), "s": ["u", "v"] * len(cells)})
    return [failure.check for failure in shoal.verify(frame, ASKED, form="generalize").failures]


@pytest.mark.parametrize(
    "cell",
    [
        "30 or missing",
        "-1.5e3 or missing",
        "1999-12-31 or missing",
        "[30, 33] or missing",
        "[2,5, 3,5] or missing",
        "[2024-01-01, 2024-12-31] or missing",
        "[low, high] or missing",
        "[30, 40) or missing",
        "{a} or missing",
        '{a, "null", "{x} or missing"} or missing',
        "02*** or missing",
        "x or missing or missing",  # a label that reads so, for all that a stranger knows
        "or missing",
        None,
    ],
)
def test_what_is_published_so_is_read(cell: str | None) -> None:
    assert failures(cell) == []


@pytest.mark.parametrize(
    "cell",
    [
        "[30, 33] or missing or missing",
        "30 or missing or missing",
        "1999-12-31 or missing or missing",
        "{a, b} or missing or missing",
        "* or missing",
        " or missing",
        "[33, 30] or missing",
        "[9, 10] or missing or missing or missing",
        "[2024-12-31, 2024-01-01] or missing",
        "{a, null} or missing",
        "{null} or missing",
    ],
)
def test_a_forged_cell_is_refused(cell: str) -> None:
    assert failures("[1, 2]", cell) == ["missing"]


def test_ranges_in_two_columns_say_in_a_third_whether_values_are_missing() -> None:
    asked = Policy.parse(ASKED | {"ranges": "columns"})

    def found(low: str | None, high: str | None, missing: str | None) -> bool:
        row = {"q_min": low, "q_max": high, "q_missing": missing}
        frame = pl.DataFrame([row, row], schema=dict.fromkeys(row, pl.String))
        failures = check_or_missing(frame, asked)
        assert [failure.records for failure in failures] in ([], [2])
        return bool(failures)

    for sound in (("1", "2", "true"), ("1", "2", "false"), (None, None, "true")):
        assert not found(*sound)
    for forged in (
        ("1", None, "true"),
        (None, "2", "true"),
        (None, None, "false"),
        ("1", "2", None),
        ("1", "2", "yes"),
    ):
        assert found(*forged)


def test_the_third_column_counts_for_the_classes_and_is_allowed_only_beside_the_ends() -> None:
    frame = pl.DataFrame(
        {"q_min": ["1"] * 4, "q_max": ["2"] * 4, "q_missing": ["true", "true", "true", "false"], "s": list("uvuv")}
    )
    found = shoal.verify(frame, ASKED | {"ranges": "columns"}, form="generalize")
    assert (found.k, found.holds) == (1, False)
    alone = shoal.verify(frame.drop("q_min"), ASKED | {"ranges": "columns"}, form="generalize")
    assert {failure.column for failure in alone.failures if failure.check == "columns"} >= {"q", "q_missing"}


def test_rounded_ends_and_classes_are_read_with_or_missing(tmp_path) -> None:
    rounded = ASKED | {
        "columns": {"q": {"role": "quasi", "kind": "number", "round_ranges": 5}, "s": {"role": "other"}}
    }
    for cell, holds in (("[30, 35] or missing", True), ("[30, 33] or missing", False), ("30 or missing", True)):
        frame = pl.DataFrame({"q": [cell] * 2, "s": ["u", "v"]})
        assert shoal.verify(frame, rounded, form="generalize").holds == holds
    table = pl.DataFrame({"q": ["a", "b", "c", "d", None, None, None, "e"] * 3, "s": ["u", "v"] * 12})
    columns = {"q": {"role": "quasi", "kind": "label", "classes": "k"}, "s": {"role": "other"}}
    release = shoal.anonymize(table, {"k": 4, "columns": columns, "method": "mondrian"})
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds


@pytest.mark.parametrize(("mean", "count", "sound"), [
    ("3.5", "0", True), ("3.5", "2", True), (None, "2", True), (None, "0", False), ("3.5", "-1", False),
    ("3.5", "1.0", False), ("3.5", "01", False), ("3.5", None, False), ("3.5", "true", False),
])  # fmt: skip
def test_numbers_of_missing_values_beside_means_are_read(mean: str | None, count: str | None, sound: bool) -> None:
    row = {"q": mean, "q_missing": count, "s": "u"}
    frame = pl.DataFrame([row, row], schema=dict.fromkeys(row, pl.String))
    found = shoal.verify(frame, ASKED | {"publication": "aggregate"})
    assert found.holds == sound
    assert [failure.check for failure in found.failures] == ([] if sound else ["missing"])
    other = shoal.verify(frame.with_columns(q_missing=pl.Series(["0", "1"])), ASKED | {"publication": "aggregate"})
    assert other.k == 1  # to a reader, these are two classes
