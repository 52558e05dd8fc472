"""Derive a hierarchy from a column: on every level, classes of labels or values with enough rows in each.

Labels are put into classes of at least k rows by min-max bin covering (`cover`), numbers into intervals by an exact
algorithm (`intervals`). Every further level merges the classes below it in the same way, with `fan_out` times as many
rows per class. Dates are generalized to periods, and codes lose one character per level. The result can be written
as an ordinary hierarchy file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal._repr import brief
from shoal.caller import named
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.partition.result import Labels
from shoal.partition.single_attribute.cover import cover
from shoal.partition.single_attribute.intervals import intervals
from shoal.policy import Hierarchy
from shoal.policy.toml_text import dump_value
from shoal.publish.notation import write_set
from shoal.report.hierarchy_text import tree_lines
from shoal.roles import as_kind, is_code, kind_of
from shoal.space.default_hierarchies import periods_of, round_widths
from shoal.space.hierarchy import Tree, tree_of_levels
from shoal.space.hierarchy_sources import names_above, rows_of
from shoal.tables import write_new_text
from shoal.tables.text import text_of

WAYS = ("cover", "quantiles", "widths", "periods", "prefix")
FAN_OUT = 4


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A derived hierarchy: `levels[0]` has the values of a column, `levels[i]` the node i levels above each. Private.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> derived = shoal.hierarchy(pl.DataFrame({"ward": ["a", "a", "b", "c"]}), "ward", k=2)
    >>> print(derived.to_csv())
    a,a
    b,"{b, c}"
    c,"{b, c}"
    <BLANKLINE>
    """

    column: str
    way: str
    levels: tuple[tuple[str, ...], ...]
    people: tuple[int, ...]
    """The number of rows with each value."""
    setting: str
    """The setting of a policy that selects this hierarchy."""

    def __repr__(self) -> str:
        return brief(self, f"of {self.column!r} by {self.way}: {len(self.people)} values, {len(self.levels)} levels")

    @property
    def tree(self) -> Tree:
        """The hierarchy as a tree.

        Returns
        -------
        Tree
            The tree that a policy with this hierarchy uses.
        """
        return tree_of_levels(self.column, self.levels, missing=False)

    def to_csv(self) -> str:
        """Return the content of a hierarchy file: one line per value, which is read back as the same hierarchy.

        Returns
        -------
        str
            CSV without a header.

        Raises
        ------
        SchemaError
            If every character that could separate the levels occurs in the values.
        """
        rows = [list(row) for row in zip(*self.levels, strict=True)]
        for separator in ",;\t|":
            written = io.StringIO()
            csv.writer(written, delimiter=separator, lineterminator="\n").writerows(rows)
            if [row for _, row in rows_of(written.getvalue())] == rows:
                return written.getvalue()
        raise SchemaError(
            f"column {self.column}: its values contain every character that could separate the levels.",
            "replace one of comma, semicolon, tab and | in the values.",
        )

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the hierarchy to a file that can be edited; an existing file is replaced only if `force` is True.

        Parameters
        ----------
        path : str or Path
            The file, CSV without a header. It shows values of the table, so only its owner may read it (mode 0600).
        force : bool, default False
            Whether an existing file is replaced. If writing fails, it is unchanged.

        Raises
        ------
        TableError
            If the file exists already and `force` is False, or it cannot be written.

        Examples
        --------
        >>> import shoal, tempfile, pathlib
        >>> from shoal.datasets import hospital
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     derived = shoal.hierarchy(hospital(100), "ward", k=20)
        ...     derived.write(f"{folder}/ward.csv")
        ...     [path.name for path in pathlib.Path(folder).iterdir()]
        ['ward.csv']
        """
        write_new_text(path, self.to_csv(), force=force, private=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the way it was derived, the number of nodes per level and the tree, as plain values.

        Returns
        -------
        dict
            Values that JSON can represent.
        """
        sizes = [len(set(level)) for level in self.levels]
        return {"column": self.column, "way": self.way, "nodes": sizes, "setting": self.setting, "tree": self.lines()}

    def lines(self, most: int = 60) -> list[str]:
        """Return the tree as text, shortened to at most `most` lines.

        Parameters
        ----------
        most : int, default 60
            The largest number of lines.

        Returns
        -------
        list of str
            One node per line.
        """
        counts = dict(zip(self.levels[0], self.people, strict=True))
        return tree_lines(self.tree, most=most, people=lambda leaf: counts.get(leaf or "", 0))

    def __str__(self) -> str:
        return "\n".join(self.lines())


