"""The verifier counts combinations of items by itself, and refuses releases of sets that were broken on purpose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certify.set_cells import fewest_sharing
from shoal.errors import ParameterError
from tests.oracles.item_sets import fewest_who_fit

POLICY: dict[str, Any] = {
    "k": 3,
    "m": 2,
    "columns": {"age": {"role": "quasi"}, "items": {"role": "quasi", "kind": "set"}, "note": {"role": "other"}},
}
CELLS = ["a;b"] * 3 + ["a"] * 2 + [None] + ["c;d;e"] * 3
SOUND = pl.DataFrame({"age": ["[1, 5]"] * 6 + ["[6, 9]"] * 3, "items": CELLS, "note": ["x"] * 9})


def found(table: pl.DataFrame, policy: dict[str, Any] = POLICY) -> shoal.Findings:
    return shoal.verify(table, policy, form="generalize")


def with_items(**cells: str | None) -> pl.DataFrame:
    """Return the sound table with other cells in some rows: `row_3="b"`."""
    items = list(CELLS)
    for row, cell in cells.items():
        items[int(row.removeprefix("row_"))] = cell
    return SOUND.with_columns(pl.Series("items", items))


def test_a_sound_release_of_sets_holds_with_the_fewest_who_share_a_combination() -> None:
    result = found(SOUND)
    assert result.holds
    claim = next(one for one in result.claims if one.criterion == "km-anonymity")
    assert (claim.column, claim.m, claim.claimed, claim.measured) == ("items", 2, 3, 3)
    assert "every combination of up to 2 items of items" in claim.sentence


@pytest.mark.parametrize(
    ("table", "check"),
    [
        pytest.param(with_items(row_3="a;z"), "km-anonymity", id="an item of one person"),
        pytest.param(with_items(row_2="a", row_3="b", row_4="b"), "km-anonymity", id="a pair of two people"),
        pytest.param(with_items(row_6="c;d"), "km-anonymity", id="an item is gone in one of three rows"),
        pytest.param(with_items(row_5="c"), "km-anonymity", id="shared by others, but in another class"),
        pytest.param(with_items(row_0="b;a"), "sets", id="another order"),
        pytest.param(with_items(row_0="a;a;b"), "sets", id="an item twice"),
        pytest.param(with_items(row_0="a; b"), "sets", id="a blank"),
        pytest.param(with_items(row_0="a;b;"), "sets", id="an empty item"),
        pytest.param(with_items(row_5=""), "sets", id="an empty text in the place of missing"),
        pytest.param(SOUND.drop("items"), "columns", id="without the column"),
    ],
)
def test_a_release_of_sets_that_was_broken_is_refused(table: pl.DataFrame, check: str) -> None:
    result = found(table)
    assert not result.holds
    assert check in {failure.check for failure in result.failures}
    assert "z" not in "".join(failure.message.split("items")[0] for failure in result.failures)


def test_a_triple_that_is_rare_is_found_with_m_3_only() -> None:
    cells = ["a;b", "a;c", "b;c"] * 3 + ["a;b;c"] * 2
    table = pl.DataFrame({"age": ["[1, 5]"] * 11, "items": cells, "note": ["x"] * 11})
    assert found(table).holds
    assert not found(table, POLICY | {"m": 3}).holds


def test_the_items_of_all_rows_of_a_person_are_known_together() -> None:
    columns = POLICY["columns"] | {"who": {"role": "person"}}
    rows = {
        "age": ["[1, 5]"] * 8,
        "items": ["a", "b"] * 4,
        "note": ["x"] * 8,
        "who": ["1", "1", "2", "3", "4", "5", "6", "7"],
    }
    result = found(pl.DataFrame(rows), POLICY | {"columns": columns})
    assert [failure.check for failure in result.failures] == ["km-anonymity"]  # person 1 alone has a and b


@pytest.mark.parametrize("people", [None, 5])
@pytest.mark.parametrize("most", [10_000_000, 3])
def test_the_count_is_that_of_a_brute_force_adversary(
    people: int | None, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.certify.set_cells.MOST_LISTED", most)
    chance = np.random.default_rng(4)
    for _ in range(6):
        cells = [";".join(sorted(set(chance.choice(list("abcd"), chance.integers(0, 4))))) or None for _ in range(15)]
        classes = chance.integers(0, 2, 15)
        whose = np.arange(15) if people is None else chance.integers(0, people, 15)
        for m in (1, 2, 3):
            given = None if people is None else pl.Series(whose)
            counted = fewest_sharing(pl.Series(cells, dtype=pl.String), pl.Series(classes), given, ";", m)
            for one, measure in counted.rows():
                rows = np.flatnonzero(classes == one).tolist()
                sets = [frozenset((cells[row] or "").split(";")) - {""} for row in rows]
                assert measure == fewest_who_fit(sets, [int(whose[row]) for row in rows], m)


def test_cells_that_are_not_written_as_sets_are_told_with_their_column_and_number() -> None:
    result = found(with_items(row_0="b;a", row_1="b;a", row_5=" "))
    told = [(one.check, one.column, one.message, one.records) for one in result.failures if one.check == "sets"]
    assert told == [("sets", "items", "column items: 3 cells are not sets of different items in their order", 3)]


def test_blanks_around_items_and_empty_items_make_no_other_items() -> None:
    cells = pl.Series(["a; b", "a;b;;", " ;a;b", "", None, " a;b "])
    assert fewest_sharing(cells, pl.Series([0] * 6), None, ";", 2).rows() == [(0, 4.0)]


def test_every_size_counts_from_one_item_up_to_m() -> None:
    classes = pl.Series([0] * 4)
    assert fewest_sharing(pl.Series(["a", "a", "a", "d"]), classes, None, ";", 2).rows() == [(0, 1.0)]
    assert fewest_sharing(pl.Series(["a;c", "a;c", "a;c", None]), classes, None, ";", 2).rows() == [(0, 3.0)]
    assert fewest_sharing(pl.Series([None] * 4, dtype=pl.String), classes, None, ";", 3).rows() == [(0, 4.0)]
    assert fewest_sharing(pl.Series(["a;b", "a", "b"]), pl.Series([0] * 3), None, ";", 1).rows() == [(0, 2.0)]
    alone = pl.Series(["1", "2", "3"])
    assert fewest_sharing(pl.Series(["a;b", "a", "b"]), pl.Series([0] * 3), alone, ";", 1).rows() == [(0, 2.0)]
    items = pl.Series(["a", "b"] * 3 + ["a", "c"] + ["c"] * 2)  # only the seventh and eighth row have a and c
    whose = pl.Series(["1", "1", "2", "2", "3", "3", "4", "4", "5", "6"])
    assert fewest_sharing(items, pl.Series([0] * 10), whose, ";", 2).rows() == [(0, 1.0)]
    whose = pl.Series(["1", "1", "2", "2"])
    assert fewest_sharing(pl.Series(["a;b", "c", "a;b", "a;c"]), classes, whose, ";", 2).rows() == [(0, 1.0)]
    assert fewest_sharing(pl.Series(["a;b;c", "c", "a;b;c", "c"]), classes, whose, ";", 3).rows() == [(0, 2.0)]


def released(folder: Path) -> Path:
    chance = np.random.default_rng(1)
    cells = [";".join(chance.choice(["E10", "E11", "I10", "J45"], chance.integers(0, 4))) for _ in range(60)]
    table = pl.DataFrame({"age": chance.integers(20, 60, 60), "items": cells})
    out = folder / "out"
    shoal.anonymize(table, quasi="age", set="items", k=3, m=2, publication="generalize").write(out)
    return out


def test_a_certificate_of_sets_that_was_changed_is_refused(tmp_path: Path) -> None:
    out = released(tmp_path)
    assert shoal.verify(out).holds
    path = out / "certificate.json"
    text = path.read_text(encoding="utf-8")
    sound = json.loads(text)
    claim = next(place for place, one in enumerate(sound["claims"]) if one["criterion"] == "km-anonymity")

    def refused(change: Any) -> str:
        forged = json.loads(text)
        change(forged)
        path.write_text(json.dumps(forged, sort_keys=True, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        try:
            result = shoal.verify(out)
        except ParameterError as unread:
            return str(unread)
        return "" if result.holds else result.failures[0].message

    assert refused(lambda one: None) == ""
    assert refused(lambda one: one["claims"][claim].update(m=1))
    assert refused(lambda one: one["claims"][claim].update(m=None))
    assert refused(lambda one: one["claims"][claim].update(m=4))
    assert refused(lambda one: one["claims"][claim].update(m=True))
    assert refused(lambda one: one["claims"][claim].pop("m"))
    assert refused(lambda one: one["claims"][claim].update(measured=30))
    assert refused(lambda one: one["claims"].pop(claim))
    assert sound["policy"]["m"] == 2
    assert refused(lambda one: one["policy"].pop("m"))
    assert refused(lambda one: one["policy"].update(m=1))
    assert refused(lambda one: one["policy"]["columns"]["items"].update(role="other"))
    assert refused(lambda one: one["policy"]["columns"]["items"].pop("kind"))
    assert refused(lambda one: one["policy"]["columns"]["items"].update(separator="|"))
    assert refused(lambda one: one["policy"]["columns"]["items"].update(hierarchy={"prefix": True}))


def test_what_a_stranger_reads_says_what_is_protected_and_what_an_empty_cell_means(tmp_path: Path) -> None:
    out = released(tmp_path)
    package = json.loads((out / "datapackage.json").read_text(encoding="utf-8"))
    assert "of items at most 2 items" in package["description"]
    field = next(one for one in package["resources"][0]["schema"]["fields"] if one["name"] == "items")
    assert field["shoal"]["kind"] == "set"
    assert "does not say that the person does not have it" in field["description"]
    page = (out / "codebook.html").read_text(encoding="utf-8")
    assert "k^m-anonymity" in page
    public = "".join(path.read_text(encoding="utf-8") for path in out.iterdir())
    assert "dropped" not in public  # how many items were left out stays home
