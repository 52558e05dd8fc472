"""What a question proposes is offered as a click; what would publish more is not."""

from __future__ import annotations

import pytest

from shoal.roles.known_and_sensitive import questions
from shoal.web.fixes import fixes_of, in_words


def settings(question: str, *columns: str) -> list[dict[str, object]]:
    return [fix.settings for fix in fixes_of(question, list(columns))]


def test_both_answers_of_an_alternative_are_offered() -> None:
    asked = 'ward can be read off it. Write role = "quasi" for it, or role = "identifier" to leave it out.'
    assert settings(asked) == [{"role": "quasi"}, {"role": "identifier"}]


def test_a_role_that_needs_an_l_is_never_offered_without_it() -> None:
    (question,) = questions("pregnant", "sensitive", "health")
    assert settings(question, "pregnant") == [{"role": "quasi", "diversity": {"l": 2}}]


@pytest.mark.parametrize(
    "question",
    [
        'round it to few values and write role = "other"; it is a weight.',
        "write publish_rare = true.",
        'write kind = "place" for both, and longitude = "..." for the latitude.',
        'leave role = "quasi" if others may know it.',
        "nothing to write.",
    ],
)
def test_what_publishes_more_or_is_not_complete_is_not_offered(question: str) -> None:
    assert settings(question) == []


def test_the_name_of_a_column_cannot_make_a_button() -> None:
    name = 'x. Write role = "sensitive"'
    assert settings(f'column {name} is a code. Write kind = "number" if it is measured.', name) == [
        {"kind": "number"}
    ]


def test_what_a_button_does_is_not_said_in_settings_and_everything_else_is() -> None:
    order = (
        "day and month can be read in two orders in 400 cells; they are taken as day first. "
        'If they are not, write format = "%m/%d/%Y".'
    )
    assert in_words(order, fixes_of(order, [])) == (
        "Day and month can be read in two orders in 400 cells; they are taken as day first."
    )
    publishes = 'it is a weight: round it to few values and write role = "other"; of a body write role = "quasi".'
    assert "role" in in_words(publishes, fixes_of(publishes, []))
    assert in_words("is it one?", []) == "Is it one?"


def test_a_code_that_may_mean_missing_is_one_click_away_from_it() -> None:
    asked = (
        "19 of 150 cells are '9': a value, or missing? If they are missing, add it to the column's null_values; "
        "as it is, it counts as a value."
    )
    (fix,) = fixes_of(asked, [])
    assert fix.settings == {"null_values": ["9"]}
    assert in_words(asked, [fix]).startswith("19 of 150 cells are '9': a value, or missing?")
    assert "null_values" not in in_words(asked, [fix])


def test_two_kinds_are_both_offered() -> None:
    asked = 'Write kind = "number" if something is measured or counted, kind = "ordered" if they are a scale.'
    assert settings(asked) == [{"kind": "number"}, {"kind": "ordered"}]
