"""People with several rows, counted once when labels, regions or places are put into classes.

Somebody with rows in two regions of a class is one person of that class. Weights of single regions cannot say so:
their sum counts that person twice, and a class of weight k may have fewer than k people. So everybody is counted at
one value alone, the home. A class of k homes has at least k people, whatever other values they have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal._repr import brief
from shoal.partition.result import Labels
from shoal.partition.single_attribute.weights import class_bound


@dataclass(frozen=True, slots=True, eq=False)
class Homes:
    """Where each person is counted, among values that are numbered from 0.

    `weights` has the number of homes at every value, and `pairs` the different pairs of a person and a value, a row
    each. If `settled`, everybody has one value only, and theorems on weights are theorems on people.
    """

    weights: Labels
    pairs: Labels
    settled: bool

    def __repr__(self) -> str:
        return brief(self, f"of {self.weights.sum()} people at {np.count_nonzero(self.weights)} values")

    @property
    def n_people(self) -> int:
        return int(self.weights.sum())

    def people_of(self, classes: Labels) -> Labels:
        """Return the number of people of every class; `classes` has the class of each value."""
        different = np.unique(np.column_stack([self.pairs[:, 0], classes[self.pairs[:, 1]]]), axis=0)
        return np.bincount(different[:, 1], minlength=int(classes.max(initial=-1)) + 1).astype(np.int64)

    def bound(self, k: int) -> int:
        """Return a lower bound on the people of the largest class, if every class has at least `k` people.

        People with several values may belong to several classes, so an even share of all people is no bound then.
        """
        if self.settled:
            return class_bound(self.weights, k)
        return max(k, int(np.bincount(self.pairs[:, 1]).max()))


def homes(people: Labels | None, values: Labels, n_values: int) -> Homes:
    """Return the home of each person: the value of most of their rows, of equally frequent ones the first.

    `people` has the person of each row, None if every row is a person of its own; `values` the value of each row.
    """
    if people is None:
        pairs = np.column_stack([np.arange(len(values)), values])
        return Homes(np.bincount(values, minlength=n_values).astype(np.int64), pairs, settled=True)
    counted = (
        pl.DataFrame({"person": people, "value": values})
        .group_by("person", "value")
        .len()
        .sort("person", "len", "value", descending=[False, True, False])
    )
    first = counted.unique("person", keep="first", maintain_order=True)
    return Homes(
        np.bincount(first["value"].to_numpy(), minlength=n_values).astype(np.int64),
        counted.select("person", "value").to_numpy().astype(np.int64),
        settled=first.height == counted.height,
    )
