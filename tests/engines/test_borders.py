"""Groups along borders are searched again in other blocks: they stay whole, and the release never costs more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from shoal.engines import along_borders, release
from shoal.engines.along_borders import crosses_borders
from shoal.engines.block import BlockTasks
from shoal.engines.borders import AddKey, SampleBorders, middles_near_borders
from shoal.engines.columns import BLOCK, CLASS, KEY, PERSON, PLACE
from shoal.engines.cut_tree import CutTree, Node
from shoal.engines.folder import LargeRelease
from shoal.engines.local import LocalEngine
from shoal.engines.people_numbers import numbered
from shoal.engines.release import Rows, release_rows
from shoal.engines.survey import merged
from shoal.partition.blocks.cuts import Cut
from shoal.partition.generalization.annealing_schedule import Whole
from shoal.partition.methods import search
from shoal.partition.methods.choose import choose
from shoal.partition.methods.run import solve
from shoal.partition.rules import Regrouped
from shoal.policy import Column, Policy
from shoal.space.space import Space
from tests.engines.tables import people, policy, stored
from tests.engines.test_outline import outlined
from tests.fixed_secret import SECRET

TREE = CutTree((Node(Cut(0, until=5.0), 1, 2), Node(block=0), Node(block=1)), (None, None, None))


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    made = LocalEngine(n_workers=1)
    yield made
    made.close()


def made(engine: LocalEngine, folder: Path, frame: pl.DataFrame, wanted: Policy) -> Rows:
    """Return the release of a table with two lines as quasi-identifiers, so that every cut goes through groups."""
    path = stored(frame, folder)
    other = {name: Column(role="other") for name in ("sex", "zip")}
    lines = wanted.model_copy(update={"effort": 2.0, "columns": wanted.columns | other})
    return release_rows(engine, engine.read(path), lines, SECRET, source="table.parquet", size=1500)


def places(space: Space, labels: list[int]) -> list[Any]:
    found = middles_near_borders(space, np.array(labels), TREE.apart(space.coordinates))
    return [None if one is None else np.frombuffer(one).tolist() for one in found.to_pylist()]


def test_only_groups_nearer_to_a_cut_than_half_of_their_cost_are_near_it() -> None:
    space = Space.from_points(np.array([[0.0], [2.0], [4.0], [4.5], [4.5], [4.5], [9.0], [5.5]]), norm=1)
    far, across, alike = [0, 0, 1, 1, 2, 2, 3, 3], [None] * 2, [None] * 2
    found = places(space, far)
    assert found[:2] == across, "two from 5, and a cost of 2 each: 3 is not below 1"
    assert found[2:4] == [None, None], "a cost of .5, and .5 from the cut"
    assert found[4:6] == alike, "no cost"
    assert found[6:] == [[5.5], [5.5]], "a cost of 3.5, and .5 from the cut"


def test_all_rows_of_a_group_go_where_most_of_them_are() -> None:
    rng = np.random.default_rng(3)
    space = Space.from_points(rng.uniform(0, 10, (60, 1)), norm=1)
    labels = rng.permutation(60) // 5
    middle = middles_near_borders(space, labels, np.zeros(60))
    batch = pa.record_batch([pa.array(np.zeros(60, dtype=np.int32)), middle], [BLOCK, PLACE])
    keys = next(AddKey(TREE, 7)(iter([batch]))).column(2).to_numpy()
    for group in range(12):
        mine = space.coordinates[labels == group, 0]
        assert set(keys[labels == group].tolist()) == {7 if np.count_nonzero(mine <= 5.0) >= 3 else 8}


def test_rows_that_are_not_near_a_border_stay_in_their_block() -> None:
    batch = pa.record_batch([pa.array([4, 2], pa.int32()), pa.array([None, None], pa.binary())], [BLOCK, PLACE])
    assert next(AddKey(TREE, 7)(iter([batch]))).column(2).to_pylist() == [4, 2]


def test_the_sample_does_not_depend_on_how_rows_are_spread() -> None:
    rng = np.random.default_rng(5)
    place = pa.array([b"x" if near else None for near in rng.random(300) < 0.5], pa.binary())
    whole = pa.record_batch([pa.array(rng.integers(0, 90, 300)), place], ["age", PLACE])
    look = SampleBorders(("age",), 40, 4)

    def sample(*parts: pa.RecordBatch) -> pl.DataFrame:
        found = merged(pa.Table.from_batches([one for part in parts for one in look(iter([part]))]), 40, 4)
        assert found.sample is not None
        assert found.n_rows == 300 - place.null_count
        return found.sample

    mixed = whole.take(rng.permutation(300))
    assert sample(whole).equals(sample(mixed.slice(100), mixed.slice(0, 100)))


def test_the_search_along_borders_never_costs_more_and_gains(engine: LocalEngine, tmp_path: Path) -> None:
    rows = made(engine, tmp_path, people(6000, 1), policy())
    before, after = (math.fsum(one.cost for one in some) for some in (rows.blocks, rows.summaries))
    assert len(rows.blocks) > 3
    assert len(rows.summaries) > len(rows.blocks), "some are along borders"
    assert after < before
    assert rows.facts.cost == after
    assert 0 < math.fsum(one.lower_bound for one in rows.blocks) <= after
    assert rows.n_rows == 6000


def test_without_gain_the_groups_of_the_blocks_are_published(
    engine: LocalEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = along_borders.AlongBorders._work
    monkeypatch.setattr(
        along_borders.AlongBorders, "_work", lambda *given: replace(real(*given), searched={}), raising=True
    )
    rows = made(engine, tmp_path, people(6000, 1), policy())
    cost = math.fsum(one.cost for one in rows.blocks)
    assert rows.facts.cost == pytest.approx(cost, rel=1e-12)  # sums of other parts
    monkeypatch.setattr(release, "crosses_borders", lambda *_: False)
    alone = made(engine, tmp_path, people(6000, 1), policy())
    names = alone.schema.names
    first, second = (pl.DataFrame(engine.collect(one.data, stage="rows").select(names)) for one in (rows, alone))
    assert first.sort(names).equals(second.sort(names))


def test_people_are_numbered_by_who_they_are_in_whatever_block() -> None:
    table = pa.table({"who": [1, 2, 1, 1], CLASS: [3, 3, 3, 4], PERSON: [8, 9, 8, 8]})
    assert numbered(table, "who")["who"].to_pylist() == [1, 2, 1, 1]


def test_people_with_rows_in_several_blocks_are_counted_once(engine: LocalEngine, tmp_path: Path) -> None:
    """Each person has one row near the cut of a first column and one far from it."""
    frame = people(5000, 2, visits=True)
    rows = made(engine, tmp_path, frame, policy(visits=True, illness={"diversity": {"l": 2}}))
    assert len(rows.summaries) > len(rows.blocks)
    LargeRelease(rows=rows, seconds={}).write(tmp_path / "out")
    quasi = ["born", "pay"]
    held = pl.DataFrame(engine.collect(rows.data, stage="rows"))
    real = held.group_by(CLASS).agg(pl.col(PERSON).n_unique(), pl.col("illness").n_unique())
    assert real.height > 100
    assert real[PERSON].min() >= 5  # type: ignore[operator]
    assert real["illness"].min() >= 2  # type: ignore[operator]
    written = pl.read_parquet(tmp_path / "out" / "release.parquet")
    said = written.group_by(quasi).agg(pl.col("who").n_unique())
    assert sorted(said["who"].to_list()) == sorted(real[PERSON].to_list())


CROSSED: dict[str, tuple[dict[str, Any], bool]] = {
    "k": ({}, True),
    "people": ({"visits": True}, True),
    "people, distinct l": ({"visits": True, "illness": {"diversity": {"l": 2}}}, True),
    "people, frequency l": ({"visits": True, "illness": {"diversity": {"l": 2, "kind": "frequency"}}}, False),
    "people, alpha": ({"visits": True, "illness": {"disclosure": {"alpha": 0.5}}}, False),
    "frequency l": ({"illness": {"diversity": {"l": 2, "kind": "frequency"}}}, True),
    "t": ({"illness": {"closeness": {"t": 0.3}}}, True),
    "mondrian": ({"method": "mondrian"}, False),
}


@pytest.mark.parametrize(("settings", "crossed"), CROSSED.values(), ids=CROSSED)
def test_borders_are_crossed_where_classes_that_share_people_still_hold(
    settings: dict[str, Any], crossed: bool
) -> None:
    asked = policy(**dict(settings))
    assert crosses_borders(asked, choose(asked), 8.0) == crossed
    assert not crosses_borders(asked, choose(asked), 0.0)


def test_no_column_of_the_engine_is_released(engine: LocalEngine, tmp_path: Path) -> None:
    rows = made(engine, tmp_path, people(3000, 4), policy())
    assert KEY not in rows.schema.names
    assert not [name for name in rows.schema.names if name.startswith("shoal: ")]


def test_every_block_is_searched_as_warm_as_the_whole_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that took itself for the whole would begin colder, and lose 2 % more on a table of many copies."""
    frame = people(300, 6)
    outline = outlined(frame, policy(), [100])
    whole = Whole(3_000_000, 2_000_000)
    tasks = BlockTasks(outline, SECRET, 1.0, whole)
    table = outline.typed(frame.drop("name"))
    task = tasks.task(table, tasks.shaped(table), 0)
    given = []

    def seen(space: Space, labels: np.ndarray, k: int, **more: Any) -> Regrouped:
        given.append(more["whole"])
        return Regrouped(labels, False)

    monkeypatch.setattr(search, "regroup", seen)
    solve(task.problem, task.budget())
    assert given == [whole]
