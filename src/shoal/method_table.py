"""The one table of methods: what each of them is, what it needs, what may follow it, and where its function is.

Whoever has to know of methods reads this table: the policy, which accepts their names; the choice of a method and
the call of its function; the repair of its groups; the verifier, which refuses names and objectives that there are
not; the help and the reference. So a new method is one module with its function, and one record here
(docs/architecture.md has the steps). The table is data and imports nothing: functions are named, and loaded when
they run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.effort import GENERALIZATION, SQUARED_ERROR, Effort

Objective = Literal["auto", "sse", "radius", "cellular", "generalization"]
Method = Literal[
    "auto",
    "best",
    "mdav",
    "v-mdav",
    "mst",
    "mst-d",
    "mst-c",
    "diameter",
    "centroid",
    "optimal",
    "gather",
    "cellular",
    "forest",
    "pairs",
    "triples",
    "mondrian",
    "mondrian-relaxed",
    "full-domain",
    "datafly",
]
"""What a policy may say, written out for editors and type checkers: "auto" and every name of the table."""
Fact = Literal["k", "requirements", "records", "loss", "max_suppressed", "seed", "effort", "time_limit"]
"""What a method's function may be given besides the Space of the records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveRecord:
    """What is minimized, and what follows from it for every method that minimizes it."""

    name: str
    cost: str
    """`module:function` of (space, labels) that returns the cost of a grouping; suppressed records cost nothing."""
    usual_form: str
    """How groups are published where the policy does not say."""
    norm: int
    """How distances on several columns make one: 1 adds them up, 2 is Euclidean."""
    scale: str
    """What numbers are divided by where the policy does not say: their range or their standard deviation."""
    around_records: bool = False
    """Groups have a record as center; their methods leave out outliers where that is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRecord:
    """One method. Its function takes a Space and, by keyword, what `takes` and `options` say; it returns a Partition.

    Everything a method is not known to do itself is done after it: requirements that it does not take are met by
    merging and exchanging, whoever it may not suppress is kept.
    """

    name: str
    family: str
    """The package of shoal.partition that it is in."""
    objective: str
    """The name of an ObjectiveRecord."""
    function: str
    """`module:function`, loaded when it runs."""
    summary: str
    """One line for the help and the reference."""
    notes: str = ""
    """More sentences, for the reference."""
    takes: Mapping[str, Fact] = field(default_factory=lambda: {"k": "k"})
    """The keywords of its function, and the fact that each is given."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further keywords that are always the same: where one function has several methods."""
    reports: tuple[str, ...] = ()
    """What a certificate of it may name as the number minimized; the objective's own name where empty."""
    theorems: tuple[str, ...] = ()
    """Ids under docs/proofs of what is proved of it; empty for a heuristic."""
    stands_for_objective: bool = False
    """A policy that names the objective alone gets this method: one per objective. A method that was asked for by
    its own name keeps its groups where they meet everything; of this one, cheaper groups may take their place."""
    only_k: int | None = None
    """The one k that it is for."""
    one_number: bool = False
    """It is for one column of numbers."""
    whole_columns: bool = False
    """Every column is published at one level of its hierarchy, so there are neither ranges nor classes nor areas."""
    searched: bool = False
    """Its groups are the start of the search by exchanges for less generalization."""
    exchanges: Literal["always", "for t", "never"] = "always"
    """When records may be exchanged between its groups to meet what they miss. Never where groups are boxes or
    levels, which an exchange would break; for t alone where a search has kept to the other requirements already."""
    polished: bool = False
    """Groups that had to be repaired are searched once more for less loss."""
    effort: Effort | None = None
    """How much it searches where the policy does not say; None where `effort` does nothing."""

    @property
    def meets_requirements(self) -> bool:
        """It makes groups that meet requirements beyond k by itself."""
        return "requirements" in self.takes.values()

    @property
    def suppresses(self) -> bool:
        """It leaves out records by itself, within `max_suppressed`."""
        return "max_suppressed" in self.takes.values()

    @property
    def objectives_reported(self) -> tuple[str, ...]:
        return self.reports or (self.objective,)


OBJECTIVES: dict[str, ObjectiveRecord] = {
    one.name: one
    for one in (
        ObjectiveRecord(
            name="sse",
            cost="shoal.partition.microaggregation.group_loss:aggregation_cost",
            usual_form="aggregate",
            norm=2,
            scale="standard",
        ),
        ObjectiveRecord(
            name="radius",
            cost="shoal.partition.radius.gather:radius_cost",
            usual_form="centers",
            norm=2,
            scale="range",
            around_records=True,
        ),
        ObjectiveRecord(
            name="cellular",
            cost="shoal.partition.radius.gather:cellular_cost",
            usual_form="centers",
            norm=2,
            scale="range",
            around_records=True,
        ),
        ObjectiveRecord(
            name="generalization",
            cost="shoal.partition.generalization.forest:generalization_cost",
            usual_form="generalize",
            norm=1,
            scale="range",
        ),
    )
}


def _microaggregation(name: str, summary: str, **more: Any) -> MethodRecord:
    """A method of `microaggregate`: a heuristic for squared error, or with labels for the loss of aggregation."""
    more = {"reports": ("sse", "loss"), "options": {"method": name}} | more
    function = more.pop("function", "shoal.partition.microaggregation.microaggregate:microaggregate")
    return MethodRecord(
        name=name, family="microaggregation", objective="sse", function=function, summary=summary, **more
    )


_RECODING: dict[str, Fact] = {
    "k": "k", "loss": "loss", "max_suppressed": "max_suppressed", "requirements": "requirements", "about": "records",
}  # fmt: skip
_CUTTING: dict[str, Fact] = {"k": "k", "requirements": "requirements", "about": "records"}
_FULL_DOMAIN = ("full-domain ncp", "full-domain levels", "full-domain entropy")

