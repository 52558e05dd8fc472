"""Many small sequences, counted again by brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shoal.sequence import assign, split
from shoal.space.space import Space
from tests.sequence.attacker import chances, fewest_candidates, ways
from tests.sequence.tables import months, sequence

QUICK, DEEP = range(12), range(12, 300)
SEEDS = [*QUICK, *(pytest.param(seed, marks=pytest.mark.deep) for seed in DEEP)]

WORLDS = [*range(40), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(40, 1500))]


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_stays_among_k(seed: int) -> None:
    chance = np.random.default_rng(seed)
    k, leaving = int(chance.integers(2, 5)), float(chance.choice([0.02, 0.1, 0.3]))
    covered = bool(chance.integers(2))
    asked = {"departures": "covered" if covered else "open", "reserve": int(chance.integers(0, 12))}
    asked |= {"l": 2} if chance.integers(2) else {}
    tables = months(int(chance.integers(30, 70)), 5, seed, leaving=leaving, coming=0.3)
    _, classes = sequence(tables, k=k, at_its_end="no row of this table", **asked)
    assert fewest_candidates(classes) >= k
    if covered:
        assert min(len(people) for people in ways(classes).values()) >= k


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(40, 1500))]
)
def test_every_value_of_a_signature_is_as_likely_as_any_other(seed: int) -> None:
    """All worlds that fit all releases, one by one: nobody's value is likelier than 1 in m."""
    chance = np.random.default_rng(seed)
    m, k = 2, int(chance.integers(2, 5))
    counterfeits = bool(chance.integers(2))
    value_of = {person: int(chance.integers(0, 3)) for person in range(9)}
    place_of = {person: float(chance.integers(0, 9)) for person in value_of}
    before: dict[int, int] = {}
    signatures: tuple[tuple[int, ...], ...] = ()
    releases, values = [], []
    for _ in range(int(chance.integers(2, 6))):
        here = [person for person in value_of if chance.random() < 0.7]
        codes = np.array([value_of[person] for person in here], dtype=np.int64)
        known = np.array([before.get(person, -1) for person in here], dtype=np.int64)
        placed = assign(codes, known, signatures, m=m, k=k, counterfeits=counterfeits)
        signatures = placed.signatures
        made_up = [(number, value) for number, value, times in placed.counterfeits for _ in range(times)]
        bucket = np.array([*placed.signature, *(number for number, _ in made_up)], dtype=np.int64)
        told = np.array([*codes, *(value for _, value in made_up)], dtype=np.int64)
        where = np.array([*(place_of[person] for person in here), *(0.0 for _ in made_up)])
        groups = split(Space.from_points(where.reshape(-1, 1)), told, bucket, k)
        releases.append({str(person): int(groups[row]) for row, person in enumerate(here) if groups[row] >= 0})
        held: dict[int, Counter[str]] = {}
        for group, value in zip(groups.tolist(), told.tolist(), strict=True):
            if group >= 0:
                held.setdefault(group, Counter())[str(value)] += 1
        values.append(held)
        assert all(sum(one.values()) >= k for one in held.values())
        before |= {
            person: int(placed.signature[row]) for row, person in enumerate(here) if placed.signature[row] >= 0
        }
    for likely in chances(releases, values).values():
        assert len(likely) >= m
        assert max(likely.values()) == pytest.approx(1 / len(likely))


def test_rows_wait_only_where_they_must() -> None:
    """Of new rows of which no value is held by more than one in m, hardly any waits, and never many."""
    waiting, rows = [], 0
    for seed in range(300):
        chance = np.random.default_rng(seed)
        m, k, n = int(chance.integers(2, 5)), int(chance.integers(2, 8)), int(chance.integers(20, 200))
        values = np.sort(chance.integers(0, int(chance.integers(m, 3 * m)), n))
        if np.bincount(values).max() * m <= n:
            placed = assign(values, np.full(n, -1), (), m=m, k=k, counterfeits=False)
            waiting.append(int(np.count_nonzero(placed.signature < 0)))
            rows += n
    assert len(waiting) > 200
    assert max(waiting) < 7
    assert sum(waiting) < 0.01 * rows
