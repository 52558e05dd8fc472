"""Signed certificates: Ed25519 over the exact bytes of certificate.json.

The certificate has a digest of every file of its folder, so who signs it signs the folder. A signature says who
stands for a release and that nothing was changed since; whether the claims are true is counted, with or without one.
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
"""Put before what is signed, so that no signature made for anything else can stand for one of a certificate."""
MOST_KEY = 1 << 14
_WRITTEN = re.compile(rb"[A-Za-z0-9+/]{86}==\n")


def new_key(path: Path) -> Path:
    """Write a private key to `path` (0600) and the public one to `path`.pub, which is returned; neither may exist."""
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
    """The contents of certificate.sig for the bytes of a certificate."""
    signed: bytes = private_key(key).sign(PREFIX + certificate)
    return base64.b64encode(signed) + b"\n"


def is_signature(written: bytes) -> bool:
    """Whether a file could be a signature: one line of its 64 bytes in base64, and nothing else."""
    if _WRITTEN.fullmatch(written) is None:
        return False
    return base64.b64encode(base64.b64decode(written)) + b"\n" == written  # no bits behind the last byte


def signed_by(certificate: bytes, written: bytes, key: str | Path) -> bool:
    """Whether `written` is the signature of these bytes by the holder of the public `key`."""
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
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise EngineError("signing needs the package cryptography.", "pip install 'shoal[sign]'.") from None
    return ed25519


def private_key(path: str | Path) -> Any:
    """The key to sign with, or one sentence on why the file holds none."""
    return _loaded(Path(path), "load_pem_private_key", "Ed25519PrivateKey", "private", password=None)


def _public(path: Path) -> Any:
    return _loaded(path, "load_pem_public_key", "Ed25519PublicKey", "public")


def _loaded(path: Path, load: str, kind: str, which: str, **given: Any) -> Any:
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
    """A new file; one that exists, be it a link to nowhere, is neither followed nor replaced."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags, mode)
    except FileExistsError:
        raise TableError(f"{path.name} exists already.", "choose another name: a key is never overwritten.") from None
    except OSError as failed:
        raise TableError(f"{path.name} cannot be written ({failed.strerror}).", "check the folder.") from None
    with os.fdopen(handle, "wb") as file:
        file.write(content)
