"""Rows left out of a table in blocks: never more than allowed, no cell tells of them, and the bound knows of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engines import counting, sampled_tree
from shoal.engines.block import Offer
from shoal.engines.columns import CLASS, ROW
from shoal.engines.folder import LargeRelease
from shoal.engines.left_out import divided
from shoal.engines.local import LocalEngine
from shoal.engines.outline import outline_of_released
from shoal.engines.release import Rows
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.partition.result import share_of
from shoal.policy import Policy
from tests.engines.tables import people, policy, released, with_odd_rows
from tests.engines.test_outline import outlined, surveyed
from tests.fixed_secret import SECRET
from tests.oracles.generalization import Ranges, best_generalization_cost

N, SIZE = 2600, 1100
ODD = re.compile(r"98765|zzz|1851-|nowhere")
"""What only the two people who are far from all others have in their cells."""


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    made = LocalEngine(n_workers=1)
    yield made
    made.close()


Make = Callable[..., Rows]


@pytest.fixture(scope="module")
def make(engine: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> Make:
    folder = tmp_path_factory.mktemp("tables")

    def run(frame: pl.DataFrame, wanted: Policy, *, rows: int = 1000, size: int = SIZE) -> Rows:
        return released(engine, folder, frame, wanted, SECRET, rows=rows, size=size)

    return run


def final_rows(rows: Rows) -> pa.Table:
    batches = rows.engine.sorted_batches(rows.data, [CLASS, ROW], stage="rows")
    return pa.Table.from_batches(list(batches)).select(rows.schema.names)


@given(
    offers=st.lists(
        st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.5, 9.0]), st.integers(1, 6)), max_size=5), max_size=6
    ),
    allowed=st.integers(0, 40),
)
def test_the_shares_of_blocks_never_exceed_what_is_allowed(
    offers: list[list[tuple[float, int]]], allowed: int
) -> None:
    listed = [Offer(number, 1 + sum(n for _, n in own), 1.0, tuple(own)) for number, own in enumerate(offers)]
    shares = divided(listed, allowed)
    assert sum(shares.values()) <= allowed
    assert all(0 < share <= listed[number].n_rows for number, share in shares.items())
    assert all(listed[number].saves for number in shares)
    assert shares == divided(listed[::-1], allowed), "the order in which blocks end decides nothing"


def test_rows_go_where_they_save_most_and_what_is_left_follows_them() -> None:
    offers = [Offer(0, 50, 9.0, ((4.0, 1), (1.0, 2))), Offer(1, 50, 9.0, ((9.0, 3),)), Offer(2, 50, 9.0, ())]
    assert divided(offers, 1) == {0: 1}
    assert divided(offers, 4) == {0: 1, 1: 3}
    assert divided(offers, 6) == {0: 3, 1: 3}
    assert divided(offers, 12) == {0: 6, 1: 6}
    assert divided(offers, 500) == {0: 50, 1: 50}


ASKED: dict[str, dict[str, Any]] = {
    "k alone": {},
    "distinct l": {"illness": {"diversity": {"l": 3}}},
    "frequency l": {"illness": {"diversity": {"l": 2, "kind": "frequency"}}},
    "people": {"visits": True, "illness": {"diversity": {"l": 2}}},
    "people, frequency l": {"visits": True, "illness": {"diversity": {"l": 1.7, "kind": "frequency"}}},
    "two columns": {"ranges": "columns"},
    "suppress": {"publication": "suppress"},
}
QUICK = ("k alone", "people")


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(asked, id=name, marks=() if name in QUICK else (pytest.mark.deep,))
        for name, asked in ASKED.items()
    ],
)
def test_a_release_without_some_rows_meets_its_policy_and_tells_nothing_of_them(
    make: Make, tmp_path: Path, asked: dict[str, Any]
) -> None:
    visits = "visits" in asked
    frame = with_odd_rows(people(2 * N if visits else N, 1, visits=visits))
    if "ranges" in asked:  # a column of the release would say that some are missing
        frame = frame.with_columns(born=pl.when(pl.int_range(pl.len()) < 2).then(None).otherwise("born"))
    rows = make(frame, policy(max_suppressed=0.01, **dict(asked)))
    assert len(rows.blocks) > 1
    facts, allowed = rows.facts, share_of(0.01, frame.height)
    assert 0 < facts.suppressed <= allowed
    assert rows.n_rows + facts.suppressed == frame.height
    assert facts.cost is not None
    assert facts.cost < sum(one.cost for one in rows.blocks), "otherwise nobody is left out"
    assert all(one.saved > 0 for one in rows.left_out)
    assert facts.lower_bound is not None
    assert 0 <= facts.lower_bound <= facts.cost
    assert visits or facts.lower_bound > 0
    release = LargeRelease(rows=rows, seconds={}).write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out")
    assert found.holds
    assert found.k >= 5
    assert found.rows == frame.height - facts.suppressed
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert certificate["suppressed"] == facts.suppressed
    assert f"{facts.suppressed} records suppressed" in str(release)
    released = pl.read_parquet(tmp_path / "out" / "release.parquet")
    texts = [path.read_text() for path in (tmp_path / "out").iterdir() if path.suffix != ".parquet"]
    told = re.sub("[0-9a-f]{64}", "", "\n".join([*texts, released.cast(pl.String).write_csv()]))
    assert not ODD.search(told)
    assert not any("missing" in name for name in released.columns)
    zips = released["zip"].drop_nulls().unique().to_list()
    assert max(map(len, zips)) == 5, "a mask is as long as the codes of released rows"
    weights = rows.policy.columns
    total = sum(lost * frame.height * weights[name].weight for name, lost in rows.lost.items())
    if "publication" not in asked:
        assert total == pytest.approx(facts.cost), "the measures count what the groups cost, left-out rows too"


def test_neither_partitions_nor_the_order_of_rows_decide_who_is_left_out(make: Make) -> None:
    frame, wanted = with_odd_rows(people(N, 3)), policy(max_suppressed=0.01)
    first = make(frame, wanted)
    again = make(frame.sample(fraction=1.0, shuffle=True, seed=1), wanted, rows=777)
    assert first.n_left_out > 0
    assert final_rows(first).equals(final_rows(again))


def test_without_anybody_to_leave_out_the_release_is_that_of_all_rows(make: Make) -> None:
    frame = people(N, 4)
    rows = make(frame, policy(max_suppressed=0.0003))  # fewer than one row
    assert rows.n_left_out == 0
    assert final_rows(rows).equals(final_rows(make(frame, policy())))


def test_one_block_leaves_out_rows_of_values_that_are_too_frequent(make: Make, tmp_path: Path) -> None:
    frame = people(60, 2).with_columns(
        illness=pl.when(pl.int_range(pl.len()) < 33).then(pl.lit("flu")).otherwise("illness")
    )
    n_flu = frame.filter(pl.col("illness") == "flu").height
    fewest = 2 * n_flu - 60
    wanted: dict[str, Any] = {"illness": {"diversity": {"l": 2, "kind": "frequency"}}}
    rows = make(frame, policy(max_suppressed=0.4, **dict(wanted)))
    assert len(rows.blocks) == 1
    assert fewest <= rows.n_left_out <= 24
    assert LargeRelease(rows=rows, seconds={}).write(tmp_path / "out").certificate.holds
    with pytest.raises(InfeasibleError):
        make(frame, policy(max_suppressed=(fewest - 1) / 60, **dict(wanted)))


PAIRS = np.array([[a, b] for a, b in zip((0, 1, 10, 11, 20, 21, 30, 31), (0, 0, 1, 1) * 2, strict=True)])
"""Of these the bound is almost the best cost: that is the distance of each to the other of its pair."""


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_the_bound_is_at_most_the_best_release_of_any_rows(
    make: Make, monkeypatch: pytest.MonkeyPatch, seed: int | None
) -> None:
    """BLOCKS-6, in blocks of some rows each: beside every choice of rows to leave out and every grouping."""
    for module, name in ((counting, "TIMES_K"), (counting, "LEAST_ROWS"), (sampled_tree, "TIMES_K")):
        monkeypatch.setattr(module, name, 1)
    if seed is None:
        cells, allowed = PAIRS, 2
    else:
        cells, allowed = np.random.default_rng(seed).integers(0, 6, (9, 2)), 1 + seed
        cells[:2] = (20, 0), (0, 20)  # far from all others
    n = len(cells)
    frame = pl.DataFrame({"a": cells[:, 0], "b": cells[:, 1], "ill": ["x"] * n})
    columns = {name: {"role": "quasi", "kind": "number"} for name in "ab"} | {"ill": {"role": "sensitive"}}
    rows = make(frame, Policy.parse({"k": 2, "max_suppressed": allowed / n + 1e-6, "columns": columns}), size=4)
    assert len(rows.blocks) > 1
    scales = [Ranges(int(np.ptp(cells[:, j]))) for j in range(2)]
    best = best_generalization_cost(cells.tolist(), scales, 2, row_deletion=2, max_deleted=allowed)
    bound = sum((Fraction(one.lower_bound) for one in rows.blocks), Fraction(0))
    assert bound <= best
    assert bound > (best / 2 if seed is None else 0)
    facts = rows.facts
    assert facts.suppressed <= allowed
    assert facts.cost is not None
    assert best <= Fraction(facts.cost) * (1 + Fraction(1, 10**9))


def test_t_is_refused_where_rows_may_be_left_out(make: Make) -> None:
    with pytest.raises(ParameterError, match="t of illness with max_suppressed"):
        make(people(200), policy(max_suppressed=0.1, illness={"closeness": {"t": 0.3}}))


def test_a_label_of_two_people_is_one_persons_own_if_the_other_is_left_out() -> None:
    frame = people(60, 1).with_columns(sex=pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("x")).otherwise("sex"))
    wanted = policy(max_suppressed=0.1)
    whole = outlined(frame, wanted, [])
    outline_of_released(surveyed(frame[2:], wanted, []), whole, 2)
    with pytest.raises(SchemaError, match="among the rows that are released, 1 being left out"):
        outline_of_released(surveyed(frame[1:], wanted, []), whole, 1)


@settings(max_examples=20)
@given(n_alone=st.integers(1, 4), gaps=st.booleans(), allowed=st.integers(0, 4))
def test_labels_of_one_person_are_refused_unless_so_many_rows_may_go(n_alone: int, gaps: bool, allowed: int) -> None:
    frame = people(100, 1)
    other = pl.lit(None, pl.String) if gaps else pl.lit("ward")
    note = pl.when(pl.int_range(pl.len()) < n_alone).then("note " + pl.col("name").str.slice(-3)).otherwise(other)
    columns = policy(max_suppressed=allowed / 100).model_dump(exclude_unset=True)
    columns["columns"]["note"] = {"role": "other"}
    wanted = Policy.parse(columns)
    if n_alone <= allowed:
        outlined(frame.with_columns(note=note), wanted, [])
    else:
        with pytest.raises(SchemaError, match="that one person alone has"):
            outlined(frame.with_columns(note=note), wanted, [])
