"""What a policy may ask for where a table is divided into blocks; everything else is refused before any row is read.

Refused is what depends on all rows at once in a way that blocks cannot keep (classes of labels, areas, likeness to
the whole table in every value, or to what is left of it), and what nobody has built for blocks yet.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.caller import named
from shoal.errors import ParameterError, SchemaError
from shoal.method_table import usual_method
from shoal.partition.methods.choose import Choice
from shoal.policy import Column, Policy
from shoal.policy.condition import columns_of, parse_condition
from shoal.roles.resolve import same_columns

_MINIMIZED = "generalization"
"""What the methods minimize that make groups of a block as they make them of a table."""
FORMS = ("generalize", "suppress")
LOSSES = ("ncp", "levels")
"""What a cell may cost: these depend on the different values of a column, and not on how frequent they are."""
_COLUMN = (
    "classes", "map", "longitude", "merge", "relative_to", "greatest_level", "perturb",
)  # fmt: skip
_OF_ALL = ("sequence", "sample", "population", "synthetic", "time_limit")


def check_scope(policy: Policy, names: Sequence[str]) -> None:
    """Raise a ParameterError for a setting that blocks cannot keep, a SchemaError if the columns are others."""
    same_columns(list(names), policy)
    if taken := [name for name in names if name.startswith("shoal: ")]:
        raise SchemaError(
            f"column {taken[0]!r} has a name that only engines use.", "rename it; names may not begin with 'shoal: '."
        )
    for setting in _OF_ALL:
        if getattr(policy, setting) is not None:
            raise _refused(named(setting))
    if policy.where is not None:
        _check_condition(policy)
    for setting in ("keys", "evidence"):
        if getattr(policy, setting):
            raise _refused(named(setting))
    for name, column in policy.columns.items():
        _check_column(name, column)
        if policy.person is not None and policy.closeness_of(name) is not None:
            raise _refused(f"t of {name} with a person column")
        if policy.max_suppressed and policy.closeness_of(name) is not None:  # whose table is that of the others
            raise _refused(f"t of {name} with {named('max_suppressed')}")
        asked = policy.disclosure_of(name) if column.role == "sensitive" else None
        if asked is not None and (asked.beta is not None or asked.delta is not None):
            raise _refused(f"beta or delta of {name}")


def check_choice(choice: Choice) -> None:
    """Raise a ParameterError if the method or the form cannot be used in blocks."""
    if choice.form not in FORMS:
        raise _refused(f"publication={choice.form}", f"take publication={FORMS[0]} or {FORMS[1]}.")
    record = choice.record
    if record.objective != _MINIMIZED or record.whole_columns or record.only_k is not None:
        raise _refused(f"method={choice.method}", f"take method={usual_method(_MINIMIZED).name}.")
    if choice.cell_loss not in (*LOSSES, "hidden"):
        raise _refused(f"loss={choice.loss}", f"take loss={LOSSES[0]}.")


def _check_condition(policy: Policy) -> None:
    """Raise a ParameterError for a condition on an identifier: engines do not read identifiers."""
    assert policy.where is not None
    for name in columns_of(parse_condition(policy.where)):
        if name in policy.columns and policy.columns[name].role == "identifier":
            raise ParameterError(
                f"the condition is about {name!r}: identifiers are not read where a table is divided into blocks.",
                "select the rows before, or by another column.",
            )


def _check_column(name: str, column: Column) -> None:
    for setting in _COLUMN:
        if getattr(column, setting) is not None:
            raise _refused(f"{setting} of column {name}")
    if column.kind in ("set", "place", "region"):
        raise _refused(f"kind={column.kind} of column {name}")
    if column.publish_rare == "merged":
        raise _refused(f"publish_rare=merged of column {name}", "merge rare labels in the table first.")
    if column.consistent or column.pseudonym:
        raise _refused(f"consistent={column.consistent} of column {name}")
    if column.role == "quasi" and column.has_own_requirement:
        raise _refused(f"a requirement on the values of the quasi-identifier {name}")
    if column.role == "weight":
        raise _refused(f"role=weight of column {name}")


def _refused(what: str, hint: str | None = None) -> ParameterError:
    return ParameterError(
        f"{what} cannot be kept where a table is divided into blocks.",
        hint or f"leave it out, or leave {named('engine')} out, which takes the whole table into memory.",
    )
