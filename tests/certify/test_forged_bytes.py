"""Parquet and Arrow files that hold more than their cells show: each is refused, and none of ours does."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from shoal.certify import verify
from shoal.tables import write_file
from tests.certify import releases

NAME = "Anna Meyer of Hill Street"


def table() -> pa.Table:
    return releases.release().to_arrow(compat_level=pl.CompatLevel.oldest())


def note(table: pa.Table, column: str = "diagnosis") -> pa.Table:
    """A note on one column."""
    place = table.schema.get_field_index(column)
    field = table.schema.field(place).with_metadata({"who": NAME})
    return table.cast(table.schema.set(place, field))


def listed(table: pa.Table) -> pa.Table:
    """A column as a list of values, one of which no row has."""
    place = table.schema.get_field_index("diagnosis")
    codes = table.column(place).combine_chunks().dictionary_encode()
    longer = pa.DictionaryArray.from_arrays(codes.indices, pa.array([*codes.dictionary.to_pylist(), NAME]))
    return table.set_column(place, "diagnosis", longer)


def in_arrow(table: pa.Table, notes: dict[str, str] | None = None) -> bytes:
    sink = io.BytesIO()
    with ipc.new_file(sink, table.schema) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch, custom_metadata=notes)
    return sink.getvalue()


def in_parquet(table: pa.Table, **how: object) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink, **how)
    return sink.getvalue()


def under_null() -> pa.Table:
    """A number under a cell that is missing."""
    cells = b"".join(number.to_bytes(8, "little") for number in range(77, 89))
    numbers = pa.Array.from_buffers(pa.int64(), 12, [pa.py_buffer(b"\xfe\x0f"), pa.py_buffer(cells)])
    return table().append_column("number", numbers)


def besides(type_: pa.DataType) -> pa.Table:
    """Texts in a buffer that no cell points to."""
    texts = pa.array(["a text that is long enough"] * 12 + [NAME], type=type_)
    return table().append_column("number", pa.Array.from_buffers(type_, 12, texts.buffers()))


ARROW = {
    "notes of the table": lambda: in_arrow(table().replace_schema_metadata({"who": NAME})),
    "notes of a column": lambda: in_arrow(note(table())),
    "notes of a batch": lambda: in_arrow(table(), {"who": NAME}),
    "a list": lambda: in_arrow(listed(table())),
    "a text that no view shows": lambda: in_arrow(besides(pa.string_view())),
    "a number under a missing cell": lambda: in_arrow(under_null()),
}
PARQUET = {
    "notes of the table": lambda: in_parquet(table().replace_schema_metadata({"who": NAME})),
    "notes of a column": lambda: in_parquet(note(table())),
    "what pandas notes": lambda: in_parquet(pa.Table.from_pandas(releases.release().to_pandas())),
    "a list": lambda: in_parquet(listed(table())),
    "categories": lambda: _enum(),
}


def _enum() -> bytes:
    sink = io.BytesIO()
    wide = pl.Enum(["flu", "cold", NAME])
    releases.release().with_columns(pl.col("diagnosis").cast(wide)).write_parquet(sink)
    return sink.getvalue()


def asked():
    """A column of numbers may be there."""
    return releases.policy(columns=releases.ROLES | {"number": {"role": "other"}})


def told(path: Path) -> list[str]:
    findings = verify(path, asked())
    assert NAME not in str(findings)
    return [failure.message for failure in findings.failures]


@pytest.mark.parametrize("forged", ARROW)
def test_an_arrow_file_that_hides_something_is_refused(tmp_path, forged):
    (tmp_path / "r.arrow").write_bytes(ARROW[forged]())
    assert any("more than its cells" in message for message in told(tmp_path / "r.arrow")), forged


@pytest.mark.parametrize("forged", PARQUET)
def test_a_parquet_file_that_hides_something_is_refused(tmp_path, forged):
    data = PARQUET[forged]()
    (tmp_path / "r.parquet").write_bytes(data)
    assert any("more than its cells" in message for message in told(tmp_path / "r.parquet")), forged


def test_statistics_of_rows_that_are_gone_are_refused(tmp_path):
    """As many bytes, another name: what a column's statistics say must be true of its cells."""
    frame = releases.release().with_columns(diagnosis=pl.col("diagnosis").replace({"flu": "influenza-xyz"}))
    data = in_parquet(frame.to_arrow(compat_level=pl.CompatLevel.oldest()), use_dictionary=False, compression="none")
    at = data.rindex(b"influenza-xyz")
    (tmp_path / "r.parquet").write_bytes(data[:at] + b"zoe-the-first" + data[at + 13 :])
    assert any("more than its cells" in message for message in told(tmp_path / "r.parquet"))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_what_other_programs_write_plainly_holds(tmp_path, ending):
    path = tmp_path / f"r.{ending}"
    (releases.release().write_parquet if ending == "parquet" else releases.release().write_ipc)(path)
    assert told(path) == []
    path.write_bytes(in_parquet(table()) if ending == "parquet" else in_arrow(table()))
    assert told(path) == []


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_what_shoal_writes_holds_its_cells_alone(tmp_path, ending):
    kinds = releases.release().with_columns(
        pl.col("diagnosis").cast(pl.Enum(["flu", "cold", NAME])),
        pl.col("city").cast(pl.Categorical),
        number=pl.Series([None, *range(11)]),
    )
    path = tmp_path / f"r.{ending}"
    write_file(kinds, path)
    assert told(path) == []
    assert NAME.encode() not in path.read_bytes()


