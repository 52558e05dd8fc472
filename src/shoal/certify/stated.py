"""What the folder of a release states: which file is the table, and what the certificate beside it says.

Everything in the folder may be forged: only regular files of a limited size are opened, none outside of it, and a
certificate is read strictly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.certify.certificate import Certificate
from shoal.certify.files import CERTIFICATE, MOST_CERTIFICATE, TABLES, UnsafeError, is_folder, read_regular
from shoal.certify.linked.certificate import is_linked
from shoal.certify.linked.verifier import holds_linked_tables
from shoal.certify.several_files import first_of_several
from shoal.errors import ParameterError, is_text
from shoal.policy import Policy


class LinkedError(ParameterError):
    """The certificate is one of several linked tables."""

    @classmethod
    def of_one(cls) -> LinkedError:
        return cls(
            "this is one of several linked tables, which are only safe together.",
            "shoal.verify_tables checks their folder, and so does `shoal verify FOLDER`.",
        )


@dataclass(frozen=True, slots=True)
class Stated:
    """A certificate, its path, its policy with file names resolved in its own folder, and its bytes as read."""

    certificate: Certificate
    path: Path
    policy: Policy
    text: bytes

    @property
    def folder(self) -> Path:
        return self.path.parent


def released_file(path: str | Path) -> Path:
    """Return the path of the released table: the path itself, or the only table in it where it is a folder.

    Of a table in several files it is the first. A ParameterError is raised if a folder has no released table, or
    several.
    """
    path = Path(path)
    if is_text(path) or not is_folder(path):
        return path
    inside = [*(path / name for name in TABLES if exists(path / name)), *first_of_several(path)]
    if len(inside) != 1:
        if holds_linked_tables(path) is not None:
            raise LinkedError.of_one()
        raise ParameterError(
            f"the folder {path.name} holds {len(inside)} files named {', '.join(TABLES[:-1])} or {TABLES[-1]}.",
            "give the released file itself.",
        )
    return inside[0]


def stated_encoding(certificate: Path) -> str | None:
    """Return the encoding of the released file that a certificate states; None for UTF-8 or without a certificate.

    A table without a certificate may come from any program, so its encoding is detected from its bytes. A
    ParameterError is raised if there is a certificate that cannot be read: what it states is not guessed.
    """
    return _load(certificate).policy.source.encoding if exists(certificate) else None


def read_certificate(path: Path) -> tuple[Certificate, Policy]:
    """Return the certificate in a file, and its policy with the files it names resolved in the same folder."""
    reported = _load(path)
    return reported.certificate, reported.policy


def certified_policy(certificate: str | Path) -> Policy:
    """Return the policy that a certificate file states, with the files it names resolved in the same folder."""
    return _load(Path(certificate)).policy


def exists(path: Path) -> bool:
    """Return whether a path exists, where a dangling link exists too.

    A path that cannot be examined counts as existing, so that an unreadable certificate is not taken for an absent
    one and its checks are not skipped.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # opening it will raise the error that says why
    return True


def given(policy: Any) -> tuple[list[Stated], Policy | None]:
    """Return the argument `policy` as a list of certificates (a .json file) or as a policy; None gives neither."""
    if policy is None or isinstance(policy, Policy):
        return [], policy
    if isinstance(policy, Mapping):
        return [], Policy.parse(policy)
    if _is_certificate(policy):
        return [_load(Path(policy))], None
    return [], Policy.load(policy)


def _is_certificate(policy: Any) -> bool:
    return isinstance(policy, str | Path) and Path(policy).suffix.lower() == ".json"


def asked(reported: Sequence[Stated]) -> Policy:
    """Return the policy of the first certificate; a ParameterError if there is none."""
    if not reported:
        raise ParameterError(
            f"there is no policy, and no {CERTIFICATE} beside the release.",
            "give the policy.toml or the certificate.json of the release.",
        )
    return reported[0].policy


def _load(path: Path) -> Stated:
    """Read a certificate file strictly; a ParameterError if it is unsafe to open, malformed or contradicts itself."""
    try:
        data = read_regular(path, MOST_CERTIFICATE)
        text = data.decode("utf-8")
    except UnsafeError as odd:
        raise ParameterError(f"the certificate {path.name} {odd}.", "check the path.") from None
    except UnicodeDecodeError:
        raise ParameterError(f"the certificate {path.name} is not UTF-8 text.", "copy it again.") from None
    if is_linked(data):
        raise LinkedError.of_one()
    certificate = Certificate.from_json(text)
    return Stated(certificate, path, certificate.public_policy().relative_to(path.parent), data)


def beside_release(path: Path) -> Stated | ParameterError:
    """Return the certificate beside a release, or the error that says why it cannot be used.

    It is read once, so that the encoding and the claims come from the same bytes, and no read error is ignored.
    """
    try:
        beside = _load(path)
    except LinkedError:
        raise
    except ParameterError as unreadable:
        return unreadable
    if beside.certificate.is_public:
        return beside
    return ParameterError(
        f"the {CERTIFICATE} beside the release is the private half, which is not published.",
        "publish the folder as it was written.",
    )
