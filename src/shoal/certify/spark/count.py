"""Count a released table on Spark, and compare what was found with a policy.

Guarantee   The findings are those of `shoal.certify.criteria.inspect` on the same table: the same k, l and t, claims
            and failures; only where single cells are not what the policy says of a column, how many they are is not
            counted. What comes to this process are counts, and the different values of sensitive columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.certify.criteria import have_order, whole_number
from shoal.certify.date_cells import dates_of
from shoal.certify.findings import MORE_IS_WORSE, TOGETHER, TOLERANCE, Claim, Criterion, Failure, Findings, Unit
from shoal.certify.hierarchies import levels_of
from shoal.certify.number_cells import numbers_of
from shoal.certify.recoded import unmarked
from shoal.certify.released_columns import Columns, published_columns, sort_columns
from shoal.certify.sensitive_values import UnreadableError, values_of
from shoal.certify.share_formulas import listed_values
from shoal.certify.spark import measures
from shoal.certify.spark.cells import cell_failures
from shoal.certify.spark.people import people_of
from shoal.certify.spark.rows import CLASS, Rows, counting
from shoal.errors import ParameterError
from shoal.policy import Column, Policy

MOST_VALUES = 5_000_000
"""Different values of a sensitive column that are taken into this process; 5 million texts take about 1 GB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """One criterion on one column, and its measure in every class: class and measure."""

    criterion: Criterion
    column: str | None = None
    kind: str | None = None
    c: float | None = None
    count_missing: bool = False
    asked: float | None
    by_class: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """One criterion on one column: the worst measure of all classes, and how many miss what is asked."""

    criterion: Criterion
    column: str | None = None
    kind: str | None = None
    c: float | None = None
    count_missing: bool = False
    asked: float | None
    measure: float
    groups: int
    records: int

    def claim(self, unit: Unit) -> Claim:
        """Return the requirement and the worst measure as a claim of a certificate."""
        return Claim(
            criterion=self.criterion,
            column=self.column,
            kind=self.kind,
            c=self.c,
            count_missing=self.count_missing,
            claimed=whole_number(self.asked or 0.0),
            measured=whole_number(self.measure),
            unit=unit,
            holds=not self.groups,
        )

    def failure(self, n_groups: int) -> Failure | None:
        """Return a failure that counts the classes and records below the requirement; None where it is met."""
        if self.asked is None or not self.groups:
            return None
        of = f" of {self.column}" if self.column else ""
        message = (
            f"{self.criterion}{of}: {self.groups} of {n_groups} groups ({self.records} records) "
            f"miss {self.asked:g}; the worst has {self.measure:g}"
        )
        return Failure(
            check=self.criterion, column=self.column, message=message, groups=self.groups, records=self.records
        )


def check_scope(policy: Policy, form: str) -> None:
    """Raise a ParameterError for a release that is not counted on Spark."""
    way_out = "verify it without Spark, which reads it in parts."
    if form == "centers":
        raise ParameterError("a release of centers has one row for each group, and is not counted on Spark.", way_out)
    if policy.set_column is not None:
        raise ParameterError("a release with a column of sets is not counted on Spark.", way_out)
    if policy.synthetic is not None:
        raise ParameterError("a release with synthetic rows is not counted on Spark.", way_out)
    if any(column.map is not None or column.longitude is not None for column in policy.columns.values()):
        raise ParameterError("a release with areas of a map is not counted on Spark.", way_out)


def inspect_rows(rows: Rows, policy: Policy, form: str) -> Findings:
    """Return what was measured on a released table under a policy, with a failure for all that does not hold."""
    check_scope(policy, form)
    try:
        with counting():
            return _inspected(rows, policy, form)
    finally:
        rows.close()


