"""The function that releases several tables about the same people together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.pipeline.linked import run
from shoal.policy.linked import LinkedPolicy
from shoal.policy.named_arguments import named_arguments
from shoal.results.linked import LinkedRelease
from shoal.secret import SecretLike, as_secret
from shoal.tables import Frame
from shoal.tables.database.source import located


@named_arguments()
def anonymize_tables(
    tables: Mapping[str, Frame | str | Path],
    policy: Mapping[str, Any] | str | Path,
    *,
    k: int | None = None,
    max_suppressed: float | None = None,
    seed: int | None = None,
    secret: SecretLike = None,
) -> LinkedRelease:
    """Return a release of several tables about the same people, in which each person is like k - 1 others in all.

    Everybody gets one pseudonym in all tables. Whoever knows the quasi-identifiers of all rows of a person in all
    tables, and how many rows there are, finds at least k people of whom the tables publish exactly the same. So the
    people of a group keep equally many rows in every table; rows beyond that are left out, drawn at random.

    Parameters
    ----------
    tables : dict of str to str, Path, or frame of polars, pandas or pyarrow
        The tables by the names that the policy has for them, such as ``{"patients": "p.csv", "visits": frame}``.
    policy : dict, str or Path
        The path of a TOML file, or plain settings: k and others for all tables, and under ``tables`` the columns of
        each. Every table has one column with the role person.
    k : int, optional
        The fewest people who are published alike in all tables, instead of that in the policy.
    max_suppressed : float, optional
        The share of the rows of each table that may be left out, instead of that in the policy.
    seed : int, optional
        A number that makes several releases with one secret different.
    secret : Secret, bytes, str or Path, optional
        The secret of an earlier release, or the secret.key in its private folder: with it the same tables and policy
        give the same release again. By default a new one is drawn.

    Returns
    -------
    LinkedRelease
        ``release.tables["visits"]`` is a frame of the same kind as that table, ``release.write("out")`` writes all.

    Raises
    ------
    ParameterError
        If the policy does not fit the tables, or has settings that linked tables cannot keep.
    SchemaError
        If a column has no role, or a row no person.
    InfeasibleError
        If no grouping can meet the requirements, or more rows would have to be left out than is allowed.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> patients = pl.DataFrame({"who": range(12), "age": [30, 31, 32, 33, 34, 35] * 2})
    >>> visits = pl.DataFrame({"who": [*range(12), *range(12)], "day": [1] * 12 + [9] * 12})
    >>> columns = {"who": {"role": "person"}}
    >>> policy = {"k": 3, "tables": {
    ...     "patients": {"columns": columns | {"age": {"role": "quasi"}}},
    ...     "visits": {"columns": columns | {"day": {"role": "quasi"}}},
    ... }}
    >>> release = shoal.anonymize_tables({"patients": patients, "visits": visits}, policy)
    >>> release.findings.holds
    True
    """
    if not isinstance(tables, Mapping):
        raise ParameterError(
            f"tables cannot be a {type(tables).__name__}.",
            'give a dictionary of names and tables, such as {"patients": "patients.csv", "visits": "visits.csv"}.',
        )
    asked = LinkedPolicy.parse(policy) if isinstance(policy, Mapping) else LinkedPolicy.load(policy)
    asked = asked.changed(k=k, max_suppressed=max_suppressed, seed=seed)
    sources = {str(name): located(source, None, None) for name, source in tables.items()}
    return run.anonymize_tables(sources, asked, as_secret(secret, seed=asked.first.seed))
