"""What those who answer for a release should know about its columns, and no count of groups shows.

Nothing is changed or refused: whether case and blanks mean something, or a value can be known, only those who know
the table can say. Remarks have counts, never values.
"""

from __future__ import annotations

import polars as pl

from shoal.policy import Policy


def remarks(frame: pl.DataFrame, policy: Policy) -> tuple[str, ...]:
    """One sentence for every column that there is something to say of."""
    return (*_spelled_alike(frame, policy), *_telling(frame, policy), *_nearly_numbers(frame, policy))


def _spelled_alike(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Values that a reader takes for one: `HIV`, `hiv`, `HIV `; a missing value, an empty text.

    l and t count them as different values, k as different people.
    """
    counted = {name: "values" for name in policy.sensitive if policy.diversity_of(name) or policy.closeness_of(name)}
    if policy.person is not None:
        counted[policy.person] = "people"
    notes = []
    for name, what in counted.items():
        if not isinstance(frame[name].dtype, pl.String | pl.Categorical | pl.Enum):
            continue
        values = frame[name].unique().cast(pl.String)
        bare = values.str.normalize("NFKC").str.strip_chars().str.to_lowercase().fill_null("")
        if more := len(values) - bare.n_unique():
            notes.append(
                f"column {name!r}: {more} of {len(values)} {what} differ from another only in case or blanks, or are "
                "an empty text beside missing ones; they count as different. Make them alike if they are the same."
            )
    return notes


def _telling(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Columns that are published as they are, and tell most rows apart: a row number, a code."""
    alone = {name: int(frame[name].is_unique().sum()) for name in policy.named("other")}
    return [
        f"column {name!r} is published as it is, and {count} of {frame.height} rows are the only ones with their "
        "value there: whoever knows it finds the row."
        for name, count in alone.items()
        if 2 * count > frame.height
    ]


def _nearly_numbers(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Numbers that are taken as labels because of a few cells: `unknown`, a line of totals."""
    notes = []
    for name in policy.quasi:
        if policy.columns[name].kind != "label" or frame[name].dtype != pl.String:
            continue
        cells = frame[name].drop_nulls()
        numbers = int(cells.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False).is_not_null().sum())
        if len(cells) > numbers > len(cells) / 2:
            notes.append(
                f"column {name!r} is taken as labels: {numbers} of its {len(cells)} cells are numbers, the others "
                "are not. Correct those, or name them as missing (null_values), to have ranges of numbers."
            )
    return notes
