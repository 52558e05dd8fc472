"""The outline of a table, and the survey that it is made of."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines.block import Shaped
from shoal.engines.outline import Outline, in_values, outline_of
from shoal.engines.survey import Survey, SurveyRows, merged
from shoal.errors import SchemaError
from shoal.partition.methods.choose import choose
from shoal.policy import Policy
from shoal.space.build import build_space
from tests.engines.tables import people, policy

SIZE, COPIES = 200, 10


def surveyed(frame: pl.DataFrame, wanted: Policy, cuts: list[int]) -> Survey:
    """Return the survey of a table that was divided before the given rows."""
    names = [name for name in frame.columns if wanted.columns[name].role != "identifier"]
    inner = frame.select(names)
    listed = frozenset(in_values(wanted))
    look = SurveyRows(tuple(wanted.quasi), listed, wanted.person, SIZE, COPIES)
    ends = [0, *sorted(cuts), frame.height]
    tables = []
    for first, end in pairwise(ends):
        batches = inner[first:end].to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches(17)
        tables.append(pa.Table.from_batches(list(look(iter(batches)))))
    return merged(pa.concat_tables(tables), SIZE, COPIES)


def outlined(frame: pl.DataFrame, wanted: Policy, cuts: list[int]) -> Outline:
    inner = wanted.model_copy(
        update={"columns": {name: one for name, one in wanted.columns.items() if one.role != "identifier"}}
    )
    names = [name for name in frame.columns if name in inner.columns]
    return outline_of(surveyed(frame, wanted, cuts), inner, names)


@settings(max_examples=10)
@given(
    seed=st.integers(0, 100),
    cuts=st.lists(st.integers(0, 400), max_size=4),
    others=st.lists(st.integers(0, 400), max_size=4),
)
def test_a_survey_does_not_depend_on_partitions_or_the_order_of_rows(
    seed: int, cuts: list[int], others: list[int]
) -> None:
    frame = people(400, seed, gaps=True)
    first = surveyed(frame, policy(), cuts)
    second = surveyed(frame.sample(fraction=1.0, shuffle=True, seed=seed), policy(), others)
    assert first.n_rows == second.n_rows
    assert first.digest == second.digest
    assert first.share == second.share
    assert first.sample is not None
    assert second.sample is not None
    assert first.sample.equals(second.sample)
    for name, column in first.columns.items():
        other = second.columns[name]
        assert (column.low, column.high, column.n_missing) == (other.low, other.high, other.n_missing)
        if column.values is not None and other.values is not None:
            assert column.values.sort("value").equals(other.values.sort("value"))


@settings(max_examples=12)
@given(
    seed=st.integers(0, 1000),
    gaps=st.booleans(),
    first=st.integers(0, 300),
    form=st.sampled_from(["generalize", "suppress"]),
)
def test_a_space_of_the_outline_and_some_rows_is_that_of_the_whole_table(
    seed: int,
    gaps: bool,
    first: int,
    form: str,
) -> None:
    frame = people(400, seed, gaps=gaps)
    outline = outlined(frame, policy(publication=form), [100, 250])
    choice = choose(outline.policy)
    whole = build_space(
        outline.typed(frame.drop("name")).frame,
        outline.policy,
        norm=choice.norm,
        scale=choice.scale,
        loss=choice.cell_loss,
    ).space
    some = outline.typed(frame.drop("name")[first : first + 60])
    part = Shaped.of(outline, some.frame, choice).space
    assert np.array_equal(part.coordinates, whole.coordinates[first : first + 60])
    for mine, theirs in zip(part.axes, whole.axes, strict=True):
        assert (mine.column, mine.kind, mine.weight, mine.missing) == (
            theirs.column,
            theirs.kind,
            theirs.weight,
            theirs.missing,
        )
        for own, other in ((mine.level_cost, theirs.level_cost), (mine.ancestors, theirs.ancestors)):
            assert (own is None) == (other is None)
            assert own is None or other is None or np.array_equal(own, other)


def test_a_label_of_one_person_is_found_wherever_it_stands() -> None:
    frame = people(400).with_columns(
        sex=pl.when(pl.int_range(pl.len()) == 399).then(pl.lit("x")).otherwise(pl.col("sex"))
    )
    with pytest.raises(SchemaError, match="one person alone has in the whole table: 1 of 'sex'"):
        outlined(frame, policy(), [399])


def test_a_label_of_two_rows_in_two_partitions_is_not_rare() -> None:
    frame = people(400).with_columns(
        sex=pl.when(pl.int_range(pl.len()).is_in([0, 399])).then(pl.lit("x")).otherwise(pl.col("sex"))
    )
    assert "x" in outlined(frame, policy(), [200]).table.frame["sex"]


def test_a_label_in_two_rows_of_one_person_is_rare() -> None:
    frame = people(400, visits=True).with_columns(
        sex=pl.when(pl.int_range(pl.len()).is_in([0, 399])).then(pl.lit("x")).otherwise(pl.col("sex")),
        who=pl.when(pl.int_range(pl.len()).is_in([0, 399])).then(-1).otherwise(pl.col("who")),
    )
    with pytest.raises(SchemaError, match="one person alone has"):
        outlined(frame, policy(visits=True), [200])


def test_identifiers_inside_texts_are_counted_in_all_cells() -> None:
    frame = people(400).with_columns(
        illness=pl.when(pl.int_range(pl.len()) % 100 == 0)
        .then(pl.lit("call +49 171 2345678"))
        .otherwise(pl.col("illness"))
    )
    with pytest.raises(SchemaError, match="in 4 of 400 cells"):
        outlined(frame, policy(), [150])


def test_numbers_stored_as_text_are_refused() -> None:
    frame = people(400).with_columns(pl.col("pay").cast(pl.String))
    with pytest.raises(SchemaError, match="numbers or dates as text"):
        outlined(frame, policy(), [])
