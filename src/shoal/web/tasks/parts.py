"""Parts of pages that show a release: the report's own sentences, tables and charts, rendered by its templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader

from shoal.report.charts import in_words_of
from shoal.report.html import environment
from shoal.web.texts import LANGUAGES
from shoal.web.texts.sentences import Sentences

TEMPLATES = Path(__file__).parents[1] / "templates"
NAMES = (
    "verdict", "facts", "distance", "columns", "groups", "losses", "risks", "singled", "advice", "limits",
    "evidence", "useful", "synthetic", "perturbed", "population",
)  # fmt: skip
"""Macros of release_parts.html; those for settings that a policy need not have give an empty text without them."""


def parts_of(content: Any, cloud: list[tuple[int, float]]) -> dict[str, dict[str, str]]:
    """Return the parts by language and name, as HTML; `cloud` has the people and the loss of every group."""
    return {language: _parts(content, cloud, language) for language in LANGUAGES}


def report_of(content: Any, language: str) -> str:
    """Return the report as an HTML page in a language; sentences that its catalog lacks are in English."""
    with _in_words_of(language, content) as own:
        return own.get_template("report.html").render(content=content, language=language)


def _parts(content: Any, cloud: list[tuple[int, float]], language: str) -> dict[str, str]:
    with _in_words_of(language, content) as own:
        module: Any = own.get_template("release_parts.html").module
        return {
            name: str(getattr(module, name)(content, cloud) if name == "groups" else getattr(module, name)(content))
            for name in NAMES
        }


@contextmanager
def _in_words_of(language: str, content: Any) -> Iterator[Environment]:
    """Give the templates of the report, with texts of templates and charts in a language during the block."""
    base = environment()
    assert base.loader is not None
    own = base.overlay(loader=ChoiceLoader([base.loader, FileSystemLoader(TEMPLATES)]))
    if language == "en":
        yield own
        return
    names = list(content.policy.columns)
    own.finalize = _spoken(Sentences(language, names, numbers=True), own.finalize)
    with in_words_of(Sentences(language, names)):
        yield own


def _spoken(sentences: Sentences, before: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return what is done with every text of a template: translated, then made safe to show as before."""

    def spoken(value: Any) -> Any:
        said = sentences(value) if type(value) is str else value
        return before(said) if before is not None else said

    return spoken
