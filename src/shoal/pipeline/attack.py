"""Run simulated attacks on a release, given the original table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.certify import certified_policy, read_legend, released_file
from shoal.clock import Clock
from shoal.measure import Attacks, attack_files
from shoal.pipeline.inputs import PolicyLike, Source, as_released, read_source, resolve_roles
from shoal.policy.keywords import as_policy
from shoal.roles import compared
from shoal.tables.file_bytes import reading as saying_why


def attack(
    original: Source, released: Source, policy: PolicyLike, reading: Mapping[str, Any], *, people: int, seed: int
) -> Attacks:
    """Return how often simulated attackers re-identify a person or infer a sensitive value in `released`.

    Without a policy, the roles of columns are taken from the certificate in the folder of the released file.
    """
    legends = None
    if isinstance(released, str | Path):
        released = released_file(released)
        folder = Path(released).parent
        legends = read_legend(folder / "legend.json")
        with saying_why(folder / "certificate.json"):
            beside = (folder / "certificate.json").exists()
        if policy is None and beside:
            policy = certified_policy(folder / "certificate.json")
    clock, asked = Clock(), as_policy(policy, reading)
    table, resolved = resolve_roles(read_source(original, asked, clock), asked, clock)
    return attack_files(
        compared(table, resolved), as_released(released), resolved, legends=legends, people=people, seed=seed
    )
