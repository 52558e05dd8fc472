"""Run simulated attacks on a release, given the original table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.certify import certified_policy, read_legend, released_file
from shoal.certify.files import SYNTHETIC
from shoal.clock import Clock
from shoal.measure import Attacks, attack_files
from shoal.pipeline.inputs import PolicyLike, Source, as_released, read_source, resolve_roles
from shoal.pipeline.selection import rows_where
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.roles import compared
from shoal.tables.file_bytes import reading as saying_why


def attack(
    original: Source, released: Source, policy: PolicyLike, reading: Mapping[str, Any], *, people: int, seed: int
) -> Attacks:
    """Return how often simulated attackers re-identify a person or infer a sensitive value in `released`.

    Without a policy, the roles of columns are taken from the certificate in the folder of the released file. Of the
    synthetic rows of a release nothing is guaranteed by themselves: a person's values in a row that was made up are
    chance, and the attacks are compared with no k, l or t.
    """
    legends, made_up = None, False
    if isinstance(released, str | Path):
        released = released_file(released)
        made_up = released.name in SYNTHETIC.values()
        folder = Path(released).parent
        legends = read_legend(folder / "legend.json")
        with saying_why(folder / "certificate.json"):
            beside = (folder / "certificate.json").exists()
        if policy is None and beside:
            policy = certified_policy(folder / "certificate.json")
    clock, asked = Clock(), as_policy(policy, reading)
    read = read_source(original, asked, clock)
    table, resolved = resolve_roles(read.taken(rows_where(read, asked)), asked, clock)
    promised = _without_claims(resolved) if made_up else resolved
    return attack_files(
        compared(table, resolved), as_released(released), promised, legends=legends, people=people, seed=seed
    )


def _without_claims(policy: Policy) -> Policy:
    """Return a policy that requires nothing of groups, and counts rows."""
    nothing = {"diversity": None, "closeness": None, "disclosure": None}
    columns = {
        name: column.model_copy(update=nothing | ({"role": "identifier"} if column.role == "person" else {}))
        for name, column in policy.columns.items()
    }
    return policy.model_copy(update={"k": 1, "columns": columns} | nothing)
