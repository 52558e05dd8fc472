"""Choose the method and the form of publication for a policy, with the reason: what `method = "auto"` means."""

from __future__ import annotations

from dataclasses import dataclass

from shoal._repr import brief
from shoal.caller import named
from shoal.errors import ParameterError
from shoal.method_table import METHODS, OBJECTIVES, MethodRecord, ObjectiveRecord, names, usual_method
from shoal.policy import Policy

NUMBERS = ("number", "date", "place")


@dataclass(frozen=True, slots=True)
class Choice:
    """The method that will run, its objective, the form of publication, and the reason for the choice in words."""

    method: str
    objective: str
    form: str
    reason: str
    loss: str = "ncp"
    """How the loss of a generalized value is measured: "ncp", "information", "levels" or "entropy"."""
    max_groups: int | None = None
    """The largest number of groups; None if any number is allowed."""
    opening_cost: float = 0.0
    """What each group costs besides its size times its radius."""

    def __repr__(self) -> str:
        return brief(self, f"{self.method} for {self.objective}, {self.form}")

    @property
    def record(self) -> MethodRecord:
        """The record of the method in the table of methods."""
        return METHODS[self.method]

    @property
    def minimized(self) -> ObjectiveRecord:
        """The record of the objective in the table of methods."""
        return OBJECTIVES[self.objective]

    @property
    def whole_columns(self) -> bool:
        """Whether the method publishes every column at one level of its hierarchy (full-domain generalization)."""
        return self.method in names(whole_columns=True)

    @property
    def cell_loss(self) -> str:
        """What a published cell costs (`shoal.space.cell_costs`) if cells are what is minimized; else "levels"."""
        if self.objective != "generalization" or self.whole_columns:
            return "levels"
        return "hidden" if self.form == "suppress" else self.loss

    @property
    def minimizes(self) -> str:
        """What is minimized, as certificates name it: the objective, and the loss of cells if that is not NCP."""
        by_cells = self.cell_loss in ("information", "levels") and not self.whole_columns
        return f"{self.objective} {self.loss}" if self.objective == "generalization" and by_cells else self.objective

    @property
    def norm(self) -> int:
        """The norm that combines columns: 1 adds them up (generalization), 2 is Euclidean (radii, squared error)."""
        return self.minimized.norm

    @property
    def scale(self) -> str:
        """What numbers are divided by if the policy gives no scale: "standard" (deviation) or "range"."""
        return self.minimized.scale


def choose(policy: Policy) -> Choice:
    """Return the choice for a resolved policy; raise ParameterError, with a remedy, if its settings contradict."""
    labels = [name for name in policy.quasi if policy.columns[name].kind not in NUMBERS]
    areas = [name for name in policy.quasi if policy.columns[name].longitude is not None]
    objective: str = policy.objective
    method: str = policy.method
    form: str = policy.publication
    if policy.synthetic is not None and form == "auto":
        form = "generalize"
    if method != "auto":
        implied = METHODS[method].objective
        if objective not in ("auto", implied):
            raise ParameterError(
                f"method={method} minimizes {implied}, not objective={objective}.",
                f"leave out one of the two, or take method={usual_method(objective).name}.",
            )
        reason = f"{method} was asked for"
        objective = implied
    elif objective != "auto":
        method = usual_method(objective).name
        reason = f"{method} minimizes the objective that was asked for, {objective}"
    elif form == "centers":
        objective, method = "radius", usual_method("radius").name
        reason = f"centers are published, and {method} keeps every record near its center"
    elif (labels or areas) and form == "aggregate":
        objective, method = "sse", usual_method("sse").name
        reason = "means, medians and modes are published, so groups lose little by them: the least loss found"
    elif labels or areas or form in ("generalize", "suppress") or not policy.quasi:
        objective, method = "generalization", usual_method("generalization").name
        what = (
            f"{form} was asked for"
            if form != "auto" and not labels + areas
            else "only items are known"
            if not labels + areas
            else f"{labels[0]} has labels"
            if labels
            else "places are areas"
        )
        reason = f"{what}, so groups should lose little when generalized: {method}, then exchanges between groups"
    else:
        objective, method = "sse", usual_method("sse").name
        reason = "every quasi-identifier is a number or a date, so groups are averaged: the least squared error found"
    levels = METHODS[method].whole_columns
    if policy.loss == "entropy" and not levels:
        takers = " and ".join(f"method={name}" for name in names(whole_columns=True))
        raise ParameterError(
            f"loss=entropy is for {takers}, not for method={method}.",
            "take loss=information, or loss=ncp.",
        )
    if policy.loss == "information" and objective != "generalization":
        raise ParameterError(
            f"loss=information is what cells leave open; method={method} minimizes {objective}, which has no cells.",
            "leave out loss, or take publication=generalize.",
        )
    if METHODS[method].one_number and labels:
        raise ParameterError(
            f"method={method} is for one column of numbers; not a number: {', '.join(labels)}.",
            f"take method={usual_method(objective).name}, or method=auto.",
        )
    if form == "auto":
        form = OBJECTIVES[objective].usual_form
    if policy.recoded and (levels or form not in ("generalize", "suppress")):
        found = f"method={method}" if levels else f"publication={form}"
        raise ParameterError(
            f"column {policy.recoded[0]} is to be published in classes, and {found} has none.",
            "take method=forest and publication=generalize, or leave out its classes.",
        )
    rounded = [name for name in policy.quasi if policy.columns[name].round_ranges is not None]
    if rounded and (levels or form != "generalize"):
        found = f"method={method}" if levels else f"publication={form}"
        raise ParameterError(
            f"the ends of ranges of {rounded[0]} are to be rounded, and {found} publishes no ranges.",
            "take publication=generalize and another method, or leave out round_ranges.",
        )
    numbers = [name for name in policy.quasi if policy.columns[name].is_recoded and not policy.columns[name].merge]
    if levels and numbers:
        raise ParameterError(
            f"method={method} publishes intervals, and {numbers[0]} has a top, a bottom or rounded values, which "
            "lie in none.",
            "take another method, or a hierarchy of widths or periods in the place of its recoding.",
        )
    _check_levels(policy, method, form, whole_columns=levels)
    if levels and areas:
        raise ParameterError(
            f"method={method} chooses one level for every column; the places of {areas[0]} are areas.",
            f"take method=forest, or leave out columns.{areas[0]}.longitude.",
        )
    if levels and form != "generalize":
        raise ParameterError(
            f"method={method} chooses one level for every column; publication={form} publishes no levels.",
            "leave out publication, or take another method.",
        )
    counted = [name for name in policy.sensitive if policy.diversity_of(name) or policy.closeness_of(name)]
    binned = [name for name in counted if policy.columns[name].bins is not None]
    if form == "centers" and policy.person and binned:
        raise ParameterError(
            f"centers show how many people hold each value; who has two values in one bin of {binned[0]} "
            "would be counted twice.",
            f"take another publication, or leave out columns.{binned[0]}.bins.",
        )
    if form == "centers" and policy.set_column is not None:
        raise ParameterError(
            f"{policy.set_column} has a set of items in every row, and publication=centers has one row per group.",
            f"take another publication or method, or give {policy.set_column} the role identifier.",
        )
    if policy.sequence is not None and policy.set_column is not None:
        raise ParameterError(
            f"{policy.set_column} is a set, and what several releases of its items tell together is not limited.",
            f"give {policy.set_column} the role identifier, or release without a link.",
        )
    _check_limits(policy, method)
    _check_synthetic(policy, form)
    return Choice(method, objective, form, reason, policy.loss, policy.max_groups, policy.opening_cost or 0.0)


