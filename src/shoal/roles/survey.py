"""Columns of surveys that do not describe a person: weights, and numbers of households, people and rows.

A weight with many decimals is different for nearly every combination of age, sex and region, and an attacker who has
the published survey of another year knows how it was computed. A household number links rows of people whom k counts
separately. Both are proposed as identifiers, with a question.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal.roles.known_identifiers import NUMBER, PERSON
from shoal.roles.number_names import MEASURED
from shoal.roles.people_words import OTHERS
from shoal.roles.recognize import Recognizer, says
from shoal.roles.sampling_weights import coarse_step

WEIGHT = Recognizer(
    "survey weight",
    names=(
        r"(?:survey|sampl\w+|design|final|person|persons|people|household|hh|replicate|(?:post ?)?strat\w*|expansion|"
        r"population|analysis|calibrat\w*|probability|inverse|cross ?section\w*|longitudinal|individual|raking|"
        r"interview|"
        r"exam|base|case) ?(?:weights?|wts?|wgts?|wght)|"
        r"a?fnl ?wgt|final ?wgt|[pfa] ?weights?|per ?wt|hh ?wt|pwgt\w*|pwgtp\d*|wgtp\d*|wtsupp|asec ?wt|asec ?wth|"
        r"wt(?:int|mec|saf)\w*|"
        r"repwt\w*|ipw|\w*gewichtung\w*|gewichtungsfaktor|hochrechnung\w*|hoch ?rechnungs ?faktor|\w*hrf|"
        r"(?:design|anpassungs|personen|haushalts|fall|bevolkerungs)gewicht|ponderation|ponderacion|factor expansion|"
        r"factor de expansion|fac(?:tor)? ?exp|pspwght|dweight|pweight|anweight|v005|weight ?factor|wtss\w*|llcpwt"
    ),
)
PLAIN_WEIGHT = Recognizer(
    "weight",
    names=r"weights?|wts?|wgts?|wght|gewicht|poids|peso|ponder\w*|paino\w*|vikt\w*|waga|vaegt|vekt\w*|suly|agirlik",
)
BODY = Recognizer(
    "weight of a body",
    names=(
        r"kgs?|lbs?|pounds|grams?|body|birth|korper\w*|geburts\w*|patients?|admission|dry|lean|ideal|actual|baby|fetal|"
        r"vehicle|product|shipping|before|after|loss|gain|change|bmi"
    ),
)

HOUSEHOLD = Recognizer(
    "number of a household",
    "R",
    names=(
        rf"(?:house ?holds?|hh|haushalts?|hogar|menage|famil(?:y|ie|ien|ia)|dwelling|wohnungs?|building) ?{NUMBER}|"
        r"hh ?id\w*|hhid|hhno|hhnr|hid|hidp|hldid|haushaltsn(?:umme)?r|haushaltsid|serialno|famid|family id"
    ),
)
SEQUENCE = Recognizer(
    "sequence number",
    "R",
    names=(
        r"per ?num|sporder|pernr|lfd(?: ?(?:nr|nummer))?|laufende nummer|lfdnr|zeilen?(?: ?n\w+)?|seqn|seqno|"
        r"sequenz\w*|"
        r"(?:line|seq|sequence|obs|observation|row|record|case) ?(?:no|nr|num|number|id)|rownames?|^unnamed 0$|"
        r"^(?:seq|sequence|obs|observation|row|record|case|index|idx|line)$"
    ),
)
NUMBERED = Recognizer(
    "number of something",
    "R",
    names=(
        r"ids?|(?:no|nr|num|number)$|\w*nummer|\w{2,}nr|numero|keys?|refs?|reference|pseudonym|kennung|hash|guid|uuid|uid|"
        r"token|record|(?:subj|cust|emp|stud|user|pat|case|pers|school|member|acct|doc)id"
    ),
)
OTHER_PERSON = Recognizer("code of another person", "R", names=rf"{OTHERS} ?(?:{NUMBER}|npi)|npi")
ROW_OF_A_PERSON = Recognizer("code of a person", "R", names=rf"^{PERSON}$")
METERS = Recognizer(
    "coordinate", names=r"x|y|e|n|\w*east\w*|\w*north\w*|rechtswert|hochwert|\w*coord\w*|\w*koord\w*|utm"
)
OFTEN_DIFFERENT = 0.2
"""A column called number or id identifies people if it has at least this many different values per row. Of codes of
three or more characters `FEW_CODES` are enough, however many rows each has: a card has many in a table of visits."""
FEW_HOUSEHOLDS = FEW_CODES = 10
FEWEST_ALIKE = 5  # of rows that have the same rounded weight
FEW_ROWS = 20  # in a table with fewer rows, values that differ do not show that a column is an identifier
HARDLY_REPEATS = 0.9
LONG = 10**6
"""Whole numbers that are all at least this large and hardly repeat are numbers of accounts, files or moments."""


def _are_days(values: pl.Series) -> bool:
    """Return whether all whole numbers are days written without separators, such as 20240131."""
    text = values.drop_nulls().cast(pl.Int64, strict=False).cast(pl.String)
    return text.null_count() == 0 and text.str.to_date("%Y%m%d", strict=False).null_count() == 0


def survey_weight(name_words: str, values: pl.Series) -> str | None:
    """Return the reason why the column is a survey weight; None if it is not one.

    A column called just weight is body weight if its numbers have at most two decimals and fit people.
    """
    if not values.dtype.is_numeric():
        return None
    if says(WEIGHT, name_words):
        return "its name says so"
    if not says(PLAIN_WEIGHT, name_words) or says(BODY, name_words):
        return None
    numbers = values.drop_nulls().cast(pl.Float64).to_numpy()
    if not len(numbers):
        return None
    decimals = np.abs(numbers * 100 - np.rint(numbers * 100)) > 1e-6
    middle = float(np.median(numbers))
    as_people = 20 <= middle <= 300 and float(numbers.max()) <= 700 and not decimals.any()
    return None if as_people else "its name says weight, and no body has such weights"


QUESTIONS = {
    HOUSEHOLD.what: (
        "the number of a household joins people whom k counts apart, so it is removed. To count households instead "
        'of people, write role = "person".'
    ),
    NUMBERED.what: (
        "its name says number or id, and it has many different values, so it is removed. If it only says where or "
        'what (a school, a shop), write role = "quasi", kind = "label".'
    ),
    "long number": (
        "long whole numbers that hardly repeat are mostly numbers of a person, a file or a moment, so they are "
        'removed. If something is measured, write role = "quasi", kind = "number".'
    ),
}


def questions_of(what: str, values: pl.Series) -> tuple[str, ...]:
    """Return the question that goes with a recognized column; of weights, with a step that leaves nobody alone."""
    if what != WEIGHT.what:
        return (QUESTIONS[what],) if what in QUESTIONS else ()
    step = coarse_step(values, FEWEST_ALIKE)
    how = "round it to few values and write" if step is None else f"write round = {step:g}, so that none is rare, and"
    return (
        "a survey weight with many different values points at one person, or at people of one age, sex and place, so "
        f'it is removed. To publish it, {how} role = "weight"; for the weight of a body write '
        'role = "quasi", kind = "number".',
    )


def _many_codes(values: pl.Series, distinct: int) -> bool:
    """Return whether there are many codes of three characters or more, as those of people, files and machines are."""
    if distinct < FEW_CODES:
        return False
    length = values.drop_nulls().cast(pl.String).str.len_chars()
    return bool((length >= 3).mean() >= 0.9)  # type: ignore[operator]


def number_of_survey(name_words: str, values: pl.Series, distinct: int) -> tuple[Recognizer, str] | None:
    """Return which column of a survey it is, and why it is proposed for removal; None if it is no such column.

    Such columns are weights, numbers of households or of other people, and sequence numbers.
    """
    if why := survey_weight(name_words, values):
        return WEIGHT, why
    if says(HOUSEHOLD, name_words) and distinct >= FEW_HOUSEHOLDS:
        return HOUSEHOLD, "the column's name says so"
    if says(OTHER_PERSON, name_words):
        return OTHER_PERSON, "the column's name says so"
    if says(SEQUENCE, name_words):
        return SEQUENCE, "the column's name says so"
    return None


def number_of_something(
    name_words: str, values: pl.Series, *, distinct: int, alone: int
) -> tuple[Recognizer, str] | None:
    """Return what kind of number identifies people in the column, and the reason; None if the column does not.

    `distinct` is the number of different values, `alone` the number of values that occur once.
    """
    present = len(values) - values.null_count()
    if present < FEW_ROWS or says(MEASURED, name_words):
        return None
    if says(ROW_OF_A_PERSON, name_words) and alone >= HARDLY_REPEATS * present:
        return ROW_OF_A_PERSON, "its name says who it is about, and it hardly repeats"
    if says(NUMBERED, name_words) and (distinct >= OFTEN_DIFFERENT * present or _many_codes(values, distinct)):
        return NUMBERED, "its name says number or id, and it has many different values"
    if not values.dtype.is_numeric() or alone < HARDLY_REPEATS * present or says(METERS, name_words):
        return None
    least: Any = values.min()
    if least >= LONG and not _are_days(values):
        return Recognizer("long number", "R"), "long whole numbers that hardly repeat"
    return None
