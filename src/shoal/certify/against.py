"""Compare a certificate with the released file: every field that can be counted there must have the counted value.

This stops a certificate that was forged, edited, or copied from another release.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.certify.certificate import Certificate
from shoal.certify.findings import Claim, Failure, Findings, in_order

CLOSE = 2e-9
"""Largest difference between a measure claimed and the one counted that passes as equal; relative above 1.

Measures are written with nine decimals, and two machines may add floating-point numbers in a different order.
"""

NOT_COUNTED = ("suppressed", "counterfeits", "method", "objective", "ratio_proved", "theorem", "shoal")
"""Fields that cannot be counted on a released file and are only stated by the publisher.

They are not compared here. `shoal.certify.schema` and `shoal.certify.proved` only refuse values that no release can
have, such as a method that does not exist.
"""


def against(certificate: Certificate, sha256: str | None, findings: Findings | None) -> list[Failure]:
    """Return one failure for every field of a certificate that disagrees with the released file.

    Compared are the digest of the file (unless `sha256` is None, as for a frame), the numbers of rows and groups, and
    all claims. `findings` must have been counted under the certificate's own policy; None where the file could not be
    read, and then only the digest is compared.
    """
    stated: list[tuple[str | None, str]] = []
    if sha256 is not None and sha256 != certificate.published_sha256:
        stated.append((None, "the file is not the one that was certified: its SHA-256 is another"))
    if findings is not None:
        counts = (("rows", certificate.rows, findings.rows), ("groups", certificate.n_groups, findings.groups))
        for what, reported, counted in counts:
            if reported != counted:
                stated.append((None, f"the certificate speaks of {reported} {what}; the file has {counted}"))
        stated += _claims(certificate.claims, in_order(findings.claims))
    rows = 0 if findings is None else findings.rows
    return [Failure(check="certificate", column=column, message=text, records=rows) for column, text in stated]


def _claims(reported: Sequence[Claim], found: Sequence[Claim]) -> list[tuple[str | None, str]]:
    """Return a (column, message) pair for every claim that is wrong; empty where all are right.

    The certificate must list exactly the claims that its policy asks for (`found`), each once and in order,
    with the counted values. This stops a certificate that drops a claim that fails, or adds one nobody checks.
    """
    asked_reported, asked = [_asked(claim) for claim in reported], [_asked(claim) for claim in found]
    if asked_reported != asked:
        odd = [claim for claim in reported if _asked(claim) not in asked]
        odd += [claim for claim in found if _asked(claim) not in asked_reported]
        if not odd:
            return [(None, "the certificate's claims are not those of its policy, each once and in order")]
        return [
            (column, f"the certificate's claims and its policy do not agree on {name}")
            for column, name in dict.fromkeys((claim.column, claim.name) for claim in odd)
        ]
    pairs = zip(reported, found, strict=True)
    return [(claim.column, wrong) for claim, counted in pairs if (wrong := _wrong(claim, counted)) is not None]


def _wrong(claimed: Claim, found: Claim) -> str | None:
    """Return how a claim differs from the claim as counted, in unit, outcome or measure; None where they agree."""
    if claimed.unit != found.unit:
        return f"the certificate counts {claimed.unit} for {claimed.name}; in the file they are {found.unit}"
    if claimed.holds != found.holds:
        reported = "holds, and it does not" if claimed.holds else "does not hold, and it does"
        return f"the certificate says that {claimed.name} {reported}"
    if not abs(claimed.measured - found.measured) <= CLOSE * max(1.0, abs(found.measured)):
        return f"the certificate says {claimed.measured:g} for {claimed.name}; the file has {found.measured:g}"
    return None


def _asked(claim: Claim) -> tuple[object, ...]:
    """Return the requirement that a claim is about, without what was measured."""
    return claim.criterion, claim.column, claim.kind, claim.c, claim.count_missing, claim.m, claim.claimed
