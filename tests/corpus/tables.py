"""All tables of the corpus, by name."""

from __future__ import annotations

import tests.corpus.hospitals_english
import tests.corpus.hospitals_europe
import tests.corpus.hospitals_german
import tests.corpus.hospitals_world
import tests.corpus.money
import tests.corpus.oddities
import tests.corpus.registries
import tests.corpus.strangers_again
import tests.corpus.strangers_europe
import tests.corpus.strangers_public
import tests.corpus.strangers_world
import tests.corpus.studies
import tests.corpus.surveys
import tests.corpus.traffic
import tests.corpus.unseen_again
import tests.corpus.unseen_clubs
import tests.corpus.unseen_desks
import tests.corpus.unseen_devices
import tests.corpus.unseen_offices
import tests.corpus.unseen_scripts  # noqa: F401 (each adds its tables)
from tests.corpus.registry import RECIPES, build

NAMES = sorted(RECIPES)

__all__ = ["NAMES", "build"]
