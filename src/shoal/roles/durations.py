"""Durations and years whose name mentions an illness but reveals none: time since diagnosis, year of treatment."""

from __future__ import annotations

import re

_TIME = re.compile(
    r"\b(?:time|since|until|days?|weeks?|months?|years?|hours?|minutes|duration|interval|date|dauer|zeit|seit|bis|"
    r"tagen?|wochen?|monaten?|jahren?|stunden|datum|duree|depuis|jours?|semaines?|mois|annees?|heures|duracion|tiempo|"
    r"dias?|semanas?|mes|meses|anos?|fecha|durata|tempo|giorni|settimane|mesi|anni|tijd|duur|dagen|maanden|jaren)\b"
)


def is_duration(name_words: str, *, number: bool) -> bool:
    """Return whether a column of numbers is a duration or a year, by its name as `words`."""
    return number and _TIME.search(name_words) is not None
