"""The functions that users call. Each makes a policy of its arguments and calls the pipeline, which runs the steps.

Keywords are typed by the TypedDicts of `shoal.policy.keywords`, where each is declared once: editors complete them
and type checkers refuse a misspelled one. `named_arguments` shows them in `help()` and refuses unknown ones at run
time.
"""

from __future__ import annotations

from shoal.api.describe import hierarchy, levels_of, profile, singled_out
from shoal.api.dossiers import dossier
from shoal.api.evaluate import attack, compare, look_up, population_risk
from shoal.api.examples import demo, example_table, papers
from shoal.api.reading import database_tables, read_release, read_table
from shoal.api.releases import anonymize, apply, recover

__all__ = [
    "anonymize",
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
]
