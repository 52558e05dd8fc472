"""The format of a certificate, version 2: every key, its type and its range. Anything else is refused.

A certificate that passes is consistent with itself and *could* be true. Whether it is, `verify` finds by counting.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from shoal.certify.files import CERTIFICATE, CODEBOOK, PACKAGE, SIGNATURE, SYNTHETIC, TABLES, is_plain
from shoal.certify.findings import Criterion
from shoal.certify.proved import INVARIANT, wrong_with, wrong_with_classes
from shoal.certify.public_policy import files_beside, read_policy
from shoal.certify.several_files import are_complete, digest_of_files, several_of
from shoal.certify.strict_json import NotStrictError, loads
from shoal.policy import Policy

FORMAT = 2
FORMS = ("generalize", "aggregate", "centers", "suppress")

MOST = 2**53
Count = Annotated[int, Field(ge=0, le=MOST)]
Some = Annotated[int, Field(ge=1, le=MOST)]
Measure = Count | Annotated[float, Field(ge=0, le=MOST, allow_inf_nan=False)]
Digest = Annotated[str, Field(pattern=r"^(?:[0-9a-f]{64})?\z")]
FractionText = Annotated[str, Field(pattern=r"^[0-9]{1,400}(?:\.[0-9]{1,40}|/[1-9][0-9]{0,400})?\z")]
Version = Annotated[str, Field(pattern=r"^[0-9]+(?:\.[0-9]+){1,3}(?:[a-z0-9.+-]{0,40})\z")]


def _is_true(value: bool) -> bool:
    if not value:
        raise ValueError("the key is absent where it is false")
    return value


def _is_number(value: int | None) -> int | None:
    if value is None:
        raise ValueError("the key is absent where there is no number")
    return value


WhereTrue = Annotated[bool, AfterValidator(_is_true)]
"""A key that is written only where it is true, so that every certificate has one spelling."""


class NotSoundError(Exception):
    """A text is not a certificate. The message says which part is wrong, and quotes nothing from the text.

    A hostile file therefore cannot put its own words into what the verifier prints.
    """


class _Strict(BaseModel):
    """A model that converts no types and allows no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


ClaimKind = (
    Literal["distinct", "frequency", "entropy", "recursive"]
    | Literal["equal", "ordered", "hierarchical"]
    | Literal["basic", "enhanced"]
    | Literal["all", "listed"]
)


class ClaimRead(_Strict):
    """One claim of a certificate."""

    criterion: Criterion
    column: str | None
    kind: ClaimKind | None
    c: Measure | None
    count_missing: WhereTrue = False
    """Whether a missing value counts towards l; the key is absent where it does not."""
    m: Annotated[int | None, Field(ge=1, le=3), AfterValidator(_is_number)] = Field(default=None)
    """The number of items that may be known; the key is absent unless the criterion is km-anonymity."""
    claimed: Measure
    measured: Measure
    unit: Literal["people", "rows"]
    holds: bool


class ClassesRead(_Strict):
    """The fields of the classes of one column."""

    column: str
    n_classes: Count
    least: Some
    largest: Count
    lower_bound: Count
    ratio_proved: FractionText | None
    theorem: str | None


class PublicRead(_Strict):
    """The fields of a public certificate."""

    format: Literal[2]
    shoal: Version
    claims: Annotated[list[ClaimRead], Field(min_length=1)]
    form: Literal["generalize", "aggregate", "centers", "suppress"]
    rows: Some
    n_groups: Some
    suppressed: Count
    counterfeits: Some = Field(default=0, validate_default=False)
    """The number of made-up rows; the key is absent where there are none."""
    method: str
    objective: str
    ratio_proved: FractionText | None
    theorem: str | None
    published_sha256: Digest
    files: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}\z")]]
    policy: dict[str, Any]


class PrivateRead(PublicRead):
    """The fields of a private certificate, which has those of the public one too."""

    true_values: list[ClaimRead] = []
    """Claims about true values that the file does not hold; the key is absent where there are none."""
    cost: FractionText | None
    lower_bound: FractionText | None
    theorem_cost: FractionText | None
    ratio_seen: FractionText | None
    notes: list[str]
    repair: dict[str, Any] | None
    left_out: list[dict[str, Any]]
    candidates: dict[str, float] | None
    column_classes: Annotated[list[ClassesRead], Field(min_length=1)] = Field(default=[], validate_default=False)
    """The classes of columns published in classes or areas; the key is absent where there are none."""
    reason: str | None
    seed: int | None
    timed_out: bool


def read(text: str) -> PublicRead:
    """Return the fields of a public or private certificate.

    A NotSoundError is raised if the text is not strict JSON, has another format, has a key or value that the format
    does not allow, or contradicts itself.
    """
    try:
        found = loads(text)
    except NotStrictError as odd:
        raise NotSoundError(f"is not one that Shoal wrote, or it is damaged: {odd}") from None
    if not isinstance(found, dict) or type(found.get("format")) is not int:
        raise NotSoundError("is not one that Shoal wrote, or it is damaged: it has no format")
    if found["format"] != FORMAT:
        raise NotSoundError(f"has format {found['format']}; this version of Shoal reads {FORMAT}")
    private = not PublicRead.model_fields.keys() >= found.keys()
    try:
        reported = (PrivateRead if private else PublicRead).model_validate(found)
    except ValidationError as odd:
        raise NotSoundError(f"is not one that Shoal wrote, or it is damaged: {_where(odd)}") from None
    if (wrong := _contradiction(reported, private=private)) is not None:
        raise NotSoundError(wrong)
    return reported


