"""All that shapes published cells and is derived from rows: levels, trees, classes of labels, areas, units.

A release derives it from the rows that it releases, and from no others: the width of every interval, the length of a
mask, the name of the root, the sides of rectangles, the classes in a legend and the unit of a radius would otherwise
tell of who was left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.partition.column_classes.areas import Area, areas_of, axes_of, with_grid
from shoal.partition.column_classes.labels import recode
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Labels
from shoal.policy import Policy
from shoal.space import Built, build_space, with_levels

Spaces = dict[tuple[int, str, bool, bool, int], Built]
"""Of one table, by norm, scale, whether all columns are trees, what nodes cost, and k where classes depend on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What some rows are published in under a choice of method; `policy` has levels and grids derived from them."""

    policy: Policy
    built: Built
    areas: Mapping[str, Area]
    """Of regions with a map and of places, where these are generalized."""

    @classmethod
    def of(
        cls, frame: pl.DataFrame, policy: Policy, choice: Choice, people: Labels | None, spaces: Spaces | None = None
    ) -> Shape:
        """Derived from `frame`; `people` tells which rows are one person's. Shapes of one geometry share a space."""
        if choice.whole_columns:
            policy = with_levels(policy, frame)
        in_areas = choice.form == "generalize" and not choice.whole_columns
        policy = with_grid(policy, frame) if in_areas else policy
        areas = areas_of(frame, policy) if in_areas else {}
        k = policy.k if policy.recoded or areas else 0
        geometry = (choice.norm, choice.scale, choice.whole_columns, choice.by_leaves, k)
        known: Spaces = {} if spaces is None else spaces
        if geometry not in known:
            known[geometry] = build_space(
                frame,
                policy,
                norm=choice.norm,
                scale=choice.scale,
                only_trees=choice.whole_columns,
                by_leaves=choice.by_leaves,
                recodings=recode(frame, policy, people),
                given=axes_of(areas),
            )
        return cls(policy, known[geometry], areas)

    def takes_groups_of(self, other: Shape, *, whole_columns: bool) -> bool:
        """Whether groups made in `other`, a shape of more rows, are as good in this one.

        Classes of labels and areas are groups of their own; so are levels, where both have not the same.
        """
        if self.areas or self.built.recodings:
            return False
        if not whole_columns:
            return True
        trees, others = self.built.trees, other.built.trees
        return self.policy == other.policy and all(
            tree.n_levels == others[name].n_levels for name, tree in trees.items()
        )


def subset(people: Labels | None, rows: Labels) -> Labels | None:
    """The people of some rows."""
    return None if people is None else np.ascontiguousarray(people[rows])
