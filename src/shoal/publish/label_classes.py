"""Published classes of labels: short names for the classes of a recoded column.

A name is made only of the class's own labels: the first in sorted order and the number of others, `Adams +11`. So it
reveals no more than the legend, is the same in every release in which the class is the same, and is never shared by
two classes. Labels that occur only in suppressed rows are in no name and not in the legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.publish.generalize import one_after_other, set_text, with_members
from shoal.publish.group_values import Ints, codes_of, sets
from shoal.publish.notation import HIDDEN
from shoal.publish.result import GroupColumn, RecodedInto
from shoal.space.label_classes import Recoding

LONGEST = 24
"""The most characters of a label in the name of a class."""


def class_sets(recoding: Recoding, values: pl.Series, labels: Ints, n_groups: int, *, hide: bool) -> GroupColumn:
    """Return the class that all members of a group share; for several classes a set, or `*` with `hide`.

    The column is recoded into its classes before groups are made, and its loss is about them: a set of s of m classes
    has loss s / m, and a class alone has none. What the classes lose by themselves stands in `into`.
    """
    domain, codes = codes_of(values)
    class_of = _numbered(recoding.classes(pl.Series(values.name, domain, dtype=pl.String)).to_numpy())
    order = np.argsort(class_of, kind="stable")
    start = np.searchsorted(class_of[order], np.arange(class_of.max(initial=-1) + 2))
    members = [order[a:b] for a, b in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)]
    names = class_names([tuple(domain[code] for code in own.tolist()) for own in members])
    cell, different = sets(tuple(names), class_of[codes], labels, n_groups).different()
    each = [set_text(names, own) for own in different]
    n_open = np.array([len(own) for own in different], dtype=np.int64)[cell]
    if hide:  # all hidden sets become one cell
        several = np.array([len(own) > 1 for own in different], dtype=bool)
        kept = np.flatnonzero(~several)
        cell = np.where(several, len(kept), np.cumsum(~several) - 1)[cell]
        different = [*(different[place] for place in kept), np.arange(len(names))]
        each = [*(each[place] for place in kept), HIDDEN]
    cells = [np.sort(np.concatenate([members[one] for one in own.tolist()])) for own in different]
    n_open = np.where(n_open > 1, len(names), 1) if hide else n_open
    loss = np.where(n_open > 1, n_open / max(len(names), 1), 0.0)
    texts = [each[place] for place in cell.tolist()]
    parts = (cell, *one_after_other(cells))
    legend = tuple((name, tuple(domain[code] for code in own)) for name, own in zip(names, members, strict=True))
    size = np.array([len(own) for own in members], dtype=np.int64)[class_of[codes]]
    into = RecodedInto(
        n_values=len(names),
        n_open=n_open,
        lost=float(np.where(size > 1, size / max(len(domain), 1), 0.0).mean()) if len(codes) else 0.0,
        rows=int(np.count_nonzero(size > 1)),
    )
    return replace(with_members(values.name, "label", loss, texts, parts, domain, legend=legend), into=into)


def _numbered(classes: Ints) -> Ints:
    """Return classes renumbered 0, 1, ... by their first label, without those that no label has."""
    _, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first, kind="stable"), kind="stable")[inverse].astype(np.int64)


def class_names(classes: Sequence[Sequence[str | None]]) -> list[str | None]:
    """Return one name per class, made of its own labels alone; a class of one label is named by that label."""
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
    """Return a label for use in a name: not empty, on one line, and at most `LONGEST` characters."""
    word = " ".join(label.split()) or '""'
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"
