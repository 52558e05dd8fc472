"""Cutting points of the plane into strips and these into pieces, such that no four arms of a cross come together.

Problem     cut the plane into strips of rows, and these into pieces of columns, each of weight at least k, such that
            what is left uncut when the pieces are cut further is light.
Guarantee   no rectangle that can be cut no further weighs more than OPT + 3 (k - 1), OPT the weight of the heaviest
            rectangle of an optimal solution: RECTANGLES-2, docs/proofs/rectangles.md.
Complexity  O(n log n) time, and again for the points of every strip that is found to be a bad cross.

The words are those of the proof. Rows are the points with one first coordinate, columns those with one second. A
strip is *fat* if rows lighter than k lie on both sides of the row at which it reached k. A fat strip that no column
cuts is a *cross*: it has a center and four arms, each lighter than k. It is *bad* if it weighs more than
kappa + 3 (k - 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.partition.result import Floats, Labels
from shoal.partition.single_attribute.cover_greedy import cut_runs

Strips = list[list[Labels]]
"""The points of every piece of every strip: strips in the order of the first axis, pieces in that of the second."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cross:
    """A fat strip that no column cuts: its weight, its center column, and the weights of center, upper and lower arm.

    The upper arm is what the center column has in the rows before the center row, the lower arm what it has after.
    """

    weight: int
    column: float
    center: int
    upper: int
    lower: int


def row_strips(points: Floats, held: Labels, k: int, kappa: int) -> tuple[Strips, int]:
    """Return strips with their pieces, and a lower bound on the heaviest rectangle of every solution, 0 if none.

    `kappa` is the larger of k and the heaviest place.
    """
    order = np.argsort(points[:, 0], kind="stable")
    coordinate, row = np.unique(points[order, 0], return_inverse=True)
    row = row.reshape(-1)
    runs, n_strips = cut_runs(np.bincount(row, weights=held[order]).astype(np.int64), k)
    closing = np.searchsorted(runs[runs >= 0], np.arange(n_strips), side="right") - 1  # the rows that reach k
    begins = np.searchsorted(row, np.concatenate([[0], closing + 1]))  # of light rows: A_1 .. A_(t+1) of the proof
    heavy = np.searchsorted(row, closing)  # where the closing rows begin
    limit = kappa + 3 * (k - 1)

    def points_of(strip: int, *, before: bool = True, after: bool = False) -> Labels:
        """Return a closing row with the light rows before it or after it or both."""
        begin = begins[strip] if before else heavy[strip]
        light = heavy[strip + 1] if strip + 1 < n_strips else len(order)
        return order[begin : light if after else begins[strip + 1]]

    def with_fat(fat: list[Labels], strip: int, beyond: int) -> Strips:
        """Return all strips, of which `strip` to `beyond` - 1 are replaced by one with all light rows beside it."""
        return [
            *([points_of(one)] for one in range(strip)),
            fat,
            *([points_of(one, before=False, after=True)] for one in range(beyond, n_strips)),
        ]

    crosses: list[_Cross] = []
    for strip in range(n_strips - 1, -1, -1):
        fat = points_of(strip, after=True)
        pieces = _pieces(points, held, fat, k, coordinate[closing[strip]])
        found = _cross(points, held, fat, k, coordinate[closing[strip]]) if len(pieces) == 1 else None
        if found is None or found.weight <= limit:
            return with_fat(pieces, strip, strip + 1), 0
        crosses.insert(0, found)
    for strip in range(n_strips - 1):
        if crosses[strip].column == crosses[strip + 1].column:
            pair = np.union1d(points_of(strip, after=True), points_of(strip + 1, after=True))
            return with_fat(_three(points, held, pair, k, crosses[strip].column), strip, strip + 2), 0
    lightest = min(range(n_strips), key=lambda strip: crosses[strip].weight)
    first, last = crosses[0], crosses[-1]
    bound = first.weight if n_strips == 1 else max(first.center + first.upper, last.center + last.lower)
    return with_fat([points_of(lightest, after=True)], lightest, lightest + 1), bound


def _columns(points: Floats, held: Labels, inside: Labels) -> tuple[Floats, Labels, Labels]:
    """Return the coordinates and weights of the columns of a strip, and the column of each of its points."""
    coordinate, column = np.unique(points[inside, 1], return_inverse=True)
    column = column.reshape(-1)
    return coordinate, np.bincount(column, weights=held[inside]).astype(np.int64), column


def _pieces(points: Floats, held: Labels, fat: Labels, k: int, center_row: float) -> list[Labels]:
    """Return the pieces of a fat strip: one only if it is a cross, otherwise none above kappa + 3 (k - 1)."""
    _, weights, column = _columns(points, held, fat)
    runs, n_pieces = cut_runs(weights, k)
    if n_pieces == 1:
        return [fat]
    last = int(np.flatnonzero(runs == n_pieces - 1)[-1])  # the column that closes the last piece
    runs[runs < 0] = n_pieces - 1
    beside = fat[(column == last) & (points[fat, 0] != center_row)]
    if held[beside].sum() >= k:  # that column is a piece with the rest; what is before it joins the piece before
        runs[:last][runs[:last] == n_pieces - 1] = n_pieces - 2
    return [fat[runs[column] == piece] for piece in range(n_pieces)]


def _cross(points: Floats, held: Labels, fat: Labels, k: int, center_row: float) -> _Cross:
    """Return what the proof uses of a fat strip that no column cuts."""
    coordinate, weights, column = _columns(points, held, fat)
    runs, _ = cut_runs(weights, k)
    center = int(np.flatnonzero(runs == 0)[-1])
    inside = fat[column == center]
    rows = points[inside, 0]
    center_weight, upper, lower = (
        int(held[inside[chosen]].sum()) for chosen in (rows == center_row, rows < center_row, rows > center_row)
    )
    return _Cross(int(weights.sum()), float(coordinate[center]), center_weight, upper, lower)


def _three(points: Floats, held: Labels, pair: Labels, k: int, center: float) -> list[Labels]:
    """Return the pieces of two bad crosses with one center column: before it, the column, after it.

    A side lighter than k is left with the column; the proof shows that one side is not.
    """
    side = (points[pair, 1] > center).astype(np.int64) - (points[pair, 1] < center)
    for away in (-1, 1):
        if held[pair[side == away]].sum() < k:
            side[side == away] = 0
    return [pair[side == place] for place in (-1, 0, 1) if (side == place).any()]
