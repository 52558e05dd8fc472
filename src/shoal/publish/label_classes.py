"""Classes of labels under short names: a column that was recoded as a whole.

A name is made of the class's own labels and nothing else: the first of them in sorted order and how many more there
are, `Adams +11`. So it says no more than the legend, is the same in every release in which the class is the same, and
two classes never share it. Labels that only suppressed rows hold are in no name and not in the legend.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.publish.generalize import one_after_other, set_text, with_members
from shoal.publish.group_values import Ints, codes_of, sets
from shoal.publish.notation import HIDDEN
from shoal.publish.result import GroupColumn
from shoal.space.label_classes import Recoding

LONGEST = 24
"""Characters of a label that stand in the name of a class."""


def class_sets(recoding: Recoding, values: pl.Series, labels: Ints, n_groups: int, *, hide: bool) -> GroupColumn:
    """The class that a group shares; of several a set, or `*` with `hide`. Classes of s of m labels lose s / m."""
    domain, codes = codes_of(values)
    class_of = _numbered(recoding.classes(pl.Series(values.name, domain, dtype=pl.String)).to_numpy())
    order = np.argsort(class_of, kind="stable")
    start = np.searchsorted(class_of[order], np.arange(class_of.max(initial=-1) + 2))
    members = [order[a:b] for a, b in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)]
    names = class_names([tuple(domain[code] for code in own.tolist()) for own in members])
    cell, different = sets(tuple(names), class_of[codes], labels, n_groups).different()
    each = [set_text(names, own) for own in different]
    if hide:  # all that is hidden is one cell
        several = np.array([len(own) > 1 for own in different], dtype=bool)
        kept = np.flatnonzero(~several)
        cell = np.where(several, len(kept), np.cumsum(~several) - 1)[cell]
        different = [*(different[place] for place in kept), np.arange(len(names))]
        each = [*(each[place] for place in kept), HIDDEN]
    cells = [np.sort(np.concatenate([members[one] for one in own.tolist()])) for own in different]
    held = np.array([len(one) for one in cells], dtype=np.int64)
    loss = np.where(held > 1, held / max(len(domain), 1), 0.0)[cell]
    texts = [each[place] for place in cell.tolist()]
    parts = (cell, *one_after_other(cells))
    legend = tuple((name, tuple(domain[code] for code in own)) for name, own in zip(names, members, strict=True))
    return with_members(values.name, "label", loss, texts, parts, domain, legend=legend)


def _numbered(classes: Ints) -> Ints:
    """Classes 0, 1, ... by their first label; those without any are gone."""
    _, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first, kind="stable"), kind="stable")[inverse].astype(np.int64)


def class_names(classes: Sequence[Sequence[str | None]]) -> list[str | None]:
    """One name per class, from its own labels alone; a class of one label is that label."""
    labels = {label for own in classes for label in own}
    names: list[str | None] = []
    taken: set[str | None] = set()
    for own in classes:
        name = own[0]
        if len(own) > 1:
            name = plain = f"{_short(next(label for label in own if label is not None))} +{len(own) - 1}"
            copy = 1
            while name in labels or name in taken:  # a label that looks like a name, or long labels that begin alike
                copy += 1
                name = f"{plain} ({copy})"
        taken.add(name)
        names.append(name)
    return names


def _short(label: str) -> str:
    """A label as a word: not empty, on one line, and not too long."""
    word = " ".join(label.split()) or '""'
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"
