"""Records with colors (sensitive values): nearest records of another color, and distances that include l colors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.partition.result import Floats, Labels
from shoal.space.metric import Precomputed
from shoal.space.neighbors import Neighbors

Mask = npt.NDArray[np.bool_]

SLACK = (1, 15)
"""A query for k neighbors of another color first asks for 1 + 1, then for 1 + 15 times k neighbors of any color. If
that is not enough, a tree without the color in question is built."""
MOST_LISTED = 4_000_000
"""Neighbors held in memory at a time while lists grow (about 64 MB)."""


class Colored(NamedTuple):
    """Records with distances, and the color of each record as a code 0, 1, ..."""

    metric: Neighbors | Precomputed
    color: Labels

    def __len__(self) -> int:
        return len(self.color)

    @property
    def n_colors(self) -> int:
        return int(self.color.max(initial=-1)) + 1


class Among:
    """A search structure over the records `members`: the nearest of them that differ in color from a given record."""

    def __init__(self, records: Colored, members: Labels) -> None:
        self.records, self.members = records, members
        self.of_color = np.bincount(records.color[members], minlength=records.n_colors)
        self._whole = _tree(records.metric, members)
        self._without: dict[int, tuple[Labels, Neighbors | None]] = {}

    def others(self, rows: Labels) -> Labels:
        """Return the number of members that differ in color from each row."""
        return len(self.members) - self.of_color[self.records.color[rows]]

    def nearest(self, rows: Labels, k: int) -> tuple[Floats, Labels]:
        """Return the k nearest members of another color of each row: distances and records, both (m, k), sorted.

        Unused places hold infinity and -1. Of several members at the last distance, any may be listed.
        """
        k = max(1, min(k, len(self.members)))
        distance, record = np.full((len(rows), k), np.inf), np.full((len(rows), k), -1, dtype=np.int64)
        if not len(rows) or not len(self.members):
            return distance, record
        wanted = np.minimum(self.others(rows), k)
        color = self.records.color
        own_most = int(self.of_color[np.unique(color[rows])].max())
        short = np.arange(len(rows))
        for slack in SLACK:
            asked = min(len(self.members), k + min(slack * k, own_most))
            for part in np.array_split(short, -(-len(short) * asked // MOST_LISTED)):
                some, near = self._ask(self._whole, self.members, rows[part], asked)
                differs = color[near] != color[rows[part], None]
                place = np.cumsum(differs, axis=1) - 1
                i, j = np.nonzero(differs & (place < k))
                distance[part[i], place[i, j]], record[part[i], place[i, j]] = some[i, j], near[i, j]
            short = short[np.count_nonzero(record[short] >= 0, axis=1) < wanted[short]]
            if not len(short):
                return distance, record
        for own in np.unique(color[rows[short]]):
            mine = short[color[rows[short]] == own]
            if own not in self._without:
                rest = self.members[color[self.members] != own]
                self._without[own] = rest, _tree(self.records.metric, rest)
            rest, tree = self._without[own]
            width = min(k, len(rest))
            for part in np.array_split(mine, -(-len(mine) * width // MOST_LISTED)):
                distance[part, :width], record[part, :width] = self._ask(tree, rest, rows[part], width)
        return distance, record

    def _ask(self, tree: Neighbors | None, members: Labels, rows: Labels, k: int) -> tuple[Floats, Labels]:
        """Return distances and records of the k members nearest to each row, of any color."""
        metric = self.records.metric
        if tree is None or not isinstance(metric, Neighbors):
            assert isinstance(metric, Precomputed)
            table = metric.matrix[np.ix_(rows, members)]
            order = np.argsort(table, axis=1, kind="stable")[:, :k]
            return np.take_along_axis(table, order, axis=1), members[order]
        some, near = tree.nearest(k, metric.space.coordinates[rows])
        return some, members[near]


def _tree(metric: Neighbors | Precomputed, members: Labels) -> Neighbors | None:
    if isinstance(metric, Precomputed) or not len(members):
        return None
    return Neighbors(metric.space.take(members), n_threads=metric.n_threads)


class Lists:
    """Neighbor lists: for each row, members of another color within a threshold. Lists start short and can grow.

    The listed pairs are `row` (a position in `rows`) and `other` (a record). A list is `complete` if it has all
    members within the threshold; then `beyond` is a lower bound on the distance of the nearest one outside.
    """

    def __init__(
        self,
        among: Among,
        rows: Labels,
        threshold: float,
        first: tuple[Floats, Labels] | int,
        *,
        never: Mask | None = None,
    ) -> None:
        self.among, self.rows, self.threshold = among, rows, threshold
        self.never = never
        """Mask of the records that are never listed."""
        distance, record = among.nearest(rows, first) if isinstance(first, int) else first
        self.width = distance.shape[1]
        self.complete = (distance[:, -1] > threshold) | (np.count_nonzero(record >= 0, axis=1) >= among.others(rows))
        self.beyond = np.where(distance > threshold, distance, np.inf).min(axis=1)
        listed = (record >= 0) & (distance <= threshold)
        if never is not None:
            listed &= ~never[record]
        self.row, column = np.nonzero(listed)
        self.other = record[self.row, column]
        self._random = np.random.default_rng(0)

    def grow(self, places: Labels) -> bool:
        """Extend the incomplete lists among `places`; return whether there were any.

        Records that lie close together have the same nearest members, so longer lists of nearest members would not
        help to tell them apart. Instead, members are drawn at random, more each time, until all of them have been
        examined.
        """
        short = places[~self.complete[places]]
        if not len(short):
            return False
        self.width *= 4
        n = len(self.among.members)
        everything = self.width >= n
        pairs = [(self.row, self.other)]
        for part in np.array_split(short, -(-len(short) * min(self.width, n) // MOST_LISTED)):
            drawn = np.arange(n)[None, :] if everything else self._random.integers(0, n, (len(part), self.width))
            pairs.append(self._within(part, np.broadcast_to(self.among.members[drawn], (len(part), drawn.shape[1]))))
        if everything:
            self.complete[short] = True
        self.row, self.other = (np.concatenate(some) for some in zip(*pairs, strict=True))
        cells = np.unique(self.row * len(self.among.records) + self.other)
        self.row, self.other = np.divmod(cells, len(self.among.records))
        return True

    def _within(self, places: Labels, others: Labels) -> tuple[Labels, Labels]:
        """Return the pairs of `places` and `others` (one line per place) that belong in the lists."""
        records = self.among.records
        mine = self.rows[places]
        i, j = np.nonzero(records.color[others] != records.color[mine, None])
        row, other = places[i], others[i, j]
        distance = records.metric.distance(mine[i], other)
        far = distance > self.threshold
        np.minimum.at(self.beyond, row[far], distance[far])
        near = ~far if self.never is None else ~far & ~self.never[other]
        return row[near], other[near]


class Reach(NamedTuple):
    """Two lower bounds for every record p that follow from the nearest records of other colors.

    `spread` is D(p), the smallest distance within which p has l colors, its own counted: no group with p has a
    smaller diameter. `need` is q(p), at most the minimum of max(d(p, c), D(c)) over p itself and all c of another
    color: no group with p around one of its members has a smaller radius. `near` are the neighbor lists from which
    both come.
    """

    spread: Floats
    need: Floats
    near: tuple[Floats, Labels]


def reach_of(whole: Among, l: int, width: int) -> Reach:  # noqa: E741 (the field's own name)
    """Return spread, need and neighbor lists of all records.

    Lists of `width` neighbors suffice for most records. For the others the lists are extended, or the distance to
    each color is computed if there are few colors.
    """
    records = whole.records
    rows = np.arange(len(records))
    distance, near = whole.nearest(rows, width)
    spread = _met(records.color, distance, near, l)
    short = np.flatnonzero(np.isinf(spread))
    grown = width
    while len(short) and grown < len(records):
        grown = min(4 * grown, len(records))
        if grown > 16 * width and records.n_colors <= 4 * grown:
            spread[short] = _by_color(records, short, l)
            break
        for part in np.array_split(short, -(-len(short) * grown // MOST_LISTED)):
            spread[part] = _met(records.color, *whole.nearest(part, grown), l)
        short = short[np.isinf(spread[short])]
    price = np.where(near < 0, np.inf, np.maximum(distance, spread[near]))
    # Records that are not listed are at least as far away as the last listed one.
    unseen = np.where(whole.others(rows) > distance.shape[1], distance[:, -1], np.inf)
    return Reach(spread, np.minimum(np.minimum(spread, price.min(axis=1)), unseen), (distance, near))


def _met(color: Labels, distance: Floats, near: Labels, l: int) -> Floats:  # noqa: E741
    """Return the distance within which each list has l - 1 different colors; infinity if it has fewer."""
    if l < 2:
        return np.zeros(len(near))
    shown = np.where(near < 0, -1, color[near])
    order = np.argsort(shown, axis=1, kind="stable")
    ranked = np.take_along_axis(shown, order, axis=1)
    first = np.ones(shown.shape, dtype=bool)
    first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    new_color = np.zeros(shown.shape, dtype=bool)
    np.put_along_axis(new_color, order, first, axis=1)
    new_color &= near >= 0
    met = np.where(np.cumsum(new_color, axis=1) >= l - 1, distance, np.inf)
    return np.asarray(met.min(axis=1))


def _by_color(records: Colored, rows: Labels, l: int) -> Floats:  # noqa: E741
    """Return, for each row, the l-th smallest of its distances to the nearest record of each color."""
    best = np.full((len(rows), l), np.inf)
    for own in range(records.n_colors):
        one = Among(
            Colored(records.metric, np.where(records.color == own, 0, 1)), np.flatnonzero(records.color == own)
        )
        gap = np.zeros(len(rows))
        other = np.flatnonzero(records.color[rows] != own)
        gap[other] = one.nearest(rows[other], 1)[0][:, 0]
        best = np.sort(np.column_stack((best, gap)), axis=1)[:, :l]
    return np.asarray(best[:, -1])
