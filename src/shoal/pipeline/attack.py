"""Run simulated attacks on a release, given the original table, or on a trial release made for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal import progress
from shoal.caller import setting
from shoal.certify import certified_policy, read_legend, released_file
from shoal.certify.files import SYNTHETIC
from shoal.certify.legend import Classes
from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.measure import Attacks, Utility, attack_files
from shoal.pipeline import run
from shoal.pipeline.control import as_share, control_rows, split_off, trial_policy
from shoal.pipeline.inputs import PolicyLike, Source, as_released, numbers_may_be_huge, read_source, resolve_roles
from shoal.pipeline.publication import without_perturbed_values
from shoal.pipeline.selection import rows_where
from shoal.pipeline.trial_analysis import analyze
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.roles import compared
from shoal.secret import SIZE, Secret
from shoal.space.hierarchy import Tree
from shoal.tables import Table
from shoal.tables.file_bytes import reading as saying_why


def attack(
    original: Source,
    released: Source | None,
    policy: PolicyLike,
    reading: Mapping[str, Any],
    *,
    people: int,
    seed: int,
    control: Source | float | None = None,
) -> Attacks:
    """Return how often simulated attackers re-identify a person or infer a sensitive value in `released`.

    Without a policy, the roles of columns are taken from the certificate in the folder of the released file. Of the
    synthetic rows of a release nothing is guaranteed by themselves: a person's values in a row that was made up are
    chance, and the attacks are compared with no k, l or t. Without a release, a share `control` of the people is
    split off and the others are released for the attacks only.
    """
    share = as_share(control)
    if released is None:
        if share is None:
            raise ParameterError(
                "there is no release to attack.",
                f"name the released file; or {setting('control', 0.5)} makes a trial release of half of the people.",
            )
        return _attack_trial(original, as_policy(policy, reading), share, people=people, seed=seed)
    if share is not None:
        raise ParameterError(
            f"control={share:g} is a share of the table, but all of it may be in the release.",
            "give a table of people who were not released; or no released file, and a trial release is made.",
        )
    found = read_given(original, released, policy, reading, control)
    return _measured(found, people=people, seed=seed)


def utility(
    original: Source,
    released: Source,
    policy: PolicyLike,
    reading: Mapping[str, Any],
    *,
    targets: Sequence[str] | None,
    control: Source | None,
) -> Utility:
    """Return what analyses of a released table say, compared with the same ones of the original."""
    found = read_given(original, released, policy, reading, control)
    table = compared(found.table, found.policy)
    utility = analyze(
        table,
        found.released,
        found.policy,
        found.legends or {},
        found.control,
        targets=targets,
        held="given",
        attempts=0,
    ).utility
    if utility is None:
        raise ParameterError(
            "rows in the form centers are about groups and cannot be compared with those of people.",
            "measure a release in the form generalize, aggregate or suppress.",
        )
    return utility


def read_given(
    original: Source, released: Source, policy: PolicyLike, reading: Mapping[str, Any], control: Source | None
) -> Given:
    """Return the tables that were given, read by the policy or by the certificate beside the released file."""
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
    asked = as_policy(policy, reading)
    table, resolved = resolve_roles(_chosen(original, asked), asked, Clock())
    others = None if control is None else control_rows(_chosen(control, asked), asked)
    promised = without_perturbed_values(_without_claims(resolved) if made_up else resolved)
    return Given(table, promised, as_released(released), legends, others)


def _chosen(source: Source, asked: Policy) -> Table:
    """Return the rows of a table that the policy speaks of."""
    table = read_source(source, asked, Clock())
    return table.taken(rows_where(table, asked))


def _without_claims(policy: Policy) -> Policy:
    """Return a policy that requires nothing of groups, and counts rows."""
    nothing = {"diversity": None, "closeness": None, "disclosure": None}
    columns = {
        name: column.model_copy(update=nothing | ({"role": "identifier"} if column.role == "person" else {}))
        for name, column in policy.columns.items()
    }
    return policy.model_copy(update={"k": 1, "columns": columns} | nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A table with its resolved policy, a release of it, and people who are not in it."""

    table: Table
    policy: Policy
    released: pl.DataFrame
    legends: Mapping[str, Classes] | None
    control: pl.DataFrame | None
    trees: Mapping[str, Tree] | None = None


def _measured(one: Given, *, people: int, seed: int, split: bool = False) -> Attacks:
    with progress.step("attacks"), numbers_may_be_huge():
        return attack_files(
            compared(one.table, one.policy),
            one.released,
            one.policy,
            trees=one.trees,
            legends=one.legends,
            people=people,
            seed=seed,
            control=one.control,
            held="none" if one.control is None else "split" if split else "given",
        )


def _attack_trial(original: Source, asked: Policy, share: float, *, people: int, seed: int) -> Attacks:
    """Return the attacks on a trial release of the people who are not split off; nothing of it is written."""
    rest, others = split_off(_chosen(original, asked), asked, share, seed=seed)
    # nothing is published, so the secret may be known, and the same seed gives the same result
    release = run.anonymize(rest, trial_policy(asked), Secret(bytes(SIZE), asked.seed or 0))
    with progress.unheard():
        table, resolved = resolve_roles(rest, asked, Clock())
    legends = {column.name: list(column.legend) for column in release.published.columns if column.legend is not None}
    control = control_rows(others, asked)
    found = Given(table, without_perturbed_values(resolved), release.published.frame, legends, control, release.trees)
    return _measured(found, people=people, seed=seed, split=True)
