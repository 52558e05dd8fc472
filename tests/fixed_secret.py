"""One secret for all tests that want the same release again."""

from __future__ import annotations

from shoal.secret import Secret

SECRET = Secret(bytes(range(32)))


def secret(seed: int = 0) -> Secret:
    """The secret of the tests with another seed."""
    return Secret(SECRET.key, seed)
