"""Linked releases broken on purpose: each is refused, even where the forger writes all digests and counts anew."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.certify.linked.certificate import digest_of
from shoal.certify.signature import new_key
from shoal.errors import ParameterError
from tests.linked_tables import PERSON, QUASI, SECRET, linked_policy, linked_tables, profiles, rows_of

Rows = list[dict[str, str]]
Tables = dict[str, Rows]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tables = linked_tables(80, 21)
    names = ("patients", "visits")
    release = shoal.anonymize_tables({name: tables[name] for name in names}, linked_policy(), secret=SECRET)
    out = tmp_path_factory.mktemp("linked") / "out"
    release.write(out)
    return out


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "out"))


def rewritten(folder: Path, change: Callable[[Tables], None]) -> None:
    """Change the tables, and write digests and the numbers of rows, people and classes as they then are."""
    tables = {name: rows_of(folder, name) for name in ("patients", "visits")}
    change(tables)
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            written = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            written.writeheader()
            written.writerows(rows)
        certificate["files"][f"{name}.csv"] = hashlib.sha256((folder / f"{name}.csv").read_bytes()).hexdigest()
        certificate["tables"][name]["rows"] = len(rows)
    certificate["published_sha256"] = digest_of(certificate["files"])
    of = profiles(tables) if "day" in tables["visits"][0] else {}
    certificate["people"], certificate["classes"] = len(of), len(set(of.values()))
    (folder / "certificate.json").write_text(json.dumps(certificate, indent=2), encoding="utf-8")


def edited(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    change(certificate)
    path.write_text(json.dumps(certificate), encoding="utf-8")


def smallest(tables: Tables) -> list[str]:
    """The people of a smallest class that has visits."""
    of = profiles(tables)
    sizes = Counter(of.values())
    seen = {row["who"] for row in tables["visits"]}
    chosen = min((one for one in of.values() if one[1]), key=lambda one: (sizes[one], one))
    return sorted(person for person, one in of.items() if one == chosen and person in seen)


def test_the_release_itself_holds_and_a_rewritten_one_too(folder: Path) -> None:
    assert shoal.verify_tables(folder).holds
    rewritten(folder, lambda tables: None)
    assert shoal.verify_tables(folder).holds


def one_visit_less(tables: Tables) -> None:
    person = smallest(tables)[0]
    row = next(row for row in tables["visits"] if row["who"] == person)
    tables["visits"].remove(row)


def one_visit_twice(tables: Tables) -> None:
    person = smallest(tables)[0]
    tables["visits"].append(dict(next(row for row in tables["visits"] if row["who"] == person)))


def one_person_less(tables: Tables) -> None:
    person = smallest(tables)[0]
    for name in tables:
        tables[name][:] = [row for row in tables[name] if row[PERSON[name]] != person]


def visits_of_two_exchanged(tables: Tables) -> None:
    """Each table by itself stays as it was; only the link between both is another."""
    of = profiles(tables)
    one = smallest(tables)[0]
    other = next(person for person, said in sorted(of.items()) if said[1] and said[1] != of[one][1])
    for row in tables["visits"]:
        row["who"] = {one: other, other: one}.get(row["who"], row["who"])


def a_name_left_in(tables: Tables) -> None:
    person = smallest(tables)[0]
    for name in tables:
        for row in tables[name]:
            if row[PERSON[name]] == person:
                row[PERSON[name]] = "P0001"


def one_cell_finer(tables: Tables) -> None:
    person = smallest(tables)[0]
    next(row for row in tables["patients"] if row["patient"] == person)["age"] = "33"


def one_diagnosis_for_all(tables: Tables) -> None:
    people = set(smallest(tables))
    for row in tables["visits"]:
        if row["who"] in people:
            row["diagnosis"] = "flu"


def a_column_less(tables: Tables) -> None:
    for row in tables["visits"]:
        del row["day"]


def an_identifier_more(tables: Tables) -> None:
    for place, row in enumerate(tables["patients"]):
        row["name"] = f"name {place}"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (a_column_less, "column day is not in the release"),
        (an_identifier_more, "the policy gives it no place"),
        (one_visit_less, "over all tables, "),
        (one_visit_twice, "over all tables, "),
        (one_person_less, "over all tables, "),
        (visits_of_two_exchanged, "over all tables, "),
        (a_name_left_in, "does not hold pseudonyms"),
        (one_cell_finer, "over all tables, "),
        (one_diagnosis_for_all, "l-diversity"),
    ],
)
def test_a_broken_table_is_refused(folder: Path, change: Callable[[Tables], None], says: str) -> None:
    rewritten(folder, change)
    found = shoal.verify_tables(folder)
    assert not found.holds
    assert any(says in failure.message for failure in found.failures), [one.message for one in found.failures]


def test_a_link_that_tells_people_apart_is_refused_though_every_table_by_itself_is_the_same(folder: Path) -> None:
    before = shoal.verify_tables(folder)
    rewritten(folder, visits_of_two_exchanged)
    found = shoal.verify_tables(folder)
    assert found.k == 1
    for name, alone in found.tables.items():
        assert alone.holds
        assert (alone.rows, alone.groups, alone.k) == (
            before.tables[name].rows,
            before.tables[name].groups,
            before.tables[name].k,
        )


def test_l_of_all_rows_of_people_is_not_enough_for_rows_with_equal_cells(folder: Path) -> None:
    """In one class all first visits get one diagnosis: whoever knows the day of that visit knows the diagnosis."""

    def one_day(tables: Tables) -> None:
        of = profiles(tables)
        by_class: dict[Any, set[Any]] = defaultdict(set)
        for row in tables["visits"]:
            by_class[of[row["who"]]].add(tuple(row[one] for one in QUASI["visits"]))
        chosen, cells = next((one, sorted(cells)) for one, cells in sorted(by_class.items()) if len(cells) > 1)
        for row in tables["visits"]:
            if of[row["who"]] == chosen and tuple(row[one] for one in QUASI["visits"]) == cells[0]:
                row["diagnosis"] = "flu"

    rewritten(folder, one_day)
    found = shoal.verify_tables(folder)
    failing = [claim for claim in found.claims if not claim.holds]
    assert [claim.of for claim in failing] == ["rows"]


def refused(folder: Path) -> bool:
    """Whether a folder is refused: its certificate cannot be read, or does not hold."""
    try:
        return not shoal.verify_tables(folder).holds
    except ParameterError as odd:
        return "certificate" in odd.message


EDITS: list[Callable[[dict[str, Any]], Any]] = [
    lambda one: one.update(people=one["people"] + 1),
    lambda one: one.update(classes=1),
    lambda one: one["claims"].pop(),
    lambda one: one["claims"][0].update(measured=50),
    lambda one: one["claims"][0].update(claimed=2),
    lambda one: one["claims"][0].update(criterion="t-closeness"),
    lambda one: one["claims"][0].update(criterion="l-diversity", column="diagnosis", kind="entropy"),
    lambda one: one["claims"][0].update(column="diagnosis"),
    lambda one: one["claims"][0].update(kind="distinct"),
    lambda one: one["claims"][0].update(of="rows"),
    lambda one: one["claims"][1].update(of="rows"),
    lambda one: one["claims"][1].update(kind="entropy"),
    lambda one: one["claims"][1].update(kind=None),
    lambda one: one["tables"]["visits"].update(rows=1),
    lambda one: one["tables"]["visits"]["policy"]["columns"]["diagnosis"].update(role="other", diversity=None),
    lambda one: one["tables"]["visits"]["policy"].update(k=2),
    lambda one: one["tables"]["visits"]["policy"]["columns"]["who"].update(role="identifier"),
    lambda one: one["tables"].pop("visits"),
    lambda one: one["tables"]["visits"].update(file="../visits.csv"),
    lambda one: one["files"].update({"visits.csv": "0" * 64}),
    lambda one: one.update(note="P0001"),
    lambda one: one.update(format=2),
    lambda one: one["claims"].clear(),
]


@pytest.mark.parametrize("change", EDITS)
def test_an_edited_certificate_is_refused(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    edited(folder, change)
    assert refused(folder)


def test_what_the_certificate_does_not_list_is_refused(folder: Path) -> None:
    (folder / "names.csv").write_text("P0001\n", encoding="utf-8")
    assert [failure.check for failure in shoal.verify_tables(folder).failures] == ["folder"]
    (folder / "names.csv").unlink()
    (folder / "visits.csv").unlink()
    assert not shoal.verify_tables(folder).holds


def test_a_table_without_rows_or_people_is_refused(folder: Path) -> None:
    whole = (folder / "visits.csv").read_text(encoding="utf-8")
    for text in (whole.partition("\n")[0] + "\n", whole.replace("who", "whose", 1)):
        (folder / "visits.csv").write_text(text, encoding="utf-8")
        digest = hashlib.sha256((folder / "visits.csv").read_bytes()).hexdigest()

        def change(one: dict[str, Any], digest: str = digest) -> None:
            one["files"]["visits.csv"] = digest
            one["published_sha256"] = digest_of(one["files"])

        edited(folder, change)
        assert refused(folder)


def test_the_callers_policy_decides_over_the_certificate(folder: Path) -> None:
    assert shoal.verify_tables(folder, linked_policy()).holds
    more = shoal.verify_tables(folder, linked_policy(k=20))
    assert not more.holds
    assert "miss 20" in more.failures[0].message
    assert not shoal.verify_tables(folder, linked_policy("patients", "tests")).holds


def test_one_table_alone_is_not_verified_as_if_it_were_a_release(folder: Path) -> None:
    for released in (folder, folder / "visits.csv"):
        with pytest.raises(ParameterError, match="several linked tables"):
            shoal.verify(released)
    with pytest.raises(ParameterError, match="no certificate of linked tables"):
        shoal.verify_tables(folder.parent)


def test_a_signature_binds_the_certificate_of_all_tables(folder: Path, tmp_path: Path) -> None:
    tables = linked_tables(30, 22)
    names = ("patients", "visits")
    release = shoal.anonymize_tables({name: tables[name] for name in names}, linked_policy(), secret=SECRET)
    public = new_key(tmp_path / "key")
    release.write(tmp_path / "signed", sign=tmp_path / "key")
    assert shoal.verify_tables(tmp_path / "signed", key=public).signature == "valid"
    assert not shoal.verify_tables(folder, key=public).holds  # nobody signed this one
