"""The released rows that match one person, of whom some quasi-identifiers are known.

Guarantee   The rows that are returned are exactly those whose published cells may stand for the person's original
            values in the known columns. Among them are always those of the person's own class, unless the person was
            suppressed; so there are at least k, whatever is known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.errors import ParameterError
from shoal.measure.column_views import POINTS, views
from shoal.measure.equivalence_classes import Bools, Ints, class_of_group
from shoal.measure.published_cells import cells_of
from shoal.policy import Policy
from shoal.publish.result import Published


def fitting_rows(person: pl.DataFrame, policy: Policy, published: Published, known: Sequence[str]) -> Ints:
    """Return the released rows that fit one person: `person` is their row of the original table, with its types."""
    unknown = [name for name in known if name not in policy.quasi]
    if unknown:
        raise ParameterError(f"{unknown[0]} is not a quasi-identifier.", f"choose among {', '.join(policy.quasi)}.")
    if published.form in POINTS:
        raise ParameterError(
            f"in the form {published.form} cells do not cover the values of people, so nobody can be looked up.",
            "look up people in a release of ranges and sets.",
        )
    of_group = class_of_group(published)
    _, groups = np.unique(of_group, return_index=True)
    seen = tuple(view for view in views(person, policy, published, {}) if view.column.name in set(known))
    fits: Bools = np.ones(len(groups), dtype=bool)
    for cells in cells_of(seen, np.zeros(1, dtype=np.int64), groups).values():
        fits &= cells.compare(slice(0, 1))[0][0]
    return np.flatnonzero(fits[of_group[published.groups]])
