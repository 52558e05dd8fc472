"""Rows in an order of their own: by their quasi-identifiers, and by the secret of the release among equal ones.

Guarantee   The order of the input decides nothing. Identifiers, and columns of which nothing is asked, decide nothing
            that grouping sees: the records, their people and the values of columns with l or t come in the same
            sequence whatever the other columns hold (PRIVACY-6, docs/proofs/privacy.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

from shoal.clock import Clock
from shoal.policy import Policy
from shoal.secret import Secret
from shoal.tables import Table

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """A table whose roles are resolved, in its own row order: what groups are made of."""

    table: Table
    policy: Policy
    order: Ints
    """Where each row stood in the source."""
    secret: Secret


def in_own_order(table: Table, policy: Policy, secret: Secret, clock: Clock) -> Rows:
    """The rows in an order that says nothing of how they came."""
    with clock("roles"):
        order = own_order(table, policy, secret)
        return Rows(table=table.taken(order), policy=policy, order=order, secret=secret)


def own_order(table: Table, policy: Policy, secret: Secret) -> Ints:
    """The rows sorted by their quasi-identifiers, ties broken by the secret.

    Rows are sorted by all cells first, so that the secret meets them in the same order however they came.
    """
    cells = table.as_read.with_columns((cs.categorical() | cs.enum()).cast(pl.String))
    quasi = [name for name in cells.columns if policy.columns[name].role == "quasi"]
    asked = [name for name in cells.columns if _asked(policy, name)]
    person = [name for name in cells.columns if name == policy.person]
    rest = [name for name in cells.columns if name not in {*quasi, *asked, *person}]
    parts = [_keys(cells.select(names)) for names in (quasi, asked, person, rest)]
    keys = [key for part in parts for key in part]
    columns = pl.DataFrame({str(place): key for place, key in enumerate(keys)})
    sorted_ = columns.select(pl.arg_sort_by(columns.columns)).to_series().to_numpy().astype(np.int64)
    record = _numbered(parts[0], sorted_)
    ties = secret.stream("ties", len(sorted_))
    if person:
        kind = _numbered([*parts[0], *parts[1]], sorted_)
        marks = secret.stream("kinds of records", int(kind.max(initial=-1)) + 1)[kind]
        people = _people(_by_appearance(parts[2][0][sorted_]), marks, secret)
        return sorted_[np.lexsort((ties, marks, people, record))]
    return sorted_[np.lexsort((ties, record))]


def _asked(policy: Policy, name: str) -> bool:
    """Whether groups must look at a sensitive column."""
    if policy.columns[name].role != "sensitive":
        return False
    return policy.diversity_of(name) is not None or policy.closeness_of(name) is not None


def _people(codes: Ints, marks: npt.NDArray[np.uint64], secret: Secret) -> Ints:
    """Everybody's number, for each row: at random, but the same whatever the people are called.

    The sum of the random marks of a person's records tells people apart by the records they have, and by nothing
    else. Those with equal sums have equal records, and may change places without a trace.
    """
    n_people = int(codes.max(initial=-1)) + 1
    sums = np.zeros(n_people, dtype=np.uint64)
    np.add.at(sums, codes, marks)
    by_records = np.lexsort((secret.stream("people with equal records", n_people), sums))
    number = np.empty(n_people, dtype=np.int64)
    number[by_records] = secret.permutation("people", n_people)
    return number[codes]


def _by_appearance(codes: Ints) -> Ints:
    """Codes 0, 1, ... in the order in which they first appear."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]


def _numbered(keys: Sequence[Ints], order: Ints) -> Ints:
    """Rows in `order`, which sorts by these keys, numbered 0, 1, ...; equal ones have equal numbers."""
    opens = np.zeros(len(order), dtype=bool)
    for key in keys:
        along = key[order]
        opens[1:] |= along[1:] != along[:-1]
    return np.cumsum(opens)


def _keys(frame: pl.DataFrame) -> list[Ints]:
    """Whole numbers that sort as the cells do, several columns in one where they fit: quicker to sort than text."""
    keys: list[Ints] = []
    most = 0
    for column in frame.get_columns():
        cells = column.alias("cell").to_frame()
        ranked = cells.unique().sort("cell").with_row_index("rank")
        ranks = cells.join(ranked, on="cell", how="left", nulls_equal=True, maintain_order="left")["rank"].to_numpy()
        if most and most * len(ranked) < 2**63:
            keys[-1] = keys[-1] * len(ranked) + ranks
            most *= len(ranked)
        else:
            keys.append(ranks.astype(np.int64))
            most = len(ranked)
    return keys
