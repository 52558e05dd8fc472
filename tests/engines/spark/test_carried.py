"""What is carried comes back as it was, whatever its type."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal.engines.spark.carried import carried_schema, carry, delivered
from shoal.errors import TableError
from tests.engines.spark.every_type import EVERY_TYPE, KEY, assert_same

KNOWN = {
    pa.bool_(),
    pa.int8(),
    pa.int16(),
    pa.int32(),
    pa.int64(),
    pa.float32(),
    pa.float64(),
    pa.string(),
    pa.binary(),
}


@pytest.mark.parametrize(("start", "length"), [(0, 4), (1, 3), (2, 1), (0, 0)])
def test_every_type_comes_back_bit_by_bit_also_from_a_part_of_a_batch(start: int, length: int) -> None:
    (batch,) = EVERY_TYPE.combine_chunks().to_batches()
    part = batch.slice(start, length)
    carried = carry(part, EVERY_TYPE.schema)
    back = delivered(carried, EVERY_TYPE.schema)
    back.validate(full=True)
    assert_same(pa.Table.from_batches([back]), pa.Table.from_batches([part]))


def test_only_types_that_spark_does_not_interpret_are_carried() -> None:
    def plain(kind: pa.DataType) -> bool:
        if pa.types.is_list(kind):
            return plain(kind.value_type)
        if pa.types.is_struct(kind):
            return all(plain(kind.field(place).type) for place in range(kind.num_fields))
        return kind in KNOWN

    assert all(plain(column.type) for column in carried_schema(EVERY_TYPE.schema))


def test_unsigned_numbers_keep_their_order() -> None:
    numbers = [0, 1, 2**63 - 1, 2**63, 2**64 - 1]
    schema = pa.schema([("x", pa.uint64())])
    batch = pa.RecordBatch.from_arrays([pa.array(numbers, pa.uint64())], schema=schema)
    carried = carry(batch, schema).column(0).to_pylist()
    assert carried == sorted(carried)


def test_columns_are_carried_under_numbers() -> None:
    assert carried_schema(EVERY_TYPE.schema).names[:3] == ["c0", "c1", "c2"]
    assert EVERY_TYPE.schema.names[0] == KEY


def test_a_type_that_cannot_be_carried_is_refused_by_the_name_of_its_column() -> None:
    schema = pa.schema([("age", pa.int8()), ("visits", pa.map_(pa.string(), pa.int64()))])
    with pytest.raises(TableError, match="column visits has the type map"):
        carried_schema(schema)
