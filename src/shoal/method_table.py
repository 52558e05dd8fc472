"""The table of methods: for each method, its function, the function's arguments, and the steps that may follow it.

All code that depends on the method reads this table: the policy, which accepts the names of methods; the choice of
a method and the call of its function; the repair of its groups; the verifier, which rejects unknown names of methods
and objectives; the help and the reference. So a new method takes one module with its function, and one record here
(docs/architecture.md has the steps). The table is data and imports no method: functions are given by name and
imported when they are called.
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
    "cell-cover",
    "pairs",
    "triples",
    "mondrian",
    "mondrian-relaxed",
    "full-domain",
    "datafly",
]
"""The methods that a policy may name, for editors and type checkers: "auto" and all names of the table."""
Fact = Literal[
    "k", "requirements", "records", "loss", "max_suppressed", "max_groups", "opening_cost", "seed", "effort",
    "time_limit",
]  # fmt: skip
"""The arguments that a method's function may take besides the Space of the records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveRecord:
    """An objective to minimize, with the settings that all of its methods share."""

    name: str
    cost: str
    """Its cost function as `module:function`, called with (space, labels) for the records in groups; what a
    suppressed record costs is defined in `partition.methods.cost`."""
    usual_form: str
    """The form of publication if the policy gives none."""
    norm: int
    """The norm that combines the distances on several columns: 1 adds them up, 2 is Euclidean."""
    scale: str
    """What numbers are divided by if the policy gives no scale: their "range" or "standard" deviation."""
    around_records: bool = False
    """Whether groups have a record as center. Methods for such objectives suppress outliers if they may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRecord:
    """One method. Its function takes a Space and the keywords of `takes` and `options`, and returns a Partition.

    Requirements that the function does not take are met afterwards, by merging groups and exchanging records. A
    function that does not take `max_suppressed` must not suppress records.
    """

    name: str
    family: str
    """The package of shoal.partition that contains the method."""
    objective: str
    """The name of the objective that it minimizes, a key of OBJECTIVES."""
    function: str
    """Its function as `module:function`, imported when it is called."""
    summary: str
    """A summary in one line, for the help and the reference."""
    notes: str = ""
    """Further sentences for the reference."""
    takes: Mapping[str, Fact] = field(default_factory=lambda: {"k": "k"})
    """The keywords of its function, each with the argument that is passed to it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Keywords with fixed values, for functions that several methods share."""
    reports: tuple[str, ...] = ()
    """The objectives that a certificate of this method may name; if empty, only `objective`."""
    theorems: tuple[str, ...] = ()
    """The ids, under docs/proofs, of the theorems on its ratio; empty for a heuristic."""
    stands_for_objective: bool = False
    """Whether it is the default method of its objective, which has exactly one. The groups of a default method may be
    replaced by cheaper groups that are built for l-diversity; those of other methods are not."""
    only_k: int | None = None
    """The only k that it supports; None if it supports any."""
    one_number: bool = False
    """Whether it supports only a single column of numbers."""
    whole_columns: bool = False
    """Whether it publishes every column at one level of its hierarchy, and so without ranges, classes and areas."""
    searched: bool = False
    """Whether its groups are improved by the search by exchanges for less generalization."""
    exchanges: Literal["always", "for t", "never"] = "always"
    """When records may be exchanged between its groups to meet requirements that they miss: "never" if groups are
    boxes or levels, which an exchange would break; "for t" if its search already keeps the other requirements."""
    bounds_suppression: bool = False
    """Whether its lower bound and its ratio also hold beside releases that leave out records, where these count as
    wholly lost. Where they do not, another bound is computed if records may be suppressed."""
    polished: bool = False
    """Whether repaired groups are improved by a further search for less loss."""
    effort: Effort | None = None
    """Its default effort if the policy gives none; None if `effort` has no influence on it."""

    @property
    def meets_requirements(self) -> bool:
        """Whether its function itself makes groups that meet the requirements beyond k."""
        return "requirements" in self.takes.values()

    @property
    def suppresses(self) -> bool:
        """Whether its function itself suppresses records, within `max_suppressed`."""
        return "max_suppressed" in self.takes.values()

    @property
    def objectives_reported(self) -> tuple[str, ...]:
        """The objectives that a certificate of this method may name."""
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
    """Return the record of a method of `microaggregate`: for squared error or, with labels, aggregation loss."""
    more = {"reports": ("sse", "loss"), "options": {"method": name}} | more
    function = more.pop("function", "shoal.partition.microaggregation.microaggregate:microaggregate")
    return MethodRecord(
        name=name, family="microaggregation", objective="sse", function=function, summary=summary, **more
    )


_RECODING: dict[str, Fact] = {
    "k": "k", "loss": "loss", "max_suppressed": "max_suppressed", "requirements": "requirements", "about": "records",
}  # fmt: skip
_CUTTING: dict[str, Fact] = {"k": "k", "requirements": "requirements", "about": "records"}
_FULL_DOMAIN = tuple(f"full-domain {loss}" for loss in ("ncp", "information", "levels", "entropy"))
_CELLS = ("generalization", "generalization information", "generalization levels")
"""What is minimized over cells: NCP, the information lost, or levels of hierarchies."""

METHODS: dict[str, MethodRecord] = {
    one.name: one
    for one in (
        MethodRecord(
            name="forest",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.forest:forest",
            summary="trees of nearest records, cut into groups; then exchanges between groups",
            reports=_CELLS,
            notes="Any kinds of columns; at most max(2k - 1, 3k - 5) times the optimum.",
            theorems=("FOREST-1",),
            stands_for_objective=True,
            searched=True,
            exchanges="for t",
            bounds_suppression=True,
            polished=True,
            effort=GENERALIZATION,
        ),
        MethodRecord(
            name="cell-cover",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.cell_cover:cell_cover",
            summary="a greedy cover by the cheapest cells; then exchanges between groups",
            reports=_CELLS,
            notes="At most (2 - 1/k) (1 + 1/2 + ... + 1/k) times the optimum, 4.111 for k = 5, for hierarchies, "
            "numbers and columns of two values. With larger sets or too many cells the groups are those of "
            "`forest`, and no ratio is claimed.",
            theorems=("GREEDY-1",),
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
            reports=_CELLS,
            notes="Any kinds of columns. Groups do not overlap; every requirement is kept by every cut. "
            "Fast: a million rows in seconds.",
            takes=_CUTTING,
            bounds_suppression=True,
            exchanges="never",
        ),
        MethodRecord(
            name="mondrian-relaxed",
            family="generalization",
            objective="generalization",
            function="shoal.partition.generalization.mondrian:mondrian",
            summary="as mondrian, cut at the median record",
            reports=_CELLS,
            notes="Groups have fewer than 2k rows and may overlap.",
            takes=_CUTTING,
            options={"relaxed": True},
            bounds_suppression=True,
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
            reports=_CELLS,
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
            reports=_CELLS,
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
            notes="Any kinds of columns; at most 2 times the optimum (4 with suppression), also with `max_groups`; "
            "the optimum itself for one column of numbers.",
            takes={"k": "k", "max_suppressed": "max_suppressed", "max_groups": "max_groups"},
            theorems=tuple(f"GATHER-{number}" for number in range(1, 7)),
            stands_for_objective=True,
        ),
        MethodRecord(
            name="cellular",
            family="cellular_cost",
            objective="cellular",
            function="shoal.partition.cellular_cost.cellular:cellular",
            summary="a small sum of group size times radius",
            notes="Any kinds of columns; at most 36 times the optimum, also with `opening_cost` (72 with "
            "suppression; 61.2 and 225 beyond 5,000 rows). Dense places keep small radii where `gather` lets the "
            "sparsest one decide.",
            takes={"k": "k", "max_suppressed": "max_suppressed", "opening_cost": "opening_cost"},
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
    """Return the default method of an objective."""
    return next(one for one in METHODS.values() if one.objective == objective and one.stands_for_objective)


def names(**wanted: Any) -> tuple[str, ...]:
    """Return the names of the methods whose fields have the given values, as in ``names(whole_columns=True)``."""
    return tuple(
        one.name for one in METHODS.values() if all(getattr(one, name) == value for name, value in wanted.items())
    )
