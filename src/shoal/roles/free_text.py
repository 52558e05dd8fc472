"""Free text: notes that people typed, as opposed to labels that were chosen from a list.

Labels repeat, even long ones; a note is seldom written twice. So a column is free text if its values are long and
most rows have a value of their own, or if nearly all of its long values occur once, however many other cells say
"none" or "ok". In scripts without blanks between words, the number of words is estimated from the length.
"""

from __future__ import annotations

import polars as pl

from shoal.roles import people_of_languages as languages
from shoal.roles.known_headings import is_known
from shoal.roles.recognize import Recognizer, share

NOTES = Recognizer(
    "free text",
    names=r"notes?|comments?|remarks?|free ?text|narrative|memo|bemerkung(?:en)?|kommentare?|notiz(?:en)?|"
    r"anmerkung(?:en)?|anamnese|befund(?:text)?|freitext|remarques?|commentaires?|observa\w+|notas?|comentarios?|"
    r"annotazion[ie]|osservazioni|opmerking(?:en)?|toelichting|uwagi|poznamk[ay]|huomautus|anteckning(?:ar)?|"
    r"bemaerkning(?:er)?|notat(?:er)?|merknad(?:er)?|statements?|essays?|verbatim|messages?|nachrichten?|feedback|"
    r"complaints?|beschwerden?|narration|story|testimon\w+|transcripts?|minutes|"
    r"circumstances|reason text|open ?(?:ended|answer|text)|aciklama|not(?:lar)?|megjegyzes|σχολια|"
    r"παρατηρησεις|備考|备注|비고|примечани\w+|комментари\w+|(?:\w+ )+te?xt|"
    rf"^(?:{languages.NOTES})(?: \d+)?$",
)
WORDS_OF_TEXT, WORDS_OF_NOTE, WORDS_OF_SENTENCE = 3, 2, 7
"""The fewest words beyond the first: in a long value, on average in a column of notes, and in a sentence."""
ONCE = 0.8
"""Notes are assumed if at least this share of the long values occur once; of labels, at most about half do."""
MARKED = 0.25
"""Under a heading that is not known, this share of phrases with names or numbers in them is enough for typed text."""
_IN_PHRASE = r"['\"“”‘’«»]\p{Lu}|\p{Ll} \p{Lu}\p{Ll}+|\d{3}"
_LETTER_WORDS, _SCRIPT_WORDS = 8, 3  # without blanks, this many letters, or characters of other scripts, are a word
_DAY_IN_WORDS = r"\d{1,2}\.? ?\pL{3,9}\.?,? \d{2,4}|\pL{3,9}\.? \d{1,2},? \d{4}"
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"


def free_text(values: pl.Series, counts: pl.Series, *, named: bool) -> str | None:
    """Return why the different `values` are free text; None if they are labels.

    `counts` has the number of cells with each value. `named` says that the column is called notes, comments or the
    like.
    """
    n_cells = int(counts.sum())
    if not n_cells:
        return None
    words = extra_words(values)
    average = float(words.sum()) / len(words)
    if named and share(words >= 1) >= 0.5:
        return f"the column's name says so, and values have {1 + average:.0f} words on average"
    if 2 * len(values) > n_cells and average >= WORDS_OF_NOTE and len(values) >= 5:
        return f"{1 + average:.0f} words on average, and {len(values)} different values in {n_cells} cells"
    if len(values) >= 2 and share(words >= WORDS_OF_SENTENCE) >= 0.5:
        return f"half of the values are sentences, with {1 + average:.0f} words on average"
    long = words >= WORDS_OF_TEXT
    once, very_long = int((long & (counts == 1)).sum()), int(((words >= WORDS_OF_SENTENCE) & (counts == 1)).sum())
    if once >= ONCE * int(long.sum()) and (once >= 3 or very_long):
        return f"{once} of {int(long.sum())} long values occur once"
    return None


def names_in_phrases(values: pl.Series, name_words: str) -> str | None:
    """Return why values under a heading that is not known are typed text: phrases with names or numbers in them."""
    if len(values) < 2 or is_known(name_words):
        return None
    words = extra_words(values)
    marked = (words >= WORDS_OF_NOTE) & values.str.contains(_IN_PHRASE)
    if float(words.sum()) < WORDS_OF_NOTE * len(words) or share(marked) < MARKED:
        return None
    return f"{int(marked.sum())} of {len(values)} different values are phrases with a name or a number in them"


def extra_words(values: pl.Series) -> pl.Series:
    """Return the number of words of every value beyond the first, estimated from its length if it has no blanks."""
    values = values.str.replace_all(_DAY_IN_WORDS, "date")
    blanks = values.str.count_matches(r"\S\s+\S").cast(pl.Float64)
    length = values.str.len_chars() / _LETTER_WORDS - 1
    unspaced = values.str.count_matches(_UNSPACED) / _SCRIPT_WORDS - 1
    return pl.select(pl.max_horizontal(blanks, length, unspaced).alias(values.name)).to_series()