def test_in_the_folder_of_a_release_a_parquet_file_is_laid_out_as_shoal_writes_it(tmp_path):
    """Room between the columns, statistics and lists of values are what nobody needs and anything fits into."""
    frame, policy = releases.release(), releases.policy()
    path = tmp_path / "release.parquet"
    write_file(frame, path)
    certificate = tmp_path / "certificate.json"
    certificate.write_text(releases.certified(path, frame, policy).to_public_json())
    assert verify(path).holds
    honest = path.read_bytes()
    loose = {
        "statistics": in_parquet(table(), use_dictionary=False),
        "lists": in_parquet(table(), write_statistics=False),
        "indexes": in_parquet(table(), use_dictionary=False, write_statistics=False, write_page_index=True),
        "a gap": _with_gap(honest),
    }
    for name, data in loose.items():
        path.write_bytes(data)
        certificate.write_text(releases.certified(path, frame, policy).to_public_json())
        messages = [failure.message for failure in verify(path).failures]
        assert any("more than its cells" in message for message in messages), (name, messages)


def at_the_footer(data: bytes) -> bytes:
    """A name between the last block of an Arrow file and its footer."""
    start = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    return data[:start] + NAME.encode() + data[start:]


def in_the_head(data: bytes) -> bytes:
    """A name in the copy of the schema that no program reads, in the place of the names of columns."""
    at = data.index(b"diagnosis")
    return data[:at] + b"Anna Meye" + data[at + 9 :]


@pytest.mark.parametrize("hide", [at_the_footer, in_the_head])
@pytest.mark.parametrize("maker", ["polars", "pyarrow"])
def test_bytes_of_an_arrow_file_that_belong_to_no_column_are_found(tmp_path, hide, maker):
    path = tmp_path / "r.arrow"
    releases.release().write_ipc(path) if maker == "polars" else path.write_bytes(in_arrow(table()))
    assert told(path) == []
    path.write_bytes(hide(path.read_bytes()))
    assert any("more than its cells" in message for message in told(path))


def test_the_maker_of_a_parquet_file_is_a_known_program(tmp_path):
    path = tmp_path / "r.parquet"
    data = in_parquet(table())
    made = b"parquet-cpp-arrow version"
    path.write_bytes(data.replace(made, b"Anna Meyer of Hill Street"))
    assert any("in place of the program" in message for message in told(path))


def _with_gap(data: bytes) -> bytes:
    """Bytes before the footer that nothing points to."""
    length = int.from_bytes(data[-8:-4], "little")
    footer = len(data) - 8 - length
    return data[:footer] + NAME.encode() + data[footer:]
