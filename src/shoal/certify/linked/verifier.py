"""`verify_tables`: find from the folder of a linked release alone which requirements hold over all its tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certify.against import CLOSE
from shoal.certify.files import CERTIFICATE, MOST_CERTIFICATE, SIGNATURE, UnsafeError, read_regular
from shoal.certify.findings import Failure
from shoal.certify.folder import check_folder, unsafe_entries
from shoal.certify.linked.certificate import LinkedCertificate, is_linked, read_linked
from shoal.certify.linked.counting import LinkedClaim, LinkedFindings, inspect_tables
from shoal.certify.reading import open_release
from shoal.certify.signed import check_signature
from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.policy.linked import LinkedPolicy
from shoal.policy.named_arguments import named_arguments


def holds_linked_tables(released: Any) -> Path | None:
    """Return the folder of a linked release, given by its path or by that of a file in it; None for anything else."""
    if not isinstance(released, str | Path):
        return None
    path = Path(released)
    try:
        folder = path if path.is_dir() else path.parent
        found = read_regular(folder / CERTIFICATE, MOST_CERTIFICATE)
    except (OSError, ValueError, UnsafeError):
        return None
    return folder if is_linked(found) else None


@named_arguments()
def verify_tables(
    released: str | Path,
    policy: Mapping[str, Any] | str | Path | None = None,
    *,
    key: str | Path | None = None,
) -> LinkedFindings:
    """Return what holds on tables that were released together, counted from their folder alone.

    People are counted over all tables: those of whom every table publishes the same, and equally many rows. The
    verifier shares no code with the modules that make a release, and counts every claim of the certificate again.

    Parameters
    ----------
    released : str or Path
        The folder of a release of linked tables. Besides its certificate and an optional signature it must hold
        exactly the tables that the certificate lists, each with its digest.
    policy : dict, str or Path, optional
        The requirements to check: a policy of linked tables, as settings or as a TOML file. By default they are
        those of the certificate.
    key : str or Path, optional
        The file of a public key. If given, the certificate must be signed by its holder.

    Returns
    -------
    LinkedFindings
        ``findings.holds`` says whether every requirement and check holds, ``findings.k`` how many people are
        published alike at least.

    Raises
    ------
    ParameterError
        If the folder has no certificate of linked tables, or the policy cannot be read.

    Examples
    --------
    >>> import polars as pl, shoal, tempfile
    >>> patients = pl.DataFrame({"who": range(12), "age": [30, 31, 32, 33, 34, 35] * 2})
    >>> visits = pl.DataFrame({"who": [*range(12), *range(12)], "day": [1] * 12 + [9] * 12})
    >>> columns = {"who": {"role": "person"}}
    >>> policy = {"k": 3, "tables": {
    ...     "patients": {"columns": columns | {"age": {"role": "quasi"}}},
    ...     "visits": {"columns": columns | {"day": {"role": "quasi"}}},
    ... }}
    >>> release = shoal.anonymize_tables({"patients": patients, "visits": visits}, policy)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.write(f"{folder}/out")
    ...     found = shoal.verify_tables(f"{folder}/out")
    >>> found.holds, found.people
    (True, 12)
    """
    folder = Path(released)
    if not folder.is_dir() or holds_linked_tables(folder) is None:
        raise ParameterError(
            "there is no certificate of linked tables.",
            "give the folder of a release of linked tables; shoal.verify takes a single table.",
        )
    if unsafe := unsafe_entries(folder):
        return LinkedFindings(failures=tuple(unsafe))  # no file was opened
    text = read_regular(folder / CERTIFICATE, MOST_CERTIFICATE)
    certificate = read_linked(_decoded(text))
    stated = certificate.policies()
    _, failures = check_folder(folder, certificate.files)
    signature, more = check_signature(folder / SIGNATURE, text, key)
    failures += more
    frames: dict[str, pl.DataFrame] = {}
    for name, table in certificate.tables.items():
        if not (folder / table.file).is_file():
            return LinkedFindings(failures=tuple(failures))  # what is absent has been reported
        opened = open_release(folder / table.file, ours=True, encoding=stated[name].source.encoding)
        failures += opened.failures
        if opened.frame is None:
            return LinkedFindings(failures=tuple(failures))
        frames[name] = opened.frame
    counted = inspect_tables(frames, stated)
    failures += [*_against(certificate, counted), *counted.failures]
    if policy is not None:
        counted, more = _by_policy(frames, policy)
        failures += more
    return replace(counted, failures=tuple(failures), signature=signature)


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise ParameterError("the certificate is not UTF-8 text.", "copy it again from its source.") from None


def _by_policy(
    frames: Mapping[str, pl.DataFrame], policy: Mapping[str, Any] | str | Path
) -> tuple[LinkedFindings, list[Failure]]:
    """Return what holds by the caller's own policy, and its failures."""
    asked = LinkedPolicy.parse(policy) if isinstance(policy, Mapping) else LinkedPolicy.load(policy)
    if set(asked.tables) != set(frames):
        wrong = f"the policy is about {', '.join(asked.tables)}; the release has {', '.join(frames)}"
        return LinkedFindings(), [Failure(check="columns", message=wrong)]
    policies: dict[str, Policy] = {name: asked.tables[name] for name in frames}
    found = inspect_tables(frames, policies)
    return found, list(found.failures)


def _against(certificate: LinkedCertificate, found: LinkedFindings) -> list[Failure]:
    """Return a failure for everything in a certificate that the tables contradict."""
    wrong = []
    for what, said, counted in (
        ("people", certificate.people, found.people),
        ("classes", certificate.classes, found.classes),
        *((f"rows of {name}", table.rows, found.tables[name].rows) for name, table in certificate.tables.items()),
    ):
        if said != counted:
            wrong.append(f"the certificate speaks of {said} {what}; the files have {counted}")
    if [_asked(claim) for claim in certificate.claims] != [_asked(claim) for claim in found.claims]:
        wrong.append("the certificate's claims are not those of its policies, each once and in order")
    else:
        for said_claim, claim in zip(certificate.claims, found.claims, strict=True):
            far = abs(said_claim.measured - claim.measured) > CLOSE * max(1.0, abs(claim.measured))
            if far or said_claim.holds != claim.holds:
                wrong.append(f"the certificate says {said_claim.measured:g} for {claim.name}; the files have "
                             f"{claim.measured:g}")  # fmt: skip
    return [Failure(check="certificate", message=message) for message in wrong]


def _asked(claim: LinkedClaim) -> tuple[object, ...]:
    """Return the requirement that a claim is about, without what was measured: all of it, and not its words alone."""
    return claim.criterion, claim.table, claim.column, claim.of, claim.kind, claim.claimed
