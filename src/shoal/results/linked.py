"""The result of `anonymize_tables`: several released tables with common pseudonyms, and their folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from shoal._repr import brief
from shoal.certify import signature
from shoal.certify.files import CERTIFICATE, SIGNATURE
from shoal.certify.linked.certificate import FORMATS, LinkedCertificate, issue_linked
from shoal.certify.linked.counting import LinkedFindings
from shoal.certify.linked.verifier import verify_tables
from shoal.errors import CertificateError, ParameterError
from shoal.measure import Loss, Risk
from shoal.policy import Policy
from shoal.policy.linked import LinkedPolicy
from shoal.report.formatting import percent
from shoal.report.to_json import dumps
from shoal.secret import FILE as SECRET
from shoal.secret import MEASURES, Secret
from shoal.tables import Origin, disk, give_back, stage, write_file


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedTable:
    """One table of a linked release."""

    source: str
    origin: Origin
    policy: Policy
    frame: pl.DataFrame
    """The released rows, in random order, with a pseudonym in place of the person."""
    suppressed: int
    loss: Loss
    risk: Risk
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkedRelease:
    """A verified release of several tables about the same people; `tables` may be published together.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> patients = pl.DataFrame({"who": range(12), "age": [30, 31, 32, 33, 34, 35] * 2})
    >>> visits = pl.DataFrame({"who": [*range(12), *range(12)], "day": [1] * 12 + [9] * 12})
    >>> columns = {"who": {"role": "person"}}
    >>> policy = {"k": 3, "tables": {
    ...     "patients": {"columns": columns | {"age": {"role": "quasi"}}},
    ...     "visits": {"columns": columns | {"day": {"role": "quasi"}}},
    ... }}
    >>> release = shoal.anonymize_tables({"patients": patients, "visits": visits}, policy)
    >>> release.findings.k >= 3, release.tables["visits"].height
    (True, 24)
    """

    parts: Mapping[str, ReleasedTable]
    """The tables with their policies and measures, by name."""
    secret: Secret
    """With the policy's seed, it reproduces this release. Private."""
    findings: LinkedFindings
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The released tables by name, each as a frame of the library that its input came from.

        Returns
        -------
        dict of str to frame
            Rows in random order; the column of the person holds the same pseudonym in all tables.
        """
        return {name: give_back(part.frame, part.origin) for name, part in self.parts.items()}

    @property
    def policies(self) -> dict[str, Policy]:
        """The policy of every table, with all roles and kinds resolved.

        Returns
        -------
        dict of str to Policy
            By the name of the table.
        """
        return {name: part.policy for name, part in self.parts.items()}

    def write(self, out: str | Path, *, format: str | None = None, sign: str | Path | None = None) -> LinkedRelease:
        """Write `out/`, which may be published, and `out.private/`, which must not be; all files or none.

        `out/` gets a file for every table and one certificate. Before it replaces an earlier release, it is read
        back and verified from these files alone.

        Parameters
        ----------
        out : str or Path
            The public folder. The private one is `out.private`, next to it.
        format : {"csv", "xlsx", "parquet", "arrow"}, optional
            The format of all released files; by default that of each input if it is one of these, otherwise csv.
        sign : str or Path, optional
            The file of a private key with which the certificate is signed.

        Returns
        -------
        LinkedRelease
            This release, with the findings of the verifier on the written files.

        Raises
        ------
        ParameterError
            If the format is not known, or the key cannot sign.
        TableError
            If the folders cannot be written, or contain what no release wrote; they are unchanged.
        CertificateError
            If the written files do not meet what the certificate claims; no files are left behind.
        """
        if format not in (None, *FORMATS):
            raise ParameterError(f"format={format} is not known.", f"choose one of {', '.join(FORMATS)}.")
        called = {name: f"{name}.{format or _format(part.origin)}" for name, part in self.parts.items()}
        with stage(out) as staged:
            for name, part in self.parts.items():
                dialect = part.origin.dialect
                utf8 = None if dialect is None else replace(dialect, encoding="utf-8")
                write_file(part.frame, staged.public / called[name], dialect=utf8)
            digests = {file: disk.sha256_of(staged.public / file) for file in called.values()}
            certificate = self._certificate(digests, called)
            text = certificate.to_public_json()
            staged.write_public(CERTIFICATE, text)
            if sign is not None:
                staged.write_public(SIGNATURE, signature.sign(text.encode("utf-8"), sign).decode("ascii"))
            found = verify_tables(staged.public)
            if found.failures:
                raise CertificateError(f"{found.failures[0].message}.", "do not publish these tables.")
            written = replace(self, findings=found)
            linked = {name: policy.relative_to(Path.cwd()) for name, policy in self.policies.items()}
            private = {
                "policy.toml": LinkedPolicy(linked).dumps(),
                SECRET: self.secret.hex() + "\n",
                "report.txt": f"{written}\n",
                MEASURES: dumps(self._measures() | {"fingerprint": self.secret.fingerprint}),
            }
            for file, content in private.items():
                staged.write_private(file, content)
            own = {name: disk.sha256_of(staged.private / name) for name in disk.names(staged.private)}
            kept = {"files": own, "seed": self.secret.seed, "notes": list(self.notes)}
            staged.write_private(CERTIFICATE, replace(certificate, private=kept).to_private_json())
        return written

    def _certificate(self, digests: Mapping[str, str], called: Mapping[str, str]) -> LinkedCertificate:
        suppressed = {name: part.suppressed for name, part in self.parts.items()}
        policies = {name: _in_utf8(policy) for name, policy in self.policies.items()}
        return issue_linked(self.findings, policies, digests, called, suppressed)

    def _measures(self) -> dict[str, Any]:
        return {name: {"loss": part.loss.to_dict(), "risk": part.risk.to_dict()} for name, part in self.parts.items()}

    def to_dict(self) -> dict[str, Any]:
        """The findings, and for every table its rows, what was left out and what was lost, as plain values.

        Returns
        -------
        dict
            Values that JSON can represent.
        """
        tables = {
            name: {"rows": part.frame.height, "suppressed": part.suppressed, "loss": part.loss.gcp}
            for name, part in self.parts.items()
        }
        return {
            "people": self.findings.people,
            "classes": self.findings.classes,
            "k": self.findings.k,
            "claims": [{"name": claim.name} | _plain(claim) for claim in self.findings.claims],
            "tables": tables,
            "notes": list(self.notes),
            "seconds": dict(self.seconds),
        }

    def __str__(self) -> str:
        lines = [str(self.findings)]
        for name, part in self.parts.items():
            rows = part.frame.height
            left_out = f"{part.suppressed} of {rows + part.suppressed} rows left out"
            lines.append(f"{name}: {rows} rows, {left_out}, loss {percent(part.loss.gcp)}")
        lines += [
            "People of one class have equally many rows in every table, with the same quasi-identifiers.",
            "Not protected: whoever knows values of columns that are published as they are.",
            *self.notes,
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        people = f"{self.findings.people} people in {self.findings.classes} classes"
        return brief(self, f"{', '.join(self.parts)}: {people}, k = {self.findings.k} holds")


def _plain(claim: Any) -> dict[str, Any]:
    return {"claimed": claim.claimed, "measured": claim.measured, "holds": claim.holds}


def _format(origin: Origin) -> str:
    return origin.kind if origin.kind in FORMATS else "csv"


def _in_utf8(policy: Policy) -> Policy:
    """Return the policy of a released file, which is always written in UTF-8."""
    return policy.model_copy(update={"source": policy.source.model_copy(update={"encoding": None})})