def _where(odd: ValidationError) -> str:
    """Return where the first fault is; keys that the format does not have are not quoted."""
    known = {*PrivateRead.model_fields, *ClaimRead.model_fields}
    place = [str(part) for part in odd.errors()[0]["loc"] if isinstance(part, int) or part in known]
    return f"{'.'.join(place)} is not as the format has it" if place else "it has keys that the format does not have"


def _contradiction(reported: PublicRead, *, private: bool) -> str | None:
    """Return why the fields of a certificate cannot be true together; None where they can.

    This stops a forged policy, an invented theorem or ratio, made-up rows of a method that makes none, file names
    that lead out of the folder, and a public certificate that lists other files than its policy needs.
    """
    policy = read_policy(reported.policy, reported.form)
    if policy is None:
        return "has a policy that is not written as Shoal writes it, or that does not fit its form"
    ratio = None if reported.ratio_proved is None else Fraction(reported.ratio_proved)
    if reported.ratio_proved is not None and reported.ratio_proved != fraction_text(ratio or Fraction(0)):
        return "has a ratio that is not written as Shoal writes it"
    wrong = wrong_with(reported.method, reported.objective, reported.theorem, ratio, _fewest(policy), _one_in(policy))
    if wrong is not None:
        return wrong
    for one in reported.column_classes if isinstance(reported, PrivateRead) else ():
        proved = None if one.ratio_proved is None else Fraction(one.ratio_proved)
        if (wrong := wrong_with_classes(one.theorem, proved, one.largest, one.lower_bound)) is not None:
            return wrong
    if reported.n_groups > reported.rows:
        return "speaks of more groups than rows"
    if reported.counterfeits and (reported.method != INVARIANT or reported.counterfeits >= reported.rows):
        return "speaks of made-up rows that its method does not make, or of no others"
    if not reported.files and not reported.published_sha256:
        return None  # the certificate of a table that has not been written to a file yet
    if not all(map(is_plain, reported.files)) or reported.files.keys() & {CERTIFICATE, SIGNATURE}:
        return "lists files by names that no release writes"
    if private:
        return None
    tables = [name for name in TABLES if name in reported.files]
    several = several_of(reported.files)
    if several:
        together = digest_of_files({name: reported.files[name] for name in several})
        if tables or not are_complete(several) or together != reported.published_sha256:
            return "does not list all files of its released table, or with other digests"
        if policy.synthetic is not None or (policy.metadata is not None and policy.metadata.formats):
            return "has synthetic rows or descriptions for catalogs, which a table in several files has not"
        tables = several
    elif len(tables) != 1 or reported.files[tables[0]] != reported.published_sha256:
        return "does not list its released table, or with another digest"
    described = {CODEBOOK, PACKAGE} & reported.files.keys()
    drawn = {SYNTHETIC[tables[0]]} if policy.synthetic is not None else set()
    if len(described) == 1 or reported.files.keys() - described != {*tables, *drawn, *files_beside(policy)}:
        return "lists other files than its policy asks for"
    if policy.metadata is not None and not described:
        return "has descriptions for catalogs without the codebook that they come from"
    return None


def _fewest(policy: Policy) -> int:
    """Return the smallest size that a group can have under a policy: the largest of k and every required l.

    A group with l different sensitive values has at least l people. Some proved ratios depend on this size.
    """
    asked = [diversity.l for name in policy.all_sensitive if (diversity := policy.diversity_of(name)) is not None]
    return max([policy.k, *map(math.ceil, asked)])


def _one_in(policy: Policy) -> int | None:
    """Return l if besides k a policy asks only that no value of one column has more than 1/l of a group's rows.

    None if it asks for anything else, if rows may be left out or are not people, or if l is no whole number above 1.
    """
    asked = {name: found for name in policy.all_sensitive if (found := policy.diversity_of(name)) is not None}
    others = [
        name
        for name in policy.all_sensitive
        if policy.closeness_of(name) is not None or policy.disclosure_of(name) is not None
    ]
    if len(asked) != 1 or others or policy.max_suppressed or policy.person is not None:
        return None
    (diversity,) = asked.values()
    whole = diversity.kind == "frequency" and diversity.l >= 2 and diversity.l == int(diversity.l)
    return int(diversity.l) if whole else None


def fraction_text(value: Fraction) -> str:
    """Return the only text that a certificate may have for a fraction: 15.6 if that is exact and short, else 7/3."""
    try:
        decimal = Context(prec=40).divide(Decimal(value.numerator), Decimal(value.denominator))
    except ArithmeticError:
        return str(value)
    return f"{decimal.normalize():f}" if Fraction(decimal) == value and len(str(decimal)) <= 16 else str(value)