def _check_synthetic(policy: Policy, form: str) -> None:
    """Raise ParameterError if cells do not say what they leave open, so that no synthetic rows can be drawn."""
    if policy.synthetic is None:
        return
    if form not in ("generalize", "suppress"):
        raise ParameterError(
            f"synthetic rows are drawn from published ranges and sets, and publication={form} has none.",
            "take publication=generalize, or leave out synthetic.",
        )
    circles = [name for name in policy.quasi if policy.columns[name].shape == "circle"]
    if circles:
        raise ParameterError(
            f"synthetic rows are drawn from rectangles, and the places of {circles[0]} are circles.",
            "take shape=rectangle, or leave out synthetic.",
        )


def _check_limits(policy: Policy, method: str) -> None:
    """Raise ParameterError if a limit on groups, or a cost of each, cannot be kept by the method."""
    given = {"max_groups": policy.max_groups, "opening_cost": policy.opening_cost}
    for name, value in given.items():
        if value is not None and name not in METHODS[method].takes.values():
            takers = [one.name for one in METHODS.values() if name in one.takes.values()]
            raise ParameterError(
                f"{named(name)} is for the method {' or '.join(takers)}, not for {method}.",
                f"choose the method {takers[0]}, or leave out {named(name)}.",
            )
    if policy.opening_cost is not None and policy.max_suppressed:
        raise ParameterError(
            f"groups with an opening cost are made of all rows; {named('max_suppressed')} is above 0.",
            f"leave out {named('opening_cost')} or {named('max_suppressed')}.",
        )
    if policy.max_groups is None:
        return
    greatest = [name for name in policy.quasi if policy.columns[name].greatest_level is not None]
    if greatest or policy.sequence is not None:
        what = f"the greatest level of {greatest[0]}" if greatest else "a sequence of releases"
        raise ParameterError(
            f"{what} needs as many groups as there are parts of the table; max_groups cannot be kept.",
            "leave out max_groups.",
        )


def _check_levels(policy: Policy, method: str, form: str, *, whole_columns: bool) -> None:
    """Raise ParameterError if a least or greatest level cannot be kept by method, form or requirements."""
    least = [name for name in policy.quasi if policy.columns[name].least_level]
    greatest = [name for name in policy.quasi if policy.columns[name].greatest_level is not None]
    if least + greatest and form != "generalize":
        raise ParameterError(
            f"column {(least + greatest)[0]} has a least or greatest level, and publication={form} has none.",
            "take publication=generalize, or leave the levels out.",
        )
    if not greatest:
        return
    if whole_columns:
        raise ParameterError(
            f"column {greatest[0]} has a greatest level, which method={method} cannot keep.",
            "take method=forest or method=auto, or leave greatest_level out.",
        )
    if any(policy.closeness_of(name) for name in policy.all_sensitive):
        raise ParameterError(
            f"column {greatest[0]} has a greatest level, so groups are made in blocks, which cannot be as close to "
            "the whole table as t asks.",
            "ask l instead of t, or leave greatest_level out.",
        )
    if policy.sequence is not None:
        raise ParameterError(
            f"column {greatest[0]} has a greatest level, which later releases of a sequence may not be able to keep.",
            "leave greatest_level out, or release without a link.",
        )
