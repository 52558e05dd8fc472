"""Check the legend of a release, which lists the labels that each published class of labels stands for.

A legend is sound if every label is in one class only, every class is in some cell of the released table, every cell
is a class of the legend, a set of classes, or hidden (`*`), and the name of every class follows from its labels. The
last condition stops names that carry other information about the records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certify.files import MOST_BESIDE, UnsafeError, read_regular
from shoal.certify.findings import Failure
from shoal.certify.strict_json import loads

Classes = list[tuple[str | None, tuple[str | None, ...]]]
"""The classes of one column: the name and the labels of each, where None is the missing value."""
_LONGEST = 24
_NAME = r'"(?:[^"\\]|\\.)*"|[^\s,{}"][^,{}"]*'
SET = re.compile(rf"\{{((?:{_NAME})(?:, (?:{_NAME}))*)\}}( or missing)?")


def read_legend(path: Path) -> dict[str, Classes] | None:
    """Return the classes of every column in a legend file.

    None where the file is absent, cannot be read, or has anything besides the names and labels of classes.
    """
    try:
        found: Any = loads(read_regular(path, MOST_BESIDE).decode("utf-8"))
        return {column: [_class(one) for one in classes] for column, classes in found.items()}
    except (UnsafeError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _class(reported: dict[str, Any]) -> tuple[str | None, tuple[str | None, ...]]:
    """Return the name and the labels of one entry of a legend; an error if it has any other key or type."""
    name, labels = reported["class"], reported["labels"]
    texts = (
        isinstance(labels, list) and labels and all(one is None or isinstance(one, str) for one in (name, *labels))
    )
    if set(reported) != {"class", "labels"} or not texts:
        raise ValueError("no class")
    return name, tuple(labels)


def check_legend(frame: pl.DataFrame, columns: Sequence[str], path: Path) -> list[Failure]:
    """Return a failure for every fault of the legend of `columns`, and for cells that the legend does not explain.

    A column in the legend that is not among `columns` is a fault too: nothing in the release needs it.
    """
    legend = read_legend(path)
    if legend is None:
        return [Failure(check="legend", message=f"{path.name} is not beside the release, or cannot be read")]
    failures = []
    if more := legend.keys() - set(columns):
        message = f"{path.name} speaks of {len(more)} columns that are not published in classes"
        failures.append(Failure(check="legend", message=message))
    for column in columns:
        if column in frame.columns:
            failures += _check(column, frame[column], legend.get(column, []))
    return failures


def _check(column: str, cells: pl.Series, classes: Classes) -> list[Failure]:
    """Return the faults of one column's legend, by the conditions at the top of this module."""
    labels = [label for _, own in classes for label in own]
    names = [name for name, _ in classes]
    wrong = []
    if len(set(labels)) < len(labels):
        wrong.append(f"{len(labels) - len(set(labels))} labels of {column} are in more than one class")
    if len(set(names)) < len(names):
        wrong.append(f"{len(names) - len(set(names))} classes of {column} share a name")
    odd = sum(not _fits(name, own) for name, own in classes)
    if odd:
        wrong.append(f"{odd} classes of {column} have a name that their labels do not give them")
    unused = len(set(names)) - len(used_classes(cells, names))
    if unused:
        wrong.append(f"{unused} classes of {column} are in the legend and in no cell")
    failures = [Failure(check="legend", column=column, message=message) for message in wrong]
    known = set(names)
    counts = cells.alias("cell").value_counts()  # without the alias, a column called count would clash
    unknown = [
        times
        for text, times in counts.iter_rows()
        if text not in known and text != "*" and not _all_known(text, known)
    ]
    if unknown:
        message = f"column {column} has {len(unknown)} values that the legend does not explain"
        failures.append(Failure(check="legend", column=column, message=message, records=sum(unknown)))
    return failures


def used_classes(cells: pl.Series, names: Iterable[str | None]) -> set[str | None]:
    """Return those of the class names that are in some cell, alone or in a set of classes."""
    different = set(cells.unique().to_list())
    found: set[str | None] = set(names) & different
    sets = [_in_set(text) for text in different - found if text is not None and SET.fullmatch(text)]
    return found | (set().union(*sets) & set(names))


def _all_known(text: str | None, known: set[str | None]) -> bool:
    """Return whether a cell is a set of classes that are all known."""
    if text is None or not SET.fullmatch(text):
        return False
    return _in_set(text) <= known


def _in_set(text: str) -> set[str | None]:
    """Return the class names in a cell of the form `{a, b}` or `{a, b} or missing`, where None is the missing value.

    In older releases an unquoted null is the missing value.
    """
    found = SET.fullmatch(text)
    assert found is not None
    names: set[str | None] = {None} if found[2] else set()
    return names | {None if name == "null" else _plain(name.strip()) for name in re.findall(_NAME, found[1])}


def _plain(name: str) -> str:
    """Return a class name without its JSON quotes, where it has them."""
    try:
        return str(json.loads(name)) if name.startswith('"') else name
    except ValueError:
        return name  # an invalid escape sequence: no class has this name


def _fits(name: str | None, labels: tuple[str | None, ...]) -> bool:
    """Return whether the name of a class follows from its labels.

    The name of a class of one label is the label. Otherwise it is the first label (at most 24 characters) and the
    number of the others, as in `flu +2`, and may end with a number in parentheses where two names would be equal.
    """
    if len(labels) < 2:
        return labels == (name,)
    present = [label for label in labels if label is not None]
    if name is None or not present or not all(isinstance(label, str) for label in present):
        return False
    word = " ".join(present[0].split()) or '""'
    word = word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"
    reported = f"{word} +{len(labels) - 1}"
    return name == reported or re.fullmatch(r" \(\d+\)", name.removeprefix(reported)) is not None
