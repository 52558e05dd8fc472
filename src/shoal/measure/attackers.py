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

In addition, singling out by all published columns is counted (`singling`), for which nothing is guaranteed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
import polars as pl

from shoal.certify.forms import form_of
from shoal.certify.legend import Classes
from shoal.errors import ParameterError
from shoal.measure.attack_result import Attack, Attacks, Evidence, OrderAttack
from shoal.measure.attack_scores import Scene, matched, scores
from shoal.measure.column_views import NUMBERS, POINTS, as_floats, trees_of, views
from shoal.measure.date_cells import dates_in_iso
from shoal.measure.equivalence_classes import Bools, Floats, Ints, class_of_group, classes_after
from shoal.measure.inference import SensitiveValues, infer
from shoal.measure.published_cells import Cells, cells_of
from shoal.measure.released_table import Release, read_release, release_cells, typed
from shoal.measure.risk_result import Inference, Singled
from shoal.measure.row_order import Lined, order_attacks
from shoal.measure.singling import NOBODY, singled, singled_rows
from shoal.policy import Policy
from shoal.publish.result import Published
from shoal.requirements.counts import Records
from shoal.requirements.from_policy import records_of, values_counted
from shoal.requirements.l_diversity import LDiversity
from shoal.requirements.requirement import TOLERANCE
from shoal.space.hierarchy import Tree
from shoal.tables.text import as_written

PEOPLE = 2_000
SUBSET_COLUMNS = 10  # the join tries all subsets of up to three of so many columns, those with most values
WORK = 400_000_000  # the most comparisons of a value with a cell; above that, fewer records are attacked
FEWEST = 100  # records that are attacked however many comparisons that takes


def attack(
    original: pl.DataFrame,
    policy: Policy,
    published: Published,
    labels: Ints,
    *,
    trees: Mapping[str, Tree] | None = None,
    known: Sequence[str] | None = None,
    people: int = PEOPLE,
    seed: int = 0,
) -> Attacks:
    """Run all attacks with the knowledge which released row belongs to which record, so that successes are counted.

    `known` are the quasi-identifiers that the attacker knows (None: all); at most `people` records are attacked,
    drawn by `seed`.
    """
    known = _checked(policy, known, people)
    records = records_of(policy, original, policy.sensitive)
    classes = classes_after(published, labels, records)
    _, groups = np.unique(class_of_group(published), return_index=True)
    attacked = _sample(len(original), len(groups), len(known), people, seed)
    wanted = set(known)
    seen = tuple(view for view in views(original, policy, published, trees) if view.column.name in wanted)
    cells, silent = cells_of(seen, attacked, groups), _silent(policy, records, attacked)
    scene = Scene(cells, classes.counts, classes.of_row[attacked], len(attacked), silent)
    rows = class_of_group(published)[published.groups]
    lined = Lined(dates_in_iso(published.frame, policy), rows, centers=published.form == "centers", typed=typed)
    orders = order_attacks(original, lined, policy, attacked, matched(scene))
    inferred = inferences(original, policy, published, attacked, seed=seed, known=known)
    alone = singled(original, policy, published)
    return _attacks(scene, original, policy, known, "mapping", orders, alone, inferred)


def inferences(
    original: pl.DataFrame,
    policy: Policy,
    published: Published,
    attacked: Ints,
    *,
    seed: int = 0,
    known: Sequence[str] | None = None,
) -> tuple[Inference, ...]:
    """Return what follows about every column from sets of others; nothing where cells do not cover their values."""
    if published.form in POINTS:
        return ()
    of_group = class_of_group(published)
    _, groups = np.unique(of_group, return_index=True)
    wanted = set(policy.quasi if known is None else known)
    # no trees are needed, because nodes of a hierarchy are compared by their leaves; a row left out may be in none
    seen = tuple(view for view in views(original, policy, published, {}) if view.column.name in wanted)
    of_row = of_group[published.groups]
    coded = records_of(policy, original, policy.sensitive)
    sensitive = {
        name: SensitiveValues(of_row, codes[published.rows], codes[attacked])
        for name in policy.sensitive
        if (codes := _counting(policy, coded, name)) is not None
    }
    people = np.bincount(of_row, minlength=len(groups)).astype(np.int64)
    cells = cells_of(seen, attacked, groups)
    return infer(cells, people, sensitive, _different(original, policy, wanted), policy, len(attacked), seed=seed)


def _counting(policy: Policy, records: Records, name: str) -> Ints:
    """Return the codes of a column; -1 for a missing value that does not count as one."""
    asked = policy.diversity_of(name)
    return values_counted(LDiversity(name, 1.0, count_missing=asked is not None and asked.count_missing), records)


def _different(original: pl.DataFrame, policy: Policy, names: Iterable[str]) -> dict[str, Floats]:
    """Return the different values of every column of numbers or dates, in ascending order."""
    found = {}
    for name in names:
        if policy.columns[name].kind in NUMBERS:
            x = as_floats(original[name], policy, name)
            found[name] = np.unique(x[np.isfinite(x)])
    return found


