"""How the values of a quasi-identifier are compared: as numbers, as codes, as a scale, or by the beginning of a code.

`profile` and the default for a policy that states no kind use the same judgment, so that both publish the same.
Averages of codes are never published by default.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.policy import Hierarchy, Kind
from shoal.roles.classifications import classify
from shoal.roles.codes import is_code
from shoal.roles.kinds import is_text, kind_of
from shoal.roles.known_attributes import PLACES
from shoal.roles.number_meaning import is_whole, meaning_of
from shoal.roles.recognize import recognize, words
from shoal.roles.scales import order_of
from shoal.tables.text import text_of

SAMPLE = 1_000  # how many different values are checked for their form, spread evenly over the sorted values
MOST_WORDS = 12  # the most different values of a scale in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """The kind of a column, the settings that it needs in a policy, the reason, and a question if it is in doubt."""

    kind: Kind | None
    reason: str = ""
    hierarchy: Hierarchy | None = None
    order: tuple[str, ...] | None = None
    what: str | None = None
    """The classification to which the codes belong, such as "ICD-10 code"."""
    health: bool = False
    """Whether the name and the codes say that it is about health."""
    question: str | None = None


def judge(values: pl.Series, texts: list[str] | None = None) -> Judgment:
    """Return how the values of a column are compared; `texts` are some different values, computed if not given."""
    own = kind_of(values.dtype)
    numbers = values.dtype.is_numeric() and is_whole(values)
    if not (numbers or is_text(values.dtype)):
        return Judgment(kind=own)
    texts = sample(values) if texts is None else texts
    if found := _by_beginning(values, texts, numbers=numbers):
        return found
    if numbers:
        reported = meaning_of(values)
        assert reported is not None
        return Judgment(kind=reported.kind, reason=reported.reason, question=reported.question)
    if len(texts) <= MOST_WORDS and (order := order_of(texts)):
        return Judgment(kind="ordered", order=order, reason="the words of a scale, which have an order")
    if is_code(values):
        return Judgment(kind="hierarchy", hierarchy=Hierarchy(prefix=True), reason="a code that others may know")
    return Judgment(kind=own)


def sample(values: pl.Series) -> list[str]:
    """Return at most `SAMPLE` different values as text; the choice does not depend on the order of the rows."""
    different = values.drop_nulls().unique().sort()
    chosen = different.gather(np.arange(0, len(different), len(different) // SAMPLE + 1))
    if chosen.dtype.is_float() and is_whole(chosen):
        chosen = chosen.cast(pl.Int64, strict=False)  # pandas stores integers as 12.0 if some cells are missing
    return [text for text in text_of(chosen).str.strip_chars().to_list() if text]


def _by_beginning(values: pl.Series, texts: list[str], *, numbers: bool) -> Judgment | None:
    """Return the judgment of codes that begin with the larger unit, such as postal codes; None for other values."""
    hit = recognize(PLACES, values.name, texts)
    if hit and hit[0].prefix:
        digits = _digits(texts) if numbers else None
        why = "whole numbers that have lost their leading zeros" if digits else "it begins with the larger area"
        return Judgment(kind="hierarchy", hierarchy=Hierarchy(prefix=True, digits=digits), reason=why)
    found = classify(words(values.name), texts, numbers=numbers)
    if found is None:
        return None
    health = found.health and found.by_name
    question = None
    if found.health and not found.by_name:
        question = (
            f"its values have the form of an {found.what}. If it says what a person suffers from, write "
            'role = "sensitive", or leave role = "quasi" if others may know it.'
        )
    return Judgment(
        kind="hierarchy",
        hierarchy=Hierarchy(prefix=True, cuts=found.cuts, digits=found.digits),
        reason=f"{found.what}: it begins with the larger unit",
        what=found.what,
        health=health,
        question=question,
    )


def _digits(texts: list[str]) -> int | None:
    """Return the number of digits of postal codes that were read as numbers; None if all have the same."""
    lengths = {len(text) for text in texts}
    return max(lengths) if len(lengths) > 1 else None
