"""The default effort of every search, for policies that give no `effort`, with the reasons.

Effort is counted in proposals per record, not in seconds, so that a release is the same on every machine. The more
effort is spent, the less is gained by more of it; the defaults are where this began on the tables of
docs/benchmarks.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """Proposals per record: `usual` for up to `large` records; for more, `usual * large` proposals in all.

    Up to `small` records get twice as many: their search takes less than a second.
    """

    usual: float
    large: int
    small: int = 0

    def for_records(self, n_records: int) -> float:
        """Return the default proposals per record for a table of `n_records`."""
        if n_records <= self.small:
            return 2 * self.usual
        return self.usual * min(1.0, self.large / n_records)


GENERALIZATION = Effort(500.0, 20_000)
"""The search by exchanges for less generalization if k is the only requirement; no other search follows it.
Records in groups without any generalization are not counted."""
GENERALIZATION_THEN_RECOMBINED = 250.0
"""The same search where groups are recombined afterwards, with many different records: twice as many proposals take
as long as the recombination and gain a tenth of what it does."""
GENERALIZATION_UNIT = 250.0
"""The effort from which on the search for less generalization starts at its full temperature. With an effort of the
policy's own, bounds and balanced cuts get their usual work at this one, and in proportion more or less at others."""
LEAST_IN_BLOCKS = 8.0
"""The least effort where a table is divided into blocks because it does not fit into memory: its work then grows with
the table, on as many cores as there are."""
GENERALIZATION_WITH_RULES = 60.0
"""The same search if there are rules besides k. Groups that miss a requirement are repaired and searched again later,
so this search may stop earlier."""
GENERALIZATION_AFTER_REPAIR = 22.0
"""The search after a repair: it starts from good groups, and must keep the requirements that the repair has met."""
SQUARED_ERROR = Effort(1000.0, 30_000, small=3000)
"""The search for the least squared error, whose proposals are faster than those for generalization."""
SQUARED_ERROR_AFTER_REPAIR = Effort(300.0, 20_000)
"""The same after a repair, where each proposal that lowers the cost is also checked against the rules."""
BALANCED_CUTS = Effort(16.0, 40_000)
"""Rounds in which neighborhoods of groups are cut again to meet l and t at a lower loss. A policy's `effort` changes
their number in proportion to GENERALIZATION_UNIT."""
GROWN_GROUPS = 200.0
"""The search on groups built from different sensitive values. It has two steps: the first uses a share of this
effort, or of the policy's, and the second is made only if the groups are then cheap enough."""
REGIONS = 400.0
"""Steps per region of the search for sets of regions with fewer people."""
FIRST_COLUMNS = 200
"""Each of the searches whose groups start the lower bound by column generation; these only have to be diverse."""
