"""The functions that users call. Each says what is asked for and hands it to the pipeline, which joins the steps.

Keywords are typed by the TypedDicts of `shoal.policy.keywords`, where each is written down once: editors complete
them and type checkers refuse a misspelt one. `named_arguments` shows them in `help()` and refuses it at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from shoal.errors import SchemaError
from shoal.measure import Attacks
from shoal.pipeline import frontier, run
from shoal.pipeline.apply_plan import PlanLike, as_plan, policy_of
from shoal.pipeline.attack import attack as attack_release
from shoal.pipeline.inputs import PolicyLike, read_options, reporting_compilation, reporting_memory
from shoal.pipeline.next_release import After
from shoal.policy import Policy
from shoal.policy.keywords import AttackSettings, CompareSettings, Reading, Settings, as_policy
from shoal.policy.named_arguments import named_arguments
from shoal.results.comparison import Comparison
from shoal.results.release import Release
from shoal.results.release_folder import write_release
from shoal.roles import Profile
from shoal.roles import profile as _profile
from shoal.secret import SecretLike, as_secret
from shoal.tables import Frame, FrameT, read, write_text
from shoal.tables import recover as finish_change

if TYPE_CHECKING:
    import polars as pl

    from shoal.papers import mst, names, ratios
    from shoal.pipeline.derive_hierarchy import Derived


@overload
def anonymize(
    source: str | Path,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    **settings: Unpack[Settings],
) -> Release[pl.DataFrame]: ...
@overload
def anonymize(
    source: FrameT,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    **settings: Unpack[Settings],
) -> Release[FrameT]: ...
@named_arguments(Settings)
def anonymize(
    source: Frame | str | Path,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    **settings: Unpack[Settings],
) -> Release[Any]:
    """Return a release of `source` that meets every requirement, verified on the released table itself.

    What was published is read again by a verifier that shares no code with the methods; a release that does not hold
    is never returned.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Parquet or Arrow file, or a frame.
    policy : Policy, str, Path or dict, optional
        What is asked for: a policy, the path of a TOML file, or plain settings. The keywords below are laid over it.
    after : str, Path or History, optional
        For the next release of a table that changes: the private folder of the release before, or its `history`.
    secret : Secret, bytes, str or Path, optional
        That of an earlier release, or the secret.key in its private folder: with it the same table and policy give
        the same release again. A new one is drawn where none is given.
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
    k : int, optional
        The fewest people in a group, at least 2; 5 where neither it nor the policy says.
    l : float, optional
        The fewest well-represented values of a sensitive column in a group.
    max_suppressed : float, optional
        The share of the rows that may be left out, from 0 up to but not including 1.
    l_kind : {"distinct", "frequency", "entropy", "recursive"}, optional
        What well-represented means.
    c : float, optional
        For recursive diversity: the most frequent value is rarer than c times the l-th and all after it.
    t : float, optional
        The largest distance of a group's sensitive values from those of the whole table, from 0 to 1.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        How far two sensitive values are apart.
    publication : {"auto", "generalize", "aggregate", "centers", "suppress"}, optional
        What a row becomes: ranges and sets, means, one row per group, or stars where a group disagrees.
    ranges : {"brackets", "columns"}, optional
        How a range is written: ``[a, b]`` in one column, or two columns.
    objective : {"auto", "sse", "radius", "cellular", "generalization"}, optional
        What is minimized.
    method : str, optional
        How groups are found, such as "forest" or "best"; by the objective where
        not given. docs/reference lists all of them.
    loss : {"ncp", "levels", "entropy"}, optional
        What the methods that recode whole columns minimize.
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
    return run.anonymize(source, wanted, as_secret(secret, seed=wanted.seed), after=after)


