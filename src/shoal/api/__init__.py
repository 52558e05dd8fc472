"""The functions that users call. Each says what is asked for and hands it to the pipeline, which joins the steps.

Keywords are typed by the TypedDicts of `shoal.policy.keywords`, where each is written down once: editors complete
them and type checkers refuse a misspelt one. `named_arguments` shows them in `help()` and refuses it at run time.
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
