"""A release plan: the published cells of every class of a release, without any data about the people in it.

The file is JSON. `columns` has, per quasi-identifier, the different cells of the release; `classes` has one line per
class of the release: the index of its cell in every column, in that order. A cell is::

    "*"                                         anything, including a missing value
    null                                        a missing value
    {"from": "34", "to": "38"}                  a number or date in this range; "missing": true: or a missing one
    {"any_of": ["f", "m", null]}                one of these
    {"node": "021**", "level": 2}               any value below this node of the column's hierarchy; "missing": true:
                                                or a missing one

A full-domain release has `levels` instead: the level at which each column is published. The cells are those of the
released table, and there are no counts; still the plan is kept in the private folder, because its policy names files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from shoal.errors import ParameterError, ShoalError, is_text
from shoal.policy import Policy
from shoal.tables import interrupted
from shoal.tables.json_text import read_json

FORMAT = 1
ANY: Literal["*"] = "*"


class _Part(BaseModel):
    """The base class of all parts of a plan: they cannot be changed, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return nothing: cells are values of a table and are not shown."""
        return ()

    def __str__(self) -> str:
        return repr(self)


class Span(_Part):
    """A range of numbers or dates, with its ends as they are published."""

    low: str = Field(validation_alias="from", serialization_alias="from")
    high: str = Field(validation_alias="to", serialization_alias="to")
    missing: bool = False


class AnyOf(_Part):
    """A set of labels; in an ordered column, all from the first to the last."""

    any_of: Annotated[tuple[str | None, ...], Field(min_length=1)]


class Node(_Part):
    """A node of a hierarchy; level 0 is the value itself."""

    node: str
    level: Annotated[int, Field(ge=0)]
    missing: bool = False


Cell = Literal["*"] | Span | AnyOf | Node | None


class Mark(_Part):
    """A fingerprint of a hierarchy, by which it is recognized as that of the release."""

    sha256: str | None = None
    """The digest of the lines of its file."""
    length: int | None = None
    """The length of the longest code, if codes are masked."""


class Plan(_Part):
    """Everything that is needed to publish another table in the same way as an earlier one.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> plan = shoal.Plan.parse(__import__("json").loads(release.plan.dumps()))
    >>> plan == release.plan
    True
    """

    format: Literal[1] = 1
    shoal: str
    form: Literal["generalize", "suppress"]
    method: str
    policy: dict[str, Any]
    """The policy of the release, without the seed."""
    hierarchies: dict[str, Mark] = Field(default_factory=dict)
    levels: dict[str, Annotated[int, Field(ge=0)]] | None = None
    legends: dict[str, tuple[tuple[str | None, tuple[str | None, ...]], ...]] | None = None
    """For columns published in classes of labels: the name of every class and its labels."""
    origins: dict[str, date] | None = None
    """For columns whose cells move with time: the first day of the period that was the newest in this release."""
    columns: dict[str, tuple[Cell, ...]] = Field(default_factory=dict)
    classes: tuple[tuple[Annotated[int, Field(ge=0)], ...], ...] = ()

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        yield "form", self.form
        yield "method", self.method
        yield "columns", len(self.columns if self.levels is None else self.levels)
        yield "classes", len(self.classes)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        """Raise an error unless columns, levels and classes fit each other and the policy."""
        wanted = self.asked().quasi
        if sorted(self.levels if self.levels is not None else self.columns) != sorted(wanted):
            raise ValueError("its columns are not the quasi-identifiers of its policy")
        if self.levels is None and not self.classes:
            raise ValueError("it has neither levels nor classes")
        if any(
            self.asked().columns[name].relative_to is None for name in self.origins or {} if name in wanted
        ) or not (set(self.origins or {}) <= set(wanted)):
            raise ValueError("an origin belongs to a column that its policy publishes relative to a period")
        sizes = [len(cells) for cells in self.columns.values()]
        for one in self.classes:
            if len(one) != len(sizes) or any(cell >= size for cell, size in zip(one, sizes, strict=True)):
                raise ValueError("a class does not have one cell for every column")
        return self

    def asked(self) -> Policy:
        """Return the policy of the release.

        Returns
        -------
        Policy
            Without the seed.
        """
        return Policy.parse(self.policy, origin="plan")

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Return the plan in a file; an error shows none of its cells.

        Parameters
        ----------
        path : str or Path
            The plan.json of a private folder.

        Returns
        -------
        Plan
            For `shoal.apply`.

        Raises
        ------
        ParameterError
            If it cannot be read or is damaged.
        """
        path = Path(path)
        again = "give the plan.json of the private folder of a release."
        if is_text(path):
            raise ParameterError(
                "the plan is a text, not the path of a file.",
                "shoal.Plan.parse(json.loads(text)) reads a plan from JSON text.",
            )
        try:
            return cls.parse(read_json(path.read_text(encoding="utf-8")), origin=path.name)
        except OSError as failed:
            if (error := interrupted(path)) is not None:
                raise error from None
            raise ParameterError(f"the plan {path.name} cannot be read ({failed.strerror}).", again) from None
        except (ValueError, RecursionError):
            raise ParameterError(f"the plan {path.name} is not JSON, or it is cut off.", again) from None

    @classmethod
    def parse(cls, found: Any, *, origin: str = "plan") -> Plan:
        """Return the plan in parsed JSON; raise a `ParameterError` if it is not a plan.

        Parameters
        ----------
        found : dict
            The parsed content of a plan.json.
        origin : str, default "plan"
            The name of the plan in error messages.

        Returns
        -------
        Plan
            For `shoal.apply`.

        Raises
        ------
        ParameterError
            If it is damaged or of another version.
        """
        again = "give the plan.json of the private folder of a release."
        if not isinstance(found, Mapping) or "format" not in found:
            raise ParameterError(f"{origin} is not a release plan.", again)
        if found["format"] != FORMAT:
            raise ParameterError(
                f"{origin} has a format that this version of Shoal does not read; it reads {FORMAT}.",
                "use the version that wrote it, or a newer one.",
            )
        try:
            return cls.model_validate(dict(found))
        except ValidationError as wrong:
            problem = wrong.errors(include_input=False)[0]
            own = problem["type"] == "value_error"
            why = problem["msg"].removeprefix("Value error, ") if own else f"in {problem['loc'][0]}"
            raise ParameterError(f"{origin} is damaged: {why}.", again) from None
        except ShoalError as wrong:
            raise ParameterError(f"{origin} is damaged: {wrong.message}", again) from None

    def dumps(self) -> str:
        """Return the plan as JSON, with one cell and one class per line.

        Returns
        -------
        str
            The content of a plan.json, which `load` reads.
        """
        head = self.model_dump(mode="json", by_alias=True, exclude={"columns", "classes"}, exclude_none=True)
        parts = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
        if self.levels is None:
            cells = [
                f"    {json.dumps(name, ensure_ascii=False)}: " + _lines([_plain(cell) for cell in column], 6)
                for name, column in self.columns.items()
            ]
            parts.append('  "columns": {\n' + ",\n".join(cells) + "\n  }")
            parts.append('  "classes": ' + _lines(self.classes, 4))
        return "{\n" + ",\n".join(parts) + "\n}\n"


def _plain(cell: Cell) -> Any:
    return cell.model_dump(by_alias=True, exclude_defaults=True) if isinstance(cell, BaseModel) else cell


def _lines(values: Any, indent: int) -> str:
    space = " " * indent
    return "[\n" + ",\n".join(space + json.dumps(value, ensure_ascii=False) for value in values) + f"\n{space[2:]}]"
