"""Requirements by their definitions, on lists of rows: slow and obvious."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from scipy.optimize import linprog

Row = tuple[int, int, int]
"""Group, person, sensitive value."""


def groups_of(rows: Sequence[Row]) -> list[list[Row]]:
    return [[row for row in rows if row[0] == g] for g in sorted({row[0] for row in rows})]


def people(group: Sequence[Row]) -> int:
    return len({person for _, person, _ in group})


def holders(group: Sequence[Row]) -> Counter[int]:
    """How many people hold each value: a (person, value) pair counts once."""
    return Counter(value for _, value in {(person, value) for _, person, value in group})


def diversity_holds(
    group: Sequence[Row],
    l: float,  # noqa: E741
    kind: str,
    c: float | None,
    missing: int | None = None,
) -> bool:
    """Whether a group meets l; the value `missing` is none, and who has it somewhere is not counted as known."""
    silent = {person for _, person, value in group if value == missing}
    known = [row for row in group if row[2] != missing]
    if not known:
        return False
    counts = sorted(holders(known).values(), reverse=True)
    total = sum(counts)
    if kind == "distinct":
        return len(counts) >= l
    if kind == "frequency":
        return max(counts) * l <= people(group) - len(silent) + 1e-9
    if kind == "entropy":
        return -sum(n / total * math.log(n / total) for n in counts) >= math.log(l) - 1e-9
    assert c is not None
    return counts[0] + 1e-9 < c * sum(counts[int(l) - 1 :])


def transport(p: Sequence[float], q: Sequence[float], ground: Sequence[Sequence[float]]) -> float:
    """The least work that turns p into q: the linear program itself."""
    m = len(p)
    costs = [ground[i][j] for i in range(m) for j in range(m)]
    out = [[1.0 if a == i else 0.0 for a in range(m) for _ in range(m)] for i in range(m)]
    into = [[1.0 if b == j else 0.0 for _ in range(m) for b in range(m)] for j in range(m)]
    found = linprog(costs, A_eq=out + into, b_eq=[*p, *q], bounds=(0, None))
    assert found.status == 0
    return float(found.fun)


def equal_ground(m: int) -> list[list[float]]:
    return [[float(i != j) for j in range(m)] for i in range(m)]


def ordered_ground(m: int) -> list[list[float]]:
    return [[abs(i - j) / max(m - 1, 1) for j in range(m)] for i in range(m)]


def tree_ground(levels: Sequence[Sequence[object]], missing: int | None = None) -> list[list[float]]:
    """`levels[h][value]` is the node at level h, from the values up, with a root or without.

    Ways to cut the values into sets, each once, the whole as one set apart: those are the levels below the root.
    `missing` is a value that shares no set below the root.
    """
    m = len(levels[0])
    values = [value for value in range(m) if value != missing]
    cuts: list[set[frozenset[int]]] = []
    for level in levels:
        cut = {frozenset(j for j in values if level[j] == level[i]) for i in values}
        if not cuts or (cut != cuts[-1] and len(cut) > 1):
            cuts.append(cut)

    def meet(i: int, j: int) -> int:
        together = [h for h, cut in enumerate(cuts) if any({i, j} <= some for some in cut)]
        return min([*together, len(cuts)])

    return [[0.0 if i == j else meet(i, j) / len(cuts) for j in range(m)] for i in range(m)]


def closeness(rows: Sequence[Row], ground_of: object) -> list[float]:
    """Each group's distance from the sum of all groups, over the values that occur; `ground_of` makes a matrix."""
    tables = [holders(group) for group in groups_of(rows)]
    whole = sum(tables, Counter())
    values = sorted(whole)
    ground = ground_of(values)  # type: ignore[operator]
    q = [whole[v] / whole.total() for v in values]
    return [transport([table[v] / table.total() for v in values], q, ground) for table in tables]


def share_holds(rows: Sequence[Row], group: Sequence[Row], asked: object, missing: int | None = None) -> bool:
    """Whether a group meets a limit on shares of single values, by the words of its definition."""
    own, whole = holders(group), sum((holders(one) for one in groups_of(rows)), Counter())
    if hasattr(asked, "alpha"):
        silent = {person for _, person, value in group if value == missing}
        known = people(group) - len(silent)
        limited = [v for v in own if v != missing and (asked.codes is None or v in asked.codes)]
        return all(own[v] <= asked.alpha * max(known, 1) + 1e-9 for v in limited)
    p = {v: own[v] / own.total() for v in whole}
    q = {v: whole[v] / whole.total() for v in whole}
    if hasattr(asked, "beta"):
        most = {v: asked.beta if asked.kind == "basic" else min(asked.beta, -math.log(q[v])) for v in whole}
        return all((p[v] - q[v]) / q[v] <= most[v] + 1e-8 for v in whole)
    return all(p[v] > 0 and abs(math.log2(p[v] / q[v])) < asked.delta - 1e-9 for v in whole)
