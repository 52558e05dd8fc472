"""Small tables with ties, shared people and rare values, drawn often."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from shoal.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    Records,
    Requirement,
    TCloseness,
)
from shoal.requirements.counts import Levels

LEVELS = np.array([[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 2]])
"""Six values in depth-first order; 0 to 2 and 3, 4 meet below the root."""


@st.composite
def tables(draw: st.DrawFn, *, max_groups: int = 4, persons: bool | None = None) -> list[tuple[int, int, int]]:
    """Rows (group, person, value), every group 0, 1, ... with a row."""
    n_groups = draw(st.integers(1, max_groups))
    shared = draw(st.booleans()) if persons is None else persons
    rows = []
    for group in range(n_groups):
        for _ in range(draw(st.integers(1, 7))):
            person = draw(st.integers(0, 5)) if shared else len(rows)
            rows.append((group, person, draw(st.integers(0, 5))))
    return rows


def labels_and_records(
    rows: list[tuple[int, int, int]], *, persons: bool = True, missing: int | None = None
) -> tuple[np.ndarray, Records]:
    labels, people, values = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    unknown = {} if missing is None else {"s": missing}
    return labels, Records(len(rows), people if persons else None, {"s": values}, {"s": Levels(LEVELS)}, unknown)


REQUIREMENTS: list[Requirement] = [
    KAnonymity(2),
    KAnonymity(4),
    LDiversity("s", 2),
    LDiversity("s", 3),
    LDiversity("s", 2, "frequency"),
    LDiversity("s", 1.5, "frequency"),
    LDiversity("s", 2, "entropy"),
    LDiversity("s", 2.5, "entropy"),
    LDiversity("s", 2, "recursive", 1.0),
    LDiversity("s", 2, "recursive", 2.0),
    LDiversity("s", 3, "recursive", 0.5),
    TCloseness("s", 0.2),
    TCloseness("s", 0.4),
    TCloseness("s", 0.1, "ordered"),
    TCloseness("s", 0.2, "ordered"),
    TCloseness("s", 0.2, "hierarchical"),
    TCloseness("s", 0.3, "hierarchical"),
    AlphaAnonymity("s", 0.5),
    AlphaAnonymity("s", 0.25, (1, 4)),
    BetaLikeness("s", 1.0),
    BetaLikeness("s", 0.5),
    BetaLikeness("s", 1.0, "enhanced"),
    BetaLikeness("s", 3.0, "enhanced"),
    DeltaDisclosure("s", 1.0),
    DeltaDisclosure("s", 2.5),
]

MEASURES = [
    KAnonymity(2),
    LDiversity("s", 2),
    LDiversity("s", 2, "frequency"),
    LDiversity("s", 2, "entropy"),
    LDiversity("s", 2, "recursive", 1.0),
    LDiversity("s", 2, "recursive", 0.5),
    TCloseness("s", 0.2),
    TCloseness("s", 0.2, "ordered"),
    TCloseness("s", 0.2, "hierarchical"),
    AlphaAnonymity("s", 0.5),
    AlphaAnonymity("s", 0.5, (0, 2)),
    BetaLikeness("s", 1.0),
    BetaLikeness("s", 1.0, "enhanced"),
    DeltaDisclosure("s", 1.0),
]
"""One of each kind, where the threshold does not matter."""
