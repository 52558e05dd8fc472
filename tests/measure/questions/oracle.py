"""The three attacks by slow and obvious code, on tables whose cells are sets of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Value = str
Cell = frozenset[str]
Row = Sequence[Value]
Released = Sequence[Sequence[Cell]]


def fits(person: Row, row: Sequence[Cell], columns: Sequence[int]) -> bool:
    return all(person[column] in row[column] for column in columns)


def singled_out(people: Sequence[Row], released: Released, columns: Sequence[int]) -> Fraction:
    """The share of released rows whose cells fit exactly one person."""
    right = sum(sum(fits(person, row, columns) for person in people) == 1 for row in released)
    return Fraction(right, len(released))


def apart(person: Row, row: Sequence[Cell], columns: Sequence[int]) -> Fraction:
    """1 for a label that is not in the cell, 1 - 1/s for one of s labels, added up."""
    return sum(
        (1 - Fraction(1, len(row[c])) if person[c] in row[c] else Fraction(1) for c in columns), start=Fraction(0)
    )


def nearest(person: Row, released: Released, columns: Sequence[int]) -> set[int]:
    distances = [apart(person, row, columns) for row in released]
    return {number for number, distance in enumerate(distances) if distance == min(distances)}


def linked(people: Sequence[Row], released: Released, one: Sequence[int], two: Sequence[int]) -> Fraction:
    """The chance, over people, that both parts lead to the same row."""
    total = Fraction(0)
    for person in people:
        first, second = nearest(person, released, one), nearest(person, released, two)
        total += Fraction(len(first & second), len(first) * len(second))
    return total / len(people)


def inferred(people: Sequence[Row], released: Released, secret: int, domain: Sequence[Value]) -> Fraction:
    """The share of people whose secret is what most of the nearest rows say, the first label of several."""
    columns = [column for column in range(len(people[0])) if column != secret]
    right = 0
    for person in people:
        votes: Counter[Value] = Counter()
        for number in nearest(person, released, columns):
            for label in released[number][secret]:
                votes[label] += Fraction(1, len(released[number][secret]))  # type: ignore[assignment]
        guess = max(domain, key=lambda label: (votes[label], -domain.index(label)))
        right += votes[guess] > 0 and guess == person[secret]
    return Fraction(right, len(people))
