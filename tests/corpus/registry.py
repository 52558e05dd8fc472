"""The list of all tables of the corpus; a module of a theme adds to it by the decorator `corpus_table`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.corpus.draw import Draw
from tests.corpus.truth import CorpusTable, Truth

Maker = Callable[[Draw], dict[str, Truth]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a table is made and written."""

    make: Maker
    rows: int
    separator: str
    encoding: str
    line_end: str


RECIPES: dict[str, Recipe] = {}


def corpus_table(
    *, rows: int = 200, separator: str = ",", encoding: str = "utf-8", line_end: str = "\n"
) -> Callable[[Maker], Maker]:
    """Add the table that a function makes to the corpus, under the function's name."""

    def add(make: Maker) -> Maker:
        assert make.__name__ not in RECIPES, f"{make.__name__} is there already"
        RECIPES[make.__name__] = Recipe(make, rows, separator, encoding, line_end)
        return make

    return add


def build(name: str, *, times: int = 1) -> CorpusTable:
    """Return a table of the corpus, `times` as long as usual."""
    recipe = RECIPES[name]
    columns = recipe.make(Draw(name, recipe.rows * times))
    return CorpusTable(name, columns, recipe.separator, recipe.encoding, recipe.line_end)
