"""What a change of columns means: who is singled out by those that others may know, and what levels leave."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from shoal import api
from shoal.policy import Hierarchy
from shoal.web.tasks.kept import table_of
from shoal.web.told import Told


def singled_out(asked: dict[str, Any], _told: Told) -> dict[str, Any]:
    """Return the combinations of the chosen columns that single people out, and how many all of them do."""
    found, risk = api.singled_out(table_of(asked), asked["columns"], k=asked["k"], person=asked["person"])
    shown = (*found.combinations, *found.growing[-1:])
    return {
        "unique_rows": risk.unique_rows,
        "rows_below_k": risk.rows_below_k,
        "average": risk.average,
        "combinations": [{"columns": list(one.columns), "unique_rows": one.unique_rows} for one in shown],
    }


def levels(asked: dict[str, Any], _told: Told) -> dict[str, Any]:
    """Return what each level of a hierarchy leaves of a column."""
    source = Hierarchy.model_validate(asked["hierarchy"])
    found = api.levels_of(table_of(asked), asked["column"], source, k=asked["k"])
    return {"levels": [asdict(one) for one in found]}
