"""The functions that say what a release costs and what it gives away: `compare` and `attack`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from shoal.measure import Attacks
from shoal.pipeline import frontier
from shoal.pipeline.attack import attack as attack_release
from shoal.pipeline.inputs import PolicyLike
from shoal.policy.keywords import AttackSettings, CompareSettings, as_policy
from shoal.policy.named_arguments import named_arguments
from shoal.results.comparison import Comparison
from shoal.secret import SecretLike, as_secret
from shoal.tables import Frame


@named_arguments(CompareSettings)
def compare(
    source: Frame | str | Path,
    policy: PolicyLike = None,
    *,
    k: Sequence[int] = (2, 3, 5, 10, 20),
    l: Sequence[float] | None = None,  # noqa: E741
    methods: Sequence[str] | None = None,
    max_suppressed: Sequence[float] | float | None = None,
    secret: SecretLike = None,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Return loss and risk for every k, l, method and share of rows left out: the risk-utility frontier.

    Every trial is made and verified as a release would be; nothing is released. The table is read and coded once.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, or a frame.
    policy : Policy, str, Path or dict, optional
        What is asked for: a policy, the path of a TOML file, or plain settings. The keywords below are laid over it.
    k : sequence of int, default (2, 3, 5, 10, 20)
        The values of k.
    l : sequence of float, optional
        The values of l; that of the policy where not given.
    methods : sequence of str, optional
        The methods; that of the policy where not given.
    max_suppressed : float or sequence of float, optional
        The shares of the rows that may be left out.
    secret : Secret, bytes, str or Path, optional
        That of an earlier release, or the secret.key in its private folder: with it the same table and policy give
        the same release again. A new one is drawn where none is given.
    **settings : optional
        Keywords of `anonymize`, with the meaning that they have there.

    Returns
    -------
    Comparison
        One trial for every combination; ``comparison.table`` is a frame of them.

    Raises
    ------
    ParameterError
        If a keyword is not known or a value is out of its range.
    SchemaError
        If a column has no role, or a role names no column.
    InfeasibleError
        If no release of this table can meet what is asked.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> found = shoal.compare(
    ...     table, k=[2, 5], methods=["mondrian"], quasi=["birth_date", "sex"], sensitive="diagnosis"
    ... )
    >>> [(trial.method, trial.k) for trial in found.trials]
    [('mondrian', 2), ('mondrian', 5)]
    """
    wanted = as_policy(policy, settings)
    chance = as_secret(secret, seed=wanted.seed)
    return frontier.compare(source, wanted, chance, k=k, l=l, methods=methods, max_suppressed=max_suppressed)


@named_arguments(AttackSettings)
def attack(
    original: Frame | str | Path,
    released: Frame | str | Path,
    policy: PolicyLike = None,
    *,
    people: int = 2000,
    seed: int = 0,
    **settings: Unpack[AttackSettings],
) -> Attacks:
    """Return how often an attacker who holds the originals finds people in a release, against what k promises.

    Parameters
    ----------
    original : str, Path, or frame of polars, pandas or pyarrow
        The table as it was: the attacker's knowledge.
    released : str, Path, or frame of polars, pandas or pyarrow
        The released file, the folder of a release, or the table.
    policy : Policy, str, Path or dict, optional
        The roles and what is promised; by default those of the certificate beside the released file. The keywords
        below are laid over it.
    people : int, default 2000
        At most so many people are attacked.
    seed : int, default 0
        Which people, where not all are.
    **settings : optional
        Keywords of `anonymize`, with the meaning that they have there.

    Returns
    -------
    Attacks
        ``attacks.exceeds`` says whether some attack succeeds more often than the policy promises.

    Raises
    ------
    TableError
        If a table cannot be read.
    SchemaError
        If a column has no role, or a role names no column.
    ParameterError
        If a keyword is not known or a value is out of its range.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> shoal.attack(table, release.table, release.policy).exceeds
    False
    """
    return attack_release(original, released, policy, settings, people=people, seed=seed)
