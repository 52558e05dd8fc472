"""Names, numbers and addresses under headings that no list has: they are removed, and labels beside them stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.roles import uniqueness
from shoal.roles.distinct_values import SORTED, encode, some_of
from shoal.roles.recognize import words

GIVEN = ["Thaddeus", "Euphemia", "Lavinia", "Zebulon", "Ignatz"]
FAMILY = ["Fotheringay", "Vandersloot", "Okoroafor", "Quackenbush", "Przybylski"]
RNG = np.random.default_rng(4)


def pick(values: list[str], n: int = 120) -> list[str]:
    return [str(one) for one in RNG.choice(values, n)]


def role_of(frame: pl.DataFrame, name: str) -> str:
    return next(column.role for column in shoal.profile(frame).columns if column.name == name)


def beside(name: str, cells: list[str]) -> str:
    """The role that is proposed for a column beside two others."""
    frame = pl.DataFrame({"age": [20 + at % 60 for at in range(len(cells))], name: cells, "ward": pick(["A", "B"])})
    return role_of(frame, name)


def test_lower_case_names_in_parts_are_known_by_the_whole_name_beside_them() -> None:
    people = [(g.lower(), f.lower()) for g, f in zip(pick(GIVEN), pick(FAMILY), strict=True)]
    frame = pl.DataFrame(
        {
            "name": [" ".join(one) for one in people],
            "first": [g for g, _ in people],
            "last": [f for _, f in people],
            "city": pick(["otley", "ilkley", "bingley", "keighley", "baildon"]),
        }
    )
    assert [role_of(frame, name) for name in ("first", "last", "city")] == ["identifier", "identifier", "quasi"]


def test_numbers_of_families_and_of_parents_are_known_by_the_codes_of_people() -> None:
    people = [f"FAM{row // 4:03d}-{row % 4 + 1}" for row in range(120)]
    frame = pl.DataFrame(
        {
            "IID": people,
            "FID": [one[:6] for one in people],
            "PAT": [f"{one[:6]}-1" if one[-1] in "34" else "0" for one in people],
            "site": pick(["LU1", "UP2", "UM3", "GO4", "MA5"]),
        }
    )
    assert [role_of(frame, name) for name in ("FID", "PAT", "site")] == ["identifier", "identifier", "quasi"]


def test_whole_numbers_that_all_differ_are_a_key_in_the_first_column_only() -> None:
    keys = [int(one) for one in RNG.choice(90_000, 120, replace=False) + 1000]
    frame = pl.DataFrame({"V1": keys, "steps": keys[::-1], "ward": pick(["A", "B"])})
    assert role_of(frame, "V1") == "identifier"
    assert role_of(frame, "steps") == "quasi"
    assert role_of(frame.select("steps", "V1", "ward"), "steps") == "quasi"  # its name says what is counted


@pytest.mark.parametrize("name", ["Add1", "Lieu", "where"])
def test_words_with_house_numbers_are_addresses(name: str) -> None:
    roads = ["Tannery Row", "The Shambles", "Pinfold", "Crag View"]
    before = [f"{RNG.integers(1, 140)} {RNG.choice(roads)}" for _ in range(120)]
    after = [f"{RNG.choice(roads)} {RNG.integers(1, 140)}" for _ in range(120)]
    assert beside(name, before) == beside(name, after) == "identifier"


def test_labels_with_a_number_are_no_addresses() -> None:
    assert beside("room", [f"Room {RNG.integers(1, 60)}" for _ in range(120)]) == "quasi"
    assert beside("device_model", pick(["iPhone 13", "Pixel 6", "Redmi Note 10", "Galaxy S 21"])) == "quasi"


@pytest.mark.parametrize(
    "heading", ["Tutor/a", "Father/Husband", "Assessing Officer", "host_name", "Ad Soyad", "picker"]
)
def test_names_that_no_list_has_are_removed_under_headings_of_people_and_unknown_ones(heading: str) -> None:
    names = [f"{g} {f}" for g, f in zip(GIVEN, FAMILY, strict=True)]
    assert beside(heading, pick(names)) == "identifier"


@pytest.mark.parametrize("heading", ["vehicle_make", "department", "Wohnort", "job title", "employer"])
def test_words_with_capitals_stay_labels_where_the_heading_says_a_thing(heading: str) -> None:
    assert beside(heading, pick(["Vandersloot", "Fotheringay", "Quackenbush", "Okoroafor", "Ludwigslust"])) == "quasi"


def test_few_names_of_many_people_are_known_by_their_combinations() -> None:
    names = [f"{g} {f}" for g in GIVEN for f in FAMILY]
    assert beside("region", pick(names, 120)) == "identifier"


def test_long_numbers_with_a_point_under_the_heading_id_are_not_measured(tmp_path: Path) -> None:
    users = [f"{RNG.integers(10**9, 10**10)}.{RNG.integers(10**9, 10**10)}" for _ in range(60)]
    lines = ["age,user_pseudo_id", *(f"{20 + at % 50},{users[at % 60]}" for at in range(120))]
    (tmp_path / "events.csv").write_text("\n".join(lines), encoding="utf-8")
    profile = shoal.profile(tmp_path / "events.csv")
    assert profile.columns[1].role in ("identifier", "person")


def test_a_heading_that_was_read_in_the_wrong_encoding_is_understood() -> None:
    assert words("StraÃŸe") == "strasse"
    assert words("GeschÃ¤ftsfÃ¼hrer") == "geschaftsfuhrer"
    assert words("Ãrea") == "area"  # not every capital A with a tilde is one
    assert words("Fødselsår Płeć Adı") == "fodselsar plec adi"


def test_a_sample_of_very_many_values_does_not_depend_on_their_order() -> None:
    values = pl.Series([f"v{at}" for at in range(3 * SORTED)])
    chosen = some_of(values, 1000)
    assert 500 <= len(chosen) <= 1000
    assert some_of(values.sample(fraction=1, shuffle=True, seed=3), 1000).equals(chosen)


@pytest.mark.parametrize("seed", range(12))
def test_leaving_out_small_sets_changes_nothing_that_is_listed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(30, 400))
    columns = {
        f"c{at}": encode(pl.Series(rng.integers(0, rng.choice([2, 3, 9, 30, 200]), n_rows))) for at in range(9)
    }
    monkeypatch.setattr(uniqueness, "AT_ONCE", 3)
    monkeypatch.setattr(uniqueness, "WORTH_REFINING", n_rows)
    left_out = []
    add = uniqueness._Counting._least_listed

    def listed(self: uniqueness._Counting, counted: dict[tuple[str, ...], uniqueness.Combination]) -> int:
        left_out.append(add(self, counted))
        return left_out[-1]

    monkeypatch.setattr(uniqueness._Counting, "_least_listed", listed)
    quick = uniqueness.search(columns, n_rows, k=3)
    monkeypatch.setattr(uniqueness._Counting, "_least_listed", lambda self, counted: 0)
    whole = uniqueness.search(columns, n_rows, k=3)
    assert quick.combinations == whole.combinations
    assert quick.limits == whole.limits
    assert quick.growing == whole.growing
    assert any(left_out)
