"""The shape of published cells, as derived from rows: levels, trees, classes of labels, areas and units.

A release derives it from the released rows only. Otherwise the width of an interval, the length of a mask, the name
of the root, the sides of rectangles, the classes in a legend or the unit of a radius could reveal who was suppressed.
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

Spaces = dict[tuple[int, str, bool, str, int], Built]
"""The spaces built so far for one table, by their geometry: norm, scale, whether all columns are trees, what a
cell costs, and k if classes or areas depend on it (otherwise 0)."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The shape derived from some rows for a choice of method; `policy` includes their levels and grids."""

    policy: Policy
    built: Built
    areas: Mapping[str, Area]
    """The areas of columns of places or with a map, if these are generalized; otherwise empty."""

    @classmethod
    def of(
        cls, frame: pl.DataFrame, policy: Policy, choice: Choice, people: Labels | None, spaces: Spaces | None = None
    ) -> Shape:
        """Return the shape derived from `frame`; rows with the same code in `people` belong to one person.

        Shapes of the same geometry share a space if they are given the same `spaces`, which is added to.
        """
        if choice.whole_columns:
            policy = with_levels(policy, frame)
        in_areas = choice.form == "generalize" and not choice.whole_columns
        policy = with_grid(policy, frame) if in_areas else policy
        areas = areas_of(frame, policy, people) if in_areas else {}
        k = policy.k if policy.recoded or areas else 0
        geometry = (choice.norm, choice.scale, choice.whole_columns, choice.cell_loss, k)
        known: Spaces = {} if spaces is None else spaces
        if geometry not in known:
            known[geometry] = build_space(
                frame,
                policy,
                norm=choice.norm,
                scale=choice.scale,
                only_trees=choice.whole_columns,
                loss=choice.cell_loss,
                recodings=recode(frame, policy, people),
                given=axes_of(areas),
            )
        return cls(policy, known[geometry], areas)

    def takes_groups_of(self, other: Shape, *, whole_columns: bool) -> bool:
        """Return whether groups made in `other`, a shape of more rows, can be published in this one.

        Not if there are classes of labels or areas, because these depend on the rows. With full-domain generalization
        (`whole_columns`) only if both shapes have the same policy and the same number of levels in every column.
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
    """Return the entries of `people` at `rows`, None if there are none."""
    return None if people is None else np.ascontiguousarray(people[rows])