def attack_files(
    original: pl.DataFrame,
    released: pl.DataFrame,
    policy: Policy,
    *,
    trees: Mapping[str, Tree] | None = None,
    legends: Mapping[str, Classes] | None = None,
    known: Sequence[str] | None = None,
    people: int = PEOPLE,
    seed: int = 0,
) -> Attacks:
    """Run all attacks on a released table as anyone can read it; rates are upper bounds, as every match counts."""
    legends = legends or {}
    unread = [name for name in policy.recoded if name not in legends]
    if unread:
        raise ParameterError(
            f"column {unread[0]} is published in classes, but there is no legend that says what they are.",
            "give the path of the released file in its folder, which also contains legend.json.",
        )
    known = _checked(policy, known, people)
    released = dates_in_iso(released, policy)
    trees = trees_of(original, policy) if trees is None else trees
    release = read_release(released, original, policy)
    attacked = _sample(len(original), len(release.counts.people), len(known), people, seed)
    cells = {
        name: release_cells(release, policy, original[name], attacked, trees.get(name), legends.get(name))
        for name in known
    }
    silent = _silent(policy, records_of(policy, original, policy.sensitive), attacked)
    scene = Scene(cells, release.counts, None, len(attacked), silent)
    lined = Lined(released, release.of_row, centers=release.centers, typed=typed)
    orders = order_attacks(original, lined, policy, attacked, matched(scene))
    alone = _singled_in_file(release, released, original, policy, trees, legends)
    inferred = _inferred_in_file(release, released, original, policy, cells, attacked, seed)
    return _attacks(scene, original, policy, known, "files", orders, alone, inferred)


def _inferred_in_file(
    release: Release,
    released: pl.DataFrame,
    original: pl.DataFrame,
    policy: Policy,
    cells: Mapping[str, Cells],
    attacked: Ints,
    seed: int,
) -> tuple[Inference, ...]:
    """Return what follows about every column of a released file; nothing where cells do not cover their values."""
    if release.centers or form_of(policy, as_written(released)) in POINTS:
        return ()
    names = [name for name in policy.sensitive if name in released.columns]
    told = [typed(released[name], original[name].dtype).cast(original[name].dtype, strict=False) for name in names]
    both = pl.concat([pl.DataFrame(told), original.select(names)[attacked]]) if names else pl.DataFrame()
    coded = records_of(policy.model_copy(update={"columns": {n: policy.columns[n] for n in names}}), both)
    n_rows = len(release.of_row)
    sensitive = {}
    for name in names:
        codes = _counting(policy, coded, name)
        sensitive[name] = SensitiveValues(release.of_row, codes[:n_rows], codes[n_rows:])
    people = np.bincount(release.of_row).astype(np.int64)
    values = _different(original, policy, cells)
    return infer(cells, people, sensitive, values, policy, len(attacked), seed=seed)


def _silent(policy: Policy, records: Records, attacked: Ints) -> dict[str, Bools]:
    """Return which attacked records have no value, for every column in which missing does not count as a value."""
    return {
        name: codes[attacked] == records.missing.get(name, -1)
        for name, codes in records.sensitive.items()
        if (asked := policy.diversity_of(name)) is None or not asked.count_missing
    }


def _singled_in_file(
    release: Release,
    released: pl.DataFrame,
    original: pl.DataFrame,
    policy: Policy,
    trees: Mapping[str, Tree],
    legends: Mapping[str, Classes],
) -> Singled:
    """Return how many rows of a released file are singled out by all published columns together."""
    if release.centers:
        return NOBODY

    def cells(rows: Ints) -> Mapping[str, Cells]:
        return {
            name: release_cells(release, policy, original[name], rows, trees.get(name), legends.get(name))
            for name in policy.quasi
        }

    as_is = [name for name in policy.named("sensitive", "other") if name in released.columns]
    rows = released.with_columns(typed(released[name], original[name].dtype) for name in as_is)
    return singled_rows(rows, release.of_row, original, policy, None if policy.publication in POINTS else cells)


def _checked(policy: Policy, known: Sequence[str] | None, people: int) -> list[str]:
    """Return the known quasi-identifiers in the policy's order; raise a `ParameterError` for other columns."""
    if people < 1:
        raise ParameterError(f"people must be at least 1; it is {people}.")
    if known is None:
        return policy.quasi
    others = [name for name in known if name not in policy.quasi]
    if others or not known:
        found = f"{', '.join(others)} are not" if others else "none is given"
        raise ParameterError(
            f"known must name quasi-identifiers; {found}.", f"the policy has {', '.join(policy.quasi)}."
        )
    return [name for name in policy.quasi if name in known]


