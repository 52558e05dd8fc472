"""The certificate of a release: a public half that anyone can check again, and a private half that is not published.

The public half has what can be counted on the released file, what is proved about the method, and the part of the
policy that is needed to check again. The private half has everything computed from the original values, and the seed.
An exact cost is such a statistic: for a group of two, the published mean and the squared error together give both
original values back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from shoal._repr import brief
from shoal._version import __version__
from shoal.certify.facts import MOST_RATIO, ClassFacts, Facts
from shoal.certify.findings import Claim, Findings, in_order
from shoal.certify.public_policy import as_certified, public_part
from shoal.certify.schema import FORMAT, NotSoundError, fraction_text, read
from shoal.errors import CertificateError, ParameterError
from shoal.policy import Policy

PRIVATE = frozenset(
    {
        "true_values",
        "cost",
        "lower_bound",
        "ratio_seen",
        "theorem_cost",
        "notes",
        "repair",
        "left_out",
        "candidates",
        "column_classes",
        "reason",
        "seed",
        "timed_out",
    }
)
"""Fields that are never written to the public half."""

_FRACTIONS = ("ratio_proved", "cost", "lower_bound", "theorem_cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What the verifier counted on a released table, which policy it meets, and how good its groups are.

    `cost` is rounded up and `lower_bound` down, so that their quotient is never below the true ratio. A certificate
    that was read from a public half has None, or an empty value, in all private fields.

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
    """How many of the rows are made up (m-invariance only); the field is not written where it is 0."""
    method: str
    objective: str
    ratio_proved: Fraction | None
    theorem: str | None
    published_sha256: str
    files: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 digest of every other file in the folder that this certificate is in, by file name."""
    policy: Mapping[str, Any]
    """The public part of the policy (roles, requirements and form), in a form that `Policy.parse` reads."""
    true_values: tuple[Claim, ...] = ()
    """l and t of quasi-identifiers that are also sensitive, counted on their true values, which are not in the file.

    They are private, because nobody else can count them again.
    """
    cost: Fraction | None = None
    lower_bound: Fraction | None = None
    theorem_cost: Fraction | None = None
    notes: tuple[str, ...] = ()
    repair: Mapping[str, Any] | None = None
    left_out: tuple[Mapping[str, Any], ...] = ()
    """For several allowed shares of suppressed records: how many were suppressed, and what the groups then cost."""
    candidates: Mapping[str, float] | None = None
    """Where a policy requires diversity: the cost of each method that was tried. The cheapest was released."""
    column_classes: tuple[Mapping[str, Any], ...] = ()
    """For every column published in classes or areas: their number, the fewest people that one may have, the people
    of the largest, a lower bound on these, and the proved ratio with its theorem."""
    reason: str | None = None
    """Why this method was chosen."""
    seed: int | None = None
    timed_out: bool | None = field(default=None)
    """Whether a time limit stopped the improvement early; None in a certificate read from a public half."""

    def __repr__(self) -> str:
        outcome = "every claim holds" if self.holds else "a claim FAILS"
        return brief(self, f"{self.rows} rows in {self.n_groups} groups, {outcome}")

    @property
    def holds(self) -> bool:
        """Whether the certificate states that every claim holds, and its lower bound is not above its cost.

        Returns
        -------
        bool
            True for every certificate that Shoal issues. Only `shoal.verify` checks it against the released table.
        """
        bounded = self.cost is None or self.lower_bound is None or self.lower_bound <= self.cost
        return bounded and bool(self.claims) and all(claim.holds for claim in (*self.claims, *self.true_values))

    @property
    def ratio_seen(self) -> Fraction | None:
        """The cost of this run divided by the lower bound: an upper bound on how far it is from the best grouping.

        It is 1 for a cost of 0, and it may be smaller than `ratio_proved`, which holds for the worst case.

        Returns
        -------
        Fraction or None
            None where there is no lower bound above 0, or one so small that the ratio is beyond floating-point
            numbers, and in a certificate read from a public half.
        """
        if self.cost is None or self.lower_bound is None:
            return None
        if self.cost == 0:
            return Fraction(1)
        ratio = self.cost / self.lower_bound if self.lower_bound else None
        return ratio if ratio is not None and ratio <= MOST_RATIO else None

    def to_public_json(self) -> str:
        """The public half, as it is written to the published folder.

        Returns
        -------
        str
            JSON without the private fields, which are computed from the original values.
        """
        return _dumped({name: value for name, value in self._all().items() if name not in PRIVATE})

    def to_private_json(self) -> str:
        """Both halves, as they are written to the private folder.

        Returns
        -------
        str
            JSON with cost, lower bound and seed; it must not be published.
        """
        return _dumped(self._all())

    def _all(self) -> dict[str, Any]:
        """Return all fields of both halves, without made-up rows, true values and classes if there are none."""
        reported = asdict(self) | {"ratio_seen": self.ratio_seen}
        if not self.counterfeits:
            del reported["counterfeits"]
        if not self.true_values:
            del reported["true_values"]
        if not self.column_classes:
            del reported["column_classes"]
        for claim in (*reported["claims"], *reported.get("true_values", ())):
            if not claim["count_missing"]:
                del claim["count_missing"]
            if claim["m"] is None:
                del claim["m"]
        return reported

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read a public or private certificate strictly.

        Unknown, absent or malformed fields are refused, and so are fields that contradict each other. Whether the
        certificate is true of a released table is for `shoal.verify` to find.

        Parameters
        ----------
        text : str
            What `to_public_json` or `to_private_json` returned.

        Returns
        -------
        Certificate
            The same certificate; from a public half, its private fields are None or empty.

        Raises
        ------
        ParameterError
            If the text is not a certificate of this format, or its fields contradict each other.
        """
        try:
            found = read(text).model_dump()
        except NotSoundError as odd:
            raise ParameterError(
                f"the certificate {odd}.", "copy it again from its source, or write the release again."
            ) from None
        found.pop("ratio_seen", None)
        found["claims"] = tuple(Claim(**claim) for claim in found["claims"])
        found["true_values"] = tuple(Claim(**claim) for claim in found.get("true_values", ()))
        found["notes"] = tuple(found.get("notes", ()))
        found["left_out"] = tuple(found.get("left_out", ()))
        found["column_classes"] = tuple(found.get("column_classes", ()))
        for name in _FRACTIONS:
            found[name] = None if found.get(name) is None else Fraction(found[name])
        return cls(**found)

    @property
    def is_public(self) -> bool:
        """Whether it was read from a public half, in which `timed_out` is absent.

        Returns
        -------
        bool
            False for a certificate with its private half.
        """
        return self.timed_out is None

    def public_policy(self) -> Policy:
        """The roles and requirements that the certificate states, enough to check the release again.

        Returns
        -------
        Policy
            A policy to give to `shoal.verify`.
        """
        return as_certified(Policy.parse(self.policy, origin="certificate"))

    def __str__(self) -> str:
        lines = [f"{self.rows} rows in {self.n_groups} groups ({self.form}), {self.suppressed} records suppressed"]
        if self.counterfeits:
            lines.append(f"{self.counterfeits} of the rows are made up")
        for claim in self.claims:
            mark = "holds" if claim.holds else "FAILS"
            lines.append(f"{mark}: {claim.name}: claimed {claim.claimed:g}, measured {claim.measured:g}")
        for claim in self.true_values:
            mark = "holds" if claim.holds else "FAILS"
            asked = f"claimed {claim.claimed:g}, measured {claim.measured:g} on true values, which stay private"
            lines.append(f"{mark}: {claim.name}: {asked}")
        if self.policy.get("synthetic") is not None:
            lines.append("synthetic rows are beside the table: drawn from it alone, and no k is claimed of them")
        columns = self.policy.get("columns", {})
        changed = [name for name, column in columns.items() if "perturb" in column]
        if changed:
            how = ", ".join(f"{name} ({columns[name]['perturb']['method']})" for name in changed)
            lines.append(f"perturbed, so that values are not true ones, and no part of any claim: {how}")
        raw = [
            name
            for role in ("other", "weight", "sensitive")
            for name, column in columns.items()
            if column["role"] == role and name not in changed
        ]
        if raw:
            lines.append(f"not protected from who knows values of columns published as they are: {', '.join(raw)}")
        for name, column in self.policy.get("columns", {}).items():
            if column.get("kind") == "set":
                lines.append(f"not protected from who knows more items of {name}, or that an item is not in it")
        proved = f"at most {self.ratio_proved} times the best ({self.theorem})" if self.ratio_proved else "no ratio"
        lines.append(f"{self.method} for {self.objective}: {proved} is proved")
        if self.ratio_seen is not None:
            lines.append(f"this run is at most {float(self.ratio_seen):.4g} times the best")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import findings_html

        return findings_html(self)


def issue(findings: Findings, policy: Policy, facts: Facts) -> Certificate:
    """Return the certificate of a release, from what was counted, its policy and what the method reports.

    A CertificateError is raised if the findings have a failure, so no certificate is issued for a release that breaks
    its policy, and if the lower bound is above the cost, so none is issued whose numbers contradict each other. Both
    are compared as they are written: the cost rounded up and the bound rounded down to twelve digits. That leaves
    room for the roundings of floating-point sums, a few parts in 2 ** 52 each, and for nothing else. Where the
    findings are of a frame and not of a file, the digest is empty.
    """
    findings.require()
    cost, lower_bound = _outward(facts.cost, ROUND_CEILING), _outward(facts.lower_bound, ROUND_FLOOR)
    if cost is not None and lower_bound is not None and lower_bound > cost:
        raise CertificateError(
            f"the lower bound of method {facts.method} is above the cost of its own release; nothing was released.",
            "this is a fault of Shoal: please report it with the policy and the shape of the table.",
        )
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
        policy=public_part(_from_origins(_written_in(policy, findings.encoding), facts.origins), findings.form),
        true_values=in_order(findings.true_claims),
        cost=cost,
        lower_bound=lower_bound,
        theorem_cost=_outward(facts.theorem_cost, ROUND_CEILING),
        notes=facts.notes,
        repair=facts.repair,
        left_out=tuple(
            {"allowed": point.allowed, "n_left_out": point.n_suppressed, "cost": point.cost}
            for point in facts.left_out
        ),
        candidates=facts.candidates,
        column_classes=tuple(_written_classes(one) for one in facts.classes),
        reason=facts.reason,
        seed=policy.seed,
        timed_out=facts.timed_out,
    )


def _written_classes(one: ClassFacts) -> dict[str, Any]:
    """Return the facts about classes as they are written; an error if the lower bound is above the largest class."""
    if one.lower_bound > one.largest:
        raise CertificateError(
            f"the lower bound on the classes of {one.column} is above the largest of them; nothing was released.",
            "this is a fault of Shoal: please report it with the policy and the shape of the table.",
        )
    ratio = None if one.ratio_proved is None else fraction_text(one.ratio_proved)
    return asdict(one) | {"ratio_proved": ratio}


def _written_in(policy: Policy, encoding: str | None) -> Policy:
    """Return the policy with the encoding of the released file, which need not be that of the original one."""
    return policy.model_copy(update={"source": policy.source.model_copy(update={"encoding": encoding})})


def _from_origins(policy: Policy, origins: Mapping[str, date]) -> Policy:
    """Return the policy with the first day from which the dates of a column are counted in this release."""
    moved = {name: policy.columns[name].model_copy(update={"origin": day}) for name, day in origins.items()}
    return policy.model_copy(update={"columns": policy.columns | moved})


def _outward(number: float | None, rounding: str) -> Fraction | None:
    """Return a number rounded to twelve digits in the direction that claims less: a cost up, a lower bound down."""
    if number is None:
        return None
    return Fraction(Context(prec=12, rounding=rounding).create_decimal(Decimal(number)))


def _dumped(found: Mapping[str, Any]) -> str:
    """Return JSON with sorted keys, so that equal certificates have equal bytes."""
    return json.dumps(found, default=_plain, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> str:
    """Return a fraction as text; a TypeError for anything else that JSON cannot hold."""
    if not isinstance(value, Fraction):
        raise TypeError(type(value).__name__)
    return fraction_text(value)
