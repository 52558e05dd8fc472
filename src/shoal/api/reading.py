"""The functions that read: a table once for several calls, the tables of a database, and a release with its types."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from shoal.errors import ParameterError
from shoal.pipeline.reporting import read_options, reporting_memory
from shoal.policy.keywords import Reading, as_policy
from shoal.policy.named_arguments import named_arguments
from shoal.results.read_release import read_typed
from shoal.tables import Frame, Origin, Table, give_back, read
from shoal.tables.database.source import is_uri, located

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_LIBRARIES: tuple[Literal["polars", "pandas", "pyarrow"], ...] = ("polars", "pandas", "pyarrow")


def read_table(
    source: Frame | str | Path, *, table: str | None = None, query: str | None = None, **reading: Unpack[Reading]
) -> Table:
    """Return a table that `profile`, `anonymize` and `compare` take as their source without reading it again."""
    with reporting_memory():
        return read(located(source, table, query), read_options(as_policy(None, reading)))


def database_tables(uri: str) -> list[str]:
    """Return the names of the tables and views of a database, each as `read_table` takes it for `table`."""
    from shoal.tables.database.reading import list_tables

    if not is_uri(uri):
        raise ParameterError("this is not the URI of a database.", "write it as postgresql://user@host/database.")
    return list_tables(located(uri, query="select 1"))


@overload
def read_release(
    folder: str | Path, *, midpoints: bool = False, library: Literal["polars"] = "polars"
) -> pl.DataFrame: ...
@overload
def read_release(folder: str | Path, *, midpoints: bool = False, library: Literal["pandas"]) -> pd.DataFrame: ...
@overload
def read_release(folder: str | Path, *, midpoints: bool = False, library: Literal["pyarrow"]) -> pa.Table: ...
@named_arguments()
def read_release(
    folder: str | Path, *, midpoints: bool = False, library: Literal["polars", "pandas", "pyarrow"] = "polars"
) -> Any:
    """Return a released table with types: ends of ranges as numbers and dates, sets as lists, nodes with levels.

    Only the public folder is read. Every file in it must be the one that its certificate lists, and the codebook must
    agree with the table. Whether the requirements hold is not checked here, but by `verify`.

    A quasi-identifier ``x`` becomes

    - ``x_min`` and ``x_max`` if it is a number, a date, a place or a value of an order; on a grid of numbers also
      ``x_open``: whether the upper end is excluded; beyond a top or bottom the end is infinite (of dates: null);
    - a list ``x`` of all labels or regions that a cell may stand for;
    - the node ``x`` of a hierarchy;
    - the value ``x`` in the forms aggregate, centers and suppress.

    Besides these, ``x_missing`` is whether the value may be missing (in the forms aggregate and centers: how many
    are), and ``x_level`` the level of a node, 0 for a value itself. For a suppressed cell (``*``) all of them are
    null, except for a node and its level. A name that another column already has gets an additional underscore.
    All other columns have their own type; in the form centers they are lists of values and numbers of people.

    Parameters
    ----------
    folder : str or Path
        The public folder of a release, or the released file in it.
    midpoints : bool, default False
        Whether the middle of every range is added as ``x_mid``.
    library : {"polars", "pandas", "pyarrow"}, default "polars"
        The library of the returned frame.

    Returns
    -------
    frame of polars, pandas or pyarrow
        The rows of the release, in its order.

    Raises
    ------
    TableError
        If the released file cannot be read.
    ParameterError
        If there is no release, or an earlier version wrote it without a codebook.
    CertificateError
        If a file is not the one that the certificate lists, or the codebook does not agree with the table.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.write(f"{folder}/out")
    ...     read = shoal.read_release(f"{folder}/out")
    >>> read.columns
    ['birth_date_min', 'birth_date_max', 'birth_date_missing', 'sex', 'sex_missing', 'diagnosis']
    >>> read.schema["birth_date_min"], read.schema["sex"]
    (Date, List(String))
    """
    if library not in _LIBRARIES:
        raise ParameterError(f"library={library} is not known.", f"choose one of {', '.join(_LIBRARIES)}.")
    return give_back(read_typed(folder, midpoints=midpoints), Origin(kind=library))
