"""Columns: what is chosen is written, counted anew, and shown with what it leaves."""

from __future__ import annotations

import re
from typing import Any

import pytest

from shoal.web.draft import with_role
from shoal.web.open_table import OpenTable
from tests.web.conftest import SMALL
from tests.web.steward import Steward, words

ROWS = [line.split(",") for line in SMALL.splitlines()[1:]]


def place(table: OpenTable, name: str) -> int:
    return [column["name"] for column in table.columns].index(name)


def alone(*columns: int) -> int:
    """How many rows have a combination of cells that no other row has."""
    keys = [tuple(row[at] for at in columns) for row in ROWS]
    return sum(keys.count(key) == 1 for key in keys)


def test_the_chart_of_who_is_singled_out_follows_the_roles(steward: Steward, small: OpenTable) -> None:
    at = f"/t/{small.id}"
    answer = steward.part(f"{at}/columns/{place(small, 'sex')}", {"role": "identifier"})
    assert answer.headers["hx-trigger-after-settle"] == "roles-changed"
    page = words(steward.get(f"{at}/singled").text)
    assert f"age single out {alone(1)} rows" in page
    assert "sex" not in page
    steward.part(f"{at}/columns/{place(small, 'name')}", {"role": "quasi"})
    page = words(steward.get(f"{at}/singled").text)
    assert f"single out {alone(0, 1)} rows (100%)" in page
    assert "roles-changed" not in steward.part(f"{at}/columns/1", {"role": "quasi", "weight": "3"}).headers.values()


def test_the_chart_follows_recoding(steward: Steward) -> None:
    ages = [20 + row for row in range(60)]
    people = "age,illness\n" + "".join(f"{age},{('flu', 'cold')[age % 2]}\n" for age in ages)
    table = steward.opened(steward.upload("people.csv", people.encode()))
    at = f"/t/{table.id}"
    steward.part(f"{at}/columns/0", {"role": "quasi", "kind": "number"})
    for fields, counted in (
        ({}, ages),
        ({"top": "70"}, [min(age, 70) for age in ages]),
        ({"top": "", "round": "10"}, [round(age / 10) for age in ages]),
    ):
        answer = steward.part(f"{at}/columns/0", {"role": "quasi", "kind": "number"} | fields)
        assert ("roles-changed" in answer.headers.get("hx-trigger-after-settle", "")) == bool(fields)
        expected = sum(counted.count(one) == 1 for one in counted)
        for page in ("singled", "columns"):
            assert f"age single out {expected} rows" in words(steward.get(f"{at}/{page}").text)
    steward.desk.close(table)


def test_levels_say_how_many_people_each_leaves(steward: Steward, small: OpenTable) -> None:
    at, age = f"/t/{small.id}", place(small, "age")
    steward.part(f"{at}/columns/{age}", {"role": "quasi", "kind": "number", "way": "widths", "steps": "5, 10"})
    assert small.settings["columns"]["age"]["hierarchy"] == {"widths": [5.0, 10.0]}
    page = steward.get(f"{at}/columns/{age}/levels").text
    found = [[int(cell) for cell in re.findall(r"<td>(\d+)</td>", row)] for row in page.split("<tr>")[2:]]
    ages = [int(row[1]) for row in ROWS]
    for (level, classes, smallest, below), width in zip(found[:3], (1, 5, 10), strict=True):
        counts = [sum(one // width == start for one in ages) for start in {one // width for one in ages}]
        assert (classes, smallest) == (len(counts), min(counts)), level
        assert below == sum(count for count in counts if count < 5)
    steward.answer_all(small)
    run = steward.release(small)
    assert run.result["numbers"]["holds"]


def test_values_are_merged_before_groups_are_made(steward: Steward, small: OpenTable) -> None:
    at, sex = f"/t/{small.id}", place(small, "sex")
    fields = {"role": "quasi", "kind": "label", "merge": "any = f, m"}
    steward.part(f"{at}/columns/{sex}", fields)
    assert small.settings["columns"]["sex"]["merge"] == {"any": ["f", "m"]}
    assert "any = f, m" in steward.get(f"{at}/columns").text
    steward.answer_all(small)
    run = steward.release(small)
    released = (run.folder / "csv" / "release.csv").read_text().splitlines()
    assert {line.split(",")[-2].strip('"{}') for line in released[1:]} == {"any"}


@pytest.mark.parametrize(
    "fields",
    [
        {"merge": "any f, m"},
        {"way": "widths", "steps": "many"},
        {"way": "widths", "steps": ""},
        {"way": "periods", "steps": "fortnight"},
        {"way": "file", "steps": ""},
        {"top": "<script>"},
    ],
)
def test_what_is_no_setting_is_said_and_not_kept(steward: Steward, small: OpenTable, fields: dict[str, str]) -> None:
    before = small.settings
    answer = steward.part(f"/t/{small.id}/columns/1", {"role": "quasi", "kind": "number"} | fields)
    assert answer.status_code == 200
    assert 'role="alert"' in answer.text
    assert small.settings == before


@pytest.mark.parametrize(
    "section", [{"diversity": {"l": 2}}, {"closeness": {"t": 0.2}}, {"disclosure": {"alpha": 0.5}}]
)
def test_a_requirement_on_all_sensitive_columns_leaves_with_the_last_of_them(section: dict[str, Any]) -> None:
    columns = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    changed = with_role({"k": 5, "columns": columns} | section, "ill", "identifier", {})
    assert changed == {"k": 5, "columns": columns | {"ill": {"role": "identifier"}}}


def test_a_column_without_hierarchy_has_no_levels(steward: Steward, small: OpenTable) -> None:
    assert steward.get(f"/t/{small.id}/columns/1/levels").status_code == 422
    assert steward.get(f"/t/{small.id}/columns/99/levels").status_code == 422


def test_runs_are_compared_by_what_differs(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.release(small)
    steward.part(f"/t/{small.id}/privacy", {"k": "9"})
    steward.release(small)
    page = steward.get(f"/t/{small.id}/result").text
    table = page[page.index("Compare the runs") : page.index("</details>")]
    rows = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in table.split("<tr>")]
    assert ["k", "5", "9"] in rows
    groups = [str(run.result["numbers"]["groups"]) for run in small.runs]
    assert ["groups", *groups] in rows


def test_closing_a_table_removes_its_releases(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    run = steward.release(small)
    steward.post(f"/t/{small.id}/close")
    assert not run.folder.exists()
    assert not run.rows.exists()