METHODS: dict[str, MethodRecord] = {
    one.name: one
    for one in (
        MethodRecord(
            name="forest",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.forest:forest",
            summary="trees of nearest records, cut into groups; then exchanges between groups",
            notes="Any kinds of columns; at most max(2k - 1, 3k - 5) times the optimum.",
            theorems=("FOREST-1",),
            stands_for_objective=True,
            searched=True,
            exchanges="for t",
            polished=True,
            effort=GENERALIZATION,
        ),
        MethodRecord(
            name="mondrian",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.mondrian:mondrian",
            summary="the widest column is cut near its median, again and again",
            notes="Any kinds of columns. Groups do not overlap; every requirement is kept by every cut. "
            "Fast: a million rows in seconds.",
            takes=_CUTTING,
            exchanges="never",
        ),
        MethodRecord(
            name="mondrian-relaxed",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.mondrian:mondrian",
            summary="as mondrian, cut at the median record",
            notes="Groups have fewer than 2k rows and may overlap.",
            takes=_CUTTING,
            options={"relaxed": True},
            exchanges="never",
        ),
        MethodRecord(
            name="full-domain",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.full_domain:full_domain",
            summary="one level per column for the whole table, the best of all choices of levels",
            notes="Numbers and dates without a hierarchy get round widths and periods, labels are published or "
            "hidden. Rows of groups that are too small are left out, within `max_suppressed`.",
            takes=_RECODING,
            reports=_FULL_DOMAIN,
            theorems=("LATTICE-1",),
            whole_columns=True,
            exchanges="never",
        ),
        MethodRecord(
            name="datafly",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.full_domain:datafly",
            summary="one level per column by a greedy walk",
            notes="The column with the most values is raised by one level until every requirement holds. Otherwise "
            "as `full-domain`.",
            takes=_RECODING,
            reports=_FULL_DOMAIN,
            whole_columns=True,
            exchanges="never",
        ),
        MethodRecord(
            name="pairs",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.pairs:pairs",
            summary="for k = 2: an exact matching; then exchanges between groups",
            notes="At most 3/2 times the optimum for numbers and columns of two values, else 2 times. Seconds for "
            "tens of thousands of rows; where it would take more than ten minutes, it says so at once.",
            takes={},
            theorems=("PAIRS-1", "PAIRS-2"),
            only_k=2,
            searched=True,
            exchanges="never",
            effort=GENERALIZATION,
        ),
        MethodRecord(
            name="triples",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.triples:triples",
            summary="for k = 3: the lightest cycles, cut into groups; then exchanges between groups",
            notes="At most 2 times the optimum for numbers and columns of two values, else 3 times. Up to 5,000 rows "
            "besides those that are there three times: seconds for a thousand, a minute for 5,000.",
            takes={},
            theorems=("TRIPLES-1", "TRIPLES-2"),
            only_k=3,
            searched=True,
            exchanges="never",
            effort=GENERALIZATION,
        ),
        MethodRecord(
            name="gather",
            family="radius",
            objective="radius",
            function="shoal.partition.radius.gather:gather",
            summary="every record near its center: the smallest largest radius",
            notes="Any kinds of columns; at most 2 times the optimum (4 with suppression).",
            takes={"k": "k", "max_suppressed": "max_suppressed"},
            theorems=("GATHER-1", "GATHER-2", "GATHER-3", "GATHER-4", "GATHER-5"),
            stands_for_objective=True,
        ),
        MethodRecord(
            name="cellular",
            family="cellular_cost",
            objective="cellular",
            function="shoal.partition.cellular_cost.cellular:cellular",
            summary="a small sum of group size times radius",
            notes="Any kinds of columns; at most 36 times the optimum (72 with suppression; 61.2 and 225 beyond "
            "5,000 rows). Dense places keep small radii where `gather` lets the sparsest one decide.",
            takes={"k": "k", "max_suppressed": "max_suppressed"},
            theorems=tuple(f"CELLULAR-{number}" for number in range(1, 9)),
            stands_for_objective=True,
        ),
        _microaggregation(
            "best",
            "a long search for the least squared error",
            function="shoal.partition.microaggregation.microaggregate:least_error",
            options={},
            takes={"k": "k", "seed": "seed", "effort": "effort", "time_limit": "time_limit"},
            notes="For one column of numbers it is `optimal`.",
            stands_for_objective=True,
            polished=True,
            effort=SQUARED_ERROR,
        ),
        _microaggregation(
            "optimal",
            "one column of numbers: the optimum",
            reports=("sse",),
            theorems=("UNI-1",),
            one_number=True,
        ),
        _microaggregation("mdav", "groups of k around far records"),
        _microaggregation("v-mdav", "as mdav, but a group grows to 2k - 1 by near records"),
        _microaggregation("mst", "cuts of a minimum spanning tree", notes="Good for clustered data."),
        _microaggregation("mst-d", "as mst; large groups are split around the most distant pair"),
        _microaggregation("mst-c", "as mst; large groups are split far from the centroid"),
        _microaggregation("diameter", "groups of k around the most distant pair"),
        _microaggregation("centroid", "groups of k, farthest from the centroid first"),
    )
}


def usual_method(objective: str) -> MethodRecord:
    """The method that a policy gets which names the objective alone."""
    return next(one for one in METHODS.values() if one.objective == objective and one.stands_for_objective)


def names(**wanted: Any) -> tuple[str, ...]:
    """The methods of which all these fields have these values: ``names(whole_columns=True)``."""
    return tuple(
        one.name for one in METHODS.values() if all(getattr(one, name) == value for name, value in wanted.items())
    )
