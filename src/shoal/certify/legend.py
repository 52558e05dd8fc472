"""The legend of a release: what the names of its classes of labels stand for, held against the released cells.

A legend is sound when every label is in one class only, every class has the name that its own labels give it (so that
a name can tell nothing else), every released cell is a class of the legend, a set of them, or hidden, and every class
stands in some cell.
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
"""Of one column: the name of every class, and its labels (None: missing)."""
_LONGEST = 24
_NAME = r'"(?:[^"\\]|\\.)*"|[^\s,{}"][^,{}"]*'
_SET = re.compile(rf"\{{(?:{_NAME})(?:, (?:{_NAME}))*\}}")


def read_legend(path: Path) -> dict[str, Classes] | None:
    """The classes of every column; None where there is no legend that can be read, or one that says anything else."""
    try:
        found: Any = loads(read_regular(path, MOST_BESIDE).decode("utf-8"))
        return {column: [_class(one) for one in classes] for column, classes in found.items()}
    except (UnsafeError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _class(told: dict[str, Any]) -> tuple[str | None, tuple[str | None, ...]]:
    name, labels = told["class"], told["labels"]
    texts = (
        isinstance(labels, list) and labels and all(one is None or isinstance(one, str) for one in (name, *labels))
    )
    if set(told) != {"class", "labels"} or not texts:
        raise ValueError("no class")
    return name, tuple(labels)


def check_legend(frame: pl.DataFrame, columns: Sequence[str], path: Path) -> list[Failure]:
    """What is wrong with the legend of `columns`, or with the cells that it should explain."""
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
    counts = cells.alias("cell").value_counts()  # the column may be called count
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
    """The names of classes that stand in some cell, alone or in a set."""
    different = set(cells.unique().to_list())
    found: set[str | None] = set(names) & different
    sets = [_in_set(text) for text in different - found if text is not None and _SET.fullmatch(text)]
    return found | (set().union(*sets) & set(names))


def _all_known(text: str | None, known: set[str | None]) -> bool:
    """Whether a cell is a set of classes."""
    if text is None or not _SET.fullmatch(text):
        return False
    return _in_set(text) <= known


def _in_set(text: str) -> set[str | None]:
    """The names in a set of classes."""
    return {None if name == "null" else _plain(name.strip()) for name in re.findall(_NAME, text[1:-1])}


def _plain(name: str) -> str:
    try:
        return str(json.loads(name)) if name.startswith('"') else name
    except ValueError:
        return name  # an escape that does not exist: no class is called so


def _fits(name: str | None, labels: tuple[str | None, ...]) -> bool:
    """Whether a name says no more than the labels: one label, or the first of them and the number of the others."""
    if len(labels) < 2:
        return labels == (name,)
    present = [label for label in labels if label is not None]
    if name is None or not present or not all(isinstance(label, str) for label in present):
        return False
    word = " ".join(present[0].split()) or '""'
    word = word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"
    told = f"{word} +{len(labels) - 1}"
    return name == told or re.fullmatch(r" \(\d+\)", name.removeprefix(told)) is not None
