"""All attackers on one release, each with its promise: what tests assert and `python -m tests.attacks` counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

import shoal
from tests.attacks import attributes, linkage
from tests.attacks.outcome import Outcome, outcome
from tests.attacks.reading import Seen, texts
from tests.attacks.singling import BLIND, fitting_originals, unlike_others
from tests.attacks.truth import own_classes

MOST_SUBSETS = 12


def attacks(
    release: shoal.Release,
    table: pl.DataFrame,
    on: str,
    *,
    sensitive: str,
    kind: Mapping[str | None, str] | None = None,
    leaves: Mapping[str, Any] | None = None,
) -> Iterator[Outcome]:
    """Linkage, homogeneity, similarity, skewness, background knowledge and singling out of one release."""
    policy, seen = release.policy, Seen(release.table, release.policy, leaves or {})
    classes = seen.classes()
    own = own_classes(release, classes, len(table))
    one_in_k, n = 1.0 / policy.k, len(table)
    limits = not seen.centers and release.choice.form in ("generalize", "suppress")
    if limits:
        yield outcome("linkage, exact", on, linkage.exact(classes, table, own), one_in_k, 1 / n)
    yield outcome("linkage, nearest", on, linkage.nearest(classes, table, own), one_in_k, 1 / n)
    subsets = [names for size in (1, 2, 3) for names in combinations(policy.quasi, size)][:MOST_SUBSETS]
    for names in subsets:
        way = linkage.exact if limits else linkage.nearest
        yield outcome("linkage, some columns", on, way(classes, table, own, names), one_in_k, 1 / n)
    left = classes.candidates(table)
    here = own >= 0
    held = attributes.left_with(classes, left, sensitive)
    held = [one for one, there in zip(held, here, strict=True) if there]
    whole: Counter[Any] = Counter()
    for names, counts in classes.held.items():
        if sensitive in names:
            for counted in counts:
                for values, times in counted.items():
                    whole[values[names.index(sensitive)]] += times
    diversity, closeness = policy.diversity_of(sensitive), policy.closeness_of(sensitive)
    l = diversity.l if diversity is not None and diversity.kind == "distinct" else 1.0  # noqa: E741
    share = max(whole.values()) / sum(whole.values())
    yield outcome("homogeneity", on, attributes.homogeneity(held), 0.0 if l >= 2 else None, 0.0)
    truth = [value for value, there in zip(texts(table[sensitive]), here, strict=True) if there]
    ruled_out = attributes.exclusion(held, truth)
    yield outcome("background knowledge, a value ruled out", on, ruled_out, 0.0 if l >= 3 else None, 0.0)
    if kind is not None:
        yield outcome("similarity", on, attributes.similarity(held, kind), _both_kinds(closeness, whole, kind), 0.0)
    gain = closeness.t if closeness is not None and closeness.distance == "equal" else None
    yield outcome("skewness", on, attributes.skewness(held, whole), gain, share)
    codes = np.unique(np.array([str(value) for value in texts(table[sensitive])]), return_inverse=True)[1]
    picked, certain = attributes.accomplices(classes, own, codes, policy.k - 2)
    yield outcome("background knowledge, k - 2 of the group known", on, picked[here], 0.5, None)
    yield outcome("background knowledge, k - 2 of the group known: value", on, certain[here], None, None)
    if limits:
        rows = np.arange(len(seen.frame))[: 4 * 300 : 4]
        fits = fitting_originals(seen, table, rows, [])
        yield outcome("singling out, quasi-identifiers", on, [float(len(one) == 1) for one in fits], 0.0, BLIND)
        exact = [name for name in policy.unchanged if name in seen.frame.columns]
        alone = np.flatnonzero(unlike_others(seen, [*seen.quasi, *exact]))[:300]
        fits = fitting_originals(seen, table, alone, exact)
        yield outcome("singling out, all published columns", on, [float(len(one) == 1) for one in fits], None, BLIND)


def _both_kinds(closeness: Any, whole: Counter[Any], kind: Mapping[str | None, str]) -> float | None:
    """Hierarchical t below the share of the rarest kind leaves another: shares of nodes are no farther off than t."""
    if closeness is None or closeness.distance != "hierarchical":
        return None
    shares: Counter[str] = Counter()
    for value, times in whole.items():
        shares[kind[value]] += times
    return 0.0 if closeness.t < min(shares.values()) / sum(shares.values()) else None