def _inspected(rows: Rows, policy: Policy, form: str) -> Findings:
    from pyspark.sql import functions as sql

    unit: Unit = "people" if policy.person else "rows"
    columns = sort_columns(rows.names, policy, form, 0)
    used = rows.keep(rows.with_classes(columns.quasi))
    height = int(used.count())
    columns = sort_columns(rows.names, policy, form, height)
    failures = list(columns.failures)
    if height == 0:
        failures.append(Failure(check="file", message="the release has no rows"))
        return Findings(form=form, unit=unit, failures=tuple(failures))
    people, spread, wrong = people_of(rows, used, columns)
    n_groups = int(people.count())
    failures += wrong
    cells, opened = cell_failures(rows, used, columns, policy, form)
    failures += cells
    if policy.max_groups is not None and n_groups > policy.max_groups:
        message = f"the release has {n_groups} groups, and may have at most {policy.max_groups}"
        failures.append(Failure(check="groups", message=message))
    held = people.select(CLASS, sql.col("people").alias("measure"))
    measured = [Measured(criterion="k-anonymity", asked=policy.k, by_class=held)]
    measured += _key_sets(rows, used, people, columns, policy, form)
    if spread is not None:
        measured.append(Measured(criterion=TOGETHER, column=columns.person, asked=1, by_class=spread))
    for name in columns.sensitive:
        found = _measure_column(rows, used, people, columns, name, policy)
        if isinstance(found, Failure):
            failures.append(found)
        else:
            measured += found
    found_worst = [*_worst_of(people, measured), *(Worst(**one) for one in opened)]
    failures += [failure for one in found_worst if (failure := one.failure(n_groups)) is not None]
    worst = {(one.criterion, one.column): one.measure for one in found_worst}
    return Findings(
        form=form,
        unit=unit,
        rows=height,
        groups=n_groups,
        k=int(worst["k-anonymity", None]),
        l={name: value for (criterion, name), value in worst.items() if criterion == "l-diversity" and name},
        t={name: value for (criterion, name), value in worst.items() if criterion == "t-closeness" and name},
        claims=tuple(one.claim(unit) for one in found_worst if one.asked is not None),
        failures=tuple(failures),
    )


def _worst_of(people: Any, measured: Sequence[Measured]) -> list[Worst]:
    """Return the worst measure of each criterion, and how many classes and records miss it, in one pass."""
    from pyspark.sql import functions as sql

    together = None
    for place, one in enumerate(measured):
        measure, limit = sql.col("measure"), one.asked or 0.0
        if one.criterion == "delta-disclosure":  # which must be below what is asked, not equal to it
            missed = measure >= limit - TOLERANCE
        elif one.criterion in MORE_IS_WORSE:
            missed = measure > limit + TOLERANCE
        else:
            missed = measure < limit * (1 - TOLERANCE)
        rows = one.by_class.select(
            CLASS, sql.lit(place).alias("place"), measure.cast("double").alias("measure"), missed.alias("missed")
        )
        together = rows if together is None else together.unionAll(rows)
    assert together is not None
    missed = sql.col("missed")
    counted = (
        people.select(CLASS, "records")
        .join(together, CLASS)
        .groupBy("place")
        .agg(
            sql.min("measure").alias("least"),
            sql.max("measure").alias("most"),
            sql.sum(sql.when(missed, 1).otherwise(0)).alias("groups"),
            sql.sum(sql.when(missed, sql.col("records")).otherwise(0)).alias("records"),
        )
        .collect()
    )
    found = []
    of = {row["place"]: row for row in counted}
    for place, one in enumerate(measured):
        row = of[place]
        worst = row["most"] if one.criterion in MORE_IS_WORSE else row["least"]
        own = {name: getattr(one, name) for name in ("criterion", "column", "kind", "c", "count_missing", "asked")}
        rounded = round(float(worst or 0.0), 9) + 0.0
        found.append(Worst(**own, measure=rounded, groups=int(row["groups"]), records=int(row["records"])))
    return found


