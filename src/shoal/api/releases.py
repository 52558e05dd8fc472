"""The functions that make a release, and the one that completes a release that was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from shoal.pipeline import run
from shoal.pipeline.apply_plan import PlanLike, as_plan, policy_of
from shoal.pipeline.inputs import PolicyLike
from shoal.pipeline.next_release import After
from shoal.policy.keywords import Reading, Settings, as_policy
from shoal.policy.named_arguments import named_arguments
from shoal.results.release import Release
from shoal.secret import SecretLike, as_secret
from shoal.tables import Frame, FrameT
from shoal.tables import recover as finish_change
from shoal.tables.database.source import located

if TYPE_CHECKING:
    import polars as pl


@overload
def anonymize(
    source: str | Path,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[Settings],
) -> Release[pl.DataFrame]: ...
@overload
def anonymize(
    source: FrameT,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[Settings],
) -> Release[FrameT]: ...
@named_arguments(Settings)
def anonymize(
    source: Frame | str | Path,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[Settings],
) -> Release[Any]:
    """Return a release of `source` that meets every requirement, verified on the released table itself.

    What was published is read again by a verifier that shares no code with the methods; a release that does not hold
    is never returned.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, the URI of a database
        (postgresql://, duckdb:///, sqlite:///), or a frame.
    policy : Policy, str, Path or dict, optional
        What is asked for: a policy, the path of a TOML file, or plain settings. The keywords below are laid over it.
    after : str, Path or History, optional
        For the next release of a table that changes: the private folder of the release before, or its `history`.
    secret : Secret, bytes, str or Path, optional
        That of an earlier release, or the secret.key in its private folder: with it the same table and policy give
        the same release again. Of a private folder the secret is used only if table and policy are the same. A new
        one is drawn where none is given.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    identifier, quasi, sensitive, other : str or iterable of str, optional
        The columns that name a person (removed), that could identify one together with others, that must not be
        learned about a person, and that are published as they are.
    person : str, optional
        The column that tells which rows are one person's: then k and l count people, not rows.
    hierarchy : dict of str to path, optional
        For a quasi-identifier, a CSV file of its values and the levels above each, or a `Hierarchy`.
    classes : str, iterable of str, or dict of str to int, optional
        Quasi-identifiers of labels without order, published in classes of at least k people, or of so many.
    map : dict of str to path, optional
        For a column of regions, who is whose neighbor: a CSV of pairs, a .gal file or .geojson polygons.
    place : dict of str to str, optional
        For a column of latitudes, that of longitudes; both are published as one area.
    round_ranges : dict of str to float or str, optional
        For a quasi-identifier, a step or a period to whose multiples the ends of published ranges are moved.
    relative_to : dict of str to {"week", "month", "quarter", "year"}, optional
        For dates: the classes of the plan move with the newest such period of the table that it is applied to.
    origin : dict of str to str, optional
        For `relative_to`: the first day of the newest period, instead of that found from the table.
    top, bottom : dict of str to float, date or str, optional
        For a column, the value from which on all values become one before groups are made: 90 or more, 18 or less.
    round : dict of str to float or str, optional
        For a column, the step to whose nearest multiple values are rounded before groups are made, or a period.
    merge : dict of str to dict, optional
        For a column, new labels and the values that each takes the place of before groups are made.
    least_level, greatest_level : dict of str to int, optional
        For a quasi-identifier with a hierarchy, the finest and the coarsest level that is published.
    publish_rare : str, iterable of str, or dict of str to "merged", optional
        Columns of which labels that one person alone has are published as they are, or merged into one label.
    date_format : dict of str to str, optional
        For a column of dates, how they are written, such as ``%d.%m.%Y``; they are published in the same way.
    number : dict of str to dict, optional
        For a column of numbers, how they are written: decimal, thousands, prefix, suffix, decimals.
    missing : dict of str to sequence, optional
        For a column, the texts, numbers and dates that mean missing in it.
    k : int, optional
        The fewest people in a group, at least 2; 5 where neither it nor the policy says.
    l : float or dict of str to float, optional
        The fewest well-represented values of a sensitive column in a group; for single columns ``{"occupation": 3}``.
    max_suppressed : float, optional
        The share of the rows that may be left out, from 0 up to but not including 1.
    l_kind : {"distinct", "frequency", "entropy", "recursive"}, optional
        What well-represented means.
    c : float, optional
        For recursive diversity: the most frequent value is rarer than c times the l-th and all after it.
    count_missing : bool, optional
        Whether a missing value counts as a value towards l; by default it does not.
    t : float or dict of str to float, optional
        The largest distance of a group's sensitive values from those of the whole table, from 0 to 1; for single
        columns ``{"income": 0.2}``.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        How far two sensitive values are apart.
    alpha : float or dict of str to float, optional
        The largest share of a group's people who may have the same sensitive value: (alpha, k)-anonymity.
    beta : float or dict of str to float, optional
        How many times its share in the whole release a value may gain in a group at most: beta-likeness.
    beta_kind : {"basic", "enhanced"}, optional
        With "enhanced", frequent values may gain less.
    delta : float or dict of str to float, optional
        How many times a value's share in a group may be doubled or halved, at most: delta-disclosure privacy.
    publication : {"auto", "generalize", "aggregate", "centers", "suppress"}, optional
        What a row becomes: ranges and sets, means, one row per group, or stars where a group disagrees.
    ranges : {"brackets", "columns"}, optional
        How a range is written: ``[a, b]`` in one column, or two columns.
    objective : {"auto", "sse", "radius", "cellular", "generalization"}, optional
        What is minimized.
    method : str, optional
        How groups are found, such as "forest" or "best"; by the objective where
        not given. docs/reference lists all of them.
    loss : {"ncp", "information", "levels", "entropy"}, optional
        What a generalized cell costs, where that is minimized.
    max_groups : int, optional
        The largest number of groups, with method "gather".
    opening_cost : float, optional
        What each group costs besides its size times its radius, with method "cellular".
    seed : int, optional
        Another number, another release by the same secret.
    effort : float, optional
        Search effort in proposals per record; more takes longer and is never worse.
    time_limit : float, optional
        Seconds after which the search stops early; the certificate then says so.
    link : str, optional
        The column that tells who a row is about in every release: begins a sequence of releases of one table.
    keep : {"groups", "values"}, optional
        People published together stay together, or the sensitive values around a person stay the same.
    reserve : int, optional
        People beyond k in every new group, so that some may leave.
    departures : {"covered", "open"}, optional
        Whether people vanish k or more at once from a group, or as they leave the table.
    counterfeits : bool, optional
        Whether rows may be made up in the place of people who left.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, where detection should be overruled; an empty quote: cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line names the columns.
    sheet : str, optional
        The sheet of an .xlsx file, where it has several.

    Returns
    -------
    Release
        `release.table` is the same kind of frame that came in (polars for a file), `release.certificate` says what
        holds and how far from the best it can be, `release.write("out")` writes both.

    Raises
    ------
    ParameterError
        If a keyword is not known or a value is out of its range.
    SchemaError
        If a column has no role, or a role names no column.
    TableError
        If the source cannot be read.
    InfeasibleError
        If no release of this table can meet what is asked.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("name", "birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, identifier="name", quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> release.findings.k >= 5
    True
    >>> release.table.columns
    ['birth_date', 'sex', 'diagnosis']
    """
    wanted = as_policy(policy, settings)
    return run.anonymize(located(source, table, query), wanted, as_secret(secret, seed=wanted.seed), after=after)


@overload
def apply(
    plan: PlanLike,
    source: str | Path,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    origin: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **reading: Unpack[Reading],
) -> Release[pl.DataFrame]: ...
@overload
def apply(
    plan: PlanLike,
    source: FrameT,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    origin: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **reading: Unpack[Reading],
) -> Release[FrameT]: ...
@named_arguments(Reading)
def apply(
    plan: PlanLike,
    source: Frame | str | Path,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    origin: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **reading: Unpack[Reading],
) -> Release[Any]:
    """Return `source` recoded as an earlier table was, every class of the new release checked anew.

    Every record is put into the narrowest class of `plan` that holds it. Every class of the new release meets every
    requirement of the plan's policy by itself; rows that no such class holds are left out.

    Parameters
    ----------
    plan : Plan, str, Path or dict
        `release.plan`, or the plan.json of a private folder.
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, the URI of a database
        (postgresql://, duckdb:///, sqlite:///), or a frame.
    max_suppressed : float, optional
        The share of the rows that may be left out; the policy's where not given. Beyond it nothing is released.
    hierarchy : dict of str to str, optional
        Where hierarchy files are now.
    origin : dict of str to str, optional
        For a column with `relative_to`: the first day of the newest period of this table, such as
        ``{"admitted": "2024-06-01"}``, instead of that found from the table.
    join : bool, default False
        Whether classes that fall short are joined with others first, which makes new, coarser cells.
    seed : int, optional
        Another number, another order of rows by the same secret.
    secret : Secret, bytes, str or Path, optional
        That of an earlier release, or the secret.key in its private folder: with it the same table and policy give
        the same release again. Of a private folder the secret is used only if table and policy are the same. A new
        one is drawn where none is given.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, where detection should be overruled; an empty quote: cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line names the columns.
    sheet : str, optional
        The sheet of an .xlsx file, where it has several.

    Returns
    -------
    Release
        As of `anonymize`.

    Raises
    ------
    ParameterError
        If a keyword is not known, or `plan` is no plan.
    SchemaError
        If the table does not have the columns of the plan.
    InfeasibleError
        If more rows would have to be left out than may be.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> columns = ["name", "birth_date", "sex", "diagnosis"]
    >>> may = shoal.anonymize(
    ...     hospital(150).select(columns), k=5, identifier="name", quasi=["birth_date", "sex"], sensitive="diagnosis"
    ... )
    >>> june = shoal.apply(may.plan, hospital(150, seed=2).select(columns), max_suppressed=0.9)
    >>> june.findings.k >= 5
    True
    """
    given = as_plan(plan)
    changes = {
        "max_suppressed": max_suppressed,
        "hierarchy": hierarchy,
        "origin": origin,
        "seed": seed or 0,
        **reading,
    }
    wanted = policy_of(given, changes)
    return run.apply(located(source, table, query), wanted, as_secret(secret, seed=wanted.seed), given, join=join)


@named_arguments()
def recover(out: str | Path) -> bool:
    """Return whether a change of `out` was to be completed, after bringing `out` and `out.private` to one release.

    For a run that was killed: afterwards both folders are of the old release, or both of the new one.

    Parameters
    ----------
    out : str or Path
        The public folder that the run was to write.

    Returns
    -------
    bool
        True if an interrupted change was found and completed or undone, False if there was none.

    Raises
    ------
    TableError
        If the folders cannot be read or changed.

    Examples
    --------
    >>> import shoal, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shoal.recover(f"{folder}/out")
    False
    """
    return finish_change(out)
