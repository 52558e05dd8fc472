"""All measures of utility of a released table, from its columns as attackers and analysts read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.errors import ParameterError
from shoal.measure.questions.columns import Column
from shoal.measure.utility.models import target_model
from shoal.measure.utility.overlap import means, regression, tables
from shoal.measure.utility.propensity import propensity
from shoal.measure.utility.result import Utility
from shoal.policy import Policy

MOST_ROWS = 10_000  # rows of each table that regressions, models and the propensity score use; tables use all
MOST_COLUMNS = 20  # columns that are used, sensitive ones first
MOST_TARGETS = 3  # sensitive columns that are regressed and predicted if no targets are chosen


def measured(
    columns: Sequence[Column],
    n: int,
    policy: Policy,
    *,
    n_control: int = 0,
    targets: Sequence[str] | None = None,
    seed: int = 0,
) -> Utility:
    """Return all measures; `targets` are the columns that are regressed and predicted.

    People `n` and above are the control, on whom models are tested.
    """
    sensitive = set(policy.sensitive)
    used = sorted(columns, key=lambda column: column.name not in sensitive)[:MOST_COLUMNS]
    by_name = {column.name: column for column in used}
    unknown = [name for name in targets or () if name not in by_name]
    if unknown:
        raise ParameterError(f"{unknown[0]} is not a column that is compared.", f"choose among {', '.join(by_name)}.")
    wanted = targets if targets is not None else [one.name for one in used if one.name in sensitive][:MOST_TARGETS]
    wanted = wanted or [column.name for column in used[-1:]]
    chance = np.random.default_rng(seed)
    n_rows = len(used[0].of_row) if used else 0
    originals, rows, control = (np.sort(chance.permutation(size)[:MOST_ROWS]) for size in (n, n_rows, n_control))
    control = control + n
    regressions = tuple(
        one for name in wanted if (one := regression(used, by_name[name], n, originals, rows)) is not None
    )
    models = tuple(
        model
        for name in wanted
        if (model := target_model(used, by_name[name], n, originals, rows, control, seed=seed)) is not None
    )
    averages, counts = means(used, n), tables(used, n)
    parts = [[one.overlap for one in some] for some in (averages, counts, regressions) if some]
    return Utility(
        overlap=float(np.mean([np.mean(part) for part in parts])) if parts else 0.0,
        means=averages,
        tables=counts,
        regressions=regressions,
        propensity=propensity(used, n, originals, rows),
        models=models,
    )
