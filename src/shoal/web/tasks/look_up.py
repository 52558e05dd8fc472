"""What can be found out about one person by someone who knows some columns."""

from __future__ import annotations

from typing import Any

from shoal import api
from shoal.web.task_reports import TaskReports
from shoal.web.tasks.kept import release_of, table_of

MOST_VALUES = 8  # values of a column that are listed


def look_up(asked: dict[str, Any], _reports: TaskReports) -> dict[str, Any]:
    """Return how many people fit, and what is published about them in the columns that were not known."""
    table, release = table_of(asked), release_of(asked)
    found = api.look_up(table, release, asked["row"], asked["known"])
    own = table.as_read[asked["row"]]
    policy = release.policy
    columns = []
    for name in found.unknown:
        values = found.values(name)
        role = policy.columns[name].role if name in policy.columns else "quasi"
        columns.append(
            {
                "name": name,
                "role": role,
                "values": values[:MOST_VALUES],
                "n_values": len(values),
                "certain": len(values) == 1 and role != "quasi",
            }
        )
    columns.sort(key=lambda one: ("sensitive", "weight", "other", "quasi", "person").index(one["role"]))
    return {
        "row": found.row,
        "known": [[name, None if (cell := own[name][0]) is None else str(cell)] for name in found.known],
        "people": found.people,
        "rows": len(found.rows),
        "left_out": found.left_out,
        "columns": columns,
    }
