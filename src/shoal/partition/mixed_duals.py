"""Duals between the best feasible ones and those of the groups found so far, for bounds by column generation.

The duals of the groups found so far (`GroupPool`) ask too much, and differ much from round to round. The search for
further groups takes a mean of them and the best feasible duals [1]_: what these prove is higher, and the groups that
are found matter more. The weight grows after a better bound and shrinks after a worse one, until both agree.

References
----------
.. [1] P. Wentges (1997). "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming." International
   Transactions in Operational Research 4(2), 151-162.
"""

from __future__ import annotations

from shoal.partition.result import Floats

FIRST, LEAST, MOST = 0.3, 0.05, 0.9
"""Weight of the duals of the groups found so far: at first, at least and at most."""
LONGER, SHORTER = 1.25, 0.7
"""What the weight is multiplied by after a better bound, and after one that is not better."""


class MixedDuals:
    """The best feasible duals so far, what they prove, and the weight of other duals in the next trial."""

    def __init__(self, feasible: Floats, best: float) -> None:
        self.feasible, self.best, self.weight = feasible, best, FIRST

    def with_those_of(self, duals: Floats) -> Floats:
        """Return the duals for the next trial: a mean of the best feasible ones and of `duals`."""
        return (1 - self.weight) * self.feasible + self.weight * duals

    def tried(self, feasible: Floats, proved: float) -> None:
        """Keep these feasible duals if they prove more than the best so far, and choose the next weight."""
        if proved > self.best:
            self.feasible, self.best = feasible, proved
            self.weight = min(MOST, self.weight * LONGER)
        else:
            self.weight = max(LEAST, self.weight * SHORTER)
