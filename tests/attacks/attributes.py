"""What the classes that are left say of a sensitive value, without finding the record.

homogeneity   all people left whose value is known share one: it is certain (a missing cell hides nobody)
similarity    all people left share one kind of value (three cancers)
skewness      how much likelier a value is among them than in the whole release
exclusion     background knowledge: one value is known not to be the target's; is one value left?
accomplices   the attacker knows the values of m others of the class and strikes them out; is one value left?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.attacks.reading import Bools, Classes, Floats, Ints

Held = list[Counter[Any]]


def left_with(classes: Classes, left: Bools, name: str) -> Held:
    """Per person: how many people of the classes that are left hold each value of a sensitive column."""
    ((names, counts),) = [one for one in classes.held.items() if name in one[0]]
    place = names.index(name)
    alone = [Counter[Any]() for _ in counts]
    for one, counted in zip(alone, counts, strict=True):
        for values, n in counted.items():
            one[values[place]] += n
    found = []
    for row in left:
        total: Counter[Any] = Counter()
        for group in np.flatnonzero(row):
            total.update(alone[group])
        found.append(total)
    return found


def homogeneity(held: Held) -> Floats:
    """1 where one value is left."""
    return np.array([float(len(values.keys() - {None}) == 1) for values in held])


def similarity(held: Held, kind: Mapping[str | None, str]) -> Floats:
    """1 where one kind of value is left."""
    return np.array([float(len({kind[value] for value in values}) == 1) for values in held])


def skewness(held: Held, whole: Counter[Any]) -> Floats:
    """The largest gain of a known value's share over its share in the release; missing cells count in both."""
    total = sum(whole.values())
    return np.array(
        [
            max((n / sum(values.values()) - whole[value] / total for value, n in values.items() if value is not None),
                default=0.0)
            for values in held
        ]
    )  # fmt: skip


def exclusion(held: Held, truth: list[Any]) -> Floats:
    """1 where striking out the one value that helps most leaves the target's alone."""
    return np.array(
        [
            float(own is not None and len(set(values) - {own, None}) <= 1 and own in values)
            for values, own in zip(held, truth, strict=True)
        ]
    )


def accomplices(classes: Classes, own: Ints, codes: Ints, m: int, *, seed: int = 0) -> tuple[Floats, Floats]:
    """`m` others of the class are known: the chance of picking the target's row, and 1 where a value is certain.

    The others are drawn at random; the attacker strikes their values out of the class.
    """
    chance = np.random.default_rng(seed)
    picked, certain = np.zeros(len(own)), np.zeros(len(own))
    for person in np.flatnonzero(own >= 0):
        others = np.flatnonzero(own == own[person])
        others = chance.permutation(others[others != person])
        unknown = [person, *others[m:]]
        picked[person] = 1.0 / len(unknown)
        certain[person] = float(len(set(codes[unknown])) == 1)
    return picked, certain
