"""How much work a search does where the policy gives no `effort`: every usual number, with its reason.

Work is counted in proposals per record, not in seconds, so that a release is the same on every machine. More of it
costs time and lowers the loss less and less; the numbers are where that began on the tables of docs/benchmarks.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """Proposals per record: `usual` up to `large` records, and beyond so many in all as those would get."""

    usual: float
    large: int

    def for_records(self, n_records: int) -> float:
        """The usual effort for so many records."""
        return self.usual * min(1.0, self.large / max(n_records, 1))


GENERALIZATION = Effort(250.0, 20_000)
"""Of the search by exchanges for less generalization, where nothing but k is asked for: the only search there is.
Records that are published as they are do not count."""
GENERALIZATION_WITH_RULES = 60.0
"""The same where there are rules besides k: groups that miss one are repaired later and searched once more, so this
search need not end at its best."""
GENERALIZATION_AFTER_REPAIR = 22.0
"""The search after a repair: its start is good already, and it may not break what was repaired."""
SQUARED_ERROR = Effort(1000.0, 30_000)
"""Of the search for the least squared error: its proposals are cheaper than those of generalization."""
SQUARED_ERROR_AFTER_REPAIR = Effort(300.0, 20_000)
"""The search after a repair, where each proposal that pays is also held against the rules."""
GROWN_GROUPS = 200.0
"""Of groups grown for diversity, which are searched in two steps: the first is a share of this, or of the policy's
effort, and tells whether they are worth the second."""
REGIONS = 400.0
"""Steps per region of the search for lighter sets of regions."""
FIRST_COLUMNS = 200
"""Of each of the searches whose groups begin the bound by columns: they only have to be varied."""
