"""Check the signature beside a certificate: valid by the given public key, present but not checked, or absent."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shoal.certify.files import UnsafeError, read_regular
from shoal.certify.findings import Failure
from shoal.certify.signature import is_signature, signed_by

Signature = Literal["valid", "not checked"] | None
MOST = 1 << 10


def check_signature(path: Path, certificate: bytes, key: str | Path | None) -> tuple[Signature, list[Failure]]:
    """Return the status of the signature beside a certificate, and the failures found.

    With a key, there is a failure unless the certificate is signed by its holder. Without one, a signature is "not
    checked". A file that does not have the form of a signature is a failure in either case, since any data could be
    hidden in it: the certificate lists no digest of this file.
    """
    try:
        written = read_regular(path, MOST)
    except UnsafeError as odd:
        if str(odd) != "is not there":
            return None, [_failure(f"{path.name} {odd}")]
        return None, [_failure("the certificate is not signed")] if key is not None else []
    if not is_signature(written):
        return None, [_failure(f"{path.name} is not a signature")]
    if key is None:
        return "not checked", []
    if not signed_by(certificate, written, key):
        return None, [_failure("the certificate is not signed by the holder of this key, or was changed since")]
    return "valid", []


def _failure(message: str) -> Failure:
    return Failure(check="signature", message=message)
