"""The secret of a release: all its random choices are derived from it, and nobody without it can repeat them.

A seed is a short number, and NumPy's generators can be run backwards: somebody with a list of the people and the
public folder could try seeds until the released rows match. So every shuffle, tie, numbering and search is drawn by
SHAKE-256 from 32 bytes of the operating system's randomness and the seed; without the bytes the draws cannot be
distinguished from independent ones (PRIVACY-6, docs/proofs/privacy.md). The bytes are kept in the private folder and
shown nowhere.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SIZE = 32
"""The length of the secret in bytes; 256 bits are too many to try all."""
FILE = "secret.key"
"""The name of its file in the private folder."""
MEASURES = "measures.json"
"""The file of the private folder in which the fingerprint of table and policy is kept."""
_HEX = re.compile(rf"\s*[0-9a-fA-F]{{{2 * SIZE}}}\s*")
_WAY_OUT = f"give the {FILE} of a private folder: {2 * SIZE} hexadecimal digits."


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """32 bytes and the seed of the policy; neither is ever printed."""

    key: bytes = field(repr=False)
    seed: int = field(default=0, repr=False)
    fingerprint: str = field(default="", repr=False, compare=False)
    """Identifies the table and policy of the release (`shoal.pipeline.fingerprint`). Private."""

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) != SIZE:
            raise ParameterError(f"a secret has {SIZE} bytes.", _WAY_OUT)

    def __repr__(self) -> str:
        return "Secret(...)"

    @classmethod
    def draw(cls, *, seed: int = 0) -> Secret:
        """Return a new secret from the operating system's source of randomness."""
        return cls(secrets.token_bytes(SIZE), seed)

    @classmethod
    def from_hex(cls, text: str, *, seed: int = 0) -> Secret:
        """Return the secret whose `hex` is `text`."""
        if not _HEX.fullmatch(text):
            raise ParameterError(f"the secret is not {2 * SIZE} hexadecimal digits.", _WAY_OUT)
        return cls(bytes.fromhex(text.strip()), seed)

    def hex(self) -> str:
        """Return the bytes as text, for the private folder only. The seed is in the policy."""
        return self.key.hex()

    def stream(self, label: str, n: int) -> npt.NDArray[np.uint64]:
        """Return `n` uniform and independent numbers, which are different for every label and every seed."""
        import numpy as np

        drawn = np.frombuffer(self._bytes(label, 8 * n), dtype="<u8")
        return drawn.astype(np.uint64)

    def permutation(self, label: str, n: int) -> npt.NDArray[np.int64]:
        """Return 0 .. n - 1 in random order."""
        import numpy as np

        return np.argsort(self.stream(label, n), kind="stable").astype(np.int64)

    def pseudonym(self, person: str | None) -> str:
        """Return 20 hexadecimal digits that stand for a person, the same for every table with this secret."""
        said = b"missing" if person is None else b"person" + person.encode()
        return hmac.new(self.key, b"pseudonym of " + said, hashlib.sha256).hexdigest()[:20]

    def of_part(self, name: str) -> Secret:
        """Return the secret of one of several tables or parts of a release; from it nothing of the others follows.

        With one secret for all, equal places in two tables would be shuffled alike, and could be linked.
        """
        return Secret(hmac.new(self.key, b"part " + name.encode(), hashlib.sha256).digest(), self.seed)

    def number(self, label: str) -> int:
        """Return a random whole number below 2**63, to be used as the seed of a search."""
        return int.from_bytes(self._bytes(label, 8), "little") >> 1

    def _bytes(self, label: str, n: int) -> bytes:
        # key and seed have fixed lengths, so two different (key, seed, label) never give the same input
        return hashlib.shake_256(self.key + self.seed.to_bytes(8, "little") + label.encode()).digest(n)


@dataclass(frozen=True, slots=True, repr=False)
class Earlier:
    """The secret of an earlier release, to be used again for the same table and policy and for nothing else."""

    secret: Secret
    fingerprint: str
    """Identifies the table and policy of the earlier release (`shoal.pipeline.fingerprint`)."""


SecretLike = Secret | bytes | str | Path | None
"""A secret, its 32 bytes, its hexadecimal digits, the path of a file with these, or that of a private folder."""


def as_secret(given: SecretLike, *, seed: int | None) -> Secret | Earlier:
    """Return the given secret with the policy's seed (0 without one); a new secret if None was given.

    The secret of a private folder is used only for the table and policy of that release.
    """
    number = 0 if seed is None else seed
    if isinstance(given, Path) and given.is_dir():
        return Earlier(Secret.from_hex(_text(_file_bytes(given / FILE)), seed=number), _known(given / MEASURES))
    if given is None:
        return Secret.draw(seed=number)
    if isinstance(given, Secret):
        return Secret(given.key, number)
    if isinstance(given, bytes):
        return Secret(given, number) if len(given) == SIZE else Secret.from_hex(_text(given), seed=number)
    if isinstance(given, str) and _HEX.fullmatch(given):
        return Secret.from_hex(given, seed=number)
    if not isinstance(given, str | Path):
        raise ParameterError(f"secret cannot be a {type(given).__name__}.", _WAY_OUT)
    return Secret.from_hex(_text(_file_bytes(given)), seed=number)


def _known(path: Path) -> str:
    """Return the fingerprint in the measures of a release; empty, which no table has, if there is none."""
    try:
        found = json.loads(path.read_bytes()).get("fingerprint")
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""
    return found if isinstance(found, str) and found.isascii() else ""


def _text(data: bytes) -> str:
    return data.decode("ascii", errors="replace")


def _file_bytes(path: str | Path) -> bytes:
    """Return the first bytes of a file. Errors do not show the path, because it may be a mistyped secret."""
    try:
        # Opening a pipe without a writer would block. Windows has no such pipes, and would not read bytes.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise ParameterError("the path of the secret is not that of a regular file.", _WAY_OUT)
            return file.read(8 * SIZE)
    except (OSError, ValueError) as failed:
        why = f" ({failed.strerror})" if isinstance(failed, OSError) and failed.strerror else ""
        raise ParameterError(f"the secret cannot be read from a file{why}.", _WAY_OUT) from None
