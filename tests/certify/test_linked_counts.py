"""What the verifier counts in linked tables, on tables small enough to be counted by hand, and how it tells it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from shoal.certify.linked.counting import LinkedFindings, inspect_tables
from shoal.policy.linked import LinkedPolicy

WHO = [f"{number:020x}" for number in range(9)]
ILL: dict[str, Any] = {"role": "sensitive", "diversity": {"l": 2}}


def inspected(visits: dict[str, list[Any]], people: str = "aabb", k: int = 2, **ill: Any) -> LinkedFindings:
    """A table of people, whose ages are the letters of `people`, and one of their visits: who, day and illness."""
    person = {"who": {"role": "person"}}
    columns = {
        "people": {"columns": person | {"age": {"role": "quasi"}}},
        "visits": {"columns": person | {"day": {"role": "quasi"}, "ill": ILL | ill}},
    }
    policy = LinkedPolicy.parse({"k": k, "tables": columns})
    frames = {
        "people": pl.DataFrame({"who": WHO[: len(people)], "age": list(people)}, schema={"who": str, "age": str}),
        "visits": pl.DataFrame(visits, schema=dict.fromkeys(visits, pl.String)),
    }
    return inspect_tables(frames, policy.tables)


def visits(whose: str, days: str, ills: str) -> dict[str, list[Any]]:
    return {"who": [WHO[int(number)] for number in whose], "day": list(days), "ill": list(ills)}


def told(found: LinkedFindings) -> list[tuple[Any, ...]]:
    return [(one.check, one.column, one.groups, one.records) for one in found.failures]


SOUND = visits("00110123", "xyxyxxzz", "fgffgggf")


def test_people_with_the_same_cells_as_often_in_every_table_are_one_class() -> None:
    found = inspected(SOUND)
    assert (found.holds, found.people, found.classes, found.k, found.signature) == (True, 4, 2, 2, None)
    assert [(one.criterion, one.table, one.column, one.of, one.kind, one.claimed, one.measured, one.holds)
            for one in found.claims] == [
        ("linked-anonymity", None, None, "people", None, 2, 2, True),
        ("l-diversity", "visits", "ill", "people", "distinct", 2, 2, True),
        ("l-diversity", "visits", "ill", "rows", "distinct", 2, 2, True),
    ]  # fmt: skip
    assert list(found.tables) == ["people", "visits"]
    assert (found.tables["people"].rows, found.tables["visits"].rows) == (4, 8)


@pytest.mark.parametrize(
    ("whose", "days"),
    [
        ("0011012", "xyxyxxz"),  # one has no visit at all
        ("0011023", "xyxyxzz"),  # one has a visit less
        ("00110123", "xyxyxxzy"),
    ],
)
def test_a_person_whose_profile_nobody_shares_is_refused_over_all_tables(whose: str, days: str) -> None:
    found = inspected(visits(whose, days, "fg" * 3 + "fg"[: len(whose) - 6]), diversity={"l": 1})
    over = [one for one in found.failures if one.message.startswith("over all tables")]
    assert [(one.check, one.column, one.groups, one.records) for one in over] == [("k-anonymity", None, 2, 2)]
    assert over[0].message == "over all tables, 2 of 3 classes of people (2 people) miss 2; the smallest has 1"
    assert (found.classes, found.k, found.claims[0].holds, found.claims[0].measured) == (3, 1, False, 1)


def test_all_classes_below_k_and_no_others_are_counted() -> None:
    whose = visits("01234", "xxxxx", "fgfgf")
    found = inspected(whose, "aaabb", k=3)
    assert (found.k, found.claims[0].claimed) == (2, 3)
    assert ("k-anonymity", None, 1, 2) in told(found)


def test_tables_without_rows_have_no_people_and_are_refused() -> None:
    found = inspected(visits("", "", ""), "")
    assert (found.people, found.classes, found.k) == (0, 0, 0)
    assert [(one.check, one.message) for one in found.failures][:2] == [
        ("file", "table people: the release has no rows"), ("file", "table visits: the release has no rows"),
    ]  # fmt: skip
    assert not found.claims[0].holds


def test_a_class_of_people_with_one_value_is_refused_for_all_their_rows_and_for_equal_ones() -> None:
    found = inspected(SOUND | {"ill": list("fgffggff")})
    words = "l-diversity of ill: 1 of"
    assert [one.message.split(words)[0] for one in found.failures] == [
        "table visits: ",
        "table visits, l-diversity (distinct) of visits.ill in all rows of people alike in all tables: ",
        "table visits, l-diversity (distinct) of visits.ill in their rows with equal cells: ",
    ]
    assert told(found) == [("l-diversity", "ill", 1, 2)] * 3
    assert [one.holds for one in found.claims] == [True, False, False]


def test_rows_with_equal_cells_are_diverse_by_themselves() -> None:
    """Together their visits have two illnesses, but all on day y have one."""
    found = inspected(SOUND | {"ill": list("fgfggfgf")})
    assert [(one.of, one.holds, one.measured) for one in found.claims[1:]] == [
        ("people", True, 2),
        ("rows", False, 1),
    ]


@pytest.mark.parametrize("who", ["Jane Doe", None, WHO[0].upper() + "0", "1"])
def test_anything_but_a_pseudonym_is_refused_with_the_table_and_the_number_of_rows(who: str | None) -> None:
    table = SOUND | {"who": [*SOUND["who"][:-1], who]}
    odd = [one for one in inspected(table).failures if "pseudonyms" in one.message]
    words = "table visits: column who does not hold pseudonyms in 1 rows"
    assert [(one.check, one.column, one.message, one.records) for one in odd] == [("person", "who", words, 1)]


def test_a_failure_of_one_table_is_told_with_its_name_and_counts() -> None:
    found = inspected(SOUND | {"name": ["Jane"] * 8})
    words = "table visits: column name is in the release, but the policy gives it no place there"
    assert [(one.check, one.column, one.message, one.records) for one in found.failures] == [
        ("columns", "name", words, 8)
    ]


def test_without_a_column_of_people_nothing_is_counted_over_all_tables() -> None:
    found = inspected({name: cells for name, cells in SOUND.items() if name != "who"})
    assert (found.people, found.classes, found.k, found.claims) == (0, 0, 0, ())
    assert list(found.tables) == ["people", "visits"]
    assert ("columns", "who", 0, 8) in told(found)
    assert all(one.message.startswith("table visits: ") for one in found.failures)


def test_cells_that_are_no_values_are_told_of_their_table_alone() -> None:
    found = inspected(SOUND, closeness={"t": 0.5, "distance": "ordered"})
    assert [one.check for one in found.failures] == ["columns"]
    assert [one.criterion for one in found.claims] == ["linked-anonymity"]


def test_what_was_found_is_told_in_words_and_as_plain_values() -> None:
    found = inspected(SOUND)
    lines = [
        "4 people in 2 classes over people, visits",
        "holds: k-anonymity of people over all tables: asked 2, found 2",
        "holds: l-diversity (distinct) of visits.ill in all rows of people alike in all tables: asked 2, found 2",
        "holds: l-diversity (distinct) of visits.ill in their rows with equal cells: asked 2, found 2",
    ]
    assert str(found).splitlines() == lines
    assert str(replace(found, signature="valid")).splitlines() == [*lines, "signature: valid"]
    assert "4 people in 2 classes over 2 tables, every claim holds" in repr(found)
    assert found.to_dict()["holds"] is True
    assert found.to_dict()["k"] == 2
    broken = inspected(SOUND, k=3)
    assert "4 people in 2 classes over 2 tables, 3 checks FAIL" in repr(broken)
    said = str(broken).splitlines()
    assert said[1] == "FAILS: k-anonymity of people over all tables: asked 3, found 2"
    assert said[-1] == f"FAILS: {broken.failures[-1].message}"
    assert len(said) == 1 + len(broken.claims) + len(broken.failures)
    assert broken.to_dict()["holds"] is False


def test_rows_with_equal_cells_are_those_of_people_alike_in_all_tables() -> None:
    """All four have a visit on day 1: two are a and ill with u alone, two are b and ill with v."""
    found = inspected(visits("0123", "1111", "uuvv"))
    assert [(claim.of, claim.measured) for claim in found.claims] == [("people", 2), ("people", 1), ("rows", 1)]
    assert [(claim.of, claim.holds) for claim in found.claims] == [
        ("people", True),
        ("people", False),
        ("rows", False),
    ]


def test_the_people_of_a_class_count_once_where_they_share_a_value() -> None:
    """Person 0 has three visits for u, person 1 one for u and one for v: of two people, two have u and one has v."""
    table = visits("000111", "111111", "uuuuuv")
    found = inspected(table, people="aa", diversity={"l": 1, "kind": "frequency"})
    assert [claim.measured for claim in found.claims] == [2, 1, 1]
    swapped = inspected(visits("0011", "1111", "uvuv"), people="aa", diversity={"l": 1, "kind": "frequency"})
    assert [claim.measured for claim in swapped.claims] == [2, 1, 1]


def test_cells_that_are_no_values_do_not_hide_the_next_column() -> None:
    person = {"who": {"role": "person"}}
    numbers = {"role": "sensitive", "closeness": {"t": 0.5, "distance": "ordered"}}
    columns = person | {"day": {"role": "quasi"}, "sum": numbers, "ill": ILL}
    policy = LinkedPolicy.parse(
        {"k": 2, "tables": {"a": {"columns": person | {"age": {"role": "quasi"}}}, "b": {"columns": columns}}}
    )
    frames = {
        "a": pl.DataFrame({"who": WHO[:2], "age": ["1", "1"]}),
        "b": pl.DataFrame({"who": WHO[:2], "day": ["1", "1"], "sum": ["x", "2"], "ill": ["u", "v"]}),
    }
    found = inspect_tables(frames, policy.tables)
    assert [(claim.column, claim.criterion) for claim in found.claims] == [
        (None, "linked-anonymity"),
        ("ill", "l-diversity"),
        ("ill", "l-diversity"),
    ]
    assert [one.message for one in found.failures] == ["table b: column sum has 1 values that are not a number"]
    assert [one.form for one in found.tables.values()] == ["generalize", "generalize"]
    assert repr(found) == "LinkedFindings(2 people in 1 classes over 2 tables, 1 checks FAIL)"


def test_a_table_without_rows_and_one_without_people_are_told_by_themselves() -> None:
    nothing = inspected({"who": [], "day": [], "ill": []})
    assert [one.message for one in nothing.failures][:1] == ["table visits: the release has no rows"]
    nobody = inspected({"day": ["1"], "ill": ["u"]})
    assert [(one.message, one.records) for one in nobody.failures][:1] == [
        ("table visits: column who is not in the release", 1)
    ]
    assert nobody.people == 0
    assert nobody.tables["visits"].form == "generalize"


def test_a_person_without_a_name_is_one_person_over_all_tables() -> None:
    table = visits("01", "11", "uv")
    table["who"] = [None, None]
    found = inspected(table, people="")
    assert (found.people, found.classes) == (1, 1)
    assert [one.check for one in found.failures if one.check == "person"] == ["person"] * 2
    assert [claim.measured for claim in found.claims] == [1, 2, 2]
