"""The functions that measure loss and risk: `compare`, `attack`, `utility`, `look_up` and `population_risk`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from shoal.measure import Attacks, PopulationRisk, Utility
from shoal.pipeline import frontier
from shoal.pipeline.attack import attack as attack_release
from shoal.pipeline.attack import utility as utility_of
from shoal.pipeline.inputs import PolicyLike
from shoal.pipeline.look_up import look_up as look_up_person
from shoal.pipeline.population import population_risk as risk_in_population
from shoal.policy.keywords import AttackSettings, CompareSettings, RiskSettings, as_policy
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
    publications: Sequence[str] | None = None,
    max_suppressed: Sequence[float] | float | None = None,
    control: float | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Return loss, utility and risk for every combination of k, l, method, form and `max_suppressed`.

    Every trial is made and verified as a release is; nothing is written. The table is read and coded once.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, such a file in a store
        (s3://bucket/visits.parquet), the URI of a database (postgresql://, duckdb:///, sqlite:///), or a frame.
    policy : Policy, str, Path or dict, optional
        A policy, the path of a TOML file, or plain settings. The keywords below take precedence over it.
    k : sequence of int, default (2, 3, 5, 10, 20)
        The values of k.
    l : sequence of float, optional
        The values of l; by default that of the policy.
    methods : sequence of str, optional
        The methods; by default that of the policy.
    publications : sequence of str, optional
        The forms of the release: ``"generalize"``, ``"aggregate"``, ``"suppress"`` or ``"centers"``; with
        ``"synthetic"``, synthetic rows drawn from ranges and sets. By default that of the policy.
    max_suppressed : float or sequence of float, optional
        The shares of the rows that may be suppressed; by default that of the policy.
    control : float, optional
        The share of the people to leave out of all trials at random. Attacks on the people in a trial are compared
        with attacks on them, for the risks of singling out, linkability and inference.
    secret : Secret, bytes, str or Path, optional
        The secret of an earlier release, or the secret.key in its private folder, to repeat the groups of that
        release. By default a new one is drawn.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    **settings : optional
        The other keywords of `anonymize`, with the same meaning.

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
        If no release of this table can meet the requirements.

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
    # l_kind and c are about an l, and max_groups about a method: both are given as lists here
    swept = {"l": max(l) if l else None, "method": methods[0] if methods else None}
    wanted = as_policy(policy, {**settings, **{name: value for name, value in swept.items() if value is not None}})
    found = as_secret(secret, seed=wanted.seed)
    chance = found.secret if isinstance(found, Earlier) else found
    return frontier.compare(
        located(source, table, query),
        wanted,
        chance,
        k=k,
        l=l,
        methods=methods,
        publications=publications,
        max_suppressed=max_suppressed,
        control=control,
    )


def look_up(source: Frame | str | Path, release: Release[Any], row: int, known: Sequence[str]) -> PersonFound:
    """Return what can be found in a release of `source` by someone who knows the columns `known` of row `row`.

    Rows are counted from 0. At least k people match, whatever is known, unless the row was suppressed.
    """
    return look_up_person(source, release, row, known)


@named_arguments(AttackSettings)
def attack(
    original: Frame | str | Path,
    released: Frame | str | Path | None = None,
    policy: PolicyLike = None,
    *,
    control: Frame | str | Path | float | None = None,
    people: int = 2000,
    seed: int = 0,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[AttackSettings],
) -> Attacks:
    """Return how often an attacker with the original table finds people in a release, beside what k guarantees.

    The release may be that of any program, or a synthetic table. With a control, the three questions of the European
    guidance (singling out, linkability, inference) have a risk: how much more often an attack succeeds on people of
    the table than on people who are not in it.

    Parameters
    ----------
    original : str, Path, or frame of polars, pandas or pyarrow
        The original table, which the attacker knows: a file, the URI of a database, or a frame.
    released : str, Path, or frame of polars, pandas or pyarrow, optional
        The released file, the folder of a release, or the table. Without it, the people who are not split off as
        `control` are released by the policy for this measurement; nothing is written.
    policy : Policy, str, Path or dict, optional
        The roles and requirements; by default those of the certificate beside the released file. The keywords below
        take precedence over it.
    control : str, Path, frame, or float, optional
        A table of people who are not in the release, from the same population and with the same columns; best as many
        as there are in the original. Or, without `released`, the share of the people to split off at random.
    people : int, default 2000
        The most people that are attacked.
    seed : int, default 0
        The seed that chooses the people to attack, if not all are.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    **settings : optional
        Keywords of `anonymize` for roles, requirements, form and reading, with the same meaning.

    Returns
    -------
    Attacks
        ``attacks.exceeds`` is whether some attack succeeds more often than the policy guarantees.

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
    return attack_release(
        located(original, table, query), released, policy, settings, people=people, seed=seed, control=control
    )


