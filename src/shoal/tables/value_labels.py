"""Value labels of statistics programs: 1 is male, 2 is female, 9 is no answer.

A column of codes is published by its labels, because a reader has no list of the codes; and because a code is a name
and not a number. A label that says that there is no value makes the cell missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from shoal.tables.check import counted
from shoal.tables.missing_words import SURE, WORDS
from shoal.tables.text import text_of


def with_labels(values: pl.Series, labels: Mapping[Any, str]) -> tuple[pl.Series, list[str]]:
    """Return a column with labels in the place of its codes, and notes for the user.

    If some values have no label, as in a column of ages in which only 99 has one, the values stay what they are, and
    only codes whose label means missing become missing. Two codes of one label are told apart by their codes.
    """
    different = values.drop_nulls().unique(maintain_order=True)
    named = {value: labels[value] for value in different.to_list() if value in labels}
    if not named:
        return values, []
    missing = [value for value, label in named.items() if _means(label, SURE)]
    whole = len(named) == len(different)
    if not whole and values.dtype.is_numeric():
        missing = [value for value, label in named.items() if _means(label, WORDS)]
    kept = pl.select(pl.when(~values.is_in(missing)).then(values).alias(values.name)).to_series()
    n_missing = kept.null_count() - values.null_count()
    notes = []
    if n_missing:
        reported = counted(n_missing, "cell")
        notes.append(f"column {values.name!r}: {reported} with a label that means missing taken as missing.")
    if whole:
        spelled = _spelled({value: label for value, label in named.items() if value not in missing})
        if not spelled:
            return kept, notes
        return kept.replace_strict(list(spelled), list(spelled.values()), return_dtype=pl.String), notes
    unused = len(named) - len(missing)
    if unused:
        notes.append(
            f"column {values.name!r}: {counted(unused, 'label')} not used, because "
            f"{len(different) - len(named)} other values have none."
        )
    return kept, notes


def _means(label: str, words: frozenset[str]) -> bool:
    return " ".join(label.lower().split()) in words


def _spelled(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return labels that are different for different codes."""
    times = Counter(labels.values())
    written = dict(zip(labels, text_of(pl.Series(list(labels))), strict=True)) if labels else {}
    return {
        value: label if times[label] == 1 and label else f"{label} ({written[value]})".strip()
        for value, label in labels.items()
    }
