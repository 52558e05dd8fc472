"""Counterfeit rows, which hide the sensitive values that groups lost because people left."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from shoal.caller import named
from shoal.errors import ParameterError
from shoal.pipeline.next_release.result import Ints
from shoal.policy import Policy
from shoal.secret import Secret
from shoal.tables import Table


def made_up_rows(
    table: Table,
    policy: Policy,
    secret: Secret,
    signature: Ints,
    wanted: Iterable[tuple[int, int, int]],
    domain: list[str],
    column: str,
    values: Ints,
) -> pl.DataFrame:
    """Return counterfeit rows: `times` rows for each triple (signature, value, times) in `wanted`.

    Each row has the quasi-identifiers of a random person with the same signature, the given sensitive value, no
    identifiers, and a person who is not in the table. Raises ParameterError if a value that no longer occurs in the
    table, or a new person, cannot be represented in the type of its column.
    """
    templates: list[int] = []
    published: list[int] = []
    for number, value, times in wanted:
        alike = np.flatnonzero(signature == number)
        drawn = secret.stream(f"counterfeits of {number} with {value}", times)
        templates += alike[drawn % np.uint64(len(alike))].tolist()
        published += [value] * times
    frame = table.frame[templates]
    own = table.frame[column]
    at = {code: row for row, code in reversed(list(enumerate(values.tolist())))}
    absent = sorted({value for value in published if value not in at})
    read = pl.Series([domain[value] for value in absent], dtype=pl.String).cast(own.dtype, strict=False)
    if read.null_count():
        raise ParameterError(
            f"counterfeits need values of {column} that no row has any more, which its type cannot represent.",
            f"give {column} as text, or leave out {named('counterfeits')} and allow rows to be left out "
            f"({named('max_suppressed')}).",
        )
    place = {value: row for row, value in enumerate(absent)}
    cells = pl.concat([own, read.alias(column)])
    taken = [at[value] if value in at else len(own) + place[value] for value in published]
    frame = frame.with_columns(cells[taken].alias(column))
    empty = [pl.lit(None, dtype=table.frame.schema[name]).alias(name) for name in policy.named("identifier")]
    frame = frame.with_columns(empty)
    if policy.person is not None:
        frame = frame.with_columns(_strangers(table.frame[policy.person], frame.height, secret))
    return frame.select(table.frame.columns)


def _strangers(people: pl.Series, n: int, secret: Secret) -> pl.Series:
    """Return `n` values of the person column that are not in the table."""
    if people.dtype.is_integer():
        highest = int(people.max() or 0)  # type: ignore[arg-type]
        return pl.Series(people.name, range(highest + 1, highest + 1 + n), dtype=people.dtype)
    if people.dtype != pl.String:
        raise ParameterError(
            f"counterfeits need new people in {people.name}, which has neither texts nor whole numbers.",
            f"give {people.name} as text, or leave out {named('counterfeits')}.",
        )
    drawn = secret.stream("people made up", 2 * n).tolist()
    return pl.Series(people.name, [f"{a:016x}{b:016x}" for a, b in zip(drawn[::2], drawn[1::2], strict=True)])
