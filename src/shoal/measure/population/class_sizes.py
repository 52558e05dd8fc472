"""How many equivalence classes of a sample have each size: all that estimators of population uniqueness use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.measure.equivalence_classes import Ints


@dataclass(frozen=True, slots=True, eq=False)
class ClassSizes:
    """The different sizes of classes in ascending order, and how many classes have each of them."""

    sizes: Ints
    classes: Ints

    @property
    def n_people(self) -> int:
        """The number of people in the sample."""
        return int(self.sizes @ self.classes)

    @property
    def n_classes(self) -> int:
        """The number of classes in the sample."""
        return int(self.classes.sum())

    def of_size(self, size: int) -> int:
        """Return the number of classes with exactly `size` people."""
        found = np.searchsorted(self.sizes, size)
        return int(self.classes[found]) if found < len(self.sizes) and self.sizes[found] == size else 0


def class_sizes(people: Ints) -> ClassSizes:
    """Return the sizes of the classes whose numbers of people are given; empty classes are ignored."""
    sizes, classes = np.unique(people[people > 0], return_counts=True)
    return ClassSizes(sizes.astype(np.int64), classes.astype(np.int64))
