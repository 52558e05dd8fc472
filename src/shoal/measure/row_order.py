"""An attack on the order of released rows by a person in the table: are neighbors in a list neighbors in the file?

The attacker knows everybody's quasi-identifiers, an order of the people (a list of names, the order of the input),
and the published values of her own row. She looks at the rows that may be hers, and guesses that the person who
follows her in the list, among those with the same quasi-identifiers, has the sensitive value of an adjacent row; in
the form `centers`, of another member of her group.

Guarantee   If rows with equal published quasi-identifiers are in random order, and ties between equal records were
            broken at random (PRIVACY-6), the guesses are right as often as guesses about anybody with the same
            quasi-identifiers. Guesses about different people of one list exclude each other, so their sum varies less
            than that of independent guesses, and `standard_error` is not too small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
import polars.selectors as cs

from shoal.certify.multiset import parse as read_multiset
from shoal.measure.attack_result import OrderAttack
from shoal.measure.equivalence_classes import Bools, Ints, numbered
from shoal.policy import Policy
from shoal.tables.text import text_of

HIGH = 4.0
"""How many standard errors above chance the rate must be to count as significant, which happens by chance in 1 of
30,000 releases.
"""
FEWEST_EQUAL = 3
"""The fewest records with equal quasi-identifiers: with only one other, there is nothing to guess."""
MOST_ROWS = 20
"""The most rows of a class that are considered as possibly the attacker's own."""
INPUT, CELLS = "the input", "all cells"


@dataclass(frozen=True, slots=True, eq=False)
class Lined:
    """Released rows in the order of the file, and the class of each; with `centers` there is one row per group."""

    frame: pl.DataFrame
    of_row: Ints
    centers: bool
    typed: Callable[[pl.Series, pl.DataType], pl.Series]
    """Converts published text to the type of the original column."""


def order_attacks(
    original: pl.DataFrame, lined: Lined, policy: Policy, attacked: Ints, matched: Iterable[Bools]
) -> tuple[OrderAttack, ...]:
    """Return one attack for every sensitive column and every order that an attacker may know.

    `matched` says, block by block of the attacked records, which classes may hold each.
    """
    shown = [name for name in policy.unchanged if name in lined.frame.columns]
    guessed = [name for name in shown if policy.columns[name].role == "sensitive"]
    equal = numbered(original.select(policy.quasi), len(original))
    attackers = pl.DataFrame({"attacker": np.arange(len(attacked)), "equal": equal[attacked]})
    attackers = attackers.filter(np.bincount(equal, minlength=1)[equal[attacked]] >= FEWEST_EQUAL)
    if not guessed or not attackers.height:
        return ()
    fits = _pairs(matched).join(attackers, on="attacker", how="semi")
    listed = list(_orders(original, policy))
    found = []
    for name in guessed:
        own_columns = (name,) if lined.centers else tuple(shown)
        beliefs = _beliefs(name, own_columns, original[attacked], lined, fits)
        values = pl.DataFrame({"equal": equal, "value": text_of(original[name])})
        mine = attackers.with_columns(own=values["value"][attacked][attackers["attacker"]])
        for order, rank in listed:
            follows = _next(values, rank)[attacked][attackers["attacker"]]
            found.append(_attack(order, name, beliefs, mine.with_columns(next=follows), values))
    return tuple(one for one in found if one.attempts)


def _pairs(matched: Iterable[Bools]) -> pl.DataFrame:
    """Return pairs of an attacker and a class that may hold her row."""
    who, classes, begin = [], [], 0
    for block in matched:
        rows, fitting = np.nonzero(block)
        who.append(rows + begin)
        classes.append(fitting)
        begin += len(block)
    return pl.DataFrame({"attacker": np.concatenate(who), "class": np.concatenate(classes)})


def _orders(original: pl.DataFrame, policy: Policy) -> Iterator[tuple[str, Ints]]:
    """Yield the orders that an attacker may know, with the position of every record in each."""
    cells = original.with_columns((cs.categorical() | cs.enum()).cast(pl.String))
    names = [name for name in policy.named("identifier", "person") if name in cells.columns]
    for label, by in ((INPUT, []), (CELLS, cells.columns), *((name, [name]) for name in names)):
        order = (
            cells.select(pl.arg_sort_by(by, maintain_order=True)).to_series().to_numpy()
            if by
            else np.arange(len(cells))
        )
        rank = np.empty(len(cells), dtype=np.int64)
        rank[order] = np.arange(len(cells))
        yield label, rank


def _next(values: pl.DataFrame, rank: Ints) -> pl.Series:
    """Return the value of the record that follows each one in the list of its equals; the last is followed by the
    first.
    """
    follows = pl.col("value").shift(-1)
    around = pl.when(pl.int_range(pl.len()) == pl.len() - 1).then(pl.col("value").first()).otherwise(follows)
    listed = values.with_columns(rank=rank).with_row_index("place").sort("rank")
    return listed.with_columns(around.over("equal").alias("next")).sort("place")["next"]


