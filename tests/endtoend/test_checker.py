"""The checker sees what is wrong: a release that holds, changed in one place at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from tests.endtoend import values as v
from tests.endtoend.cases import Case, Column
from tests.endtoend.released import WrongError
from tests.endtoend.run import check_folder, settings_of
from tests.endtoend.sources import as_held, frame_of
from tests.endtoend.truth import true_of

AGES = [31, 33, 35, 52, 55, 58, 71, 74]
WISHES = {"diversity": {"kind": "distinct", "l": 2}, "closeness": {"t": 0.6, "distance": "equal"}}
ILL = ["flu", "cold", "asthma", "flu", "cold", None, "cold", "flu"]


def eight(**settings: Any) -> Case:
    """Eight people of six, in two groups."""
    columns = [
        Column("name", "str", [f"person-{row * 7919}" for row in range(8)], {"role": "identifier"}),
        Column("age", "i64", list(AGES), {"role": "quasi"}),
        Column("sex", "str", ["f", "f", "m", "m", "m", "f", "f", "f"], {"role": "quasi", "publish_rare": True}),
        Column("ill", "str", list(ILL), {"role": "sensitive"} | WISHES),
        Column("who", "i64", [1, 1, 2, 3, 4, 5, 6, 6], {"role": "person"}),
        Column("mark", "str", [f"m{row}" for row in range(8)], {"role": "other", "publish_rare": True}),
    ]  # fmt: skip
    asked = {"k": 2, "publication": "generalize", "method": "mondrian", "seed": 1} | settings
    return Case(0, columns, asked, "polars", "csv", None, {"mapping": True, "crlf": False})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    case = eight()
    shoal.anonymize(frame_of(case), settings_of(case, tmp_path)).write(tmp_path / "out", format="csv")
    return tmp_path / "out"


def in_file(change: Callable[[list[list[str]]], None]) -> Callable[[Path], None]:
    """A change of the released rows; none of their cells has a comma outside of quotes."""

    def changed(out: Path) -> None:
        lines = (out / "release.csv").read_text(encoding="utf-8").splitlines()
        rows = [line.replace(", ", "~").split(",") for line in lines]
        change(rows)
        text = "\n".join(",".join(row) for row in rows).replace("~", ", ") + "\n"
        (out / "release.csv").write_text(text, encoding="utf-8")

    return changed


def in_certificate(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def changed(out: Path) -> None:
        told = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
        change(told)
        (out / "certificate.json").write_text(json.dumps(told), encoding="utf-8")

    return changed


def at(rows: list[list[str]], name: str) -> int:
    return rows[0].index(name)


def put(name: str, text: str) -> Callable[[list[list[str]]], None]:
    def change(rows: list[list[str]]) -> None:
        rows[1][at(rows, name)] = text

    return change


def swap_ill(rows: list[list[str]]) -> None:
    place = at(rows, "ill")
    other = next(row for row in rows[2:] if row[place] != rows[1][place])
    rows[1][place], other[place] = other[place], rows[1][place]


def put_everywhere(name: str, text: str) -> Callable[[list[list[str]]], None]:
    def change(rows: list[list[str]]) -> None:
        for row in rows[1:]:
            row[at(rows, name)] = text

    return change


def new_column(rows: list[list[str]]) -> None:
    for place, row in enumerate(rows):
        row.append("name" if not place else f"x{place}")


WRONG: dict[str, Callable[[Path], None]] = {
    "a row is gone": in_file(lambda rows: rows.pop()),
    "a row stands twice": in_file(lambda rows: rows.append(rows[1])),
    "a class of one": in_file(put("sex", "x")),
    "a range that is not true": in_file(put_everywhere("age", '"[1, 2]"')),
    "two illnesses change places": in_file(swap_ill),
    "all have one illness": in_file(put_everywhere("ill", "flu")),
    "a person is numbered from another place": in_file(put("who", "9")),
    "two people are one": in_file(put_everywhere("who", "1")),
    "a column that nobody asked for": in_file(new_column),
    "the certificate counts another k": in_certificate(lambda told: told["claims"][0].update(measured=50)),
    "the certificate claims another k": in_certificate(lambda told: told["claims"][0].update(claimed=50)),
    "a claim more": in_certificate(lambda told: told["claims"].append(told["claims"][0] | {"column": "sex"})),
    "a claim less": in_certificate(lambda told: told["claims"].pop()),
    "rows for people": in_certificate(lambda told: told["claims"][0].update(unit="rows")),
    "another number of groups": in_certificate(lambda told: told.update(n_groups=told["n_groups"] + 1)),
    "more were left out": in_certificate(lambda told: told.update(suppressed=1)),
    "a name in another file": lambda out: (out / "notes.txt").write_text("see person-7919") and None,
}


def test_the_release_as_it_is_passes(folder: Path) -> None:
    assert check_folder(eight(), folder, None)["k-anonymity"] >= 2


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_seen(folder: Path, what: str) -> None:
    before = (folder / "release.csv").read_bytes() + (folder / "certificate.json").read_bytes()
    WRONG[what](folder)
    changed = (folder / "release.csv").read_bytes() + (folder / "certificate.json").read_bytes()
    assert changed != before or (folder / "notes.txt").exists()
    with pytest.raises(WrongError):
        check_folder(eight(), folder, None)


def test_moments_are_checked_as_their_source_holds_them() -> None:
    evening = 7_289_673_031_000  # 1970-01-01T02:01 in UTC, the evening before in Newfoundland
    zoned = Column("x", "dt:us:America/St_Johns", [evening, None], {"role": "quasi"})
    day = Column("day", "date", [19_704, None], {"role": "quasi"})
    for source, decade, wrong, kind in [
        ("semicolon", "1970s", "1960s", "date"),
        ("pandas", "1960s", "1970s", "dt:ms"),
        ("arrow", "1960s", "1970s", "date"),
    ]:
        moment, date = as_held(Case(0, [zoned, day], {}, source, None)).columns
        assert true_of(decade, evening, moment, None)
        with pytest.raises(v.UnreadableError):
            true_of(wrong, evening, moment, None)
        assert date.kind == kind
        assert v.shown(date.cells[0], kind).removesuffix("T00:00:00") == "2023-12-13"
    with pytest.raises(v.UnreadableError):
        v.read("2023-12-13T00:00:00", "date")
