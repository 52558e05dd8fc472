"""The certificate of a linked release: the tables with their policies, the claims over all of them, and all files.

It is read strictly, since it may be forged: every key is known, every policy is written as Shoal writes it, and a
file name is that of a table. Whether it is true, `verify_tables` finds by counting.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from shoal._repr import brief
from shoal._version import __version__
from shoal.certify.linked.counting import FORM, LinkedClaim, LinkedFindings
from shoal.certify.public_policy import as_certified, public_part, read_policy
from shoal.certify.schema import ClaimKind, Count, Digest, Measure, NotSoundError, Version, _Strict
from shoal.certify.strict_json import NotStrictError, loads
from shoal.errors import ParameterError, ShoalError
from shoal.policy import Policy
from shoal.policy.linked import LinkedPolicy

FORMAT = 1
KIND = "linked tables"
FORMATS = ("csv", "parquet", "arrow", "xlsx")
_NOT_OURS = "is not one that Shoal wrote, or it is damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClaims:
    """What a certificate says of one table of a linked release."""

    file: str
    rows: int
    suppressed: int
    """How many rows were left out; only stated by the publisher."""
    policy: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCertificate:
    """What was counted over all tables of a linked release, and which policies they meet."""

    people: int
    classes: int
    claims: tuple[LinkedClaim, ...]
    tables: Mapping[str, TableClaims]
    files: Mapping[str, str]
    """The SHA-256 digest of every table, by file name."""
    shoal: str = __version__
    private: Mapping[str, Any] = field(default_factory=dict)
    """What only the private folder has: the seed, losses and notes."""

    def __repr__(self) -> str:
        return brief(self, f"{self.people} people in {self.classes} classes over {len(self.tables)} tables")

    @property
    def holds(self) -> bool:
        """Whether the certificate states that every claim holds.

        Returns
        -------
        bool
            True for every certificate that Shoal issues. Only `shoal.verify_tables` checks it against the tables.
        """
        return bool(self.claims) and all(claim.holds for claim in self.claims)

    def to_public_json(self) -> str:
        """The public half, as it is written to the published folder.

        Returns
        -------
        str
            JSON.
        """
        found = {
            "format": FORMAT,
            "kind": KIND,
            "shoal": self.shoal,
            "people": self.people,
            "classes": self.classes,
            "claims": [asdict(claim) for claim in self.claims],
            "tables": {name: asdict(table) for name, table in self.tables.items()},
            "files": dict(self.files),
            "published_sha256": digest_of(self.files),
        }
        return json.dumps(found, indent=2, ensure_ascii=False) + "\n"

    def to_private_json(self) -> str:
        """Both halves, as they are written to the private folder; `files` are those of that folder.

        Returns
        -------
        str
            JSON with the seed and what was lost; it must not be published.
        """
        return json.dumps(json.loads(self.to_public_json()) | dict(self.private), indent=2, ensure_ascii=False) + "\n"

    def policies(self) -> dict[str, Policy]:
        """Return the policy of every table, enough to check the release again."""
        return {name: as_certified(Policy.parse(table.policy)) for name, table in self.tables.items()}


def digest_of(files: Mapping[str, str]) -> str:
    """Return one digest of all tables, by which both folders of a release know each other."""
    listed = "".join(f"{name} {digest}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


def issue_linked(
    findings: LinkedFindings,
    policies: Mapping[str, Policy],
    files: Mapping[str, str],
    of_table: Mapping[str, str],
    suppressed: Mapping[str, int],
) -> LinkedCertificate:
    """Return the certificate of tables that were verified; `of_table` has the file of each, `files` their digests."""
    return LinkedCertificate(
        people=findings.people,
        classes=findings.classes,
        claims=findings.claims,
        tables={
            name: TableClaims(
                file=of_table[name],
                rows=findings.tables[name].rows,
                suppressed=suppressed[name],
                policy=public_part(policy, FORM),
            )
            for name, policy in policies.items()
        },
        files=dict(files),
    )


class _ClaimRead(_Strict):
    criterion: Literal[
        "linked-anonymity", "l-diversity", "t-closeness", "alpha-anonymity", "beta-likeness", "delta-disclosure"
    ]
    table: str | None
    column: str | None
    of: Literal["people", "rows"]
    kind: ClaimKind | None
    claimed: Measure
    measured: Measure
    holds: bool


class _TableRead(_Strict):
    file: str
    rows: Count
    suppressed: Count
    policy: dict[str, Any]


class _LinkedRead(_Strict):
    format: Literal[1]
    kind: Literal["linked tables"]
    shoal: Version
    people: Count
    classes: Count
    claims: Annotated[list[_ClaimRead], Field(min_length=1)]
    tables: Annotated[dict[str, _TableRead], Field(min_length=2)]
    files: dict[str, Digest]
    published_sha256: Digest


def is_linked(text: bytes) -> bool:
    """Return whether a certificate says that it is one of linked tables."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("kind") == KIND


def read_linked(text: str) -> LinkedCertificate:
    """Return a public certificate of linked tables; a ParameterError says what is wrong with any other text."""
    try:
        return _read(text)
    except NotSoundError as odd:
        raise ParameterError(
            f"the certificate {odd}.", "copy it again from its source, or write the release again."
        ) from None


def _read(text: str) -> LinkedCertificate:
    try:
        read = _LinkedRead.model_validate(loads(text))
    except NotStrictError as odd:
        raise NotSoundError(f"{_NOT_OURS}: {odd}") from None
    except ValidationError:
        raise NotSoundError(f"{_NOT_OURS}: it has other keys or values than the format") from None
    policies: dict[str, Policy] = {}
    for name, table in read.tables.items():
        policy = read_policy(table.policy, FORM)
        if policy is None or policy.source.encoding is not None:
            raise NotSoundError("has a policy that is not written as Shoal writes it")
        policies[name] = policy
    try:
        LinkedPolicy.check(policies)
    except ShoalError:
        raise NotSoundError("has policies that no linked tables can have") from None
    called = {name: [f"{name}.{format}" for format in FORMATS] for name in read.tables}
    if any(table.file not in called[name] for name, table in read.tables.items()):
        raise NotSoundError("names a file otherwise than its table")
    if read.files.keys() != {table.file for table in read.tables.values()} or "" in read.files.values():
        raise NotSoundError("lists other files than its tables")
    if read.published_sha256 != digest_of(read.files):
        raise NotSoundError("has a digest that is not that of its files")
    return LinkedCertificate(
        people=read.people,
        classes=read.classes,
        claims=tuple(LinkedClaim(**claim.model_dump()) for claim in read.claims),
        tables={name: TableClaims(**table.model_dump()) for name, table in read.tables.items()},
        files=read.files,
        shoal=read.shoal,
    )
