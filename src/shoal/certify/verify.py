"""`verify`: from the released file and the policy alone, what holds and what does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.certify.certificate import Certificate, public_part
from shoal.certify.findings import Claim, Failure, Findings
from shoal.certify.inspect import inspect
from shoal.certify.legend import check_legend
from shoal.certify.reading import Released, open_release
from shoal.errors import ParameterError, is_text
from shoal.policy import Policy

CERTIFICATE, LEGEND = "certificate.json", "legend.json"
CLOSE = 1e-6
"""Measures are written with nine decimals; two runs may sum in another order."""


def verify(
    released: Any, policy: Policy | Mapping[str, Any] | str | Path | None = None, *, form: str | None = None
) -> Findings:
    """Count again what `released` (a file, the folder of a release, or a polars, pandas or pyarrow frame) promises.

    `policy` is a Policy, settings, a policy.toml or a certificate.json; by default the certificate.json beside the
    file. A certificate, given or beside the file, is held against the file too: its digest, its counts, its claims.
    """
    if isinstance(released, str | Path):
        released = released_file(released)
    opened = open_release(released)
    certificate, damage = None, None
    folder = Path(released).parent if isinstance(released, str | Path) else None
    if isinstance(policy, str | Path) and Path(policy).suffix.lower() == ".json":
        folder, certificate = Path(policy).parent, _load(Path(policy))
        policy = None
    elif folder is not None and (folder / CERTIFICATE).is_file():
        try:
            certificate = _load(folder / CERTIFICATE)
        except ParameterError as unreadable:
            damage = Failure(check="certificate", message=unreadable.message.removesuffix("."))
            if policy is None:
                raise
    wanted = _policy(policy, certificate, folder)
    form = form or (certificate.form if certificate else _form(wanted))
    if opened.frame is None:
        findings = Findings(form=form, unit="people" if wanted.person else "rows")
    else:
        findings = inspect(opened.frame, wanted, form=form)
    failures = [failure for failure in (opened.failure, damage) if failure is not None]
    if opened.frame is not None and folder is not None and wanted.recoded:
        failures += check_legend(opened.frame, wanted.recoded, folder / LEGEND)
    if certificate is not None:
        failures += _against(certificate, opened, findings, wanted, folder)
    return _with(findings, failures, opened.sha256)


def released_file(path: str | Path) -> Path:
    """The released table itself, where the folder around it is given."""
    path = Path(path)
    if is_text(path) or not path.is_dir():
        return path
    inside = sorted(file for file in path.glob("release.*") if file.suffix in (".csv", ".parquet", ".arrow"))
    if len(inside) != 1:
        raise ParameterError(
            f"the folder {path.name} holds {len(inside)} files named release.csv, release.parquet or release.arrow.",
            "give the released file itself.",
        )
    return inside[0]


def _policy(policy: Any, certificate: Certificate | None, folder: Path | None) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return Policy.parse(policy)
    if policy is not None:
        return Policy.load(policy)
    if certificate is None:
        raise ParameterError(
            f"there is no policy, and no {CERTIFICATE} beside the release.",
            "give the policy.toml or the certificate.json of the release.",
        )
    return _placed(certificate, folder)


def _placed(certificate: Certificate, folder: Path | None) -> Policy:
    """The certificate's policy, with hierarchies looked for beside it."""
    found = certificate.public_policy()
    return found.relative_to(folder) if folder is not None else found


def _form(policy: Policy) -> str:
    """How a release of this policy is laid out: one row per group, or one row per record."""
    if policy.publication == "auto":
        around = policy.objective in ("radius", "cellular") or policy.method in ("gather", "cellular")
        return "centers" if around else "generalize"
    return policy.publication


def _load(path: Path) -> Certificate:
    try:
        return Certificate.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ParameterError(f"the certificate {path.name} cannot be read.", "check the path.") from None


def _with(findings: Findings, failures: list[Failure], sha256: str | None) -> Findings:
    return replace(findings, failures=(*failures, *findings.failures), sha256=sha256)


def _against(
    certificate: Certificate, opened: Released, findings: Findings, policy: Policy, folder: Path | None
) -> list[Failure]:
    """What a certificate says of the file and is not so."""
    rows = findings.rows
    failures = []
    if opened.sha256 is not None and opened.sha256 != certificate.published_sha256:
        message = "the file is not the one that was certified: its SHA-256 is another"
        failures.append(Failure(check="certificate", message=message, records=rows))
    if opened.frame is None:
        return failures
    own = _placed(certificate, folder)
    if public_part(policy) != dict(certificate.policy) or findings.form != certificate.form:
        findings = inspect(opened.frame, own, form=certificate.form)
    counts = (("rows", certificate.rows, findings.rows), ("groups", certificate.n_groups, findings.groups))
    for what, told, counted in counts:
        if told != counted:
            message = f"the certificate speaks of {told} {what}; the file has {counted}"
            failures.append(Failure(check="certificate", message=message, records=rows))
    said, found = ({_key(claim): claim for claim in claims} for claims in (certificate.claims, findings.claims))
    for key in dict.fromkeys([*said, *found]):
        claim = said.get(key) or found[key]
        if key not in said or key not in found or abs(said[key].claimed - found[key].claimed) > CLOSE:
            message = f"the certificate's claims and its policy do not agree on {claim.name}"
        elif abs(said[key].measured - found[key].measured) > CLOSE:
            message = (
                f"the certificate says {claim.measured:g} for {claim.name}; the file has {found[key].measured:g}"
            )
        else:
            continue
        failures.append(Failure(check="certificate", column=claim.column, message=message, records=rows))
    return failures


def _key(claim: Claim) -> tuple[Any, ...]:
    return claim.criterion, claim.column, claim.kind, claim.c
