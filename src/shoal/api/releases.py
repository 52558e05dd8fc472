"""The functions that make a release, and `recover`, which completes or undoes an interrupted one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from shoal.api.large import EngineName, anonymize_in_blocks, check_alone, engine_of
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

    from shoal.engines.folder import LargeRelease


@overload
def anonymize(
    source: Any,
    policy: PolicyLike = None,
    *,
    engine: Literal["local", "spark"],
    master: str | None = None,
    work: str | Path | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    **settings: Unpack[Settings],
) -> LargeRelease: ...
@overload
def anonymize(
    source: str | Path,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    table: str | None = None,
    query: str | None = None,
    engine: Literal["memory"] | None = None,
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
    engine: Literal["memory"] | None = None,
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
    engine: EngineName | None = None,
    master: str | None = None,
    work: str | Path | None = None,
    **settings: Unpack[Settings],
) -> Release[Any] | LargeRelease:
    """Return a release of `source` that meets every requirement, verified on the released table itself.

    The released table is checked by a verifier that shares no code with the methods; a release that misses a
    requirement is never returned.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, such a file in a store
        (s3://bucket/visits.parquet), the URI of a database (postgresql://, duckdb:///, sqlite:///), or a frame.
    policy : Policy, str, Path or dict, optional
        A policy, the path of a TOML file, or plain settings. The keywords below take precedence over it.
    after : str, Path or History, optional
        For the next release of a table that changes: the private folder of the previous release, or its `history`.
    secret : Secret, bytes, str or Path, optional
        The secret of an earlier release, or the secret.key in its private folder: with it the same table and policy
        give the same release again. If a private folder is given, its secret is used only for the same table and
        policy. By default a new one is drawn.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    engine : {"memory", "local", "spark"}, optional
        Where the release is made: with the whole table in memory, which is the default; or in blocks, for tables that
        are larger: on this computer, from CSV, Parquet and Arrow files and databases ("local"), or on a Spark
        cluster, which a frame of Spark chooses by itself. In blocks no ratio is claimed, and some settings are
        refused.
    master : str, optional
        The address of the Spark cluster, such as ``spark://host:7077``.
    work : str or Path, optional
        The folder in which the engine "local" keeps blocks while it works; by default that of temporary files.
    identifier, quasi, sensitive, other : str or iterable of str, optional
        The columns that name a person (removed), that could identify one in combination (quasi), that must not be
        learned about a person (sensitive), and that are published unchanged (other).
    person : str, optional
        The column that identifies the person of a row: then k and l count people, not rows.
    consistent : bool, optional
        Whether all rows of a person are published alike, in one group, under one number that follows them.
    pseudonym : bool, optional
        With `consistent`: whether people have pseudonyms that are the same in every table made with one secret.
    weight : str, optional
        The column of sampling weights, published as they are or rounded, and used for the risk in the population.
    set : str, iterable of str, or dict of str to str, optional
        The quasi-identifier with several items in every cell, and the text between items if it is not ``;``.
    hierarchy : dict of str to path, optional
        For a quasi-identifier, a CSV file of its values and the levels above each, or a `Hierarchy`.
    classes : str, iterable of str, or dict of str to int, optional
        Quasi-identifiers of labels without order, published in classes of at least k people, or of at least the given
        number.
    map : dict of str to path, optional
        For a column of regions, which of them are neighbors: a CSV of pairs, a .gal file or .geojson polygons.
    place : dict of str to str, optional
        For a column of latitudes, the column of longitudes; both are published as one area.
    round_ranges : dict of str to float or str, optional
        For a quasi-identifier, a step or a period; the ends of published ranges are rounded outwards to its
        multiples.
    relative_to : dict of str to {"week", "month", "quarter", "year"}, optional
        For dates: when the plan of the release is applied to a later table, its classes move with the newest such
        period of that table.
    origin : dict of str to str, optional
        For `relative_to`: the first day of the newest period; by default it is found from the table.
    top, bottom : dict of str to float, date or str, optional
        For a column, limits: before groups are made, values at or above `top` become "`top` or more", values at or
        below `bottom` become "`bottom` or less".
    round : dict of str to float or str, optional
        For a column, a step or a period: before groups are made, values are rounded to its nearest multiple, dates
        to the beginning of the period.
    merge : dict of str to dict, optional
        For a column, new labels and the values that each replaces before groups are made.
    least_level, greatest_level : dict of str to int, optional
        For a quasi-identifier with a hierarchy, the finest and the coarsest level that is published.
    publish_rare : str, iterable of str, or dict of str to "merged", optional
        Columns whose labels are published even if only one person has them, unchanged or merged into one label.
    date_format : dict of str to str, optional
        For a column of dates, how they are written, such as ``%d.%m.%Y``; they are published in the same way.
    number : dict of str to dict, optional
        For a column of numbers, how they are written: decimal, thousands, lakhs, prefix, suffix, decimals.
    missing : dict of str to sequence, optional
        For a column, the texts, numbers and dates that mean missing in it.
    perturb : dict of str to dict, optional
        For a column that is published as it is, how its values are changed by chance:
        ``{"pay": {"method": "noise", "spread": 0.3}}``.
    keys : dict of str to dict, optional
        Sets of quasi-identifiers that somebody knows, each with a k of its own besides that of all of them, such as
        ``{"insurer": {"columns": ["age", "zip"], "k": 20}}``.
    where : str, optional
        A condition on cells, such as ``"country = 'DE' and age >= 18"``: the release is about the rows that meet it.
    sample : float, optional
        The share of the people, or of the rows without a person column, that are drawn at random for the release.
    population : int, str or Path, optional
        The number of people that the table is a sample of, or the file of a table of all of them: then the risk in
        the population is measured, too.
    k : int, optional
        The fewest people in a group, at least 2; 5 if the policy does not say.
    l : float or dict of str to float, optional
        The fewest well-represented values of a sensitive column in a group; for single columns ``{"occupation": 3}``.
    m : int, optional
        How many items of a person's set others may know, 1 to 3; 2 if the policy does not say.
    max_suppressed : float, optional
        The share of the rows that may be suppressed, from 0 up to but not including 1.
    l_kind : {"distinct", "frequency", "entropy", "recursive"}, optional
        What well-represented means.
    c : float, optional
        For recursive diversity: the most frequent value is rarer than c times the l-th most frequent and all rarer
        ones together.
    count_missing : bool, optional
        Whether a missing value counts as a value toward l; by default it does not.
    t : float or dict of str to float, optional
        The largest distance of a group's sensitive values from those of the whole table, from 0 to 1; for single
        columns ``{"income": 0.2}``.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        The distance between two sensitive values.
    alpha : float or dict of str to float, optional
        The largest share of a group's people who may have the same sensitive value: (alpha, k)-anonymity.
    beta : float or dict of str to float, optional
        By how many times its share in the whole release a value's share in a group may exceed it: beta-likeness.
    beta_kind : {"basic", "enhanced"}, optional
        With "enhanced", the limit is lower for frequent values.
    delta : float or dict of str to float, optional
        A value's share in a group and in the whole release differ by a factor of less than 2 to the power of delta:
        delta-disclosure privacy.
    publication : {"auto", "generalize", "aggregate", "centers", "suppress"}, optional
        The form of the release: ranges and sets, means, one row per group, or ``*`` where a group has several values.
    ranges : {"brackets", "columns"}, optional
        How a range is written: ``[a, b]`` in one column, or two columns.
    synthetic : {"marginals", "copula"}, optional
        Also publish synthetic rows, drawn from the cells of the release: every column by itself, or numbers and dates
        related as in the whole release.
    evidence : bool, optional
        Whether singling out, linkability and inference are tried on the release, and analyses of it compared with
        those of the table, for ``release.evidence``, the report and the dossier. Nothing of it is published.
    objective : {"auto", "sse", "radius", "cellular", "generalization"}, optional
        What is minimized.
    method : str, optional
        The algorithm that forms the groups, such as "forest" or "best"; by default that of the objective.
        docs/reference/policy.md lists all of them.
    loss : {"ncp", "information", "levels", "entropy"}, optional
        What a generalized cell costs, if that is minimized.
    max_groups : int, optional
        The largest number of groups, with method "gather".
    opening_cost : float, optional
        What each group costs besides its size times its radius, with method "cellular".
    metadata : str or sequence of str, optional
        Descriptions for catalogs and archives that are written beside the release: "croissant", "dcat-ap",
        "health-dcat-ap", "ddi". What they say besides the columns is in the section ``[metadata]`` of the policy.
    seed : int, optional
        A number that makes several releases with one secret different.
    effort : float, optional
        Search effort in proposals per record; more takes longer.
    time_limit : float, optional
        Seconds after which the search stops early; the certificate then says so.
    link : str, optional
        The column that identifies the person of a row in every release: begins a sequence of releases of one table.
    keep : {"groups", "values"}, optional
        What stays the same in a sequence: the people of a group, or the set of sensitive values in a person's group.
    reserve : int, optional
        How many people more than k every new group has, so that some may leave later.
    departures : {"covered", "open"}, optional
        Whether people disappear from a group k or more at a time, or as they leave the table.
    counterfeits : bool, optional
        Whether made-up rows may replace people who left.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, instead of what is detected. An empty quote means that cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line has the names of the columns.
    sheet : str, optional
        The sheet of an .xlsx file that has several.

    Returns
    -------
    Release
        `release.table` is a frame of the same kind as `source` (polars for a file), `release.certificate` has the
        verified requirements and the lower bound, `release.write("out")` writes both. With an engine other than
        memory it is a `LargeRelease`, which is verified when it is written.

    Raises
    ------
    ParameterError
        If a keyword is not known or a value is out of its range.
    SchemaError
        If a column has no role, or a role names no column.
    TableError
        If the source cannot be read.
    InfeasibleError
        If no release of this table can meet the requirements.
    CertificateError
        If the verifier finds that the release would miss a requirement; nothing is returned.

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
    own = as_secret(secret, seed=wanted.seed)
    if (place := engine_of(source, engine)) != "memory":
        check_alone(place, after=after)
        given = source if place == "spark" and table is None and query is None else located(source, table, query)
        return anonymize_in_blocks(given, wanted, own, place, master=master, work=work)
    return run.anonymize(located(source, table, query), wanted, own, after=after)


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
    """Return a release of `source` in the classes of an earlier release; every class meets every requirement again.

    Every record is put into the narrowest class of `plan` that contains it. Every class of the new release meets
    every requirement of the plan's policy by itself; rows that fit no such class are suppressed.

    Parameters
    ----------
    plan : Plan, str, Path or dict
        `release.plan`, or the plan.json of a private folder.
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, such a file in a store
        (s3://bucket/visits.parquet), the URI of a database (postgresql://, duckdb:///, sqlite:///), or a frame.
    max_suppressed : float, optional
        The share of the rows that may be suppressed; by default that of the policy. Beyond it nothing is released.
    hierarchy : dict of str to str, optional
        For a column, the path of its hierarchy file, if it has moved.
    origin : dict of str to str, optional
        For a column with `relative_to`: the first day of the newest period of this table, such as
        ``{"admitted": "2024-06-01"}``; by default it is found from the table.
    join : bool, default False
        Whether classes that miss a requirement are first merged with others, which makes new, coarser cells.
    seed : int, optional
        A number that makes several releases with one secret different.
    secret : Secret, bytes, str or Path, optional
        The secret of an earlier release, or the secret.key in its private folder: with it the same table and policy
        give the same release again. If a private folder is given, its secret is used only for the same table and
        policy. By default a new one is drawn.
    table, query : str, optional
        For the URI of a database: the table (``schema.table``) or the SELECT that is read.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, instead of what is detected. An empty quote means that cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line has the names of the columns.
    sheet : str, optional
        The sheet of an .xlsx file that has several.

    Returns
    -------
    Release
        The release, as that of `anonymize`.

    Raises
    ------
    ParameterError
        If a keyword is not known, or `plan` is not a plan.
    SchemaError
        If the table does not have the columns of the plan.
    TableError
        If the source cannot be read.
    InfeasibleError
        If more rows than `max_suppressed` would have to be suppressed.

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
    """Return whether an interrupted change was found, after bringing `out` and `out.private` to one release.

    For a run that was killed: afterwards both folders are of the old release, or both of the new one.

    Parameters
    ----------
    out : str or Path
        The public folder of the release.

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
