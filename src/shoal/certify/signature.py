"""Signed certificates: Ed25519 over the exact bytes of certificate.json.

The certificate lists a digest of every file in its folder, so signing it signs the whole folder. A valid signature
shows who issued a release and that no file was changed since. It does not show that the claims are true: the verifier
counts them again in any case.
"""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import Any

from shoal.certify.files import UnsafeError, read_regular
from shoal.errors import EngineError, ParameterError, TableError

PREFIX = b"Shoal certificate, format 2\n"
"""Prepended to the signed bytes, so that a signature made for another purpose is never valid for a certificate."""
MOST_KEY = 1 << 14
_WRITTEN = re.compile(rb"[A-Za-z0-9+/]{86}==\n")


def new_key(path: Path) -> Path:
    """Create a key pair and return the path of the public key.

    The private key is written to `path`, readable by its owner only, and the public key to `path` with `.pub` added.
    A TableError is raised if either file exists.
    """
    keys = _keys()
    from cryptography.hazmat.primitives import serialization as form

    private = keys.Ed25519PrivateKey.generate()
    secret = private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = private.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    beside = path.with_name(f"{path.name}.pub")
    _create(path, secret, 0o600)
    try:
        _create(beside, public, 0o644)
    except BaseException:
        path.unlink()
        raise
    return beside


def sign(certificate: bytes, key: str | Path) -> bytes:
    """Return the contents of certificate.sig: the signature of a certificate's bytes by a private key file."""
    signed: bytes = private_key(key).sign(PREFIX + certificate)
    return base64.b64encode(signed) + b"\n"


def is_signature(written: bytes) -> bool:
    """Return whether bytes have the form of a signature: one line with 64 bytes in base64, and nothing else.

    Base64 of 64 bytes has unused bits at its end. They must be zero, or data could be hidden there.
    """
    if _WRITTEN.fullmatch(written) is None:
        return False
    return base64.b64encode(base64.b64decode(written)) + b"\n" == written  # the unused bits are zero


def signed_by(certificate: bytes, written: bytes, key: str | Path) -> bool:
    """Return whether `written` is a valid signature of a certificate's bytes by the holder of the public `key`.

    `key` is the file of a public key; a ParameterError is raised if it is not one.
    """
    public = _public(Path(key))
    from cryptography.exceptions import InvalidSignature

    if not is_signature(written):
        return False
    try:
        public.verify(base64.b64decode(written), PREFIX + certificate)
    except InvalidSignature:
        return False
    return True


def _keys() -> Any:
    """Return the Ed25519 module of the package cryptography; an EngineError if it is not installed."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise EngineError("signing needs the package cryptography.", "pip install 'shoal[sign]'.") from None
    return ed25519


def private_key(path: str | Path) -> Any:
    """Return the private key in a file; a ParameterError says why the file has none."""
    return _loaded(Path(path), "load_pem_private_key", "Ed25519PrivateKey", "private", password=None)


def _public(path: Path) -> Any:
    return _loaded(path, "load_pem_public_key", "Ed25519PublicKey", "public")


def _loaded(path: Path, load: str, kind: str, which: str, **given: Any) -> Any:
    """Return the Ed25519 key in a PEM file; a ParameterError if there is none, or another kind, or a password."""
    keys = _keys()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    hint = f"`shoal keygen KEY` writes KEY and KEY.pub; a {which} key is needed here."
    try:
        found = getattr(serialization, load)(read_regular(path, MOST_KEY, follow=True), **given)
    except UnsafeError as odd:
        raise ParameterError(f"the key {path.name} {odd}.", hint) from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, getattr(keys, kind)):
        raise ParameterError(f"{path.name} is not a {which} Ed25519 key without a password.", hint)
    return found


def _create(path: Path, content: bytes, mode: int) -> None:
    """Write a new file; a TableError is raised if the path exists.

    An existing file is never overwritten, and a link is not followed even if it is dangling, so that nobody can place
    a link that makes the private key appear somewhere else.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags, mode)
    except FileExistsError:
        raise TableError(f"{path.name} exists already.", "choose another name: a key is never overwritten.") from None
    except OSError as failed:
        raise TableError(f"{path.name} cannot be written ({failed.strerror}).", "check the folder.") from None
    with os.fdopen(handle, "wb") as file:
        file.write(content)
