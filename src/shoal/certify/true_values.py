"""Count l and t of quasi-identifiers that are also sensitive, on their true values, which are not in the file.

This part of the check is private to the publisher. It is done by the verifier's own code, on the equivalence classes
that a reader of the released table sees, with the true value of every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.criteria import measure_column
from shoal.certify.equivalence_classes import Classes, class_ids
from shoal.certify.findings import Claim, Failure, Unit
from shoal.certify.released_columns import sort_columns
from shoal.policy import Policy

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TrueFindings:
    """Claims and failures about the true values of quasi-identifiers that are also sensitive; they are private."""

    claims: tuple[Claim, ...] = ()
    failures: tuple[Failure, ...] = ()


def check_true_values(
    released: pl.DataFrame,
    true: pl.DataFrame,
    of_row: Ints,
    people: Sequence[object] | None,
    policy: Policy,
    form: str,
) -> TrueFindings:
    """Return l and t of quasi-identifiers that are also sensitive, counted on `true`: their original cells as text.

    These are plain numbers and ISO dates, whatever the format that the policy states for the file.
    `released` is the released table as text, and `of_row` has the released row of each row of `true`. `people` has
    the person of each row if the policy has a person column.
    """
    names = policy.sensitive_quasi
    if not names or not released.height:
        return TrueFindings()
    unit: Unit = "people" if policy.person else "rows"
    columns = sort_columns(released.columns, policy, form, released.height)
    rows = pl.DataFrame({"class": class_ids(released.select(columns.quasi), released.height)[of_row]})
    who = rows.with_row_index("person").select("person").to_series() if people is None else pl.Series(people)
    rows = rows.with_columns(person=who)
    counted = rows.group_by("class").agg(
        records=pl.len().cast(pl.Int64), people=pl.col("person").n_unique().cast(pl.Int64)
    )
    texts = {name: rows.with_columns(text=true[name]).unique() for name in names}
    classes = Classes(counted, texts)
    claims: list[Claim] = []
    failures: list[Failure] = []
    for name in names:
        plain = policy.columns[name].model_copy(update={"format": None, "number": None})
        found = measure_column(name, plain, policy, classes)
        if isinstance(found, Failure):
            failures.append(found)
            continue
        claims += [one.claim(unit) for one in found if one.asked is not None]
        failures += [failure for one in found if (failure := one.failure(classes)) is not None]
    return TrueFindings(tuple(claims), tuple(failures))