def derive(values: pl.Series, *, k: int = 5, way: str | None = None, fan_out: int = FAN_OUT) -> Derived:
    """Return a hierarchy of the column; if `way` is None, it is chosen by the type of the values.

    Numbers get intervals ("quantiles"), dates periods, codes prefixes, and other labels classes ("cover").
    """
    if way not in (None, *WAYS):
        raise ParameterError(f"a hierarchy cannot be derived by {way}.", f"choose one of {', '.join(WAYS)}.")
    if k < 1 or fan_out < 2:
        raise ParameterError(f"k must be at least 1 and fan_out at least 2; they are {k} and {fan_out}.")
    name, kind = values.name, kind_of(values.dtype)
    way = way or {"number": "quantiles", "date": "periods"}.get(kind or "", "prefix" if is_code(values) else "cover")
    if way in ("quantiles", "widths", "periods"):
        needed = "date" if way == "periods" else "number"
        read = as_kind(values, needed)  # type: ignore[arg-type]
        if kind_of(read.dtype) != needed or read.null_count() > values.null_count():
            raise SchemaError(
                f"column {name}: {way} need {needed}s, and it has other values.", f"leave out {named('by')}."
            )
        values = read
    present = values.drop_nulls()
    if present.is_empty():
        raise InfeasibleError(f"column {name} has no values.", "choose another column.")
    counts = present.alias("value").value_counts(name="people").sort("value")  # a column may be named "people"
    people = counts["people"].to_numpy().astype(np.int64)
    texts = tuple(text_of(counts["value"]).to_list())
    if way == "cover":
        levels = _covered(people, k, fan_out, lambda held, least: cover(held, least).labels, _set_of(texts))
    elif way == "quantiles":
        levels = _covered(people, k, fan_out, _cut, _range_of(texts))
    else:
        source = {
            "widths": lambda: Hierarchy(widths=round_widths(values)),
            "periods": lambda: Hierarchy(periods=periods_of(values)),
            "prefix": lambda: Hierarchy(prefix=True),
        }[way]()
        above = names_above(values, source)
        levels = [list(level) for level in zip(*(above[text] for text in texts), strict=True)][1:]
        return Derived(name, way, (texts, *map(tuple, levels)), tuple(people.tolist()), _setting(source))
    return Derived(name, way, (texts, *map(tuple, levels)), tuple(people.tolist()), 'hierarchy = "FILE"')


def _setting(source: Hierarchy) -> str:
    """Return the line of a policy that selects a hierarchy without a file."""
    return f"hierarchy = {dump_value(source.model_dump(mode='json', exclude_defaults=True))}"


def _cut(held: Labels, least: int) -> Labels:
    """Return the interval of each class when neighboring classes are merged to at least `least` rows."""
    return intervals(np.arange(len(held)), least, weights=held).labels


def _covered(
    people: Labels,
    k: int,
    fan_out: int,
    classes_of: Callable[[Labels, int], Labels],
    name_of: Callable[[Sequence[int]], str],
) -> list[list[str]]:
    """Return, for every level above the values, the name of the class that contains each value.

    The first level has classes of at least k rows, each further level of `fan_out` times as many. The last level is
    the last one with at least two classes. `classes_of` merges classes, `name_of` names one by its values.
    """
    levels: list[list[str]] = []
    belongs, least = np.arange(len(people)), k
    while len(held := np.bincount(belongs, weights=people).astype(np.int64)) > 1 and held.sum() >= 2 * least:
        merged = classes_of(held, least)[belongs]
        if merged.max() == 0:
            break
        if merged.max() < belongs.max():
            names = [name_of(np.flatnonzero(merged == one).tolist()) for one in range(int(merged.max()) + 1)]
            levels.append([names[one] for one in merged.tolist()])
        belongs, least = merged, least * fan_out
    return levels


def _set_of(texts: tuple[str, ...]) -> Callable[[Sequence[int]], str]:
    """Return a function that names a class of labels: the label itself if there is one, otherwise their set."""
    return lambda inside: texts[inside[0]] if len(inside) == 1 else write_set(texts[i] for i in inside)


def _range_of(texts: tuple[str, ...]) -> Callable[[Sequence[int]], str]:
    """Return a function that names a class of numbers: the number itself if there is one, otherwise their range."""
    return lambda inside: texts[inside[0]] if len(inside) == 1 else f"[{texts[inside[0]]}, {texts[inside[-1]]}]"