@named_arguments(AttackSettings)
def utility(
    original: Frame | str | Path,
    released: Frame | str | Path,
    policy: PolicyLike = None,
    *,
    targets: Sequence[str] | None = None,
    control: Frame | str | Path | None = None,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[AttackSettings],
) -> Utility:
    """Return what analyses of a release say, compared with the same ones of the original table.

    Confidence intervals of means, tables and regression coefficients, a propensity score, and models of the targets.
    A range counts by its middle (in tables: evenly), a set by equal shares of its members. The release may be that of
    any program, or a synthetic table. The numbers are statistics of the original table: private.

    Parameters
    ----------
    original : str, Path, or frame of polars, pandas or pyarrow
        The original table: a file, the URI of a database, or a frame.
    released : str, Path, or frame of polars, pandas or pyarrow
        The released file, the folder of a release, or the table.
    policy : Policy, str, Path or dict, optional
        The roles of the columns; by default those of the certificate beside the released file. The keywords below
        take precedence over it.
    targets : sequence of str, optional
        The columns that are regressed and predicted from all others; by default the first three sensitive ones.
    control : str, Path, or frame, optional
        People who are not in the release, on whom models are tested; by default on people of the original table.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    **settings : optional
        Keywords of `anonymize` for roles, requirements, form and reading, with the same meaning.

    Returns
    -------
    Utility
        ``utility.overlap`` is 1 if all analyses say the same, and 0 if no interval overlaps.

    Raises
    ------
    TableError
        If a table cannot be read.
    SchemaError
        If a column has no role, or a role names no column.
    ParameterError
        If a target is not published, or rows are about groups (the form centers).

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(300).select("height_cm", "sex", "weight_kg")
    >>> release = shoal.anonymize(table, k=5, quasi=["height_cm", "sex"], sensitive="weight_kg")
    >>> found = shoal.utility(table, release.table, release.policy)
    >>> found.overlap > 0.5, [one.column for one in found.means]
    (True, ['weight_kg', 'height_cm'])
    """
    return utility_of(located(original, table, query), released, policy, settings, targets=targets, control=control)


@named_arguments(RiskSettings)
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
    **settings: Unpack[RiskSettings],
) -> PopulationRisk:
    """Return how many people of a table are expected to be unique in the population it is a sample of, and who.

    Only the quasi-identifiers, the person column and the columns named here are used. All figures except those
    counted in a population table are estimates, each under the assumption in its description.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table, with one row per person or a person column.
    policy : Policy, str, Path or dict, optional
        The policy that names the quasi-identifiers. The keywords below take precedence over it.
    population : int, optional
        The number of people that the table is a sample of; by default that of the policy, the sum of the weights, or
        the size of the population table.
    weight : str, optional
        The column of sampling weights: how many people of the population each row stands for. By default the column
        with the role weight.
    household : str, optional
        The column that identifies the household of a row.
    population_table : str, Path, or frame, optional
        A table of the whole population with the same quasi-identifiers: k-map and delta-presence are counted in it.
    released : str, Path, or frame, optional
        A release of the table, whose remaining risk is given beside that of the table.
    size : int, default 3
        The largest number of columns in a set that is searched for special uniques.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    **settings : optional
        Keywords of `anonymize` for roles, requirements, form and reading, with the same meaning.

    Returns
    -------
    PopulationRisk
        The estimates; ``risk.rows`` has those of single rows.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, or a named column does not exist.
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
