"""Recognizing columns that may hold names of people which no list contains, by the heading of the column.

Lists of frequent names lack most family names, and by their form alone Eschweiler may be a person or a town. So the
heading decides. Capitalized words under `patient`, `Betreuer` or `created by` are names of people. A heading such as
`B` or `col_2` says nothing, and one in a language that is not known here says no more; capitalized words under it are
taken for names, and so not published, unless many of them are well-known places. Where that is wrong, a column is
removed that could have been published, and the profile asks; the other way round a name would be published.
"""

from __future__ import annotations

import re

import polars as pl

from shoal.roles.frequent_names import GIVEN
from shoal.roles.known_headings import is_known
from shoal.roles.known_places import holds_places
from shoal.roles.people_words import HEADING
from shoal.roles.recognize import share
from shoal.roles.scales import order_of

_PEOPLE = re.compile(HEADING)
_PROPERTY = re.compile(
    r"(?:profession|occupation|job|beruf|metier|ocupacion|profissao|professione|trabajo|oficio|شغل|مهنة|عمل|education|"
    r"educacion|escolaridad|ausbildung|nivel|niveau|age|edad|alter|idade|income|ingresos?|einkommen|estado|statut|status|"
    r"types?|tipo|nationalit\w+|nacionalidad|pays|pais|sex|sexe|sexo|gender|hair|pekerjaan|zawod|profesia) "
)
"""A property of the person whom the heading names after it: `profession père`."""
_SAYS_NOTHING = re.compile(
    r"[a-z]{0,2} ?\d*|(?:col(?:umn)?|fields?|feld|spalte|var(?:iable)?|attr(?:ibute)?|colonne|columna|coluna|champ|"
    r"campo|kolom|unnamed|data|daten|values?|wert|text|string) ?\d*"
)
_PARTICLE = r"(?:(?:von|van|de|der|den|di|da|del|della|dos|du|le|la|el|al|bin|ibn|zu|zum|ter|ten) )*"
_WORD = r"(?:(?:Mc|Mac|O['’]|D['’])?\p{Lu}\p{Ll}+(?:['’\-]\p{Lu}\p{Ll}+)*|\p{Lu}{4,}(?:['’\-]\p{Lu}{2,})*)"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau|Mme|M|Sr|Sra|Don|Doña)\.? )?"
_LATIN = rf"{_TITLE}{_PARTICLE}(?:\p{{Lu}}\.? )*{_WORD}(?:,? {_PARTICLE}(?:{_WORD}|\p{{Lu}}\.?)){{0,3}}"
_SCRIPT = r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}]"
_NAME = rf"^(?:{_LATIN})$"
_CASELESS = r"[\p{Arabic}\p{Hebrew}\p{Thai}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Georgian}\p{Ethiopic}.]"
_OF_PEOPLE = (
    rf"^(?:{_LATIN}|{_SCRIPT}{{1,7}}[ 　]?{_SCRIPT}{{1,7}}|{_CASELESS}{{2,}}(?: {_CASELESS}+){{0,4}}|"
    r"\p{Lu}{2,4}(?:[/&+, ]{1,2}\p{Lu}{2,4})*)$"
)
"""Under a heading that means a person, initials and names in other scripts count as well."""
_SURE = rf"^(?:{_WORD} \p{{Lu}}\.|\p{{Lu}}\. ?{_WORD}|\p{{Lu}}\p{{Ll}}{{1,4}}\. {_WORD})$"
"""A name with one initial, or after an abbreviated title: two such values are enough if all have the form."""
_COMMA = rf"^{_PARTICLE}{_WORD}(?:[ \-]{_WORD})?, {_WORD}(?:[ \-](?:{_WORD}|\p{{Lu}}\.))?$"
"""A family name, a comma and a given name: three such values are enough, because labels seldom have the form."""
_ANSWERS = frozenset(
    """
    yes no true false y n t f none other own rent renter mother father parent parents both self spouse husband
    wife son daughter child sibling friend relative guardian partner male female man woman boy girl ja nein nee
    oui non si sim nao não tak nie ano ne da net kylla ei evet hayir igen nem mutter vater eltern sonstige andere
    keine beide mere père mère pere conjoint madre padre hijo hija otro otra ninguno mae pai outro nenhum public
    private new old active inactive current former unknown primary secondary full part inpatient outpatient cash
    card
    """.split()  # noqa: SIM905 (a list of so many words is read more easily so)
)
"""Answers that are chosen from a list under a heading such as `parent` or `student`: then the values are no names."""
FEWEST, OF_NOTHING, OF_PEOPLE, WITH_COMMA = 5, 8, 2, 3
"""A column with fewer different values is not taken for names, but for answers chosen from a list: in general, under
a heading that says nothing, under one that means a person, and if all have a comma between two names."""
SHARE, SHARE_OF_PEOPLE = 0.8, 0.4
"""The least share of the different values that may be names; the second under a heading that means a person, where
companies may stand beside people."""


def likely_names(values: pl.Series, name_words: str) -> str | None:
    """Return why the different `values` may be names of people, given the words of the heading; None if not."""
    of_people = means_people(name_words)
    says_nothing = _SAYS_NOTHING.fullmatch(name_words) is not None
    if not (of_people or says_nothing or not is_known(name_words)):
        return None
    bare = values.str.replace(r" ?[(\[][^)\]]*[)\]]$", "")  # Trần Thị Hạnh (sister)
    with_comma = share(bare.str.contains(_COMMA)) >= SHARE
    sure = bare.str.contains(_SURE).all() or _frequent(bare)
    fewest = OF_PEOPLE if of_people or sure else WITH_COMMA if with_comma else OF_NOTHING if says_nothing else FEWEST
    if len(values) < fewest or bare.str.to_lowercase().is_in(_ANSWERS).any():
        return None
    form = bare.str.contains(_OF_PEOPLE if of_people else _NAME) | bare.str.contains(_SURE)
    needed = SHARE_OF_PEOPLE if of_people else SHARE
    if share(form) < needed or order_of(values.head(50).to_list()) or (not of_people and holds_places(values)):
        return None
    unclear = "the heading says nothing" if says_nothing else "the heading is not known to mean something else"
    heading = "the heading means a person" if of_people else unclear
    return f"{heading}, and {int(form.sum())} of {len(values)} different values may be names"


def means_people(name_words: str) -> bool:
    """Return whether a heading, given as `words`, means a person, and not a property of one."""
    return _PEOPLE.fullmatch(name_words) is not None and not means_property(name_words)


def means_property(name_words: str) -> bool:
    """Return whether a heading, given as `words`, means a property of the person whom it names: `profession père`."""
    return _PROPERTY.match(name_words) is not None


def _frequent(values: pl.Series) -> bool:
    """Return whether some of a few values are frequent given names, as those of the people on duty are."""
    first = values.str.extract(r"^(\p{Lu}\p{Ll}+)", 1).str.to_lowercase().drop_nulls()
    known = int(first.is_in(GIVEN).sum())
    return known >= 1 and known >= 0.3 * len(values)


QUESTION = (
    'its values look like names of people. If they are names of other things, write role = "quasi", and '
    'publish_rare = "merged" if some occur once.'
)
