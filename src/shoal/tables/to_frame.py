"""Conversion of a released frame to the kind of table that the user passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from shoal.tables.table import Origin
from shoal.tables.visible import only_visible

if TYPE_CHECKING:
    import pandas as pd


def give_back(frame: pl.DataFrame, origin: Origin) -> Any:
    """Return `frame` as the kind of table that `origin` was; for a file, a polars frame.

    Columns keep their order. A column whose polars type is still the one that was read gets its native type back
    (pandas category or Int64, Arrow dictionary), with only those categories that occur. A pandas frame has a new
    RangeIndex. The result holds no data that is not a visible cell: see `shoal.tables.visible`.
    """
    frame = only_visible(frame)
    if origin.kind == "polars-lazy":
        return frame.lazy()
    if origin.kind == "pyarrow":
        return _arrow(frame, origin)
    if origin.kind == "pandas":
        return _pandas(frame, origin)
    return frame


def _native(column: pl.Series, origin: Origin) -> Any:
    """Return the column's original type in pandas or pyarrow; None if its values now have another type."""
    return origin.native.get(column.name) if origin.schema.get(column.name) == column.dtype else None


def _arrow(frame: pl.DataFrame, origin: Origin) -> pa.Table:
    """Return the frame as a pyarrow table, with the original types where they still fit."""
    columns = {}
    for column in frame.get_columns():
        plain, native = _arrow_column(column), _native(column, origin)
        if native is not None and pa.types.is_dictionary(native) and not pa.types.is_dictionary(plain.type):
            plain = plain.dictionary_encode()
        try:
            columns[column.name] = plain if native is None else plain.cast(native)
        except pa.ArrowException:  # a value such as a mean of whole seconds may not fit the original type
            columns[column.name] = plain
    return pa.table(columns)


def _arrow_column(column: pl.Series) -> Any:
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        return _arrow_column(column.cast(pl.String)).dictionary_encode()
    return column.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())


def _pandas(frame: pl.DataFrame, origin: Origin) -> pd.DataFrame:
    import pandas as pd

    columns = dict(enumerate(_pandas_column(column, _native(column, origin)) for column in frame.get_columns()))
    result = pd.DataFrame(columns, index=pd.RangeIndex(frame.height))
    result.columns = pd.Index([origin.labels.get(name, name) for name in frame.columns])
    return result


def _pandas_column(column: pl.Series, native: Any) -> Any:
    """Return a column as a pandas array or series, in its original type where that still fits."""
    import pandas as pd

    if isinstance(native, pd.CategoricalDtype) and column.dtype == pl.Categorical:
        column = column.cast(pl.String)  # otherwise pandas confuses two orders of the categories
    if column.null_count() and (column.dtype.is_integer() or column.dtype == pl.Boolean):
        # NumPy has no missing integer, and a float would round a large one
        dtype: Any = "boolean" if column.dtype == pl.Boolean else str(column.dtype)
        plain = pd.Series(pd.arrays.ArrowExtensionArray(_arrow_column(column))).astype(dtype)
    else:
        plain = _arrow_column(column).to_pandas()
    if isinstance(native, pd.CategoricalDtype):
        used = native.categories[native.categories.isin(plain.dropna().unique())]
        if not native.ordered:  # the order of the categories may reveal the order of the original rows
            used = used[sorted(range(len(used)), key=lambda place: str(used[place]))]
        native = pd.CategoricalDtype(used, ordered=native.ordered)
    try:
        return plain if native is None else plain.astype(native)
    except (TypeError, ValueError):  # a column of int64 that now has missing values stays Int64
        return plain
