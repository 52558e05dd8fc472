"""Someone who holds every release of a sequence, knows everybody's quasi-identifiers, and who came and went when.

Shares nothing with the code under test: a release is, for every person in it, the published cells of their class, and
for every class the rows in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

Seen = Mapping[str, Any]
"""The class of everybody in one release."""


def fewest_candidates(releases: Sequence[Seen]) -> int:
    """Over every person and every run of releases that they are in: how few people were in their class all along."""
    fewest = 10**9
    for first in range(len(releases)):
        for last in range(first, len(releases)):
            fewest = min([fewest, *_company(releases[first : last + 1]).values()])
    return fewest


def share_below(releases: Sequence[Seen], k: int) -> float:
    """The share of the people who are in all releases and were with fewer than k people in all of them."""
    company = _company(releases)
    sizes = [company[person] for person in company]
    return sum(size < k for size in sizes) / max(len(sizes), 1)


def _company(releases: Sequence[Seen]) -> dict[str, int]:
    """Of everybody who is in all of some releases: how many people share their classes in all of them."""
    present = set.intersection(*(set(one) for one in releases))
    way = {person: tuple(one[person] for one in releases) for person in present}
    sizes = Counter(way.values())
    return {person: sizes[way[person]] for person in present}


def ways(releases: Sequence[Seen]) -> dict[tuple[Any, ...], list[str]]:
    """People by the classes they were in from the first release to the last, absence included.

    Rows that can be known again by what is published of them as it is have such a way too, so a row belongs to one of
    the people with the same way.
    """
    found = defaultdict(list)
    for person in set().union(*releases):
        found[tuple(one.get(person) for one in releases)].append(person)
    return found


def fewest_values(releases: Sequence[Seen], values: Sequence[Mapping[Any, Counter[str]]]) -> int:
    """Over every person and every run of releases that they are in: how few values every class of theirs has."""
    fewest = 10**9
    for person in set().union(*releases):
        for first in range(len(releases)):
            left: set[str] | None = None
            for one, held in zip(releases[first:], values[first:], strict=True):
                if person not in one:
                    break
                here = set(held[one[person]])
                left = here if left is None else left & here
                fewest = min(fewest, len(left))
    return fewest


def chances(releases: Sequence[Seen], values: Sequence[Mapping[Any, Counter[str]]]) -> dict[str, dict[str, float]]:
    """For everybody, how likely each sensitive value is, all worlds that fit all releases being equally likely.

    A world gives every person one value. It fits if nobody's class lacks a row for its people's values; rows that are
    left are made up, and who holds the release knows how many those are. Slow and obvious.
    """
    people = sorted(set().union(*releases))
    domain = [
        sorted(
            set.intersection(
                *(set(held[one[person]]) for one, held in zip(releases, values, strict=True) if person in one)
            )
        )
        for person in people
    ]
    tally: dict[str, Counter[str]] = {person: Counter() for person in people}
    for world in product(*domain):
        told = dict(zip(people, world, strict=True))
        if all(_fits(one, held, told) for one, held in zip(releases, values, strict=True)):
            for person, value in told.items():
                tally[person][value] += 1
    return {person: {value: n / sum(found.values()) for value, n in found.items()} for person, found in tally.items()}


def _fits(seen: Seen, held: Mapping[Any, Counter[str]], told: Mapping[str, str]) -> bool:
    needed: dict[Any, Counter[str]] = defaultdict(Counter)
    for person, where in seen.items():
        needed[where][told[person]] += 1
    return all(count <= held[where][value] for where, want in needed.items() for value, count in want.items())
