"""A certificate held against what was counted: every field that a released file can show."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.certify.certificate import Certificate
from shoal.certify.findings import Claim, Failure, Findings, in_order

CLOSE = 2e-9
"""Measures are written with nine decimals; two machines may sum in another order."""

NOT_COUNTED = ("suppressed", "counterfeits", "method", "objective", "ratio_proved", "theorem", "shoal")
"""Fields that no count on a released file can show: the publisher's word, held only against what exists at all."""


def against(certificate: Certificate, sha256: str | None, findings: Findings | None) -> list[Failure]:
    """What a certificate says and is not so; `findings` are those under its own policy."""
    said: list[tuple[str | None, str]] = []
    if sha256 is not None and sha256 != certificate.published_sha256:
        said.append((None, "the file is not the one that was certified: its SHA-256 is another"))
    if findings is not None:
        counts = (("rows", certificate.rows, findings.rows), ("groups", certificate.n_groups, findings.groups))
        for what, told, counted in counts:
            if told != counted:
                said.append((None, f"the certificate speaks of {told} {what}; the file has {counted}"))
        said += _claims(certificate.claims, in_order(findings.claims))
    rows = 0 if findings is None else findings.rows
    return [Failure(check="certificate", column=column, message=told, records=rows) for column, told in said]


def _claims(told: Sequence[Claim], found: Sequence[Claim]) -> list[tuple[str | None, str]]:
    """What is wrong with the claims: exactly those that the policy asks for, once, in order, as they were counted."""
    asked_told, asked = [_asked(claim) for claim in told], [_asked(claim) for claim in found]
    if asked_told != asked:
        odd = [claim for claim in told if _asked(claim) not in asked]
        odd += [claim for claim in found if _asked(claim) not in asked_told]
        if not odd:
            return [(None, "the certificate's claims are not those of its policy, each once and in order")]
        return [
            (column, f"the certificate's claims and its policy do not agree on {name}")
            for column, name in dict.fromkeys((claim.column, claim.name) for claim in odd)
        ]
    pairs = zip(told, found, strict=True)
    return [(claim.column, wrong) for claim, counted in pairs if (wrong := _wrong(claim, counted)) is not None]


def _wrong(claimed: Claim, found: Claim) -> str | None:
    """What was counted and stands otherwise in the certificate."""
    if claimed.unit != found.unit:
        return f"the certificate counts {claimed.unit} for {claimed.name}; in the file they are {found.unit}"
    if claimed.holds != found.holds:
        told = "holds, and it does not" if claimed.holds else "does not hold, and it does"
        return f"the certificate says that {claimed.name} {told}"
    if not abs(claimed.measured - found.measured) <= CLOSE * max(1.0, abs(found.measured)):
        return f"the certificate says {claimed.measured:g} for {claimed.name}; the file has {found.measured:g}"
    return None


def _asked(claim: Claim) -> tuple[object, ...]:
    return claim.criterion, claim.column, claim.kind, claim.c, claim.claimed
