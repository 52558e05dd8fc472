"""Several releases of one changing table: what must stay the same so that all of them together keep the guarantee.

There are two ways (docs/proofs/sequence.md):

groups      people published together stay together, and disappear together (SEQUENCE-1); for k, l and t
values      the set of sensitive values around a person stays the same: m-invariance (SEQUENCE-2); for distinct l
"""

from __future__ import annotations

from shoal.sequence.cohorts import Standing, staying
from shoal.sequence.history import History, Promise, read_history
from shoal.sequence.identity import marks, value_marks
from shoal.sequence.signatures import Places, assign
from shoal.sequence.splitting import split

__all__ = [
    "History",
    "Places",
    "Promise",
    "Standing",
    "assign",
    "marks",
    "read_history",
    "split",
    "staying",
    "value_marks",
]
