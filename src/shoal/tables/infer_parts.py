"""Types of the columns of a CSV file that is read in parts: the same that `infer` finds in the whole file.

Guarantee   `PartTypes.decided` gives every column the type that `infer` gives it in the frame of all parts together.
            Memory holds some counts per column, and no cell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from shoal.tables.infer import (
    MARKS,
    PATTERNS,
    TextKind,
    any_decides,
    decimal_mark,
    left_as_text,
    matching,
    n_blank,
    n_nan,
    typed_columns,
)
from shoal.tables.text import as_written


@dataclass(frozen=True, slots=True)
class DecidedTypes:
    """The types of all columns of a file."""

    kinds: Mapping[str, TextKind]
    """Per column that is not text, what its cells are."""
    as_written: frozenset[str]
    """Those of them in which every cell is written as Shoal would write it, so that no text need be kept."""
    plain: frozenset[str]
    """Those in which, besides, whole numbers may lack their `.0`: numbers tell what their texts do."""
    decimal: str
    notes: tuple[str, ...]

    def only(self, names: Collection[str]) -> DecidedTypes:
        """Return the types of some of the columns, without notes."""
        kinds = {name: kind for name, kind in self.kinds.items() if name in names}
        return replace(self, kinds=kinds, notes=())


@dataclass(slots=True)
class _Counts:
    """What was counted in the cells of one column, read as one kind."""

    lost: int = 0
    """Cells that became null, less those that are blank or NaN: above 0 if a cell was none of this kind."""
    found: int = 0
    """Cells with a finite value."""
    not_numbers: int = 0
    alike: bool = True
    """Whether every cell is written as Shoal would write it."""
    plain: bool = True
    """Whether it is, but for a `.0` that whole numbers may lack."""


@dataclass(slots=True)
class PartTypes:
    """What is known of the types of columns after some parts of a file."""

    names: Sequence[str]
    _alive: dict[TextKind, list[str]] = field(init=False)
    _counts: dict[tuple[str, TextKind], _Counts] = field(init=False)
    _decides: dict[str, set[str]] = field(init=False)
    """Per decimal mark, the columns in which it cannot separate thousands."""

    def __post_init__(self) -> None:
        self._alive = {kind: list(self.names) for kind in PATTERNS}
        self._counts = defaultdict(_Counts)
        self._decides = {mark: set() for mark in MARKS.values()}

    def add(self, frame: pl.DataFrame) -> None:
        """Take one more part, with every cell as text, into account."""
        for kind in PATTERNS:
            names = self._alive[kind] = matching(frame, self._alive[kind], kind)
            if not names:
                continue
            self._count(frame, dict.fromkeys(names, kind))
            if (mark := MARKS.get(kind)) is not None:
                self._decides[mark] |= {name for name in names if any_decides(frame, [name], mark)}

    def _count(self, frame: pl.DataFrame, kinds: Mapping[str, TextKind]) -> None:
        typed = typed_columns(frame, kinds)
        decimal = MARKS.get(next(iter(kinds.values())), ".")
        written = as_written(typed, decimal)
        for name, kind in kinds.items():
            own, texts = self._counts[name, kind], frame[name]
            cells, nan = typed[name], n_nan(texts)
            own.lost += cells.null_count() - texts.null_count() - n_blank(texts) - nan
            own.found += int(cells.is_finite().sum()) if cells.dtype.is_float() else len(cells) - cells.null_count()
            own.not_numbers += nan
            own.alike &= written[name].equals(texts, null_equal=True)
            own.plain &= bool((written[name].str.strip_suffix(".0") == texts.str.strip_suffix(".0")).all())

    def decided(self, separator: str, decimal: str | None) -> DecidedTypes:
        """Return the types; the decimal mark is detected if None is given."""
        integers = set(self._alive["integer"])
        if decimal is None:
            comma, point = (
                bool(self._decides[MARKS[kind]] & set(self._alive[kind]) - integers) for kind in ("comma", "point")
            )
            decimal = decimal_mark(separator, comma=comma, point=point)
        number, other = ("point", "comma") if decimal == "." else ("comma", "point")
        order: tuple[TextKind, ...] = ("integer", number, "date", "moment", "zoned")  # type: ignore[assignment]
        first = {name: next((kind for kind in order if name in self._alive[kind]), None) for name in self.names}
        kinds = {
            name: kind
            for name, kind in first.items()
            if kind is not None and self._counts[name, kind].found and self._counts[name, kind].lost <= 0
        }
        notes = [
            f"column {name!r}: {self._counts[name, kind].not_numbers} NaN taken as missing."
            for name, kind in kinds.items()
            if self._counts[name, kind].not_numbers
        ]
        floats = [name for name in self.names if first[name] in ("integer", number)]
        notes += left_as_text([name for name in self._alive[other] if name not in floats], decimal)  # type: ignore[index]
        alike, plain = (
            frozenset(name for name, kind in kinds.items() if getattr(self._counts[name, kind], which))
            for which in ("alike", "plain")
        )
        return DecidedTypes(kinds, alike, plain, decimal, tuple(notes))
