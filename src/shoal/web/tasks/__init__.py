"""The tasks of the worker. Each takes a request, reports its progress, and returns plain values."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from shoal.web.task_reports import TaskReports

Task = Callable[[dict[str, Any], TaskReports], dict[str, Any]]
TASKS = {
    "open": "open_file",
    "example": "open_file",
    "database": "open_database",
    "tables": "open_database",
    "release": "make_release",
    "export": "make_release",
    "look_up": "look_up",
    "compare": "compare_settings",
    "singled_out": "columns_again",
    "levels": "columns_again",
    "values": "columns_again",
    "dossier": "evaluate",
    "household": "evaluate",
}
"""The module of every task; its function is called as in FUNCTIONS, or as the module."""
FUNCTIONS = {
    "example": "open_example",
    "tables": "list_tables",
    "export": "export",
    "singled_out": "singled_out",
    "levels": "levels",
    "values": "values",
    "dossier": "dossier",
    "household": "household",
}


def run(kind: str, asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Run a task by its name and return its result."""
    module = import_module(f"{__name__}.{TASKS[kind]}")
    task: Task = getattr(module, FUNCTIONS.get(kind, TASKS[kind]))
    return task(asked, reports)


def warm_up() -> None:
    """Import what every job needs, so that the first one does not wait for it."""
    for module in dict.fromkeys(TASKS.values()):
        import_module(f"{__name__}.{module}")
