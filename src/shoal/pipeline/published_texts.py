"""Resolving roles for a release, and checking that its texts identify nobody.

A set of labels, a legend of classes, a mode, a center and a leaf of a hierarchy show labels as they are, and so does
a column with the role `other`. If only one person in the whole table has such a label, it reveals that this person is
in the group, however many people share it. If more rows have such a label than may be suppressed, the run is refused
before groups are made; otherwise the cells of the release are checked. There the released rows are counted: if two
people have a label and one of them is suppressed, the other is alone with it in what is published. Numbers, dates and
places are published as ranges, and the values of an order or a map are listed in the policy, so they are not checked.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.caller import setting, settings
from shoal.clock import Clock
from shoal.errors import SchemaError
from shoal.partition.methods.choose import choose
from shoal.partition.result import share_of
from shoal.pipeline.inputs import resolve_roles
from shoal.pipeline.publication import Checked
from shoal.policy import Column, Policy
from shoal.publish import GroupColumn
from shoal.roles.inside_text import Inside, identifiers_inside
from shoal.roles.kinds import is_text, misfits
from shoal.roles.rare_values import MERGED_LABEL, people_of_values, rare_values
from shoal.roles.sampling_weights import check_unique_weights
from shoal.tables import Table
from shoal.tables.text import text_of


def resolve_for_release(table: Table, policy: Policy, clock: Clock, *, planned: bool) -> tuple[Table, Policy]:
    """Return the table and the policy with all roles and kinds resolved, after checking the texts to be published.

    Raise SchemaError if a column has no role, or if every release would show a text that names a person.
    """
    table, resolved = resolve_roles(table, policy, clock)
    check_published_texts(table, resolved, planned=planned)
    return table, resolved


def check_published_texts(table: Table, policy: Policy, *, planned: bool) -> None:
    """Raise SchemaError if every release would show a label of one person, or an identifier inside a text.

    If groups are `planned`, the labels of quasi-identifiers come from an earlier release and were checked then.
    """
    frame = table.as_read
    check_texts(table, policy, planned=planned)
    rare = rare_labels(table, policy, planned=planned)
    held = [text_of(frame[name]).is_in(found.implode()).fill_null(value=False) for name, found in rare.items()]
    if held and int(pl.DataFrame(held).max_horizontal().sum()) > share_of(policy.max_suppressed, frame.height):
        raise rare_labels_error({name: len(found) for name, found in rare.items()}, policy)


def check_texts(table: Table, policy: Policy, *, planned: bool) -> None:
    """Raise SchemaError for an identifier inside a text that would be published, or a sampling weight of one row."""
    may_show = [] if planned else shown_labels(policy)[0]
    _check_identifiers_inside(table.as_read, policy, [*may_show, *policy.unchanged])
    check_unique_weights(table.as_read, policy)


def rare_labels(table: Table, policy: Policy, *, planned: bool) -> dict[str, pl.Series]:
    """Return, per column, the labels that one person alone has and that are published if their rows are."""
    in_sets = [] if planned else shown_labels(policy)[1]
    asked = [
        name for name in [*in_sets, *_raw_labels(table, policy)] if policy.columns[name].publish_rare is not True
    ]
    return {name: found for name in asked if len(found := rare_values(table.as_read, name, policy.person))}


def check_released_labels(checked: Checked) -> None:
    """Raise SchemaError if the cells of a release show a label that only one person in the released rows has.

    The cells of a plan are not checked again: they were published in an earlier release and checked then. A label
    that stands for merged ones is nobody's own.
    """
    grouped, published = checked.grouped, checked.published
    policy, kept = grouped.task.policy, grouped.partition.labels >= 0
    frame = grouped.task.table.as_read.filter(kept)
    found = {}
    for column in published.columns if grouped.plan is None else ():
        asked = policy.columns[column.name]
        if asked.publish_rare is True or not _holds_labels(asked):
            continue
        if asked.kind == "hierarchy" and published.form == "generalize":
            found[column.name] = _rare_nodes(column, frame, policy.person)
        else:
            rare = _own_labels(frame, column.name, policy)
            found[column.name] = int(rare.is_in(list(_labels_in(column, published.form))).sum())
    for name in _raw_labels(grouped.task.table, policy):
        if policy.columns[name].publish_rare is not True:
            found[name] = len(_own_labels(frame, name, policy))
    check_unique_weights(frame, policy, left_out=int((~kept).sum()))
    if shown := {name: count for name, count in found.items() if count}:
        raise rare_labels_error(shown, policy, left_out=int((~kept).sum()))


def shown_labels(policy: Policy) -> tuple[list[str], list[str]]:
    """Return the quasi-identifiers whose labels may be shown, and those of which every released label is shown."""
    choice = choose(policy)
    in_sets = choice.form == "generalize" and not choice.whole_columns
    labels = [name for name in policy.quasi if policy.columns[name].kind == "label"]
    certain = [name for name in labels if in_sets or policy.columns[name].classes is not None]
    return (labels if choice.form in ("aggregate", "centers") else certain), certain


def _raw_labels(table: Table, policy: Policy) -> list[str]:
    """Return the columns that are published unchanged and whose texts are not all numbers or dates."""
    found = [name for name in policy.named("other") if policy.columns[name].kind in (None, "label")]
    found = [name for name in found if not _has_noise(policy.columns[name])]
    texts = [name for name in found if is_text(table.frame[name].dtype)]
    # What has a top, a bottom or is rounded is a number or a date, also where it is written as >=90.
    plain = [name for name in texts if not policy.columns[name].is_recoded or policy.columns[name].merge is not None]
    return [name for name in plain if misfits(table.frame[name], "number") and misfits(table.frame[name], "date")]


def _has_noise(column: Column) -> bool:
    """Return whether a column is published as other numbers than it has."""
    return column.perturb is not None and column.perturb.method == "noise"


def _own_labels(frame: pl.DataFrame, name: str, policy: Policy) -> pl.Series:
    """Return the labels that one person alone has in `frame`, without those that stand for merged ones."""
    rare, column = rare_values(frame, name, policy.person), policy.columns[name]
    made = rare.is_in(list(column.merge or ()))
    if column.publish_rare == "merged":
        made |= rare.str.contains(MERGED_LABEL)
    return rare.filter(~made)


def _holds_labels(column: Column) -> bool:
    """Return whether the cells of a quasi-identifier are labels, possibly with a hierarchy of labels above them."""
    source = column.hierarchy
    return column.kind == "label" or (source is not None and (source.prefix or source.file is not None))


def _labels_in(column: GroupColumn, form: str) -> set[str | None]:
    """Return the labels that are shown: in the legend, in sets, or as cells of their own."""
    if column.legend is not None:
        return {label for _, labels in column.legend for label in labels}
    if form != "generalize":
        return set(text_of(column.published[column.name]).to_list())
    assert column.domain is not None
    assert column.members is not None
    return {column.domain[code] for code in np.unique(column.members).tolist()}


def _rare_nodes(column: GroupColumn, frame: pl.DataFrame, person: str | None) -> int:
    """Return how many published nodes are above the values of only one person.

    A node is published for at least k people; if the values of the others are missing, it may cover only one of them.
    """
    mixed = column.or_missing
    if mixed is None or not mixed.any():
        return 0
    assert column.domain is not None and column.cell is not None  # noqa: PT018 (a column of labels has all four)
    assert column.member_start is not None and column.members is not None  # noqa: PT018
    leaves = pl.DataFrame({"value": column.domain, "leaf": np.arange(len(column.domain))})
    rows = pl.DataFrame({"value": text_of(frame[column.name]).alias("value")})
    rows = rows.with_columns(person=pl.int_range(pl.len()) if person is None else frame[person])
    held = rows.drop_nulls("value").join(leaves, on="value").sort("leaf")
    found = 0
    for cell in np.unique(column.cell[mixed]).tolist():
        members = column.members[column.member_start[cell] : column.member_start[cell + 1] - 1]  # the last is missing
        first, end = held["leaf"].search_sorted(members[0]), held["leaf"].search_sorted(members[-1], side="right")
        found += held["person"].slice(first, end - first).n_unique() == 1
    return found


def _check_identifiers_inside(frame: pl.DataFrame, policy: Policy, names: list[str]) -> None:
    """Raise SchemaError for the first of the columns whose texts have identifiers inside."""
    for name in names:
        if policy.columns[name].publish_rare is True or not is_text(frame[name].dtype):
            continue
        held = people_of_values(frame, name, None)
        if found := identifiers_inside(held["value"], held["people"]):
            raise identifiers_error(name, found[0], frame.height)


def identifiers_error(name: str, found: Inside, n_cells: int) -> SchemaError:
    """Return the error for a column of `n_cells` cells in whose texts one kind of identifier was found."""
    return SchemaError(
        f"column {name!r} would be published with identifiers inside its texts: {found.what} in "
        f"{found.n_cells} of {n_cells} cells.",
        f"remove the column ({setting('identifier', name)}) or correct those cells; if they name nobody, "
        f"publish them as they are ({setting('publish_rare', True, column=name)}).",
    )


def rare_labels_error(rare: dict[str, int], policy: Policy, *, left_out: int = 0) -> SchemaError:
    """Return the error for columns with labels that one person alone has, with the ways out.

    `left_out` is the number of rows without which they were counted.
    """
    counted = ", ".join(f"{count} of {name!r}" for name, count in rare.items())
    columns = {name: policy.columns[name] for name in rare}
    labels = [name for name, one in columns.items() if one.role == "quasi" and one.kind == "label"]
    merged = [name for name in labels if columns[name].publish_rare != "merged"]
    raw = [name for name, one in columns.items() if one.role == "other"]
    ways = []
    if merged:
        way = settings("publish_rare", dict.fromkeys(merged, "merged"))
        ways.append(f"{way} makes one label of what fewer than k people have")
    if raw:
        ways.append(f"{setting('quasi', raw)} generalizes what would be published as it is")
    ways.append(f"{setting('identifier', list(rare))} does not publish it")
    ways.append(f"{settings('publish_rare', dict.fromkeys(rare, True))} publishes every label as it is")
    if left_out:
        ways.append(f"{setting('max_suppressed', 0)} leaves no row out")
    where = f"among the rows that are released, {left_out} being left out" if left_out else "in the whole table"
    return SchemaError(
        f"labels would be published that one person alone has {where}: {counted}.",
        f"{'; '.join(ways)}. In a policy these are settings of a column.",
    )
