"""What somebody could find out, and the frontier: what the pages show is counted again from the release itself."""

from __future__ import annotations

import re

import polars as pl
import pytest

from shoal.web.open_table import OpenTable
from tests.web.steward import Steward, words


def holds(cell: str, age: int) -> bool:
    """Whether a published age may be this one."""
    ends = [int(one) for one in re.findall(r"\d+", cell)]
    return ends[0] <= age <= ends[-1]


@pytest.mark.parametrize("row", [1, 17, 60])
def test_those_who_fit_are_all_whose_cells_hold_what_is_known(steward: Steward, small: OpenTable, row: int) -> None:
    steward.answer_all(small)
    run = steward.release(small)
    pairs = pl.read_parquet(run.rows)
    own = pairs.filter(pl.col("before:name") == f"Person {row - 1}")
    age, sex = int(own["before:age"][0]), own["before:sex"][0]
    fits = pairs.filter(pl.col("after:age").map_elements(lambda cell: holds(cell, age), pl.Boolean))
    both = fits.filter(pl.col("after:sex").str.contains(sex))
    at = f"/t/{small.id}/runs/1/person"
    names = [column["name"] for column in small.columns]
    by_age, by_sex = str(names.index("age")), str(names.index("sex"))
    page = words(steward.part(at, {"row": str(row), "known": by_age}).text)
    assert f"{fits.height} people in the release fit" in page
    answer = steward.client.post(
        f"/the-token{at}", content=f"row={row}&known={by_age}&known={by_sex}", headers={"hx-request": "true"}
    )
    assert f"{both.height} people in the release fit" in words(answer.text)
    assert both.height >= 5
    for illness, count in both["after:illness"].value_counts().rows():
        assert f"{illness} {count}" in words(answer.text)


def test_a_row_that_there_is_not_is_said(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.release(small)
    for row, said in (("61", "the table has no row 61"), ("x", "must be a number"), ("", "missing")):
        answer = steward.part(f"/t/{small.id}/runs/1/person", {"row": row})
        assert answer.status_code == 422
        assert said in words(answer.text)
        assert answer.headers["hx-retarget"] == "#notice"


def test_the_frontier_comes_point_by_point_and_a_point_can_be_taken(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.post(f"/t/{small.id}/frontier")
    assert small.frontier is not None
    job = steward.wait(small.frontier)
    assert job.state == "done"
    assert [point["k"] for point in job.points] == [2, 3, 5, 10, 20, 50]
    made = [point for point in job.points if "loss" in point]
    assert made == sorted(made, key=lambda point: point["loss"])
    assert all(point["highest_risk"] <= 1 / point["k"] for point in made)
    page = steward.get(f"/t/{small.id}/privacy").text
    assert page.count('data-set="k"') == len(made) + 4
    assert page.count("<figure") == 1
    assert "Chart(" not in page


def test_nothing_is_tried_while_a_question_is_open(steward: Steward) -> None:
    table = steward.opened(steward.post("/example"))
    assert steward.post(f"/t/{table.id}/frontier").status_code == 422
    assert table.frontier is None
    steward.desk.close(table)