def _sample(n: int, n_classes: int, n_known: int, people: int, seed: int) -> Ints:
    """Return the records to attack: all, or a random sample that keeps the number of comparisons below `WORK`."""
    most = min(people, max(FEWEST, WORK // max(n_classes * n_known, 1)))
    if n <= most:
        return np.arange(n, dtype=np.int64)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False)).astype(np.int64)


def _n_subsets(n: int) -> int:
    return n + comb(n, 2) + comb(n, 3)


def _subsets(original: pl.DataFrame, known: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all sets of one to three known columns, of at most `SUBSET_COLUMNS` columns with the most values."""
    tried = known
    if len(known) > SUBSET_COLUMNS:
        most_values = sorted(known, key=lambda name: -original[name].n_unique())[:SUBSET_COLUMNS]
        tried = [name for name in known if name in most_values]
    return [names for size in (1, 2, 3) for names in combinations(tried, size)]


def _attacks(
    scene: Scene,
    original: pl.DataFrame,
    policy: Policy,
    known: Sequence[str],
    evidence: Evidence,
    orders: tuple[OrderAttack, ...],
    alone: Singled,
    inferred: tuple[Inference, ...],
) -> Attacks:
    """Return the results of all attacks, compared with what the policy guarantees."""
    subsets, everything, one_in_k = _subsets(original, known), tuple(known), 1.0 / policy.k
    found = scores(scene, subsets)
    nearest = _attack("nearest", everything, found.nearest, one_in_k)
    full_join = _attack("join", everything, found.full_join, one_in_k)
    joins = tuple(_attack("join", names, found.joins[i], one_in_k) for i, names in enumerate(subsets))
    homogeneity = tuple(
        _attack("homogeneity", everything, score, _promised_variety(policy, name), name)
        for name, score in found.homogeneity.items()
    )
    exclusion = tuple(
        _attack("exclusion", everything, score, _promised_variety(policy, name, ruled_out=1), name)
        for name, score in found.exclusion.items()
    )
    skewness = tuple(
        _attack("skewness", everything, score, _promised_gain(policy, name, scene.counts.totals[name]), name)
        for name, score in found.skewness.items()
    )
    return Attacks(
        k=policy.k,
        unit="people" if policy.person else "rows",
        evidence=evidence,
        n_originals=len(original),
        n_sampled=scene.n,
        n_subsets=len(subsets),
        n_subsets_possible=_n_subsets(len(known)),
        nearest=nearest,
        full_join=full_join,
        joins=joins,
        worst_join=max(joins, key=lambda attack: (attack.worst, attack.rate), default=full_join),
        homogeneity=homogeneity,
        exclusion=exclusion,
        skewness=skewness,
        row_order=orders,
        singled=alone,
        inference=inferred,
        exceeds=any(one.exceeds for one in inferred)
        or any(attack.exceeds for attack in (nearest, full_join, *joins, *homogeneity, *exclusion, *skewness))
        or any(attack.exceeds for attack in orders),
    )


def _attack(
    name: Literal["nearest", "join", "homogeneity", "exclusion", "skewness"],
    known: tuple[str, ...],
    score: Floats,
    promise: float | None,
    sensitive: str | None = None,
) -> Attack:
    """Return the result of one attack from its scores; `promise` is the guaranteed bound on a score."""
    worst = float(score.max(initial=0.0))
    return Attack(
        name=name,
        known=known,
        sensitive=sensitive,
        attempts=len(score),
        successes=float(score.sum()),
        rate=float(score.mean()) if len(score) else 0.0,
        worst=worst,
        promise=promise,
        exceeds=promise is not None and worst > promise + TOLERANCE,
    )


def _promised_variety(policy: Policy, name: str, *, ruled_out: int = 0) -> float | None:
    """Return 0 if l-diversity guarantees that no sensitive value is certain, else None: nothing is guaranteed.

    Missing is a value only where the policy counts it.

    Every kind of l-diversity leaves at least l values, of which the attacker may have ruled out `ruled_out`.
    """
    diversity = policy.diversity_of(name)
    return 0.0 if diversity is not None and diversity.l > 1 + ruled_out else None


def _promised_gain(policy: Policy, name: str, total: Ints) -> float | None:
    """Return the largest guaranteed difference between a value's share in a class and in the release; None without
    one.

    The variational distance is at least that difference, and in the ordered distance moving a share between different
    values takes at least 1 / (m - 1) of it. With frequency l-diversity no value has a share above 1/l of the people
    whose value counts, so of all people neither.
    """
    closeness, diversity = policy.closeness_of(name), policy.diversity_of(name)
    bounds = []
    if closeness is not None and closeness.distance == "equal":
        bounds.append(closeness.t)
    if closeness is not None and closeness.distance == "ordered":
        bounds.append(min(1.0, closeness.t * max(int(np.count_nonzero(total)) - 1, 1)))
    if diversity is not None and diversity.kind == "frequency":
        bounds.append(1.0 / diversity.l)
    return min(bounds, default=None)