def _beliefs(
    name: str, own_columns: tuple[str, ...], attackers: pl.DataFrame, lined: Lined, fits: pl.DataFrame
) -> pl.DataFrame:
    """Return the values that each attacker expects of the next person, with a probability for each."""
    people = _people(name, own_columns, attackers, lined)
    keys = [f"key {place}" for place in range(len(own_columns))]
    hers = attackers.select(
        text_of(attackers[column]).alias(key) for column, key in zip(own_columns, keys, strict=True)
    )
    own = people.filter(pl.int_range(pl.len()).over("class", *keys) < MOST_ROWS)
    known = fits.join(hers.with_row_index("attacker").with_columns(pl.col("attacker").cast(pl.Int64)), on="attacker")
    mine = known.join(own, on=["class", *keys], nulls_equal=True).select("attacker", "row", "value")
    if lined.centers:
        others = mine.select("attacker", "row", own="value").unique().join(people.select("row", "value"), on="row")
        seen = others.group_by("attacker", "row", "own", "value").len()
        seen = seen.with_columns(pl.col("len") - pl.col("value").eq_missing(pl.col("own"))).filter(pl.col("len") > 0)
    else:
        beside = people.with_columns(
            pl.col("row").shift(1).over("class").alias("before"), pl.col("row").shift(-1).over("class").alias("after")
        )
        looked = mine.select("attacker", "row").join(beside.select("row", "before", "after"), on="row")
        either = pl.concat(looked.select("attacker", row=side) for side in ("before", "after"))
        seen = either.drop_nulls("row").join(people.select("row", "value"), on="row").with_columns(len=pl.lit(1))
    return (
        seen.group_by("attacker", "value")
        .agg(pl.col("len").sum())
        .with_columns(weight=pl.col("len") / pl.col("len").sum().over("attacker"))
    )


def _people(name: str, own_columns: tuple[str, ...], original: pl.DataFrame, lined: Lined) -> pl.DataFrame:
    """Return everybody in the released rows: row, class, the value to guess, and the values by which people know
    their row.
    """
    rows = pl.DataFrame({"row": np.arange(len(lined.frame)), "class": lined.of_row})
    if not lined.centers:
        texts = [text_of(lined.typed(lined.frame[column], original[column].dtype)) for column in (name, *own_columns)]
        keys = ["value", *(f"key {place}" for place in range(len(own_columns)))]
        return rows.with_columns(text.alias(key) for text, key in zip(texts, keys, strict=True))
    multisets = [read_multiset(text) or {} for text in lined.frame[name].cast(pl.String).to_list()]
    labels = pl.Series(name, [label for row in multisets for label in row], dtype=pl.String)
    row_of = np.repeat(np.arange(len(multisets)), [len(row) for row in multisets])
    times = np.array([count for row in multisets for count in row.values()], dtype=np.int64)
    text = text_of(lined.typed(labels, original[name].dtype))[np.repeat(np.arange(len(times)), times)]
    return rows[np.repeat(row_of, times)].with_columns(text.alias("value"), text.alias("key 0"))


def _attack(
    order: str, name: str, beliefs: pl.DataFrame, attackers: pl.DataFrame, values: pl.DataFrame
) -> OrderAttack:
    """Return how often the guess about the next person is right, and how often it would be for anybody with equal
    quasi-identifiers.
    """
    counts = values.group_by("equal", "value").len("people")
    tried = beliefs.join(attackers, on="attacker").join(counts, on=["equal", "value"], how="left", nulls_equal=True)
    others = pl.col("people").fill_null(0) - pl.col("value").eq_missing(pl.col("own"))
    sizes = values.group_by("equal").len("size")
    each = (
        tried.join(sizes, on="equal")
        .with_columns(share=others / (pl.col("size") - 1))
        .group_by("attacker")
        .agg(
            right=(pl.col("weight") * pl.col("value").eq_missing(pl.col("next"))).sum(),
            chance=(pl.col("weight") * pl.col("share")).sum(),
            square=(pl.col("weight") ** 2 * pl.col("share")).sum(),
        )
    )
    n = each.height
    right, expected = float(each["right"].sum()), float(each["chance"].sum())
    variance = max(float((each["square"] - each["chance"] ** 2).sum()), 0.0)
    return OrderAttack(
        order=order,
        sensitive=name,
        attempts=n,
        rate=right / n if n else 0.0,
        chance=expected / n if n else 0.0,
        standard_error=sqrt(variance) / n if n else 0.0,
        # a difference of one right guess is never significant
        exceeds=right - expected > HIGH * sqrt(variance + 1.0),
    )
