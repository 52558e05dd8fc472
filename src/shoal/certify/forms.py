"""Which form a release of a policy has: the word of the caller, never that of the certificate under test."""

from __future__ import annotations

import polars as pl

from shoal.certify.schema import FORMS
from shoal.errors import ParameterError
from shoal.method_table import METHODS, OBJECTIVES
from shoal.policy import Policy

_EXACT = r"^(?:-?[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?)$"


def checked_form(form: str | None) -> str | None:
    """A form that exists, or none."""
    if form is not None and form not in FORMS:
        raise ParameterError(f"form={form} is not known.", f"choose one of {', '.join(FORMS)}.")
    return form


def forms_of(policy: Policy) -> tuple[str, ...]:
    """The forms that a release of this policy can have: one, or rows of numbers that may be ranges or means.

    Groups are published by their centers only where the policy says so, by its publication, objective or method: no
    table is taken for centers because it has a column of that name.
    """
    if policy.publication != "auto":
        return (policy.publication,)
    objective: str = policy.objective
    if objective == "auto" and policy.method != "auto":
        objective = METHODS[policy.method].objective
    if objective != "auto":
        return (OBJECTIVES[objective].usual_form,)
    if any(_labels(policy, name) for name in policy.quasi):
        return ("generalize",)
    return ("generalize", "aggregate")


def form_of(policy: Policy, frame: pl.DataFrame | None) -> str:
    """The form to count by. Between ranges and means, which are counted alike, the cells decide."""
    first, *other = forms_of(policy)
    if not other or frame is None:
        return first
    cells = frame.select(name for name in policy.quasi if name in frame.columns)
    exact = cells.select((pl.all().is_null() | pl.all().str.contains(_EXACT)).all())
    return other[0] if exact.width == len(policy.quasi) and all(exact.row(0)) else first


def _labels(policy: Policy, name: str) -> bool:
    """Whether a column is known to be no number or date, or to be an area."""
    column = policy.columns[name]
    given = (column.hierarchy, column.order, column.map, column.longitude, column.classes)
    return column.kind not in (None, "number", "date", "place") or any(one is not None for one in given)
