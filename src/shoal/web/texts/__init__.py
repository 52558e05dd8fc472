"""The texts of the pages in one catalog: a TOML file for every language, with the same keys."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from shoal._escape import shown
from shoal.report import formatting
from shoal.web.texts.sentences import Sentences

LANGUAGES = {"en": "English", "de": "Deutsch"}


@cache
def catalog(language: str) -> dict[str, str]:
    """Return the texts of a language by key, such as ``data.title``."""
    text = (Path(__file__).parent / f"{language}.toml").read_text(encoding="utf-8")
    return _flat(tomllib.loads(text))


def _flat(table: dict[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in table.items():
        found |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{key}": value}
    return found


class Texts:
    """The texts of one language, and how it writes numbers."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._texts = catalog(self.language)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a text with values in their places; a key that is not there is an error."""
        return self._texts[key].format(**{name: self.shown(value) for name, value in values.items()})

    def said(self, text: str) -> Markup:
        """Return a sentence of Shoal itself in this language; one that is English only is marked as such."""
        if self.language == "en":
            return escape(shown(text))
        found = Sentences(self.language).translated(text)
        return escape(shown(found)) if found is not None else Markup('<span lang="en">{}</span>').format(shown(text))

    def has(self, key: str) -> bool:
        """Return whether there is such a text."""
        return key in self._texts

    def shown(self, value: Any) -> str:
        """Return a whole number with separators, anything else as it is."""
        if isinstance(value, int) and not isinstance(value, bool):
            return self.count(value)
        return str(value)

    def count(self, value: int) -> str:
        """Return a whole number with the language's separators of thousands."""
        return f"{value:,}".replace(",", "." if self.language == "de" else ",")

    def percent(self, share: float | None) -> str:
        """Return a share as a percentage that never looks better than it is."""
        if share is None:
            return "–"
        hundred = share * 100
        text = "<0.01" if 0 < hundred < 0.01 else ">99.9" if 99.95 <= hundred < 100 else f"{hundred:.1f}"
        text = text.removesuffix(".0")
        return (text.replace(".", ",") + " %") if self.language == "de" else f"{text}%"

    def small_percent(self, share: float) -> str:
        """Return a share that may be far below one percent, with as many digits as the report gives it."""
        text = formatting.percent(share)
        return text if self.language == "en" else Sentences(self.language, numbers=True)(text)

    def seconds(self, value: float) -> str:
        """Return a duration in words."""
        if value < 1:
            return self("time.moment")
        if value < 90:
            return self("time.seconds", n=round(value))
        return self("time.minutes", n=round(value / 60))

    def chance(self, probability: float) -> str:
        """Return a probability as one in so many."""
        if probability >= 1:
            return self("risk.certain")
        one_in = 1 / probability if probability > 0 else 0
        if one_in and abs(one_in - round(one_in)) < 1e-6:
            return self("risk.one_in", n=round(one_in))
        return self.percent(probability)
