from __future__ import annotations

from fractions import Fraction

from tests.oracles.closeness import hierarchical, ordered, variational


def test_distances_that_can_be_worked_out_by_hand():
    assert variational([0, 0], [0, 0, 1, 2]) == Fraction(1, 2)
    assert ordered([0], [0, 1, 2]) == Fraction(1, 2)  # a third over one step, a third over two
    assert ordered([4], [4, 4]) == 0
    # The value 2 is in no release, so two levels tell 0 and 1 from 3: apart from each other, and below one node.
    parents = ((0, 1, 2, 3), (0, 0, 1, 1))
    assert hierarchical([0], [0, 1, 3, 3], parents) == (Fraction(3, 4) + Fraction(1, 2)) / 2
    assert hierarchical([0], [0, 1], parents) == Fraction(1, 2)
