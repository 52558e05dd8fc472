"""What is said of columns before a release: spellings that count apart, values that tell rows apart."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.policy import Policy
from shoal.roles import remarks


def notes(values: list[str | None], **column: object) -> tuple[str, ...]:
    asked = Policy.parse({"columns": {"q": {"role": "quasi"}, "d": column}})
    return remarks(pl.DataFrame({"q": range(len(values)), "d": values}), asked)


@pytest.mark.parametrize("pair", [("HIV", "hiv"), ("HIV", "HIV "), ("é", "e\u0301")])
def test_sensitive_values_that_read_alike_are_noted_where_l_or_t_counts_them(pair: tuple[str, str | None]) -> None:
    for asked in ({"diversity": {"l": 2}}, {"closeness": {"t": 0.5}}):
        (note,) = notes([*pair, "flu"], role="sensitive", **asked)
        assert "column 'd': 1 of 3 values differ" in note
        assert "HIV" not in note
    assert not notes([*pair, "flu"], role="sensitive")
    for missing in ([None], ["", None], [" ", ""]):  # blank texts count as missing
        assert not notes(["flu", "cold", *missing], role="sensitive", diversity={"l": 2})


def test_people_that_read_alike_are_noted() -> None:
    (note,) = notes(["P1", "p1", "P1 ", "P2"], role="person")
    assert "2 of 4 people differ" in note
    (note,) = notes(["P1", "", None, "P2"], role="person")
    assert "1 of 4 people differ" in note


def test_the_note_stands_in_the_private_certificate_and_in_the_report() -> None:
    table = pl.DataFrame({"age": [1, 1, 2, 2], "d": ["HIV", "hiv", "flu", "cold"]})
    release = shoal.anonymize(table, k=2, l=2, quasi=["age"], sensitive=["d"])
    assert any("1 of 4 values differ" in note for note in release.certificate.notes)
    assert "1 of 4 values differ" in release.to_html()
    assert "differ" not in release.certificate.to_public_json()


def test_a_column_that_is_published_as_it_is_and_tells_rows_apart_is_noted() -> None:
    (note,) = notes(["17", "18", "19", "20", "20"], role="other")
    assert "column 'd' is published as it is, and 3 of 5 rows" in note
    assert "17" not in note
    assert not notes(["a", "b", "c", "c", "c"], role="other")
    assert not notes(["17", "18", "19", "20", "20"], role="sensitive")


def test_numbers_that_a_few_cells_turn_into_labels_are_noted() -> None:
    def said(*ages: str | None, kind: str = "label") -> tuple[str, ...]:
        asked = Policy.parse({"columns": {"age": {"role": "quasi", "kind": kind}}})
        return remarks(pl.DataFrame({"age": ages}), asked)

    (note,) = said("20", "31,5", "42", "unknown", None)
    assert "column 'age' is taken as labels: 3 of its 4 cells are numbers" in note
    assert "unknown" not in note
    assert not said("f", "m", "3")
    assert not said("01", "02", "03")  # codes
    assert not said("20", "21", kind="number")
