"""What a report shows, gathered in one place; the pages only lay it out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.measure.result import Loss, Risk
from shoal.policy import Policy
from shoal.report.charts import Projection


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One requirement, as counted on the released file."""

    criterion: str
    """`k-anonymity`, `l-diversity of diagnosis`."""
    sentence: str
    """What it means that this holds, for people."""
    asked: str
    found: str
    holds: bool
    touched: int = 0
    """Records that a failure touches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The groups: how they were made, what they cost, and what nobody can beat."""

    method: str
    reason: str
    objective: str
    n_groups: int
    cost: float
    lower_bound: float = 0.0
    ratio_proved: Fraction | None = None
    ratio_seen: float | None = None
    theorem: str | None = None
    notes: tuple[str, ...] = ()
    """What else is to be said of the run: a repair and its price, an early stop."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Content:
    """A release as the report tells it. Private: costs, losses and risks are statistics of the raw table."""

    source: str
    policy: Policy
    findings: tuple[Finding, ...]
    checked: str
    """Where the findings come from: the name of the released file, or `the released table`."""
    groups: Groups
    form: str
    sample_header: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    loss: Loss
    risk: Risk
    advice: tuple[str, ...] = ()
    projection: Projection | None = None
    seconds: tuple[tuple[str, float], ...] = ()
    recheck: str = "shoal verify release.csv policy.toml"
    version: str = ""

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of a comparison: what was asked and tried, and what came of it."""

    method: str
    k: int
    requirement: str = ""
    """What was asked besides k, such as `l = 2`; empty where nothing was."""
    n_groups: int
    suppressed_share: float
    loss: float
    """Mean normalised certainty penalty: 0 nothing lost, 1 everything."""
    sse_ratio: float | None = None
    highest_risk: float
    """The largest probability with which somebody can be picked out."""
    mean_risk: float
    ratio_seen: float | None = None
    ratio_proved: Fraction | None = None
    seconds: float = 0.0

    @property
    def line(self) -> str:
        """The name of the line on which this trial is drawn."""
        return f"{self.method}, {self.requirement}" if self.requirement else self.method
