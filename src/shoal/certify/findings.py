"""The results of checking a released table: measures and counts, never the value of a cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from shoal._repr import brief
from shoal.certify.preset.result import LineFound
from shoal.errors import CertificateError

Unit = Literal["people", "rows"]

Criterion = Literal[
    "k-anonymity", "l-diversity", "t-closeness", "alpha-anonymity", "beta-likeness", "delta-disclosure", "open-cells",
    "consistent-people", "key-anonymity", "km-anonymity",
]  # fmt: skip
TOGETHER: Criterion = "consistent-people"
MORE_IS_WORSE = ("t-closeness", "alpha-anonymity", "beta-likeness", "delta-disclosure", "consistent-people")
"""The criteria that limit a measure from above; of all others a policy requires the least."""

TOLERANCE = 1e-9
"""How far a measure may miss its requirement and still pass, since measures are rounded floating-point numbers.

It must stay below any true difference, so that it only helps measures that equal the requirement in exact arithmetic.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One requirement of a policy: the value required (`claimed`), the worst value measured, and whether it holds."""

    criterion: Criterion
    column: str | None = None
    kind: str | None = None
    """For l-diversity: distinct, frequency, entropy or recursive. For t-closeness: the ground distance.

    For beta-likeness: basic or enhanced. For alpha-anonymity: all or listed, the values that it limits.
    """
    c: float | None = None
    """The constant c of recursive (c, l)-diversity; None for all other kinds."""
    count_missing: bool = False
    """Whether a missing value counts as a value towards l; it does not unless the policy says so."""
    m: int | None = None
    """The number of items that may be known, for km-anonymity; None for all other criteria."""
    claimed: float
    measured: float
    unit: Unit
    holds: bool

    def __repr__(self) -> str:
        reported = "holds" if self.holds else "FAILS"
        return brief(self, f"{self.name}: claimed {self.claimed:g}, measured {self.measured:g}, {reported}")

    @property
    def name(self) -> str:
        return self.criterion if self.column is None else f"{self.criterion} of {self.column}"

    @property
    def sentence(self) -> str:
        """What the claim means where it holds, in one sentence for readers who do not know the criterion."""
        if self.criterion == "k-anonymity":
            who = "people" if self.unit == "people" else "records"
            return f"every published combination is shared by at least {self.claimed:g} {who}"
        if self.criterion == "km-anonymity":
            who = "people" if self.unit == "people" else "records"
            known = "one item" if self.m == 1 else f"up to {self.m} items"
            return (
                f"in every group, every combination of {known} of {self.column} that occurs is shared by at least "
                f"{self.claimed:g} {who}"
            )
        if self.criterion == "t-closeness":
            return (
                f"in every group {self.column} is distributed as in the whole release, up to {self.claimed:g} "
                f"({self.kind} distance, missing counted as a value)"
            )
        if self.criterion == "alpha-anonymity":
            which = "a listed value" if self.kind == "listed" else "a value"
            return f"in no group do more than {100 * self.claimed:.4g} % have {which} of {self.column} in common"
        if self.criterion == "beta-likeness":
            less = ", and frequent ones less" if self.kind == "enhanced" else ""
            return (
                f"in no group does a value of {self.column} gain more than {self.claimed:g} times its share of the "
                f"whole release{less} ({self.kind} kind, missing counted as a value)"
            )
        if self.criterion == "delta-disclosure":
            return (
                f"in every group every value of {self.column} has its share of the whole release, up to a factor of "
                f"less than {2**self.claimed:.4g} (missing counted as a value)"
            )
        if self.criterion == "key-anonymity":
            who = "people" if self.unit == "people" else "records"
            shared = f"is shared by at least {self.claimed:g} {who}"
            return f"every published combination of the key set {self.column} {shared}"
        if self.criterion == "consistent-people":
            return f"all rows of one {self.column} are published alike"
        if self.criterion == "open-cells":
            return f"no published cell of {self.column} is a single value"
        reported = {
            "distinct": f"every group holds at least {self.claimed:g} different values of {self.column}",
            "frequency": f"in no group do more than 1 in {self.claimed:g} share a value of {self.column}",
            "entropy": f"in every group {self.column} is as uncertain as {self.claimed:g} equally frequent values",
            "recursive": f"in every group the most frequent value of {self.column} is rarer than {self.c or 0:g} "
            f"times all values from the {self.claimed:g}. most frequent on",
        }[self.kind or "distinct"]
        return f"{reported} ({'missing counted as a value' if self.count_missing else 'missing not counted'})"


def in_order(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Return claims in the order of a certificate: k-anonymity, then by column, l-diversity before t-closeness."""
    return tuple(sorted(claims, key=lambda claim: (claim.column is not None, claim.column or "", claim.criterion)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that is wrong with a release, and the number of groups and records that it concerns."""

    check: Literal[
        "file",
        "columns",
        "person",
        "people",
        "areas",
        "ranges",
        "recoding",
        "missing",
        "k-anonymity",
        "l-diversity",
        "t-closeness",
        "alpha-anonymity",
        "beta-likeness",
        "delta-disclosure",
        "open-cells",
        "consistent-people",
        "key-anonymity",
        "km-anonymity",
        "sets",
        "groups",
        "certificate",
        "folder",
        "legend",
        "codebook",
        "synthetic",
        "perturbation",
        "signature",
        "preset",
    ]
    message: str
    column: str | None = None
    groups: int = 0
    records: int = 0

    def __repr__(self) -> str:
        return brief(self, f"{self.check}: {self.message}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was measured on a released table, from the table alone, and what is wrong with it.

    Groups are equivalence classes: rows with equal published quasi-identifiers, where a missing value equals only a
    missing value. `k` is the smallest number of people in a group. `l` and `t` have, per sensitive column, the l of
    the least diverse group and the t of the group farthest from the whole table; they are of the kind that the policy
    requires, and otherwise distinct l-diversity and t-closeness by equal distance.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> policy = {"k": 2, "columns": {"age": {"role": "quasi"}}}
    >>> findings = shoal.verify(pl.DataFrame({"age": ["[30, 39]"] * 4}), policy, form="generalize")
    >>> findings.holds, findings.k, findings.groups
    (True, 4, 1)
    """

    form: str
    unit: Unit
    rows: int = 0
    groups: int = 0
    k: int = 0
    l: Mapping[str, float] = field(default_factory=dict)  # noqa: E741 (the field's own name)
    t: Mapping[str, float] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    failures: tuple[Failure, ...] = ()
    sha256: str | None = None
    """The SHA-256 digest of the released file; None for a frame."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 digests, as found, of the files that the certificate beside the release lists.

    Empty where no certificate is beside the released file.
    """
    encoding: str | None = None
    """The encoding of the released file as its certificate states it; None for UTF-8 and for other formats."""
    true_claims: tuple[Claim, ...] = ()
    """Claims about the true values of quasi-identifiers that are also sensitive, counted while the release was made.

    The true values are not in the released table, so these claims are private; empty if only the file was checked.
    """
    signature: Literal["valid", "not checked"] | None = None
    """The signature of the certificate beside the release: "valid" by the public key that was given.

    "not checked" means that there is a signature and no key was given; None, that there is no valid signature.
    """

    preset: str | None = None
    """The title of the preset that was checked."""
    lines: tuple[LineFound, ...] = ()
    """What was found on every line of the preset."""

    def __repr__(self) -> str:
        reported = "every claim holds" if self.holds else f"{len(self.failures)} checks FAIL"
        return brief(self, f"{self.rows} rows in {self.groups} groups, {reported}")

    @property
    def holds(self) -> bool:
        """Whether everything that was checked is true of the released table.

        Returns
        -------
        bool
            True if there are no failures.
        """
        return not self.failures

    def touched(self, claim: Claim) -> int:
        """The number of records in groups that do not meet a requirement.

        Parameters
        ----------
        claim : Claim
            One of `claims`.

        Returns
        -------
        int
            0 where the claim holds.
        """
        return sum(f.records for f in self.failures if (f.check, f.column) == (claim.criterion, claim.column))

    def require(self) -> Findings:
        """Return these findings if everything holds, and raise a CertificateError otherwise.

        Returns
        -------
        Findings
            These findings.

        Raises
        ------
        CertificateError
            If there is a failure; the message is that of the first, and says how many more there are.
        """
        if self.failures:
            more = f" ({len(self.failures) - 1} more)" if len(self.failures) > 1 else ""
            raise CertificateError(f"{self.failures[0].message}{more}.", "do not publish this file.")
        return self

    def to_dict(self) -> dict[str, Any]:
        """All fields, and `holds`, as a dictionary of plain values.

        Returns
        -------
        dict
            Values that can be written as JSON.
        """
        return {"holds": self.holds} | asdict(self)

    def __str__(self) -> str:
        lines = [f"{self.rows} rows in {self.groups} groups ({self.form}), counted in {self.unit}"]
        for claim in self.claims:
            mark = "holds" if claim.holds else "FAILS"
            lines.append(f"{mark}: {claim.name}: asked {claim.claimed:g}, found {claim.measured:g}")
        lines += [f"FAILS: {failure.message}" for failure in self.failures if failure.check not in _CRITERIA]
        lines += [f"{self.preset} {line.id}: {line.verdict}: {line.sentence}" for line in self.lines]
        lines += [f"signature: {self.signature}"] if self.signature else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import findings_html

        return findings_html(self)


_CRITERIA = get_args(Criterion)
