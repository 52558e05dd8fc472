"""Somebody who knows all quasi-identifiers of everybody in all tables joins the released tables by pseudonym.

For each person they list the pseudonyms whose published rows the person's own could be: in every table each published
row is assigned to another row of the person that its cells cover. Rows may have been left out, so a person may have
more. They win where fewer than k pseudonyms fit.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any

import polars as pl
import pytest

import shoal
from tests.linked_tables import PERSON, QUASI, SECRET, linked_policy, linked_tables

NAMES = ("patients", "visits")
Known = dict[str, list[tuple[Any, ...]]]


def covers(cell: str, value: object) -> bool:
    """Whether a published range, set or single value may stand for a value."""
    if found := re.fullmatch(r"\[(-?\d+), (-?\d+)\]", cell):
        return int(found[1]) <= int(str(value)) <= int(found[2])
    inside = cell[1:-1].split(", ") if cell.startswith("{") else [cell]
    return str(value) in inside


def could_be(published: Known, known: Known) -> bool:
    """Whether all published rows can be assigned to different rows of a person (augmenting paths)."""
    for name in NAMES:
        rows, own = published.get(name, []), known.get(name, [])
        fits = [[j for j, row in enumerate(own) if all(map(covers, cells, row))] for cells in rows]
        holder: dict[int, int] = {}

        def place(i: int, seen: set[int], fits: list[list[int]] = fits, holder: dict[int, int] = holder) -> bool:
            for j in fits[i]:
                if j not in seen:
                    seen.add(j)
                    if j not in holder or place(holder[j], seen):
                        holder[j] = i
                        return True
            return False

        if not all(place(i, set()) for i in range(len(rows))):
            return False
    return True


def by_person(tables: dict[str, pl.DataFrame]) -> dict[str, Known]:
    found: dict[str, Known] = defaultdict(dict)
    for name in NAMES:
        for person, *cells in tables[name].select(PERSON[name], *QUASI[name]).iter_rows():
            found[person].setdefault(name, []).append(tuple(cells))
    return found


def fewest_that_fit(raw: dict[str, pl.DataFrame], released: dict[str, pl.DataFrame], secret: Any) -> int:
    """Return the fewest pseudonyms among which a released person hides from somebody who knows everything."""
    known, published = by_person(raw), by_person(released)
    shown: dict[Any, list[str]] = defaultdict(list)
    for pseudonym, rows in published.items():
        shown[tuple((name, tuple(sorted(rows.get(name, [])))) for name in NAMES)].append(pseudonym)
    fewest = len(known)
    for person, own in known.items():
        if secret.pseudonym(person) not in published:
            continue
        fitting = [one for key, all_alike in shown.items() if could_be(dict(key), own) for one in all_alike]
        assert secret.pseudonym(person) in fitting  # else the attacker cannot read the release
        fewest = min(fewest, len(fitting))
    return fewest


@pytest.mark.parametrize("seed", [31, 32])
def test_joining_the_tables_leaves_k_people(seed: int) -> None:
    raw = {name: linked_tables(70, seed)[name] for name in NAMES}
    release = shoal.anonymize_tables(raw, linked_policy(k=4), secret=SECRET)
    assert fewest_that_fit(raw, release.tables, release.secret) >= 4


def test_the_attacker_finds_people_in_tables_that_were_anonymized_one_by_one() -> None:
    """The same attacker wins where each table keeps k by itself and pseudonyms join them: the attack can succeed."""
    raw = {name: linked_tables(70, 31)[name] for name in NAMES}
    asked = {"k": 4, "consistent": True, "pseudonym": True, "publication": "generalize", "effort": 1}
    alone = {
        name: shoal.anonymize(
            raw[name], person=PERSON[name], quasi=QUASI[name], sensitive=sensitive, secret=SECRET, **asked
        )
        for name, sensitive in (("patients", "blood"), ("visits", "diagnosis"))
    }
    assert fewest_that_fit(raw, {name: one.table for name, one in alone.items()}, alone["visits"].secret) < 4


def test_nobody_is_known_by_how_often_they_came() -> None:
    raw = {name: linked_tables(120, 33, mean=3)[name] for name in NAMES}
    release = shoal.anonymize_tables(raw, linked_policy(k=5), secret=SECRET)
    before = Counter(Counter(raw["visits"]["who"]).values())
    after = Counter(Counter(release.tables["visits"]["who"]).values())
    assert min(before.values()) < 5  # some were
    assert min(after.values()) >= 5
