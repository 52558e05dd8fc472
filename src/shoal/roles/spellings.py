"""Values that a reader takes for one and a count takes for two: `HIV`, `hiv`, `HIV `; a missing value, an empty text.

Nothing is changed: whether case or blanks mean something, only those who know the table can say. But l and t count
such values as different ones, and k counts such people as different people, so it has to be said.
"""

from __future__ import annotations

import polars as pl

from shoal.policy import Policy


def spelled_alike(frame: pl.DataFrame, policy: Policy) -> tuple[str, ...]:
    """A note for every column in which something is counted, where it holds such values; counts, never values."""
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
    return tuple(notes)
