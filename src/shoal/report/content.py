"""The content of a report, collected in one place; the pages only lay it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

from shoal._repr import brief
from shoal._version import __version__
from shoal.certify.certificate import Certificate
from shoal.certify.findings import MORE_IS_WORSE, Claim, Failure, Findings
from shoal.report.formatting import at_least, at_most, percent, sentence, shortened

if TYPE_CHECKING:
    from shoal.certify.facts import Facts
    from shoal.measure.evidence import Evidence
    from shoal.measure.loss_result import Loss
    from shoal.measure.questions.result import Questions
    from shoal.measure.risk_result import Risk
    from shoal.measure.utility.result import TargetModel, Utility
    from shoal.policy import Policy
    from shoal.report.charts import AreaMap, Projection

SAMPLE_ROWS, SAMPLE_COLUMNS, SAMPLE_WIDTH = 5, 30, 40
"""The most rows, columns and characters per cell of the sample of the released table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One requirement, as checked on the released file."""

    criterion: str
    """The name of the criterion, such as `k-anonymity` or `l-diversity of diagnosis`."""
    sentence: str
    """What it means that the requirement holds: a sentence without its final period."""
    asked: str
    found: str
    holds: bool
    failure: str = ""
    """What is wrong if it does not hold."""
    touched: int = 0
    """The number of records that a failure affects."""

    def __repr__(self) -> str:
        return brief(self, f"{self.criterion}: {'holds' if self.holds else 'FAILS'}")


@dataclass(frozen=True, slots=True, repr=False)
class LabelClass:
    """A class of labels: its published name (None: missing values alone), its number of people and of labels."""

    name: str | None
    people: int
    labels: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LabelClasses:
    """A column recoded into classes of at least `least` people; the largest class cannot be below `lower_bound`."""

    column: str
    n_labels: int
    least: int
    lower_bound: float
    ratio_proved: Fraction | None = None
    theorem: str | None = None
    classes: tuple[LabelClass, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Content:
    """A release as the report shows it. Private: costs, losses and risks are statistics of the original table."""

    source: str
    policy: Policy
    findings: tuple[Finding, ...]
    checked: str
    """Where the findings come from: the name of the released file, or `the released table`."""
    groups: Facts
    form: str
    sample_header: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    loss: Loss
    risk: Risk
    advice: tuple[str, ...] = ()
    projection: Projection | None = None
    label_classes: tuple[LabelClasses, ...] = ()
    maps: tuple[AreaMap, ...] = ()
    """Maps of regions and places that were published as areas."""
    seconds: tuple[tuple[str, float], ...] = ()
    hierarchies: tuple[tuple[str, str], ...] = ()
    """The name of each column with a hierarchy, and the hierarchy as text."""
    evidence: Evidence | None = None
    """What attackers and analysts get from the release; None if the policy does not ask for it."""
    recheck: str
    """The command that repeats the check."""
    version: str = __version__

    def __repr__(self) -> str:
        return brief(self, f"of {self.source}, {self.form}")

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)


def findings_of(found: Findings | Certificate | Iterable[Finding]) -> tuple[Finding, ...]:
    """Return every claim, then whatever else is wrong with the released table."""
    if isinstance(found, Certificate):
        return tuple(
            [_of_claim(claim, None) for claim in found.claims] + [_of_true(one) for one in found.true_values]
        )
    if not isinstance(found, Findings):
        return tuple(found)
    wrong = {(failure.check, failure.column): failure for failure in found.failures}
    claimed = {(claim.criterion, claim.column) for claim in found.claims}
    claims = [_of_claim(claim, wrong.get((claim.criterion, claim.column))) for claim in found.claims]
    claims += [_of_true(one) for one in found.true_claims]
    others = [failure for failure in found.failures if (failure.check, failure.column) not in claimed]
    return (*claims, *(_of_failure(failure) for failure in others))


def _of_claim(claim: Claim, failure: Failure | None) -> Finding:
    """Return a claim of the certificate as a finding; `failure` says why it does not hold."""
    return Finding(
        criterion=claim.name,
        sentence=_sentence(claim),
        asked=_asked(claim),
        found=(at_most if claim.criterion in MORE_IS_WORSE else at_least)(claim.measured),
        holds=claim.holds,
        failure=sentence(failure.message) if failure else "",
        touched=failure.records if failure else 0,
    )


def _of_true(claim: Claim) -> Finding:
    """Return a claim about true values as a finding; the sentence says that the file does not show it."""
    found = _of_claim(claim, None)
    return replace(found, sentence=f"{found.sentence}; counted on true values, which the released file does not hold")


def _of_failure(failure: Failure) -> Finding:
    """Return a failure that belongs to no claim as a finding."""
    message = sentence(failure.message)
    return Finding(
        criterion=failure.check,
        sentence=message,
        asked="",
        found="",
        holds=False,
        failure=message,
        touched=failure.records,
    )


def _sentence(claim: Claim) -> str:
    if claim.criterion == "k-anonymity":  # the verdict is kept as short as possible
        return f"Every group has at least {claim.claimed:g} {'people' if claim.unit == 'people' else 'records'}"
    return sentence(claim.sentence)


def _asked(claim: Claim) -> str:
    if claim.criterion == "k-anonymity":
        return f"at least {claim.claimed:g} {claim.unit}"
    if claim.criterion == "km-anonymity":
        return f"at least {claim.claimed:g} {claim.unit} (m = {claim.m})"
    if claim.criterion == "t-closeness":
        return f"at most {claim.claimed:g} ({claim.kind} distance)"
    if claim.criterion == "beta-likeness":
        return f"at most {claim.claimed:g} ({claim.kind})"
    if claim.criterion == "alpha-anonymity":
        return f"at most {claim.claimed:g} ({claim.kind} values)"
    if claim.criterion == "delta-disclosure":
        return f"below {claim.claimed:g}"
    if claim.criterion == "key-anonymity":
        return f"at least {claim.claimed:g} {claim.unit}"
    if claim.criterion == "consistent-people":
        return "every person in one group"
    if claim.criterion == "open-cells":
        return f"at least {claim.claimed:g} values open in every cell"
    c = f", c = {claim.c:g}" if claim.c is not None else ""
    return f"at least {claim.claimed:g} ({claim.kind}{c})"


def sample(released: pl.DataFrame) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the header and a few rows of the released table, which are public, with long cells cut."""
    # rows of a group are adjacent, so rows from all over the table show more than the first ones
    some = released[:, :SAMPLE_COLUMNS].gather_every(max(1, released.height // SAMPLE_ROWS)).head(SAMPLE_ROWS)
    rows = [["" if cell is None else shortened(str(cell), SAMPLE_WIDTH) for cell in row] for row in some.rows()]
    return tuple(some.columns), tuple(tuple(row) for row in rows)


def content(
    *,
    source: str,
    policy: Policy,
    findings: Findings | Iterable[Finding],
    checked: str,
    groups: Facts,
    form: str,
    released: pl.DataFrame,
    loss: Loss,
    risk: Risk,
    recheck: str,
    advice: tuple[str, ...] = (),
    projection: Projection | None = None,
    label_classes: tuple[LabelClasses, ...] = (),
    maps: tuple[AreaMap, ...] = (),
    seconds: Mapping[str, float] | None = None,
    hierarchies: tuple[tuple[str, str], ...] = (),
    evidence: Evidence | None = None,
) -> Content:
    """Return the content of the report, from the results of the steps."""
    header, rows = sample(released)
    return Content(
        source=source,
        policy=policy,
        findings=findings_of(findings),
        checked=checked,
        groups=groups,
        form=form,
        sample_header=header,
        sample=rows,
        loss=loss,
        risk=risk,
        advice=advice,
        projection=projection,
        label_classes=label_classes,
        maps=maps,
        seconds=tuple((seconds or {}).items()),
        hierarchies=hierarchies,
        evidence=evidence,
        recheck=recheck,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of a comparison: its settings and its result."""

    method: str
    """The chosen method; the groups may be those of another step that lost less."""
    k: int
    requirement: str = ""
    """The requirements besides k, such as `l = 2`; empty if there are none."""
    max_suppressed: float = 0.0
    """The largest share of rows that may be suppressed."""
    groups: Facts
    suppressed_share: float
    loss: float
    """Mean normalized certainty penalty: 0 if nothing is lost, 1 if everything is."""
    sse_ratio: float | None = None
    highest_risk: float
    """The highest re-identification risk of a person."""
    mean_risk: float
    seconds: float = 0.0
    utility: Utility | None = None
    """What analyses of the trial say, compared with those of the original table; None for centers."""
    questions: Questions | None = None
    """The three questions of WP216, if people were held out as control."""

    def __repr__(self) -> str:
        return brief(self, f"{self.asked}, k = {self.k}: {self.loss:.1%} lost")

    @property
    def n_groups(self) -> int:
        return self.groups.n_groups

    @property
    def cost(self) -> float | None:
        """What the method minimized; comparable among trials of one method."""
        return self.groups.cost

    @property
    def ratio_seen(self) -> float | None:
        return self.groups.ratio_seen

    @property
    def ratio_proved(self) -> Fraction | None:
        return self.groups.ratio_proved

    @property
    def overlap(self) -> float | None:
        """The mean overlap of the confidence intervals of means, tables and regressions."""
        return None if self.utility is None else self.utility.overlap

    @property
    def propensity(self) -> float | None:
        """How much better rows can be told from originals than by chance (the ratio of pMSE)."""
        return None if self.utility is None or self.utility.propensity is None else self.utility.propensity.ratio

    @property
    def model(self) -> TargetModel | None:
        """The model of the first target."""
        return None if self.utility is None or not self.utility.models else self.utility.models[0]

    @property
    def accuracy(self) -> float | None:
        """The accuracy, or R², of the model of the first target, trained on the release."""
        return None if self.model is None else self.model.release

    @property
    def original_accuracy(self) -> float | None:
        """The accuracy, or R², of the model of the first target, trained on the original table."""
        return None if self.model is None else self.model.original

    @property
    def singling_out(self) -> float | None:
        return self._risk("singling out")

    @property
    def linkability(self) -> float | None:
        return self._risk("linkability")

    @property
    def inference(self) -> float | None:
        return self._risk("inference")

    def _risk(self, name: str) -> float | None:
        """Return the highest risk of a question; None if it was not asked."""
        worst = () if self.questions is None else self.questions.worst
        return next((one.risk for one in worst if one.name == name), None)

    @property
    def line(self) -> str:
        """The name of the line in the chart on which this trial is drawn."""
        return f"{self.asked}, {percent(self.max_suppressed)} suppressed" if self.max_suppressed else self.asked

    @property
    def asked(self) -> str:
        """The method, and its requirements besides k."""
        return f"{self.method}, {self.requirement}" if self.requirement else self.method

    def to_dict(self) -> dict[str, object]:
        """Return the trial as one row of a table of trials."""
        return {name: getattr(self, name) for name in TRIAL}


TRIAL = (
    "method", "k", "requirement", "n_groups", "suppressed_share", "loss", "sse_ratio", "highest_risk", "mean_risk",
    "ratio_seen", "ratio_proved", "cost", "max_suppressed", "seconds", "overlap", "propensity", "accuracy",
    "original_accuracy", "singling_out", "linkability", "inference",
)  # fmt: skip
"""The columns of a table of trials."""
