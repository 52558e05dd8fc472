"""Count the combinations of items in a released column of sets: k^m-anonymity (PRIVACY-9, docs/proofs/privacy.md).

Every combination of at most m items that a row has, or that the rows of one person in an equivalence class have
together, must be had by at least k people of the class. Combinations are listed by joining the items of a row with
themselves and are counted by grouping; no code is shared with the modules that recode sets.
"""

from __future__ import annotations

import polars as pl

from shoal.certify.findings import Failure
from shoal.policy import Column, Policy

MOST_LISTED = 10_000_000
"""Combinations that are listed at a time; 10 million of them take about 400 MB."""


def check_set_cells(frame: pl.DataFrame, policy: Policy) -> list[Failure]:
    """Return a failure if cells of the column of sets are not written in the one way in which a set is written.

    Items are sorted by code point, different, not empty and without blanks around them; a set without items is a
    missing cell. Any other order could tell something.
    """
    name = policy.set_column
    if name is None or name not in frame.columns:
        return []
    column = policy.columns[name]
    counts = frame[name].alias("cell").value_counts().rows()
    wrong = sum(times for cell, times in counts if cell is not None and not _is_sound(cell, column))
    if not wrong:
        return []
    message = f"column {name}: {wrong} cells are not sets of different items in their order"
    return [Failure(check="sets", column=name, message=message, records=wrong)]


def _is_sound(cell: str, column: Column) -> bool:
    """Return whether a cell is written as a set is written."""
    items = [item.strip() for item in cell.split(column.between)]
    return all(items) and items == sorted(set(items)) and cell == column.separator.join(items)


def fewest_sharing(
    cells: pl.Series, classes: pl.Series, people: pl.Series | None, between: str, m: int
) -> pl.DataFrame:
    """Return, for every class, the fewest people who share a combination of at most `m` items that occurs in it.

    `classes` and `people` have the class and the person of every row; without people every row is one. All people of
    a class share the combination of no items.
    """
    rows = pl.DataFrame({"class": classes, "item": cells.str.split(between)}).with_row_index("row")
    rows = rows.with_columns(person="row" if people is None else people)
    items = (
        rows.explode("item")
        .with_columns(pl.col("item").str.strip_chars())
        .filter(pl.col("item").is_not_null() & (pl.col("item") != ""))
        .unique()
    )
    parts = [rows.group_by("class").agg(people=pl.col("person").n_unique().cast(pl.Int64))]
    parts += [_fewest(items, size) for size in range(1, m + 1)]
    if people is not None:  # the rows of a person can be told in a class, so their items are known together
        whose = items.select("class", "person").unique().with_row_index("row")
        together = items.select("class", "person", "item").unique().join(whose, on=["class", "person"])
        parts += [_fewest(together, size) for size in range(2, m + 1)]
    return pl.concat(parts).group_by("class").agg(measure=pl.col("people").min().cast(pl.Float64))


def _fewest(items: pl.DataFrame, size: int) -> pl.DataFrame:
    """Return, for every class, the fewest people who share a combination of `size` items of a row."""
    coded = items.select("class", "person", "row", a=pl.col("item").rank("dense"))
    later = (
        pl.col("a").rank("ordinal", descending=True).over("row") - 1
    )  # the items of the row that come after this one
    work = pl.lit(1) if size == 1 else later if size == 2 else later * (later - 1) // 2
    counted = coded.with_columns(work=work.cast(pl.Int64)).sort("class", "a")
    first = counted.group_by("class", "a", maintain_order=True).agg(pl.col("work").sum())
    first = first.with_columns(part=pl.col("work").cum_sum() // MOST_LISTED).drop("work")
    keys = [pl.col(name) for name in ("a", "b", "c")[:size]]
    found = [pl.DataFrame(schema={"class": coded.schema["class"], "people": pl.Int64})]
    for own in counted.drop("work").join(first, on=["class", "a"]).partition_by("part"):
        listed = own.drop("part")
        for before, name in zip("ab", ("b", "c")[: size - 1], strict=False):
            others = coded.select("row", pl.col("a").alias(name))
            listed = listed.join(others, on="row").filter(pl.col(name) > pl.col(before))
        people = listed.group_by("class", *keys).agg(people=pl.col("person").n_unique().cast(pl.Int64))
        found.append(people.group_by("class").agg(pl.col("people").min()))
    return pl.concat(found)
