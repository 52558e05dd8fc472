"""Looking up one person of the original table in a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.measure.person_lookup import fitting_rows
from shoal.pipeline.inputs import Source, read_source, resolve_roles
from shoal.results.person_found import PersonFound
from shoal.results.release import Release
from shoal.roles import compared


def look_up(source: Source, release: Release[Any], row: int, known: Sequence[str]) -> PersonFound:
    """Return what can be found in `release` by someone who knows the columns `known` of one row of its source."""
    clock, policy = Clock(), release.policy
    read = read_source(source, policy, clock)
    if not 0 <= row < len(read):
        raise ParameterError(f"the table has no row {row + 1}.", f"rows are numbered from 1 to {len(read)}.")
    table, resolved = resolve_roles(read, policy, clock)
    found = fitting_rows(compared(table, resolved)[[row]], resolved, release.published, known)
    frame = release.published.frame
    own = np.flatnonzero(release.order == row)
    left_out = not len(own) or bool(release.partition.labels[own[0]] < 0)
    person = resolved.person
    people = len(found)
    if person is not None and person in frame.columns:
        shown = [name for name in frame.columns if name == person or name in resolved.quasi]
        people = frame[found].select(shown).n_unique() if len(found) else 0
    return PersonFound(
        row=row,
        known=tuple(known),
        rows=tuple(int(one) for one in found),
        people=people,
        left_out=left_out,
        released=frame[found],
        unknown=tuple(name for name in frame.columns if name not in known and name != person),
    )
