"""What follows about every column from others (`inference`), in a release with known original rows, and in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from shoal.certify.forms import form_of
from shoal.measure.column_views import NUMBERS, POINTS, as_floats, views
from shoal.measure.equivalence_classes import Floats, Ints, class_of_group
from shoal.measure.inference import SensitiveValues, infer
from shoal.measure.published_cells import PublishedCells, cells_of
from shoal.measure.released_table import ReleasedTable, typed
from shoal.measure.risk_result import Inference
from shoal.policy import Policy
from shoal.publish.result import Published
from shoal.requirements.counts import Records
from shoal.requirements.from_policy import records_of, values_counted
from shoal.requirements.l_diversity import LDiversity
from shoal.tables.text import as_written


def inferences(
    original: pl.DataFrame,
    policy: Policy,
    published: Published,
    attacked: Ints,
    *,
    seed: int = 0,
    known: Sequence[str] | None = None,
) -> tuple[Inference, ...]:
    """Return what follows about every column from sets of others; empty if cells do not cover their values."""
    if published.form in POINTS:
        return ()
    of_group = class_of_group(published)
    _, groups = np.unique(of_group, return_index=True)
    wanted = set(policy.quasi if known is None else known)
    # no trees are needed, because nodes of a hierarchy are compared by their leaves; a row left out may be in none
    seen = tuple(view for view in views(original, policy, published, {}) if view.column.name in wanted)
    of_row = of_group[published.groups]
    coded = records_of(policy, original, policy.sensitive)
    sensitive = {
        name: SensitiveValues(of_row, codes[published.rows], codes[attacked])
        for name in policy.sensitive
        if (codes := _counting(policy, coded, name)) is not None
    }
    people = np.bincount(of_row, minlength=len(groups)).astype(np.int64)
    cells = cells_of(seen, attacked, groups)
    return infer(cells, people, sensitive, _different(original, policy, wanted), policy, len(attacked), seed=seed)


def _counting(policy: Policy, records: Records, name: str) -> Ints:
    """Return the codes of a column; -1 for a missing value that does not count as one."""
    asked = policy.diversity_of(name)
    return values_counted(LDiversity(name, 1.0, count_missing=asked is not None and asked.count_missing), records)


def _different(original: pl.DataFrame, policy: Policy, names: Iterable[str]) -> dict[str, Floats]:
    """Return the different values of every column of numbers or dates, in ascending order."""
    found = {}
    for name in names:
        if policy.columns[name].kind in NUMBERS:
            x = as_floats(original[name], policy, name)
            found[name] = np.unique(x[np.isfinite(x)])
    return found


def inferences_in_file(
    release: ReleasedTable,
    released: pl.DataFrame,
    original: pl.DataFrame,
    policy: Policy,
    cells: Mapping[str, PublishedCells],
    attacked: Ints,
    seed: int,
) -> tuple[Inference, ...]:
    """Return what follows about every column of a released file; empty if cells do not cover their values."""
    if release.centers or form_of(policy, as_written(released)) in POINTS:
        return ()
    names = [name for name in policy.sensitive if name in released.columns]
    released_values = [
        typed(released[name], original[name].dtype).cast(original[name].dtype, strict=False) for name in names
    ]
    both = pl.concat([pl.DataFrame(released_values), original.select(names)[attacked]]) if names else pl.DataFrame()
    coded = records_of(policy.model_copy(update={"columns": {n: policy.columns[n] for n in names}}), both)
    n_rows = len(release.of_row)
    sensitive = {}
    for name in names:
        codes = _counting(policy, coded, name)
        sensitive[name] = SensitiveValues(release.of_row, codes[:n_rows], codes[n_rows:])
    people = np.bincount(release.of_row).astype(np.int64)
    values = _different(original, policy, cells)
    return infer(cells, people, sensitive, values, policy, len(attacked), seed=seed)
