"""Put rows into a canonical order: by quasi-identifiers, with ties in a random order drawn from the release's secret.

Guarantee   The result does not depend on the order of the input. Nor does anything that grouping uses depend on
            identifiers or on columns without a requirement: the quasi-identifiers, the people and the values of
            columns with l or t are in the same sequence whatever the other columns contain (PRIVACY-6,
            docs/proofs/privacy.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

from shoal.clock import Clock
from shoal.pipeline.fingerprint import settled
from shoal.policy import Policy
from shoal.secret import Earlier, Secret
from shoal.tables import Table

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """A table in canonical row order, with its resolved policy: the input of grouping."""

    table: Table
    policy: Policy
    order: Ints
    """The position of each row in the source."""
    secret: Secret


def in_own_order(
    table: Table, policy: Policy, secret: Secret | Earlier, clock: Clock, *, used: Secret | None = None
) -> Rows:
    """Return the rows in canonical order, which does not depend on their order in the source.

    `used` is the secret if it was settled before, because a sample was drawn by it.
    """
    with clock("roles"):
        used = used or settled(secret, table, policy)
        order = own_order(table, policy, used)
        return Rows(table=table.taken(order), policy=policy, order=order, secret=used)


def own_order(table: Table, policy: Policy, secret: Secret) -> Ints:
    """Return the canonical order of rows: sorted by quasi-identifiers, with ties broken by the secret.

    Rows are sorted by all cells first, so that the random numbers of the secret are assigned to them in the same way
    whatever their order in the source. If the policy has a person column, ties are broken by person first.
    """
    cells = table.as_read.with_columns((cs.categorical() | cs.enum()).cast(pl.String))
    quasi = [name for name in cells.columns if policy.columns[name].role == "quasi"]
    asked = [name for name in cells.columns if _asked(policy, name)]
    whose = policy.person  # found once: a table may have ten thousand columns
    person = [name for name in cells.columns if name == whose]
    named = {*quasi, *asked, *person}
    rest = [name for name in cells.columns if name not in named]
    parts = [sort_keys(cells.select(names)) for names in (quasi, asked, person, rest)]
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
    """Return whether a column is sensitive and has a requirement on its values, such as l-diversity."""
    if policy.columns[name].role != "sensitive":
        return False
    return policy.has_requirement(name)


def _people(codes: Ints, marks: npt.NDArray[np.uint64], secret: Secret) -> Ints:
    """Return a random number of its person for each row, which does not depend on what the people are called.

    People are distinguished only by their records: by the sum of the random marks of the kinds of their records.
    People with equal sums have equal records, so exchanging their numbers changes nothing that grouping uses.
    """
    n_people = int(codes.max(initial=-1)) + 1
    sums = np.zeros(n_people, dtype=np.uint64)
    np.add.at(sums, codes, marks)
    by_records = np.lexsort((secret.stream("people with equal records", n_people), sums))
    number = np.empty(n_people, dtype=np.int64)
    number[by_records] = secret.permutation("people", n_people)
    return number[codes]


def _by_appearance(codes: Ints) -> Ints:
    """Return the codes renumbered 0, 1, ... in the order in which they first appear."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]


def _numbered(keys: Sequence[Ints], order: Ints) -> Ints:
    """Return numbers 0, 1, ... for the rows in `order`; rows with equal keys have the same number.

    `order` must put rows with equal keys next to each other.
    """
    opens = np.zeros(len(order), dtype=bool)
    for key in keys:
        along = key[order]
        opens[1:] |= along[1:] != along[:-1]
    return np.cumsum(opens)


def sort_keys(frame: pl.DataFrame) -> list[Ints]:
    """Return integer keys that sort rows as their cells do, which is faster than sorting text.

    Consecutive columns are combined into one key if the products of their ranks fit into 64 bits.
    """
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
