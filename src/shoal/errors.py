"""The errors that Shoal raises on purpose.

::

    ShoalError                  exit code 2
    ├── SchemaError             the columns of the table and the policy disagree  2
    ├── ParameterError          a parameter, option or policy value is wrong      2
    ├── TableError              a file or frame cannot be read or written         2
    ├── EngineError             an optional package is missing                    2
    ├── InfeasibleError         no release of this table meets the requirements   3
    └── CertificateError        a claim does not hold for the released table      4

A message says what was asked for and what was found; `hint` says what to do. Messages show column names, parameters
and counts. They never show a cell's value, because errors get into logs and bug reports.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import ClassVar, SupportsFloat, SupportsInt

from shoal._escape import shown


def is_text(path: str | PurePath) -> bool:
    """Return whether a text was given instead of a path; messages must not show it, as it may contain data."""
    lines = any(character in str(path) for character in "\n\r\0") or any(len(part) > 255 for part in Path(path).parts)
    return lines and not os.path.exists(path)  # noqa: PTH110 (Path.exists raises where a name is too long)


class ShoalError(Exception):
    """The base class of all errors: one sentence, and a way out in `hint`."""

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        # names of columns and keys come from files of others: escaped, they cannot break a line or move the cursor
        self.message = shown(message)
        self.hint = None if hint is None else shown(hint, keep="\n")  # a hint may show lines of a policy
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[type[ShoalError], tuple[str, str | None]]:
        return type(self), (self.message, self.hint)


class SchemaError(ShoalError):
    """The columns of the table and those of the policy do not fit each other."""

    @classmethod
    def endless_range(cls, column: str) -> SchemaError:
        """Return the error for a column of numbers whose range exceeds floating point."""
        return cls(
            f"column {column}: its range is too large for floating-point numbers.",
            "divide the column by a large number.",
        )


class ParameterError(ShoalError):
    """A parameter, an option or a value of the policy is not allowed."""


class TableError(ShoalError):
    """A table cannot be read or written."""

    @classmethod
    def no_memory(cls, what: object = "the table") -> TableError:
        """Return the error for a table that does not fit into memory."""
        name = repr(str(what)) if isinstance(what, PurePath) else str(what)
        return cls(
            f"there is not enough memory for {name}.",
            "give fewer columns or rows, end other programs, or raise the limit (ulimit -v, or the container's).",
        )

    @classmethod
    def killed(cls) -> TableError:
        """Return the error for a command that was killed, which most often the system does when memory runs out."""
        return cls(
            "the command was killed, as the system does when there is not enough memory for a table.",
            "give fewer columns or rows, or end other programs. No output is incomplete.",
        )

    @classmethod
    def ended_by_library(cls) -> TableError:
        """Return the error for a file at which a library has ended the process instead of raising an error."""
        return cls(
            "a library that reads or computes has broken down: a file that was given may be damaged.",
            "copy or export it again. If it is whole, please report this: SHOAL_TRACEBACK=1 shows what the library "
            "says, which may contain values of the table.",
        )


class EngineError(ShoalError):
    """An optional package is missing or does not work."""


class InfeasibleError(ShoalError):
    """No release of this table can meet the requirements."""

    exit_code: ClassVar[int] = 3

    @classmethod
    def too_few_rows(cls, n_rows: int, k: int) -> InfeasibleError:
        """Return the error for a table of `n_rows`, fewer than k."""
        hint = f"lower k to {n_rows} or less, or add rows." if n_rows >= 2 else "add rows: a group needs two or more."
        return cls(f"k={k} needs at least {k} rows; the table has {n_rows}.", hint)

    @classmethod
    def no_rows_selected(cls) -> InfeasibleError:
        """Return the error for a condition that no row meets."""
        return cls("no row meets the condition of the policy.", "check where, and how its values are written.")

    @classmethod
    def too_few_people(cls, n_people: int, k: int) -> InfeasibleError:
        """Return the error for a table of `n_people`, fewer than k."""
        return cls(
            f"k={k} needs at least {k} different people; the person column has {n_people}.",
            f"lower k to {n_people} or less, or add people." if n_people >= 2 else "add people: a group needs two.",
        )

    @classmethod
    def too_few_colors(cls, n_colors: int, l: int) -> InfeasibleError:  # noqa: E741 (the field's own name)
        """Return the error for records of `n_colors` different colors, fewer than l."""
        return cls(
            f"l={l} needs at least {l} different colors; there are {n_colors}.",
            f"lower l to {n_colors} or less." if n_colors > 1 else None,
        )

    @classmethod
    def too_frequent(cls, n_rows: int, most: int, l: int, dropped: int) -> InfeasibleError:  # noqa: E741
        """Return the error for colors that are too frequent for groups of l different ones.

        `most` records have the most frequent color; suppressing `dropped` records would be enough.
        """
        allowed = n_rows // l
        return cls(
            f"groups of {l} different colors need a color for at most {allowed} of the {n_rows} records; "
            f"the most frequent one has {most}, which is {most - allowed} too many.",
            f"lower l to {n_rows // most} or less, or leave out {dropped} records: "
            f"max_suppressed={_share_of(dropped, n_rows)}.",
        )


class CertificateError(ShoalError):
    """A claim about a released table does not hold."""

    exit_code: ClassVar[int] = 4


def _share_of(some: int, n: int) -> str:
    """Return the share with the fewest decimals that allows `some` of `n`, but not one more, and is below 1."""
    for decimals in range(1, 12):
        share = -(-some * 10**decimals // n)
        if share * n < (some + 1) * 10**decimals and share < 10**decimals:
            return f"{share / 10**decimals:.{decimals}f}"
    return f"{some / n}"


def _is_array(value: object) -> bool:
    """Return whether a value has dimensions, as an array has that is not a single number."""
    return bool(getattr(value, "ndim", 0))


def check_share(name: str, value: object) -> None:
    """Raise a `ParameterError` that names the parameter unless `value` is from 0 up to but not including 1."""
    number = isinstance(value, SupportsFloat) and not isinstance(value, bool) and not _is_array(value)
    if not (number and 0 <= value < 1):  # type: ignore[operator]
        raise ParameterError(
            f"{name} is a share from 0 up to but not including 1; it is {value if number else type(value).__name__}."
        )


def whole_number(name: str, value: object, least: int) -> int:
    """Return `value` as an int of at least `least`; raise a `ParameterError` that names the parameter otherwise."""
    if isinstance(value, bool) or not isinstance(value, SupportsInt) or _is_array(value):
        raise ParameterError(f"{name} must be a whole number; it is a {type(value).__name__}.")
    try:
        whole = int(value)
    except (OverflowError, ValueError):  # infinite, or not a number
        whole = 0
    if whole != value:
        raise ParameterError(f"{name} must be a whole number; it is {value}.")
    if whole < least:
        raise ParameterError(f"{name} must be at least {least}; it is {whole}.")
    return whole
