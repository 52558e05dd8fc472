"""The functions that say what a release costs and gives away: `compare`, `attack` and `population_risk`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from shoal.measure import Attacks, PopulationRisk
from shoal.pipeline import frontier
from shoal.pipeline.attack import attack as attack_release
from shoal.pipeline.inputs import PolicyLike
from shoal.pipeline.look_up import look_up as look_up_person
from shoal.pipeline.population import population_risk as risk_in_population
from shoal.policy.keywords import AttackSettings, CompareSettings, as_policy
from shoal.policy.named_arguments import named_arguments
from shoal.results.comparison import Comparison
from shoal.results.person_found import PersonFound
from shoal.results.release import Release
from shoal.secret import Earlier, SecretLike, as_secret
from shoal.tables import Frame
from shoal.tables.database.source import located


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
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Return loss and risk for every k, l, method and share of rows left out: the risk-utility frontier.

    Every trial is made and verified as a release would be; nothing is released. The table is read and coded once.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, the URI of a database
        (postgresql://, duckdb:///, sqlite:///), or a frame.
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
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
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
    found = as_secret(secret, seed=wanted.seed)
    chance = found.secret if isinstance(found, Earlier) else found
    return frontier.compare(
        located(source, table, query), wanted, chance, k=k, l=l, methods=methods, max_suppressed=max_suppressed
    )


def look_up(source: Frame | str | Path, release: Release[Any], row: int, known: Sequence[str]) -> PersonFound:
    """Return what somebody finds in a release of `source` who knows the columns `known` of its row `row`, from 0 on.

    At least k people fit whatever is known, unless the row was left out of the release.
    """
    return look_up_person(source, release, row, known)


@named_arguments(AttackSettings)
def attack(
    original: Frame | str | Path,
    released: Frame | str | Path,
    policy: PolicyLike = None,
    *,
    people: int = 2000,
    seed: int = 0,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[AttackSettings],
) -> Attacks:
    """Return how often an attacker who holds the originals finds people in a release, against what k promises.

    Parameters
    ----------
    original : str, Path, or frame of polars, pandas or pyarrow
        The table as it was, which may be in a database: the attacker's knowledge.
    released : str, Path, or frame of polars, pandas or pyarrow
        The released file, the folder of a release, or the table.
    policy : Policy, str, Path or dict, optional
        The roles and what is promised; by default those of the certificate beside the released file. The keywords
        below are laid over it.
    people : int, default 2000
        At most so many people are attacked.
    seed : int, default 0
        Which people, where not all are.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
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
    return attack_release(located(original, table, query), released, policy, settings, people=people, seed=seed)


@named_arguments(AttackSettings)
def population_risk(
    source: Frame | str | Path,
    policy: PolicyLike = None,
    *,
    population: int | None = None,
    weight: str | None = None,
    household: str | None = None,
    population_table: Frame | str | Path | None = None,
    released: Frame | str | Path | None = None,
    size: int = 3,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[AttackSettings],
) -> PopulationRisk:
    """Return how many people of a table are expected to be unique in the population it is a sample of, and who.

    Only the quasi-identifiers, the person column and the columns named here are looked at. All figures but those
    counted in a population table are estimates, each under the assumption in its description.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table, one row per person, or with a person column.
    policy : Policy, str, Path or dict, optional
        The policy that names the quasi-identifiers. The keywords below are laid over it.
    population : int, optional
        The number of people that the table is a sample of; by default the sum of the weights, or the size of the
        population table.
    weight : str, optional
        The column of sampling weights: how many people of the population each row stands for.
    household : str, optional
        The column that says which rows are of one household.
    population_table : str, Path, or frame, optional
        A table of the whole population with the same quasi-identifiers: k-map and delta-presence are counted in it.
    released : str, Path, or frame, optional
        A release of the table: the risk that remains in it is given beside that of the table.
    size : int, default 3
        Special uniques are looked for in sets of up to so many columns.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    **settings : optional
        Keywords of `anonymize`, with the meaning that they have there.

    Returns
    -------
    PopulationRisk
        The estimates; ``risk.rows`` has those of single rows.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, or no column of a name that was given.
    ParameterError
        If the population is smaller than the table, or a weight is below 1.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(300).select("sex", "zip", "ward")
    >>> risk = shoal.population_risk(table, quasi=["sex", "zip", "ward"], population=100_000)
    >>> risk.unique.chosen
    'pitman'
    >>> risk.special.size
    3
    """
    return risk_in_population(
        located(source, table, query),
        policy,
        settings,
        population=population,
        weight=weight,
        household=household,
        population_table=population_table,
        released=released,
        size=size,
    )
