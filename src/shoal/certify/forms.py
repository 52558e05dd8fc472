"""Which form of publication a released table is counted by.

Where the caller gives a policy, the form follows from it and not from the certificate, which is under test: a forged
certificate could name the form `centers` so that a column of invented numbers of people is believed.
"""

from __future__ import annotations

import polars as pl

from shoal.certify.schema import FORMS
from shoal.errors import ParameterError
from shoal.method_table import METHODS, OBJECTIVES
from shoal.policy import Policy

EXACT = r"^(?:-?[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?)$"


def checked_form(form: str | None) -> str | None:
    """Return `form` unchanged; a ParameterError is raised if it is neither None nor a known form."""
    if form is not None and form not in FORMS:
        raise ParameterError(f"form={form} is not known.", f"choose one of {', '.join(FORMS)}.")
    return form


def forms_of(policy: Policy) -> tuple[str, ...]:
    """Return the forms that a release of this policy can have.

    It is one form, unless the policy leaves it open and all quasi-identifiers can be numbers or dates: then a cell
    may be a range (`generalize`) or a mean (`aggregate`). The form `centers` is returned only where the policy
    implies it by its publication, objective or method. A column called `people` in the table is not enough, or an
    attacker could add one to inflate the counts.
    """
    if policy.publication != "auto":
        return (policy.publication,)
    if policy.synthetic is not None:
        return ("generalize",)
    objective: str = policy.objective
    if objective == "auto" and policy.method != "auto":
        objective = METHODS[policy.method].objective
    if objective != "auto":
        return (OBJECTIVES[objective].usual_form,)
    if any(_labels(policy, name) for name in policy.quasi):
        return ("generalize",)
    return ("generalize", "aggregate")


def form_of(policy: Policy, frame: pl.DataFrame | None) -> str:
    """Return the form to count by.

    Where the policy allows both ranges and means, it is `aggregate` if all cells of the quasi-identifiers are single
    numbers or dates, and `generalize` otherwise. Both are counted in the same way.
    """
    first, *other = forms_of(policy)
    if not other or frame is None:
        return first
    cells = frame.select(name for name in policy.quasi if name in frame.columns)
    exact = cells.select((pl.all().is_null() | pl.all().str.contains(EXACT)).all())
    return other[0] if exact.width == len(policy.quasi) and all(exact.row(0)) else first


def _labels(policy: Policy, name: str) -> bool:
    """Return whether the policy shows that a column cannot be averaged: it has labels, or it is an area."""
    column = policy.columns[name]
    given = (column.hierarchy, column.order, column.map, column.longitude, column.classes)
    return column.kind not in (None, "number", "date", "place") or any(one is not None for one in given)
