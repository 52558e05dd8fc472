"""Recognizing a table and a policy of which a release was made before, without keeping the table.

If the same table is released twice with different secrets, its groups differ, and an attacker who has both releases
can intersect them: most people are then among fewer than k. So a release that is made again keeps its secret. For
another table or policy a new secret is needed, because rows could otherwise be linked by their positions.
"""

from __future__ import annotations

import hmac
from dataclasses import replace
from hashlib import sha256

import polars as pl
import polars.selectors as cs

from shoal.policy import Policy
from shoal.secret import Earlier, Secret
from shoal.tables import Table

_BESIDE = {"evidence": False, "dossier": None, "metadata": None, "population": None}
"""Settings that change what is said of a release and not its rows: to ask for them later is no other release."""


def fingerprint(table: Table, policy: Policy, key: bytes) -> str:
    """Return a keyed digest of the rows, in any order, and the policy; without the key nothing follows from it."""
    frame = table.frame.with_columns(cs.categorical().cast(pl.String), cs.enum().cast(pl.String))
    rows = frame.hash_rows(seed=0).sort().to_numpy().tobytes()
    parts = [str(list(frame.schema.items())).encode(), policy.model_copy(update=_BESIDE).dumps().encode(), rows]
    return hmac.new(key, b"".join(sha256(part).digest() for part in parts), sha256).hexdigest()


def settled(secret: Secret | Earlier, table: Table, policy: Policy) -> Secret:
    """Return the secret to use, with its fingerprint.

    The secret of an earlier release is used only for the same table and policy; for others a new one is drawn.
    """
    given = secret.secret if isinstance(secret, Earlier) else secret
    found = fingerprint(table, policy, given.key)
    if isinstance(secret, Earlier) and not hmac.compare_digest(found, secret.fingerprint):
        given = Secret.draw(seed=given.seed)
        found = fingerprint(table, policy, given.key)
    return replace(given, fingerprint=found)
