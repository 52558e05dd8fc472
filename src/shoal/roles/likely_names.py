"""Recognizing columns that may hold names of people which no list contains, by the heading of the column.

Lists of frequent names lack most family names, and by their form alone Eschweiler may be a person or a town. So the
heading decides. Capitalized words under `patient`, `Betreuer` or `created by` are names of people. A heading such as
`B` or `col_2` says nothing; capitalized words under it are taken for names, and so not published, unless many of them
are well-known places.
"""

from __future__ import annotations

import re

import polars as pl

from shoal.roles.known_places import holds_places
from shoal.roles.recognize import share
from shoal.roles.scales import order_of

_WHICH = (
    r"(?:(?:admitting|attending|treating|referring|responsible|main|primary|emergency|legal|family|"
    r"behandelnde[rs]?|zustandige[rs]?|gesetzliche[rs]?) )?"
)
_PEOPLE = re.compile(
    rf"{_WHICH}(?:patient(?:in|en|s)?|persons?|personen|participants?|probande?n?(?:in)?|members?|mitglied(?:er)?|"
    r"customers?|clients?|kunden?|kundin|users?|employees?|mitarbeiter(?:in)?|workers?|students?|pupils?|"
    r"respondents?|donors?|holders?|inhaber(?:in)?|contact(?:s|o)?|kontakt(?:person)?|pacientes?|pazient[ei]|"
    r"personas?|clientes?|versicherter?|mieter(?:in)?|tenants?|owners?|besitzer(?:in)?|angeho(?:e)?rige[rn]?|"
    r"relatives?|next of kin|bezugsperson|vormund|guardians?|mothers?|mutter|fathers?|vater|spouses?|"
    r"ehe(?:mann|frau)|doctors?|physicians?|surgeons?|nurses?|midwi(?:fe|ves)|hebamme|therapists?|therapeut(?:in)?|"
    r"(?:haus|fach|ober|chef|stations)?a(?:e)?rzt(?:in)?|operateur(?:in)?|pflegekraft|pfleger(?:in)?|medecins?|"
    r"infirmiere?s?|medicos?|enfermer[ao]s?|teachers?|lehrer(?:in)?|schu(?:e)?ler(?:in)?|drivers?|fahrer(?:in)?|"
    r"authors?|interviewers?|managers?|supervisors?|caseworkers?|reviewers?|trainers?|coach(?:es)?|mentors?|"
    r"betreuer(?:in)?|sachbearbeiter(?:in)?|bearbeiter(?:in)?|ansprechpartner(?:in)?|unterschrift|signature|"
    r"(?:signed|created|entered|recorded|reported|seen|treated|changed|modified|approved) by|assigned to|"
    r"(?:erfasst|erstellt|geandert|bearbeitet|gemeldet|behandelt) von|zuname|decedents?|deceased)(?: ?\d+)?"
)
"""Headings that name a person, not a property of the person: `mother`, but not `mother tongue`."""
_SAYS_NOTHING = re.compile(
    r"[a-z]{0,2} ?\d*|(?:col(?:umn)?|fields?|feld|spalte|var(?:iable)?|attr(?:ibute)?|colonne|columna|coluna|champ|"
    r"campo|kolom|unnamed|data|daten|values?|wert|text|string) ?\d*"
)
_PARTICLE = r"(?:(?:von|van|de|der|den|di|da|del|della|dos|du|le|la|el|al|bin|ibn|zu|zum|ter|ten) )*"
_WORD = r"(?:(?:Mc|Mac|O['’]|D['’])?\p{Lu}\p{Ll}+(?:['’\-]\p{Lu}\p{Ll}+)*|\p{Lu}{4,}(?:['’\-]\p{Lu}{2,})*)"
_NAME = rf"^{_PARTICLE}{_WORD}(?:,? {_PARTICLE}(?:{_WORD}|\p{{Lu}}\.)){{0,3}}$"
OF_PEOPLE, OF_NOTHING = 5, 8
"""A column with fewer different values is not taken for names, but for answers chosen from a list."""
SHARE = 0.8


def likely_names(values: pl.Series, name_words: str) -> str | None:
    """Return why the different `values` may be names of people, given the words of the heading; None if not."""
    of_people = _PEOPLE.fullmatch(name_words) is not None
    if not (of_people or _SAYS_NOTHING.fullmatch(name_words)) or len(values) < (
        OF_PEOPLE if of_people else OF_NOTHING
    ):
        return None
    form = values.str.contains(_NAME)
    if share(form) < SHARE or order_of(values.head(50).to_list()) or (not of_people and holds_places(values)):
        return None
    heading = "the heading means a person" if of_people else "the heading says nothing"
    return f"{heading}, and {int(form.sum())} of {len(values)} different values may be names"


QUESTION = (
    'its values look like names of people. If they are names of other things, write role = "quasi", and '
    'publish_rare = "merged" if some occur once.'
)
