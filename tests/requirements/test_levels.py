"""Only levels that join values of the table count: any other would make every distance look smaller than it is."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.requirements.counts import Levels

VALUES, PAIRS, HALVES = [0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("nodes", "missing", "totals", "kept"),
    [
        ([VALUES, PAIRS], False, [1, 1, 1, 1], [0, 1]),
        ([VALUES, VALUES, PAIRS, PAIRS], False, [1, 1, 1, 1], [0, 2]),  # one that repeats another
        ([VALUES, PAIRS, [0, 0, 0, 0]], False, [1, 1, 1, 1], [0, 1]),  # a root
        ([VALUES, PAIRS], False, [1, 0, 1, 0], [0]),  # it joins only what does not occur
        ([VALUES, PAIRS], False, [1, 1, 1], [0, 1]),  # the last value is not in the table
        ([VALUES, HALVES], True, [1, 1, 1, 1], [0]),  # beside the missing value there is one node: a root
        ([VALUES, HALVES], False, [1, 1, 1, 1], [0, 1]),
        ([VALUES, PAIRS], True, [1, 0, 1], [0]),
        ([[0], [0]], False, [5], [0]),
    ],
)
def test_levels_count_where_they_join_what_occurs(nodes, missing, totals, kept):
    levels = Levels(np.array(nodes), missing)
    found = levels.counting(np.array(totals))
    assert [one.tolist() for one in found] == [nodes[level] for level in kept]
