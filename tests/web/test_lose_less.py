"""Ways to lose less: each is a click that changes one thing of what was asked and makes the release again."""

from __future__ import annotations

import re
from types import SimpleNamespace

import polars as pl
import pytest

from shoal.report.charts import correlation_drift, group_losses
from shoal.web.lose_less import _step, ways, why, worst_column
from shoal.web.open_table import OpenTable
from shoal.web.texts import Texts
from tests.web.steward import Steward, words

T = Texts("en")


def test_every_way_changes_one_thing_and_runs_again(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    first = steward.release(small)
    offered = {way.key: way for way in ways(small, first, T)}
    assert {"weight", "k", "suppress", "out"} <= set(offered)
    name = worst_column(first)[0]  # type: ignore[index]
    lost = {one: column["ncp"] for one, column in first.result["numbers"]["columns"].items()}
    assert lost[name] == max(lost.values())
    page = steward.get(f"/t/{small.id}/result").text
    assert why(small, first, T) in words(page)
    assert set(re.findall(r'name="way" value="(\w+)"', page)) == set(offered)

    for key, differs in (("k", {"k"}), ("suppress", {"max_suppressed"}), ("weight", {"columns"})):
        before = small.runs[0].asked
        steward.post(f"/t/{small.id}/runs/1/less", {"way": key})
        assert small.run_job is not None
        assert steward.wait(small.run_job).state == "done"
        after = small.runs[-1].asked
        assert {one for one in {**before, **after} if before.get(one) != after.get(one)} == differs
    assert small.runs[1].asked["k"] == 4
    assert small.runs[-1].asked["columns"][name]["weight"] == 2
    assert small.runs[1].result["numbers"]["information"] <= first.result["numbers"]["information"]
    second = words(steward.get(f"/t/{small.id}/result?run=2").text)
    assert "Compared with run 1:" in second
    assert "Compared with" not in words(steward.get(f"/t/{small.id}/result?run=1").text)
    steward.post(f"/t/{small.id}/undo")
    assert small.settings != small.runs[-1].asked


@pytest.mark.parametrize(
    ("method", "asked", "offered"),
    [
        ("forest", {}, 2000.0),
        ("best", {}, 8000.0),
        ("best", {"effort": 10.0}, 40.0),
        ("mondrian", {}, None),  # it makes no search
        ("diverse", {}, 2000.0),  # built for l-diversity in the place of forest
    ],
)
def test_more_effort_is_four_times_that_of_the_method(
    method: str, asked: dict[str, float], offered: float | None
) -> None:
    numbers = {"columns": {"age": {"ncp": 0.0}}, "method": method, "ratio_seen": 2.0, "rows": 500}
    settings = {"k": 5, "columns": {"age": {"role": "quasi"}}} | asked
    run = SimpleNamespace(asked=settings, result={"numbers": numbers})
    found = {way.key: way.settings for way in ways(SimpleNamespace(columns=[]), run, T)}  # type: ignore[arg-type]
    assert found.get("effort", {}).get("effort") == offered


def test_a_way_that_is_not_offered_is_refused(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.release(small)
    for way in ("", "magic", "k2"):
        assert steward.post(f"/t/{small.id}/runs/1/less", {"way": way}).status_code == 422
    assert steward.post(f"/t/{small.id}/runs/9/less", {"way": "k"}).status_code == 422
    assert len(small.runs) == 1


def test_rows_of_a_group_carry_its_number_and_cells_that_stayed_are_marked(
    steward: Steward, small: OpenTable
) -> None:
    steward.answer_all(small)
    run = steward.release(small)
    page = steward.get(f"/t/{small.id}/runs/1/rows?start=0&count=60").text
    pairs = pl.read_parquet(run.rows)
    assert [int(one) for one in re.findall(r'data-group="(\d+)"', page)] == pairs["group"].to_list()
    same = sum(
        pairs.select((pl.col(f"before:{name}") == pl.col(f"after:{name}")).sum()).item()
        for name in ("age", "sex", "illness")
    )
    assert page.count('class="a kept"') == same


@pytest.mark.parametrize(
    ("span", "step"), [(60.0, 5.0), (100.0, 5.0), (3.0, 0.2), (12_345.0, 1000.0), (0.0, None), (float("inf"), None)]
)
def test_numbers_are_rounded_to_about_twenty_steps(span: float, step: float | None) -> None:
    assert _step(span) == pytest.approx(step) if step is not None else _step(span) is None


def test_the_groups_and_the_correlations_are_drawn_as_they_are() -> None:
    from shoal.measure.loss_result import Correlation

    nan = float("nan")
    found = Correlation(
        columns=("age", "<b>pay", "size"),
        before=((1.0, 0.8, 0.1), (0.8, 1.0, nan), (0.1, nan, 1.0)),
        after=((1.0, 0.5, nan), (0.5, 1.0, 0.3), (nan, 0.3, 1.0)),
        largest_change=0.3,
        largest_pair=("age", "<b>pay"),
    )
    chart = correlation_drift(found)
    assert chart.rows == (("<b>pay, age", "0.8", "0.5"), ("size, age", "0.1", "0"))
    assert "<b>" not in chart.__html__()
    cloud = group_losses([(5, 0.1), (5, 0.1), (50, 0.4)])
    assert cloud.rows[0] == ("all", "3", "20%")
    assert cloud.svg.count("<circle") == 2
    assert group_losses([(5, 0.0)]).svg.count("<circle") == 1