def _key_sets(rows: Rows, used: Any, people: Any, columns: Columns, policy: Policy, form: str) -> list[Measured]:
    """Measure how many people share the combination that each class has in every key set."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    several = columns.person is not None and columns.numbered == "in classes"
    found = []
    for name, keys in policy.keys.items():
        parts = [part for column in keys.columns for part in published_columns(column, set(rows.names), policy, form)]
        parts = [rows.column(part) for part in parts if part in columns.quasi]
        if parts:
            of_class = used.select(CLASS, *parts).distinct().join(people.select(CLASS, "people"), CLASS)
            total = (sql.max if several else sql.sum)("people").over(Window.partitionBy(*parts))
            shared = of_class.select(CLASS, total.cast("double").alias("measure"))
        else:  # no column of the set is there, which is a failure of its own
            shared = people.select(CLASS, sql.lit(0.0).alias("measure"))
        found.append(Measured(criterion="key-anonymity", column=name, asked=keys.k, by_class=shared))
    return found


def _measure_column(
    rows: Rows, used: Any, people: Any, columns: Columns, name: str, policy: Policy
) -> list[Measured] | Failure:
    """Measure one sensitive column; a failure if some of its cells are not values of it."""
    from pyspark.sql import functions as sql

    column, asked_l, asked_t = policy.columns[name], policy.diversity_of(name), policy.closeness_of(name)
    distance = policy.distance_of(name)
    person = None if columns.person is None else rows.column(columns.person)
    kept = [sql.col(CLASS), sql.col(rows.column(name)).alias("text")]
    texts = used.select(*kept) if person is None else used.select(*kept, sql.col(person).alias("person"))
    listed = rows.collected(texts.select("text").distinct().limit(MOST_VALUES + 1))["text"]
    if len(listed) > MOST_VALUES:
        raise ParameterError(
            f"column {name} has more than {MOST_VALUES} different values, which are too many to compare here.",
            "give its bins in the policy, or verify the release without Spark.",
        )
    try:
        plain = _plain(listed, column)
        if asked_t is not None and asked_t.distance == "auto" and column.kind is None and have_order(plain):
            distance = "ordered"
        by_leaves = distance == "hierarchical"
        values = values_of(plain, column, ordered=distance == "ordered", leaves=by_leaves)
        levels = levels_of(name, values["text"].to_list(), column) if by_leaves else []
    except UnreadableError as found:
        bad = listed.filter(_plain_or_same(listed, column).is_in(found.texts.implode()))
        return _unreadable(rows, texts, people, name, bad, found)
    spelled = pl.DataFrame({"text": listed, "plain": plain}).join(
        values.rename({"text": "plain"}), on="plain", how="left", nulls_equal=True
    )
    pairs = measures.pairs_of(rows, texts, person, people, spelled.select("text", "value"))
    if distance == "ordered":
        close = measures.ordered_distance(pairs)
    elif by_leaves:
        nodes = [values.select("value", node=pl.Series(level)).unique("value") for level in levels[:-1]]
        close = measures.level_distance(pairs, nodes)
    else:
        close = measures.level_distance(pairs, [values.select("value", node="value").unique()])
    missing = int(values["value"][-1])  # the last row is the missing value
    count_missing = asked_l is not None and asked_l.count_missing
    kind, c = (asked_l.kind, asked_l.c) if asked_l is not None else ("distinct", None)
    diverse = measures.diversity(pairs, kind, c, missing=None if count_missing else missing)
    return [
        Measured(
            by_class=diverse,
            criterion="l-diversity",
            column=name,
            kind=kind,
            c=c,
            count_missing=count_missing,
            asked=asked_l.l if asked_l else None,
        ),
        Measured(
            by_class=close,
            criterion="t-closeness",
            column=name,
            kind=distance,
            asked=asked_t.t if asked_t else None,
        ),
        *_shares(pairs, name, policy, values, missing, leaves=by_leaves),
    ]


def _shares(
    pairs: measures.Pairs,
    name: str,
    policy: Policy,
    values: pl.DataFrame,
    missing: int,
    *,
    leaves: bool,
) -> list[Measured]:
    """Measure the limits on the shares of single values that the policy requires of a column."""
    asked, found = policy.disclosure_of(name), []
    if asked is None:
        return []
    if asked.alpha is not None:
        limited = (
            None if asked.values is None else listed_values(asked.values, values, policy.columns[name], leaves=leaves)
        )
        share = measures.largest_share(pairs, missing=missing, limited=limited)
        kind = "all" if asked.values is None else "listed"
        found.append(Measured(by_class=share, criterion="alpha-anonymity", column=name, kind=kind, asked=asked.alpha))
    if asked.beta is not None:
        gain = measures.largest_gain(pairs, asked.beta, asked.kind)
        found.append(
            Measured(by_class=gain, criterion="beta-likeness", column=name, kind=asked.kind, asked=asked.beta)
        )
    if asked.delta is not None:
        change = measures.largest_change(pairs)
        found.append(Measured(by_class=change, criterion="delta-disclosure", column=name, asked=asked.delta))
    return found


def _plain(texts: pl.Series, column: Column) -> pl.Series:
    """Return texts without marks of top and bottom, and with dates and numbers as Shoal writes them."""
    if column.top is not None or column.bottom is not None:
        texts = unmarked(texts)
    if column.date_format is not None:
        texts = dates_of(texts, column.date_format)
    if column.number is not None:
        texts = numbers_of(texts, column.number)
    return texts


def _plain_or_same(texts: pl.Series, column: Column) -> pl.Series:
    """Return texts as `_plain` does; as they are where that cannot be."""
    try:
        return _plain(texts, column)
    except UnreadableError:
        return texts


def _unreadable(rows: Rows, texts: Any, people: Any, name: str, bad: pl.Series, found: UnreadableError) -> Failure:
    """Return the failure of a column with cells that are not values of it."""
    from pyspark.sql import functions as sql

    listed: Sequence[Any] = bad.to_list()
    marked = rows.small(pl.DataFrame({"bad": listed}, schema={"bad": pl.String}))
    touched = texts.join(marked, texts["text"] == marked["bad"]).select(CLASS).distinct()
    row = people.join(touched, CLASS).agg(sql.count(sql.lit(1)).alias("groups"), sql.sum("records").alias("records"))
    counted = row.collect()[0]
    return Failure(
        check="columns",
        column=name,
        message=f"column {name} has {len(found.texts)} values that are not {found.expected}",
        groups=int(counted["groups"]),
        records=int(counted["records"] or 0),
    )
