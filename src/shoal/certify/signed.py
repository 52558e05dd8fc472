"""The signature beside a certificate: valid by the key that was given, there but not checked, or not there."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shoal.certify.files import UnsafeError, read_regular
from shoal.certify.findings import Failure
from shoal.certify.signature import is_signature, signed_by

Signature = Literal["valid", "not checked"] | None
MOST = 1 << 10


def check_signature(path: Path, certificate: bytes, key: str | Path | None) -> tuple[Signature, list[Failure]]:
    """What the signature beside a certificate is worth, and what is wrong with it.

    A file that is no signature is refused without a key too: it would be a place for anything.
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
