"""The functions that users call. Each makes a policy of its arguments and calls the pipeline, which runs the steps.

Keywords are typed by the TypedDicts of `shoal.policy.keywords`, where each is declared once: editors complete them
and type checkers refuse a misspelled one. `named_arguments` shows them in `help()` and refuses unknown ones at run
time. A module is loaded with the first function that is used of it: describing a table needs no code that makes
groups.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.api.describe import hierarchy, levels_of, profile, singled_out
    from shoal.api.dossiers import dossier
    from shoal.api.evaluate import attack, compare, look_up, population_risk, utility
    from shoal.api.examples import demo, example_table, papers
    from shoal.api.linked import anonymize_tables
    from shoal.api.reading import database_tables, read_release, read_table
    from shoal.api.releases import anonymize, apply, recover

__all__ = [
    "anonymize",
    "anonymize_tables",
    "apply",
    "attack",
    "compare",
    "database_tables",
    "demo",
    "dossier",
    "example_table",
    "hierarchy",
    "levels_of",
    "look_up",
    "papers",
    "population_risk",
    "profile",
    "read_release",
    "read_table",
    "recover",
    "singled_out",
    "utility",
]

_HOMES = {
    "describe": ("hierarchy", "levels_of", "profile", "singled_out"),
    "dossiers": ("dossier",),
    "evaluate": ("attack", "compare", "look_up", "population_risk", "utility"),
    "examples": ("demo", "example_table", "papers"),
    "linked": ("anonymize_tables",),
    "reading": ("database_tables", "read_release", "read_table"),
    "releases": ("anonymize", "apply", "recover"),
}
_HOME = {name: f"shoal.api.{module}" for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # else every name would be there for a type checker, a misspelt one too

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'shoal.api' has no attribute {name!r}")
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
