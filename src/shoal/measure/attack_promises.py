"""The scores of all attacks, compared with what the policy guarantees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from shoal.measure.attack_result import Attack, Attacks, Evidence, OrderAttack
from shoal.measure.attack_sample import column_subsets, n_subsets
from shoal.measure.attack_scores import Scene, scores
from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.risk_result import Inference, Singled
from shoal.policy import Policy
from shoal.requirements.requirement import TOLERANCE


def compared(
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
    subsets, everything, one_in_k = column_subsets(original, known), tuple(known), 1.0 / policy.k
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
        n_subsets_possible=n_subsets(len(known)),
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

    Every kind of l-diversity leaves at least l values, of which the attacker may have ruled out `ruled_out`. Missing
    is one of them only if the policy counts it.
    """
    diversity = policy.diversity_of(name)
    return 0.0 if diversity is not None and diversity.l > 1 + ruled_out else None


def _promised_gain(policy: Policy, name: str, total: Ints) -> float | None:
    """Return the guaranteed bound on how much larger a value's share is in a class than in the release; None without
    one.

    The variational distance is at least that difference, and in the ordered distance moving a share between different
    values takes at least 1 / (m - 1) of it. The bounds of beta-likeness and delta-disclosure privacy grow with a
    value's share, so the most frequent value has the largest. With frequency l-diversity no value has a share above
    1/l of the people whose value counts, so neither of all people.
    """
    closeness, diversity = policy.closeness_of(name), policy.diversity_of(name)
    bounds = []
    if closeness is not None and policy.distance_of(name) == "equal":
        bounds.append(closeness.t)
    if closeness is not None and policy.distance_of(name) == "ordered":
        bounds.append(min(1.0, closeness.t * max(int(np.count_nonzero(total)) - 1, 1)))
    if diversity is not None and diversity.kind == "frequency":
        bounds.append(1.0 / diversity.l)
    if (disclosure := policy.disclosure_of(name)) is not None:
        share = float(total.max()) / max(float(total.sum()), 1.0)  # no value can gain more than the most frequent may
        if disclosure.alpha is not None and disclosure.values is None:
            bounds.append(disclosure.alpha)
        if disclosure.beta is not None:
            bounds.append(min(1.0, disclosure.beta * share))
        if disclosure.delta is not None:
            bounds.append(min(1.0, (2**disclosure.delta - 1) * share))
    return min(bounds, default=None)
