"""The certificate of a release: a public half that anyone can re-check, a private half that stays home.

Public is what re-reading the released file shows, what is proved of the method, and what of the policy is needed to
check again. Private is all that is computed from raw values (an exact cost is a statistic of them: for a group of
two, mean and squared error give both values back) or that belongs to the secret of the release (the seed).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from shoal._repr import brief
from shoal._version import __version__
from shoal.certify.facts import Facts
from shoal.certify.findings import Claim, Findings, in_order
from shoal.certify.public_policy import public_part
from shoal.certify.schema import FORMAT, NotSoundError, fraction_text, read
from shoal.errors import ParameterError
from shoal.policy import Policy

PRIVATE = frozenset(
    {
        "cost",
        "lower_bound",
        "ratio_seen",
        "theorem_cost",
        "notes",
        "repair",
        "left_out",
        "candidates",
        "reason",
        "seed",
        "timed_out",
    }
)
"""Names that the public half never has."""

_FRACTIONS = ("ratio_proved", "cost", "lower_bound", "theorem_cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What re-reading the release, without the partitioner, found to be true, and how good the release is.

    `cost` is rounded up and `lower_bound` down. A certificate read from its public half has None in all that is
    private.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> certificate = shoal.Certificate.from_json(release.certificate.to_public_json())
    >>> certificate.holds, certificate.cost
    (True, None)
    """

    format: int = FORMAT
    shoal: str = __version__
    claims: tuple[Claim, ...]
    form: str
    rows: int
    n_groups: int
    suppressed: int
    counterfeits: int = 0
    """Of the rows, those that are made up; written where there are any."""
    method: str
    objective: str
    ratio_proved: Fraction | None
    theorem: str | None
    published_sha256: str
    files: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of every other file in the certificate's own folder, the public or the private one."""
    policy: Mapping[str, Any]
    """Roles, requirements and form: `Policy.parse` reads it."""
    cost: Fraction | None = None
    lower_bound: Fraction | None = None
    theorem_cost: Fraction | None = None
    notes: tuple[str, ...] = ()
    repair: Mapping[str, Any] | None = None
    left_out: tuple[Mapping[str, Any], ...] = ()
    """What leaving out outliers buys: at several shares allowed, how many records went and what the groups cost."""
    candidates: Mapping[str, float] | None = None
    """The cost of every way that was tried, where a policy asks for diversity; the cheapest was released."""
    reason: str | None = None
    """Why this method."""
    seed: int | None = None
    timed_out: bool | None = field(default=None)
    """A time limit stopped the improvement early."""

    def __repr__(self) -> str:
        told = "every claim holds" if self.holds else "a claim FAILS"
        return brief(self, f"{self.rows} rows in {self.n_groups} groups, {told}")

    @property
    def holds(self) -> bool:
        """Every claim was measured to hold, and no lower bound is above the cost.

        Returns
        -------
        bool
            True for every certificate of a release.
        """
        bounded = self.cost is None or self.lower_bound is None or self.lower_bound <= self.cost
        return bounded and bool(self.claims) and all(claim.holds for claim in self.claims)

    @property
    def ratio_seen(self) -> Fraction | None:
        """At least the true ratio of this run, and 1 for a cost of 0; may be below `ratio_proved`.

        Returns
        -------
        Fraction or None
            None where the lower bound is 0, or in a public half.
        """
        if self.cost is None or self.lower_bound is None:
            return None
        if self.cost == 0:
            return Fraction(1)
        return self.cost / self.lower_bound if self.lower_bound else None

    def to_public_json(self) -> str:
        """The public half, as it stands in the published folder.

        Returns
        -------
        str
            JSON without anything computed from raw values alone.
        """
        return _dumped({name: value for name, value in self._all().items() if name not in PRIVATE})

    def to_private_json(self) -> str:
        """Both halves, as they stand in the private folder.

        Returns
        -------
        str
            JSON with cost, lower bound and seed: it stays home.
        """
        return _dumped(self._all())

    def _all(self) -> dict[str, Any]:
        told = asdict(self) | {"ratio_seen": self.ratio_seen}
        if not self.counterfeits:
            del told["counterfeits"]
        return told

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read either half, strictly: what this format does not have, or cannot be true together, is refused.

        Parameters
        ----------
        text : str
            What `to_public_json` or `to_private_json` gave.

        Returns
        -------
        Certificate
            The same certificate; of a public half, None in all that is private.

        Raises
        ------
        ParameterError
            If it is no certificate, or its fields cannot be true together.
        """
        try:
            found = read(text).model_dump()
        except NotSoundError as odd:
            raise ParameterError(
                f"the certificate {odd}.", "copy it again from its source, or write the release again."
            ) from None
        found.pop("ratio_seen", None)
        found["claims"] = tuple(Claim(**claim) for claim in found["claims"])
        found["notes"] = tuple(found.get("notes", ()))
        found["left_out"] = tuple(found.get("left_out", ()))
        for name in _FRACTIONS:
            found[name] = None if found.get(name) is None else Fraction(found[name])
        return cls(**found)

    @property
    def is_public(self) -> bool:
        """It was read from a public half: every private one says whether time ran out.

        Returns
        -------
        bool
            False for a certificate with its private half.
        """
        return self.timed_out is None

    def public_policy(self) -> Policy:
        """Roles and requirements, enough to check the release again.

        Returns
        -------
        Policy
            For `shoal.verify`.
        """
        return Policy.parse(self.policy, origin="certificate")

    def __str__(self) -> str:
        lines = [f"{self.rows} rows in {self.n_groups} groups ({self.form}), {self.suppressed} records suppressed"]
        if self.counterfeits:
            lines.append(f"{self.counterfeits} of the rows are made up")
        for claim in self.claims:
            mark = "holds" if claim.holds else "FAILS"
            lines.append(f"{mark}: {claim.name}: claimed {claim.claimed:g}, measured {claim.measured:g}")
        proved = f"at most {self.ratio_proved} times the best ({self.theorem})" if self.ratio_proved else "no ratio"
        lines.append(f"{self.method} for {self.objective}: {proved} is proved")
        if self.ratio_seen is not None:
            lines.append(f"this run is at most {float(self.ratio_seen):.4g} times the best")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import findings_html

        return findings_html(self)


def issue(findings: Findings, policy: Policy, facts: Facts) -> Certificate:
    """The certificate of a release that was found to hold; anything else is a CertificateError.

    The digest is that of the released file, once the findings are of one.
    """
    findings.require()
    return Certificate(
        claims=in_order(findings.claims),
        form=findings.form,
        rows=findings.rows,
        n_groups=findings.groups,
        suppressed=facts.suppressed,
        counterfeits=facts.counterfeits,
        method=facts.method,
        objective=facts.objective,
        ratio_proved=facts.ratio_proved,
        theorem=facts.theorem,
        published_sha256=findings.sha256 or "",
        files=dict(findings.files),
        policy=public_part(policy, findings.form),
        cost=_outward(facts.cost, ROUND_CEILING),
        lower_bound=_outward(facts.lower_bound, ROUND_FLOOR),
        theorem_cost=_outward(facts.theorem_cost, ROUND_CEILING),
        notes=facts.notes,
        repair=facts.repair,
        left_out=tuple(
            {"allowed": point.allowed, "n_left_out": point.n_left_out, "cost": point.cost} for point in facts.left_out
        ),
        candidates=facts.candidates,
        reason=facts.reason,
        seed=policy.seed,
        timed_out=facts.timed_out,
    )


def _outward(number: float | None, rounding: str) -> Fraction | None:
    """Twelve digits, rounded away from the truth: a cost up, a bound down."""
    if number is None:
        return None
    return Fraction(Context(prec=12, rounding=rounding).create_decimal(Decimal(number)))


def _dumped(found: Mapping[str, Any]) -> str:
    return json.dumps(found, default=_plain, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> str:
    if not isinstance(value, Fraction):
        raise TypeError(type(value).__name__)
    return fraction_text(value)
