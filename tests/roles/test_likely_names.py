"""Family names that no list has: the heading decides whether words with capitals may be published."""

from __future__ import annotations

import polars as pl
import pytest

import shoal

RARE = {
    "German": "Brüggemann Schöllhorn Kratzenstein Achterberg Köttgen Eschweiler Hufnagl Rabenhorst Tannhäuser",
    "English": "Hathersage Pemberley Wolverton McAlister Ravenscroft Thistlewood Braithwaite Oglethorpe O'Fallon",
    "capitals": "BRÜGGEMANN SCHÖLLHORN KRATZENSTEIN ACHTERBERG KÖTTGEN ESCHWEILER HUFNAGL RABENHORST MÜLLER-THURGAU",
    "double": "Desrochers-Lavigerie Beaumanoir Châtelain Fontanelle Grandpré Hautecœur Montravel Vauquelin",
}
TOWNS = "Eschweiler Achterberg Rabenhorst Wolverton Pemberley Ravenscroft Kirchhain Grevenbroich Ludwigslust"


def proposed(heading: str, words: str) -> shoal.roles.ColumnProfile:
    """The profile of a column in which every word stands ten times."""
    cells = words.split() * 10
    return shoal.profile(pl.DataFrame({"age": range(len(cells)), heading: cells})).columns[1]


@pytest.mark.parametrize("heading", ["B", "V7", "col_2", "Feld 3", "x", "column_12", "nn"])
@pytest.mark.parametrize("names", RARE)
def test_under_a_heading_that_says_nothing_what_may_be_a_name_is_not_published(heading: str, names: str) -> None:
    column = proposed(heading, RARE[names])
    assert (column.role, column.what) == ("identifier", "name of a person")
    assert "the heading says nothing" in column.reason
    assert 'role = "quasi"' in column.questions[0]


@pytest.mark.parametrize(
    "heading", ["Patient", "Hausarzt", "Betreuer", "created_by", "next_of_kin", "attending physician", "médecin"]
)  # fmt: skip
@pytest.mark.parametrize("names", RARE)
def test_under_a_heading_that_means_a_person_words_with_capitals_are_names(heading: str, names: str) -> None:
    column = proposed(heading, RARE[names])
    assert (column.role, column.what) == ("identifier", "name of a person")


@pytest.mark.parametrize(
    "heading", ["Wohnort", "department", "mother tongue", "member state", "patient_group", "Team"]
)
def test_a_heading_that_means_something_else_is_believed(heading: str) -> None:
    assert proposed(heading, TOWNS).role == "quasi"


@pytest.mark.parametrize(
    "words",
    [
        "ledig verheiratet geschieden verwitwet getrennt verpartnert unbekannt anders andere",  # no capitals
        "Private Self-emp State-gov Never-worked Without-pay Tech-support Craft-repair Other-service",
        "Never Rarely Sometimes Often Always",  # a scale
        "Yes No Unknown Refused",  # a choice of few
        "a1 b2 c3 d4 e5 f6 g7 h8",
        "Berlin Hamburg Eschweiler Köln Rabenhorst Tannhausen München Wien",  # many of them well known
    ],
)
def test_under_a_heading_that_says_nothing_labels_stay_labels(words: str) -> None:
    assert proposed("B", words).role == "quasi"
