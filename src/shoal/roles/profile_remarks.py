"""Remarks for the data steward about properties of columns that the sizes of equivalence classes do not show.

Nothing is changed or refused: only people who know the table can say whether case and blanks have a meaning, or
whether a value may be known to others. Remarks contain counts, never values.
"""

from __future__ import annotations

import polars as pl

from shoal.policy import Policy
from shoal.roles.derived_columns import FEWEST, advice, derived, unique_advice
from shoal.roles.sampling_weights import rare_weights


def remarks(frame: pl.DataFrame, policy: Policy) -> tuple[str, ...]:
    """Return the remarks, at most one of each kind for a column."""
    return (
        *_spelled_alike(frame, policy),
        *_telling(frame, policy),
        *_nearly_numbers(frame, policy),
        *_derived(frame, policy),
        *rare_weights(frame, policy),
    )


def _spelled_alike(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Return remarks on values that a reader takes for the same: `HIV`, `hiv` and `HIV `.

    l-diversity and t-closeness count them as different values, and k-anonymity as different people in the person
    column. A blank text counts as missing in a sensitive column, and as a person beside the missing one.
    """
    counted = {name: "values" for name in policy.all_sensitive if policy.has_requirement(name)}
    if policy.person is not None:
        counted[policy.person] = "people"
    notes = []
    for name, what in counted.items():
        if not isinstance(frame[name].dtype, pl.String | pl.Categorical | pl.Enum):
            continue
        values = frame[name].unique().cast(pl.String)
        if what == "values":
            values = values.set(values.str.strip_chars() == "", None).unique()
        bare = values.str.normalize("NFKC").str.strip_chars().str.to_lowercase().fill_null("")
        if more := len(values) - bare.n_unique():
            blank = ", or are an empty text beside missing ones" if what == "people" else ""
            notes.append(
                f"column {name!r}: {more} of {len(values)} {what} differ from another only in case or blanks{blank}; "
                "they count as different. Make them alike if they are the same."
            )
    return notes


def _telling(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Return remarks on columns that are published unchanged and have a unique value in most rows."""
    changed = set(policy.perturbed)  # other values are published there
    alone = {name: int(frame[name].is_unique().sum()) for name in policy.named("other") if name not in changed}
    return [
        f"column {name!r} is published as it is, and {count} of {frame.height} rows are the only ones with their "
        "value there: whoever knows that value finds the row."
        for name, count in alone.items()
        if 2 * count > frame.height
    ]


def _derived(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Return remarks on columns that are published unchanged and follow from others, or mostly have unique values."""
    found = derived(frame, policy.named("sensitive", "other"), policy.quasi)
    notes = [advice(name, clause) for name, clause in found.items()]
    for name in policy.sensitive:
        alone, dtype = int(frame[name].is_unique().sum()), frame[name].dtype
        if 2 * alone > frame.height >= FEWEST and name not in found:
            dated = dtype in (pl.Date, pl.Datetime)
            notes.append(unique_advice(name, alone, frame.height, date=dated, number=dtype.is_numeric()))
    return notes


def _nearly_numbers(frame: pl.DataFrame, policy: Policy) -> list[str]:
    """Return remarks on columns that are nearly all numbers, but are labels because of a few cells like `unknown`."""
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
