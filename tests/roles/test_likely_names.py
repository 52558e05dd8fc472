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


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Mentor", "BRM|HVK|WSM"),  # three teachers by their initials
        ("Судья", "Подгорная Н.В.|Черемисова М.А."),
        ("แพทย์", "นพ.ประเสริฐ|พญ.มาลี"),
        ("الطبيب المعالج", "د. هيا الدوسري|د. سلمان العتيبي"),
        ("Reservert av", "Solbakken, Ragnhild|Fjeldstad, Odd-Geir"),
        ("Auftraggeber/Empfänger", "Hofstätter Leopoldine|Zwettler Korbinian|SPAR FIL. 77|OMV TS 3388"),
        ("zzz", "Tolga U.|Nurcan K."),
        ("zzz", "Kap. Tolentino|Kag. Macaraeg"),
        ("zzz", "J.M.|A.R.O.|M.v.H."),
        ("zzz", "NGUYEN/HANH MRS|OYELARAN/TUNDE MR"),
        ("zzz", "Uncle Des|our Molly|Grandad Stan"),
    ],
)
def test_a_few_names_are_enough_where_heading_or_form_says_so(heading: str, names: str) -> None:
    assert _role(heading, names.split("|")) == "identifier"


@pytest.mark.parametrize(
    ("heading", "labels"),
    [
        ("student", "Yes|No"),
        ("owner", "Own|Rent"),
        ("parent", "Mother|Father|Both"),
        ("profession père", "Agriculteur|Ouvrier|Cadre"),
        ("zzz", "Iberia S.A.|Philips N.V.|Acme B.V."),
        ("zzz", "red|green|blue"),
        ("paid by", "Cash|Card"),
    ],
)
def test_a_few_answers_are_no_names(heading: str, labels: str) -> None:
    assert _role(heading, labels.split("|")) != "identifier"


def _role(heading: str, values: list[str]) -> str:
    rows = [values[row % len(values)] for row in range(120)]
    return shoal.profile(pl.DataFrame({heading: rows, "age": list(range(120))})).columns[0].role
