"""Which method a policy gets, in which form it is published, and why: `method = "auto"` explained."""

from __future__ import annotations

from dataclasses import dataclass

from shoal._repr import brief
from shoal.errors import ParameterError
from shoal.policy import Policy

NUMBERS = ("number", "date", "place")
SQUARED_ERROR = ("best", "mdav", "v-mdav", "mst", "mst-d", "mst-c", "diameter", "centroid", "optimal")
FULL_DOMAIN = ("full-domain", "datafly")
"""One level per column for the whole table."""
GENERALIZATION = ("forest", "pairs", "triples", "mondrian", "mondrian-relaxed", *FULL_DOMAIN)
OBJECTIVE_OF = (
    dict.fromkeys(SQUARED_ERROR, "sse")
    | {"gather": "radius", "cellular": "cellular"}
    | dict.fromkeys(GENERALIZATION, "generalization")
)
METHOD_FOR = {"sse": "best", "radius": "gather", "cellular": "cellular", "generalization": "forest"}
AROUND_RECORDS = ("radius", "cellular")
"""Objectives of groups with a record as center; their methods leave out outliers where that is allowed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What will run and how it will be published, with the reason in words."""

    method: str
    objective: str
    form: str
    reason: str
    loss: str = "ncp"
    """What a value generalized in its hierarchy costs."""

    def __repr__(self) -> str:
        return brief(self, f"{self.method} for {self.objective}, {self.form}")

    @property
    def whole_columns(self) -> bool:
        """Every column is published at one level of its hierarchy."""
        return self.method in FULL_DOMAIN

    @property
    def by_leaves(self) -> bool:
        """A node of a hierarchy costs its leaves over all leaves, not its level over all levels."""
        return self.objective == "generalization" and not self.whole_columns and self.loss == "ncp"

    @property
    def norm(self) -> int:
        """Generalization adds up over columns; radii and squared error are Euclidean."""
        return 1 if self.objective == "generalization" else 2

    @property
    def scale(self) -> str:
        """The scale of numbers where the policy gives none: squared error is measured on standardized columns."""
        return "standard" if self.objective == "sse" else "range"


def choose(policy: Policy) -> Choice:
    """The method and the form for a resolved policy; contradictions are errors with the way out."""
    labels = [name for name in policy.quasi if policy.columns[name].kind not in NUMBERS]
    areas = [name for name in policy.quasi if policy.columns[name].longitude is not None]
    objective, method, form = policy.objective, policy.method, policy.publication
    if method != "auto":
        implied = OBJECTIVE_OF[method]
        if objective not in ("auto", implied):
            raise ParameterError(
                f"method={method} minimizes {implied}, not objective={objective}.",
                f"leave out one of the two, or take method={METHOD_FOR[objective]}.",
            )
        reason = f"{method} was asked for"
        objective = implied  # type: ignore[assignment]
    elif objective != "auto":
        method = METHOD_FOR[objective]  # type: ignore[assignment]
        reason = f"{method} minimizes the objective that was asked for, {objective}"
    elif form == "centers":
        objective, method = "radius", "gather"
        reason = "centers are published, and gather keeps every record near its center"
    elif (labels or areas) and form == "aggregate":
        objective, method = "sse", METHOD_FOR["sse"]  # type: ignore[assignment]
        reason = "means, medians and modes are published, so groups lose little by them: the least loss found"
    elif labels or areas or form in ("generalize", "suppress"):
        objective, method = "generalization", "forest"
        what = (
            f"{form} was asked for"
            if not labels + areas
            else f"{labels[0]} has labels"
            if labels
            else "places are areas"
        )
        reason = f"{what}, so groups must generalize to little: forest, then exchanges between groups"
    else:
        objective, method = "sse", METHOD_FOR["sse"]  # type: ignore[assignment]
        reason = "every quasi-identifier is a number or a date, so groups are averaged: the least squared error found"
    if policy.loss == "entropy" and method not in FULL_DOMAIN:
        raise ParameterError(
            f"loss=entropy is for method=full-domain and method=datafly, not for method={method}.",
            "take loss=ncp or loss=levels.",
        )
    if method == "optimal" and labels:
        raise ParameterError(
            f"method=optimal is for one column of numbers; not a number: {', '.join(labels)}.",
            "take method=best, or method=auto.",
        )
    if form == "auto":
        form = "centers" if objective in AROUND_RECORDS else "aggregate" if objective == "sse" else "generalize"
    if policy.recoded and (method in FULL_DOMAIN or form not in ("generalize", "suppress")):
        found = f"method={method}" if method in FULL_DOMAIN else f"publication={form}"
        raise ParameterError(
            f"column {policy.recoded[0]} is to be published in classes, and {found} has none.",
            "take method=forest and publication=generalize, or leave out its classes.",
        )
    rounded = [name for name in policy.quasi if policy.columns[name].round_ranges is not None]
    if rounded and (method in FULL_DOMAIN or form != "generalize"):
        found = f"method={method}" if method in FULL_DOMAIN else f"publication={form}"
        raise ParameterError(
            f"the ends of ranges of {rounded[0]} are to be rounded, and {found} publishes no ranges.",
            "take publication=generalize and another method, or leave out round_ranges.",
        )
    if method in FULL_DOMAIN and areas:
        raise ParameterError(
            f"method={method} chooses one level for every column; the places of {areas[0]} are areas.",
            f"take method=forest, or leave out columns.{areas[0]}.longitude.",
        )
    if method in FULL_DOMAIN and form != "generalize":
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
    return Choice(method, objective, form, reason, policy.loss)