@overload
def apply(
    plan: PlanLike,
    source: str | Path,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
    **reading: Unpack[Reading],
) -> Release[pl.DataFrame]: ...
@overload
def apply(
    plan: PlanLike,
    source: FrameT,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
    **reading: Unpack[Reading],
) -> Release[FrameT]: ...
@named_arguments(Reading)
def apply(
    plan: PlanLike,
    source: Frame | str | Path,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
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
        The table: a CSV, Parquet or Arrow file, or a frame.
    max_suppressed : float, optional
        The share of the rows that may be left out; the policy's where not given. Beyond it nothing is released.
    hierarchy : dict of str to str, optional
        Where hierarchy files are now.
    join : bool, default False
        Whether classes that fall short are joined with others first, which makes new, coarser cells.
    seed : int, optional
        Another number, another order of rows by the same secret.
    secret : Secret, bytes, str or Path, optional
        That of an earlier release, or the secret.key in its private folder: with it the same table and policy give
        the same release again. A new one is drawn where none is given.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, where detection should be overruled; an empty quote: cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line names the columns.

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
    changes = {"max_suppressed": max_suppressed, "hierarchy": hierarchy, "seed": seed or 0, **reading}
    wanted = policy_of(given, changes)
    return run.apply(source, wanted, as_secret(secret, seed=wanted.seed), given, join=join)


@named_arguments(Reading)
def profile(source: Frame | str | Path, **reading: Unpack[Reading]) -> Profile:
    """Return what a table gives away before release, and a role proposed for every column; no value is in it.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Parquet or Arrow file, or a frame.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, where detection should be overruled; an empty quote: cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line names the columns.

    Returns
    -------
    Profile
        Types, uniqueness, likely identifiers and the risk of publishing the table as it is. `profile.policy` is the
        proposed policy, `profile.write("policy.toml")` a file of it to read and edit.

    Raises
    ------
    TableError
        If the source cannot be read.
    ParameterError
        If a keyword is not known.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> found = shoal.profile(hospital(150))
    >>> found.policy.columns["name"].role
    'identifier'
    """
    asked = as_policy(None, reading)
    with reporting_memory():
        found = _profile(read(source, read_options(asked)))
    return replace(found, reading=asked.source.model_dump(exclude_defaults=True))


@named_arguments(Reading)
def hierarchy(
    source: Frame | str | Path,
    column: str,
    *,
    k: int = 5,
    by: Literal["cover", "quantiles", "widths", "periods", "prefix"] | None = None,
    fan_out: int = 4,
    **reading: Unpack[Reading],
) -> Derived:
    """Return a hierarchy of a column made from its own values, every class of which has at least `k` rows.

    A level above has `fan_out` times as many rows in a class. Classes by widths, periods and prefixes are round, and
    may be smaller.

    Parameters
    ----------
    source : str, Path, or frame of polars, pandas or pyarrow
        The table: a CSV, Parquet or Arrow file, or a frame.
    column : str
        The column.
    k : int, default 5
        The fewest rows in a class of the first level.
    by : {"cover", "quantiles", "widths", "periods", "prefix"}, optional
        How: labels into classes, numbers into intervals, numbers by round widths, dates by periods, codes by what
        they begin with. By the column's type where not given.
    fan_out : int, default 4
        So many times more rows at every further level.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, where detection should be overruled; an empty quote: cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line names the columns.

    Returns
    -------
    Derived
        ``print`` shows it as a tree, ``.write("file.csv")`` makes a hierarchy file of it. It holds values of the
        table, so it stays home.

    Raises
    ------
    SchemaError
        If the table has no such column, or its values do not fit `by`.
    ParameterError
        If a keyword is not known or a value is out of its range.
    InfeasibleError
        If the column has no values.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> derived = shoal.hierarchy(hospital(150), "height_cm", k=20)
    >>> derived.way, len(derived.levels) > 1
    ('quantiles', True)
    """
    from shoal.pipeline.derive_hierarchy import derive

    table = read(source, read_options(as_policy(None, reading)))
    if column not in table.columns:
        meant = get_close_matches(column, table.columns, n=1)
        raise SchemaError(
            f"the table has no column {column!r}.",
            f"did you mean {meant[0]!r}?" if meant else f"it has {', '.join(table.columns[:20])}.",
        )
    with reporting_compilation():
        cells = table.as_read if by in ("cover", "prefix") else table.frame  # of labels as they were read
        return derive(cells[column], k=k, way=by, fan_out=fan_out)


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
        The table: a CSV, Parquet or Arrow file, or a frame.
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
    l_kind : {"distinct", "frequency", "entropy", "recursive"}, optional
        What well-represented means.
    c : float, optional
        For recursive diversity: the most frequent value is rarer than c times the l-th and all after it.
    t : float, optional
        The largest distance of a group's sensitive values from those of the whole table, from 0 to 1.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        How far two sensitive values are apart.
    publication : {"auto", "generalize", "aggregate", "centers", "suppress"}, optional
        What a row becomes: ranges and sets, means, one row per group, or stars where a group disagrees.
    ranges : {"brackets", "columns"}, optional
        How a range is written: ``[a, b]`` in one column, or two columns.
    objective : {"auto", "sse", "radius", "cellular", "generalization"}, optional
        What is minimized.
    method : str, optional
        How groups are found, such as "forest" or "best"; by the objective where
        not given. docs/reference lists all of them.
    loss : {"ncp", "levels", "entropy"}, optional
        What the methods that recode whole columns minimize.
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
    k : int, optional
        The fewest people in a group, at least 2; 5 where neither it nor the policy says.
    l : float, optional
        The fewest well-represented values of a sensitive column in a group.
    max_suppressed : float, optional
        The share of the rows that may be left out, from 0 up to but not including 1.
    l_kind : {"distinct", "frequency", "entropy", "recursive"}, optional
        What well-represented means.
    c : float, optional
        For recursive diversity: the most frequent value is rarer than c times the l-th and all after it.
    t : float, optional
        The largest distance of a group's sensitive values from those of the whole table, from 0 to 1.
    t_distance : {"equal", "ordered", "hierarchical"}, optional
        How far two sensitive values are apart.
    publication : {"auto", "generalize", "aggregate", "centers", "suppress"}, optional
        What a row becomes: ranges and sets, means, one row per group, or stars where a group disagrees.
    ranges : {"brackets", "columns"}, optional
        How a range is written: ``[a, b]`` in one column, or two columns.
    separator, quote, encoding, decimal : str, optional
        How a text file is written, where detection should be overruled; an empty quote: cells are never quoted.
    null_values : sequence of str, optional
        Texts that mean missing.
    has_header : bool, optional
        Whether the first line names the columns.

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


def demo(out: str | Path, *, people: int = 2000) -> Release[pl.DataFrame]:
    """A generated hospital table, anonymized and written to `out`; the table itself is kept in `out.private`."""
    from shoal.datasets import POLICY, hospital

    table = hospital(people)
    release = replace(anonymize(table, Policy.loads(POLICY)), source="hospital.csv")
    return write_release(release, out, raw={"hospital.csv": table})


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


def papers(
    paper: str,
    data: str | Path | None = None,
    *,
    tables: Sequence[int] | None = None,
    seed: int = 0,
    html: str | Path | None = None,
) -> Sequence[mst.Row] | Sequence[names.Row] | Sequence[ratios.Row]:
    """The experiments of a paper, printed and measured; `html` also writes a page with the charts.

    "mst" has tables 5 to 10; "names" has figure 7, with the largest ratio in every subrange of k; "gather",
    "cellular", "diversity" and "generalization", whose papers print none, have the ratio seen beside the one proved.
    """
    from shoal.papers.repeat import repeat

    rows, page = repeat(paper, None if data is None else Path(data), tables=tables, seed=seed)
    if html is not None:
        write_text(html, page)
    return rows
