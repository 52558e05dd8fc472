"""Attacks by someone who has the original table: how often they succeed, compared with what the policy guarantees.

Every attack ends in a set of whole equivalence classes that the target may be in. k-anonymity gives each class at
least k people, so a guess among them is right with probability at most 1/k, whatever is known; what l-diversity and
t-closeness guarantee for a class also holds for a union of classes. If an attack does better, the release is not what
it claims to be.

nearest       the classes whose published values are nearest to the target's, with a random guess among ties
join          the classes that fit the target's values, on everything known and on subsets of up to three columns
homogeneity   all people of the fitting classes (of the nearest, if none fits) have one sensitive value
exclusion     they have at most two values, so that ruling one out leaves one
skewness      how much more frequent a sensitive value is in those classes than in the whole release
inference     which values follow from every set of quasi-identifiers that may be known (`inference`)
row order     whether people next to each other in a list are next to each other in the file (`row_order`)

In addition, singling out by all published columns is counted (`singling`), for which nothing is guaranteed, and on
request the three questions of the European guidance are measured against a control (`questions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.certify.legend import Classes
from shoal.errors import ParameterError
from shoal.measure.attack_promises import compared
from shoal.measure.attack_result import Attacks
from shoal.measure.attack_sample import MOST_ATTACKED, attacked_records, known_columns
from shoal.measure.attack_scores import Scene, matched
from shoal.measure.column_views import POINTS, trees_of, views
from shoal.measure.date_cells import dates_in_iso
from shoal.measure.equivalence_classes import Bools, Ints, class_of_group, classes_after
from shoal.measure.inferred_values import inferences, inferences_in_file
from shoal.measure.published_cells import PublishedCells, cells_of
from shoal.measure.questions.read import read_attacked
from shoal.measure.questions.result import Held
from shoal.measure.questions.three_questions import ask
from shoal.measure.released_table import ReleasedTable, read_release, release_cells, typed
from shoal.measure.risk_result import Singled
from shoal.measure.row_order import Lined, order_attacks
from shoal.measure.singling import NOBODY, singled, singled_rows
from shoal.policy import Policy
from shoal.publish.result import Published
from shoal.requirements.counts import Records
from shoal.requirements.from_policy import records_of
from shoal.space.hierarchy import Tree


def attack(
    original: pl.DataFrame,
    policy: Policy,
    published: Published,
    labels: Ints,
    *,
    trees: Mapping[str, Tree] | None = None,
    known: Sequence[str] | None = None,
    people: int = MOST_ATTACKED,
    seed: int = 0,
) -> Attacks:
    """Run all attacks with the knowledge which released row belongs to which record, so that successes are counted.

    `known` are the quasi-identifiers that the attacker knows (None: all); at most `people` records are attacked,
    drawn by `seed`.
    """
    known = known_columns(policy, known, people)
    records = records_of(policy, original, policy.sensitive)
    classes = classes_after(published, labels, records, policy)
    _, groups = np.unique(class_of_group(published), return_index=True)
    attacked = attacked_records(len(original), len(groups), len(known), people, seed)
    wanted = set(known)
    seen = tuple(view for view in views(original, policy, published, trees) if view.column.name in wanted)
    cells, silent = cells_of(seen, attacked, groups), _silent(policy, records, attacked)
    scene = Scene(cells, classes.counts, classes.of_row[attacked], len(attacked), silent)
    rows = class_of_group(published)[published.groups]
    lined = Lined(dates_in_iso(published.frame, policy), rows, centers=published.form == "centers", typed=typed)
    orders = order_attacks(original, lined, policy, attacked, matched(scene))
    inferred = inferences(original, policy, published, attacked, seed=seed, known=known)
    alone = singled(original, policy, published)
    return compared(scene, original, policy, known, "mapping", orders, alone, inferred)


def attack_files(
    original: pl.DataFrame,
    released: pl.DataFrame,
    policy: Policy,
    *,
    trees: Mapping[str, Tree] | None = None,
    legends: Mapping[str, Classes] | None = None,
    known: Sequence[str] | None = None,
    people: int = MOST_ATTACKED,
    seed: int = 0,
    control: pl.DataFrame | None = None,
    held: Held | None = None,
) -> Attacks:
    """Run all attacks on a released table as anyone can read it; rates are upper bounds, as every match counts.

    The three questions of WP216 are asked if `held` says where the `control` comes from.
    """
    legends = legends or {}
    unread = [name for name in policy.recoded if name not in legends]
    if unread:
        raise ParameterError(
            f"column {unread[0]} is published in classes, but there is no legend that says what they are.",
            "give the path of the released file in its folder, which also contains legend.json.",
        )
    known = known_columns(policy, known, people)
    released = dates_in_iso(released, policy)
    trees = trees_of(original, policy) if trees is None else trees
    release = read_release(released, original, policy)
    attacked = attacked_records(len(original), len(release.counts.people), len(known), people, seed)
    cells = {
        name: release_cells(release, policy, original[name], attacked, trees.get(name), legends.get(name))
        for name in known
    }
    silent = _silent(policy, records_of(policy, original, policy.sensitive), attacked)
    scene = Scene(cells, release.counts, None, len(attacked), silent)
    lined = Lined(released, release.of_row, centers=release.centers, typed=typed)
    orders = order_attacks(original, lined, policy, attacked, matched(scene))
    alone = _singled_in_file(release, released, original, policy, trees, legends)
    inferred = inferences_in_file(release, released, original, policy, cells, attacked, seed)
    found = compared(scene, original, policy, known, "files", orders, alone, inferred)
    if held is None or release.centers:
        return found
    asked = read_attacked(release, released, original, control, policy, trees, legends, given=held == "given")
    return replace(found, questions=ask(asked, policy, held=held, attempts=people, seed=seed))


def _silent(policy: Policy, records: Records, attacked: Ints) -> dict[str, Bools]:
    """Return which attacked records have no value, for every column in which missing does not count as a value."""
    return {
        name: codes[attacked] == records.missing.get(name, -1)
        for name, codes in records.sensitive.items()
        if (asked := policy.diversity_of(name)) is None or not asked.count_missing
    }


def _singled_in_file(
    release: ReleasedTable,
    released: pl.DataFrame,
    original: pl.DataFrame,
    policy: Policy,
    trees: Mapping[str, Tree],
    legends: Mapping[str, Classes],
) -> Singled:
    """Return how many rows of a released file are singled out by all published columns together."""
    if release.centers:
        return NOBODY

    def cells(rows: Ints) -> Mapping[str, PublishedCells]:
        return {
            name: release_cells(release, policy, original[name], rows, trees.get(name), legends.get(name))
            for name in policy.quasi
        }

    as_is = [name for name in policy.unchanged if name in released.columns]
    rows = released.with_columns(typed(released[name], original[name].dtype) for name in as_is)
    return singled_rows(rows, release.of_row, original, policy, None if policy.publication in POINTS else cells)
