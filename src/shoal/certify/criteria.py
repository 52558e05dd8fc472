"""Measure k-anonymity and the criteria on sensitive values of a released table and compare them with a policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from shoal.certify.areas import check_areas
from shoal.certify.date_cells import check_dates, dates_of
from shoal.certify.equivalence_classes import Classes, class_ids, classes_of_centers, classes_of_rows
from shoal.certify.findings import MORE_IS_WORSE, TOGETHER, TOLERANCE, Claim, Criterion, Failure, Findings, Unit
from shoal.certify.formulas import diversity, equal_distance, hierarchical_distance, ordered_distance
from shoal.certify.hierarchies import levels_of
from shoal.certify.key_sets import key_sets
from shoal.certify.number_cells import check_numbers, numbers_of
from shoal.certify.open_cells import LEAST, OPEN, open_values, short_sets, shows_values
from shoal.certify.or_missing import check_missing_counts, check_or_missing
from shoal.certify.recoded import check_recoded, unmarked
from shoal.certify.reduced import Reduced
from shoal.certify.released_columns import Columns, sort_columns
from shoal.certify.rounded import check_rounded
from shoal.certify.sensitive_values import UnreadableError, values_of
from shoal.certify.set_cells import check_set_cells, fewest_sharing
from shoal.certify.share_formulas import largest_change, largest_gain, largest_share, listed_values
from shoal.policy import Column, Policy


def inspect(frame: pl.DataFrame, policy: Policy, *, form: str, reduced: Reduced | None = None) -> Findings:
    """Return what was measured on a released table under a policy, with a failure for everything that does not hold.

    All cells of `frame` must be text, and a missing cell must be null, not the empty text. A table that was read in
    parts is given by its `reduced` counts, and `frame` is its small table: then failures of single cells are found,
    and how many cells they concern is not (`reduced.EXACT`).
    """
    if reduced is not None and reduced.findings is not None:
        return reduced.findings
    unit: Unit = "people" if policy.person else "rows"
    height = frame.height if reduced is None else reduced.height
    columns = sort_columns(frame.columns, policy, form, height)
    failures = list(columns.failures)
    if height == 0:
        failures.append(Failure(check="file", message="the release has no rows"))
        return Findings(form=form, unit=unit, failures=tuple(failures))
    if form == "centers":
        classes = classes_of_centers(frame, columns, persons=policy.person is not None)
    elif reduced is not None:
        classes = reduced.classes
    else:
        classes = classes_of_rows(frame, columns)
    failures += classes.failures
    keyed = key_sets(frame, columns, classes, policy, form)
    frame, wrong = check_cells(frame, policy, form)
    failures += wrong
    if policy.max_groups is not None and classes.people.height > policy.max_groups:
        message = f"the release has {classes.people.height} groups, and may have at most {policy.max_groups}"
        failures.append(Failure(check="groups", message=message))
    measured = [_anonymity(policy, classes)]
    for name, shared in keyed.items():
        measured.append(Measured(criterion="key-anonymity", column=name, asked=policy.keys[name].k, by_class=shared))
    if classes.spread is not None:
        measured.append(Measured(criterion=TOGETHER, column=columns.person, asked=1, by_class=classes.spread))
    for name in columns.sensitive:
        found = measure_column(name, policy.columns[name], policy, classes)
        if isinstance(found, Failure):
            failures.append(found)
        else:
            measured += found
    for name in policy.sensitive_quasi:
        if shows_values(policy.columns[name], form) and name not in columns.absent:
            seen, short = _open(name, frame, policy, columns)
            measured.append(seen)
            failures += short
    if (sets := policy.set_column) is not None and sets not in columns.absent:
        failures += check_set_cells(frame, policy)
        measured.append(_sharing(sets, frame, policy, columns))
    failures += [failure for one in measured if (failure := one.failure(classes)) is not None]
    worst = {(one.criterion, one.column): one.worst for one in measured}
    return Findings(
        form=form,
        unit=unit,
        rows=height,
        groups=classes.people.height,
        k=int(worst["k-anonymity", None]),
        l={name: value for (criterion, name), value in worst.items() if criterion == "l-diversity" and name},
        t={name: value for (criterion, name), value in worst.items() if criterion == "t-closeness" and name},
        claims=tuple(one.claim(unit) for one in measured if one.asked is not None),
        failures=tuple(failures),
    )


def check_cells(frame: pl.DataFrame, policy: Policy, form: str) -> tuple[pl.DataFrame, list[Failure]]:
    """Return the frame in plain spelling, and a failure for every column with cells that are not as the policy says.

    The spelling is without marks of top and bottom, with dates in ISO 8601 and numbers with a point.
    """
    frame, failures = check_recoded(frame, policy, form)
    frame, unread = check_dates(frame, policy)
    frame, unread_numbers = check_numbers(frame, policy)
    failures = [*failures, *unread, *unread_numbers]
    if form == "generalize":
        failures += check_areas(frame, policy)
        failures += check_rounded(frame, policy)
        failures += check_or_missing(frame, policy)
    if form in ("aggregate", "centers"):
        failures += check_missing_counts(frame, policy)
    return frame, failures


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """One criterion on one column: its measure in every equivalence class, and the value the policy requires.

    `asked` is None where the policy requires nothing; the measure is then reported and cannot fail.
    """

    criterion: Criterion
    column: str | None = None
    kind: str | None = None
    c: float | None = None
    count_missing: bool = False
    m: int | None = None
    asked: float | None
    by_class: pl.DataFrame

    @property
    def worst(self) -> float:
        """The worst measure of all equivalence classes, such as the largest t or the smallest l, to nine decimals."""
        measure = self.by_class["measure"]
        found: Any = measure.max() if self.criterion in MORE_IS_WORSE else measure.min()
        return round(float(found or 0.0), 9) + 0.0  # adding 0.0 turns -0.0 into 0.0

    @property
    def missed(self) -> pl.Series:
        """The equivalence classes that do not meet the requirement, up to floating-point tolerance."""
        asked, measure = self.asked or 0.0, pl.col("measure")
        if self.criterion == "delta-disclosure":  # which must be below what is asked, not equal to it
            short = measure >= asked - TOLERANCE
        elif self.criterion in MORE_IS_WORSE:
            short = measure > asked + TOLERANCE
        else:
            short = measure < asked * (1 - TOLERANCE)
        return self.by_class.filter(short)["class"]

    def claim(self, unit: Unit) -> Claim:
        """Return the requirement and the worst measure as a claim of a certificate."""
        return Claim(
            criterion=self.criterion,
            column=self.column,
            kind=self.kind,
            c=self.c,
            count_missing=self.count_missing,
            m=self.m,
            claimed=whole_number(self.asked or 0.0),
            measured=whole_number(self.worst),
            unit=unit,
            holds=not len(self.missed),
        )

    def failure(self, classes: Classes) -> Failure | None:
        """Return a failure that counts the classes and records below the requirement; None where it is met."""
        missed = self.missed
        if self.asked is None or not len(missed):
            return None
        records = classes.records(missed)
        of = f" of {self.column}" if self.column else ""
        message = (
            f"{self.criterion}{of}: {len(missed)} of {classes.people.height} groups ({records} records) "
            f"miss {self.asked:g}; the worst has {self.worst:g}"
        )
        return Failure(check=self.criterion, column=self.column, message=message, groups=len(missed), records=records)


def whole_number(number: float) -> float:
    """Return a float without a fractional part as an int, so that it is written 5 and not 5.0."""
    return int(number) if number == int(number) else number


def _anonymity(policy: Policy, classes: Classes) -> Measured:
    """Measure k-anonymity: the number of people in every equivalence class."""
    people = classes.people.select("class", measure=pl.col("people").cast(pl.Float64))
    return Measured(criterion="k-anonymity", asked=policy.k, by_class=people)


def _sharing(name: str, frame: pl.DataFrame, policy: Policy, columns: Columns) -> Measured:
    """Measure how many people of a class share a combination of items of a set at least."""
    ids = pl.Series("class", class_ids(frame.select(columns.quasi), frame.height))
    people = None if columns.person is None else frame[columns.person]
    by_class = fewest_sharing(frame[name], ids, people, policy.columns[name].between, policy.known_items)
    return Measured(criterion="km-anonymity", column=name, m=policy.known_items, asked=policy.k, by_class=by_class)


def _open(name: str, frame: pl.DataFrame, policy: Policy, columns: Columns) -> tuple[Measured, list[Failure]]:
    """Measure how many values the cells of a quasi-identifier that is also sensitive may stand for at least."""
    own = (name, f"{name}_min", f"{name}_max", f"{name}_missing")
    parts = [part for part in own if part in columns.quasi]
    ids = class_ids(frame.select(columns.quasi), frame.height)
    cells, column = frame.select(parts).with_columns(pl.Series("class", ids)), policy.columns[name]
    by_class = open_values(cells, column)
    return Measured(criterion=OPEN, column=name, asked=LEAST, by_class=by_class), short_sets(name, cells, column)


def have_order(texts: pl.Series) -> bool:
    """Return whether all texts are numbers, or all are dates."""
    try:
        values_of(texts, Column(role="sensitive"), ordered=True)
    except UnreadableError:
        return False
    return True


def measure_column(name: str, column: Column, policy: Policy, classes: Classes) -> list[Measured] | Failure:
    """Measure one column of `policy.all_sensitive` by the criteria, and of the kinds, that the policy requires.

    Without a requirement these are distinct l-diversity and t-closeness by equal distance. Where a policy states
    neither the distance nor the kind, values that are all numbers or dates have an order. A failure is returned
    instead if some cells are not values of the column, such as a text where numbers are ordered.
    """
    asked_l, asked_t = policy.diversity_of(name), policy.closeness_of(name)
    kind, distance = asked_l.kind if asked_l else "distinct", policy.distance_of(name)
    texts = classes.texts[name]
    try:
        if column.top is not None or column.bottom is not None:
            texts = texts.with_columns(text=unmarked(texts["text"]))
            classes = replace(classes, texts=classes.texts | {name: texts})
        if column.date_format is not None:
            texts = texts.with_columns(dates_of(texts["text"], column.date_format))
            classes = replace(classes, texts=classes.texts | {name: texts})
        if column.number is not None:
            texts = texts.with_columns(numbers_of(texts["text"], column.number))
            classes = replace(classes, texts=classes.texts | {name: texts})
        if asked_t is not None and asked_t.distance == "auto" and column.kind is None and have_order(texts["text"]):
            distance = "ordered"
        by_leaves = distance == "hierarchical"
        values = values_of(texts["text"], column, ordered=distance == "ordered", leaves=by_leaves)
        pairs = classes.pairs(name, values)
        if distance == "ordered":
            close = ordered_distance(pairs)
        elif distance == "hierarchical":
            levels = levels_of(name, values["text"].to_list(), column)
            close = hierarchical_distance(pairs, values, levels)
        else:
            close = equal_distance(pairs)
    except UnreadableError as found:
        touched = texts.filter(pl.col("text").is_in(found.texts.implode()))["class"].unique()
        return Failure(
            check="columns",
            column=name,
            message=f"column {name} has {len(found.texts)} values that are not {found.expected}",
            groups=len(touched),
            records=classes.records(touched),
        )
    count_missing = asked_l is not None and asked_l.count_missing
    unknown = None if count_missing else int(values["value"][-1])  # the last row is the missing value
    diverse = diversity(pairs, classes.people, kind, asked_l.c if asked_l else None, missing=unknown)
    shares = _shares(name, column, policy, classes, pairs, values, leaves=by_leaves)
    return [
        Measured(
            criterion="l-diversity",
            column=name,
            kind=kind,
            c=asked_l.c if asked_l else None,
            count_missing=count_missing,
            asked=asked_l.l if asked_l else None,
            by_class=diverse,
        ),
        Measured(
            criterion="t-closeness",
            column=name,
            kind=distance,
            asked=asked_t.t if asked_t else None,
            by_class=close,
        ),
        *shares,
    ]


def _shares(
    name: str,
    column: Column,
    policy: Policy,
    classes: Classes,
    pairs: pl.DataFrame,
    values: pl.DataFrame,
    *,
    leaves: bool,
) -> list[Measured]:
    """Measure the limits on the shares of single values that the policy requires of a column."""
    asked = policy.disclosure_of(name)
    found: list[Measured] = []
    if asked is None:
        return found
    if asked.alpha is not None:
        limited = None if asked.values is None else listed_values(asked.values, values, column, leaves=leaves)
        share = largest_share(pairs, classes.people, missing=int(values["value"][-1]), limited=limited)
        kind = "all" if asked.values is None else "listed"
        found.append(Measured(criterion="alpha-anonymity", column=name, kind=kind, asked=asked.alpha, by_class=share))
    if asked.beta is not None:
        gain = largest_gain(pairs, asked.beta, asked.kind)
        found.append(
            Measured(criterion="beta-likeness", column=name, kind=asked.kind, asked=asked.beta, by_class=gain)
        )
    if asked.delta is not None:
        change = largest_change(pairs)
        found.append(Measured(criterion="delta-disclosure", column=name, asked=asked.delta, by_class=change))
    return found
