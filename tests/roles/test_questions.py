"""What a profile cannot decide stands before everything else: in the terminal, in a notebook, in the policy."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal.policy import Policy
from shoal.report import terminal
from shoal.report.plain_text import _printed
from shoal.roles.suggest import suggest_policy
from shoal.roles.table_profile import Profile

QUESTION = 'day and month can be read in two orders in 12 cells; write format = "%d/%m/%Y" or "%m/%d/%Y".'


def profiled(*questions: str) -> Profile:
    found = shoal.profile(pl.DataFrame({"age": [30, 31, 32], "<b>born": ["a", "b", "c"]}))
    return replace(found, columns=(found.columns[0], replace(found.columns[1], questions=questions)))


def test_questions_come_first_in_the_terminal() -> None:
    text = _printed(terminal.profile(profiled(QUESTION), plain=True))
    flat = " ".join(text.split())
    assert flat.index("1 question to answer") < flat.index("day and month") < flat.index("column kind values")
    assert "question" not in _printed(terminal.profile(profiled(), plain=True))


def test_questions_come_first_in_a_notebook_and_names_are_escaped() -> None:
    html = profiled(QUESTION)._repr_html_()
    assert html.index("day and month") < html.index("<table")
    assert "<b>born" not in html
    assert "question" not in profiled()._repr_html_().split("</style>")[1]


def test_questions_stand_as_comments_above_the_column_they_are_about() -> None:
    policy, comments = suggest_policy(profiled(QUESTION))
    text = policy.dumps(comments=comments)
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if "QUESTION: day and month" in line)
    assert lines[at].startswith("#")
    assert "<b>born" in text[text.index("QUESTION") :]
    assert Policy.loads(text) == policy


def test_questions_are_part_of_what_programs_read() -> None:
    assert profiled(QUESTION).to_dict()["columns"][1]["questions"] == (QUESTION,)
    assert profiled(QUESTION, QUESTION).questions == (("<b>born", QUESTION),) * 2


@pytest.mark.parametrize("sign", ["<", "> ", "≤"])
def test_limits_of_a_laboratory_are_asked_about_and_not_shown(sign: str) -> None:
    cells = [f"{sign}0.5" if row % 3 == 0 else f"{row / 10 + 1:.1f}" for row in range(120)]
    column = next(
        one for one in shoal.profile(pl.DataFrame({"crp": cells, "x": range(120)})).columns if one.name == "crp"
    )
    (question,) = (one for one in column.questions if "limits" in one)
    assert "40 of 120 cells are limits" in question
    assert "0.5" not in question


def test_nines_among_the_codes_of_a_classification_are_asked_about() -> None:
    codes = [2211, 5223, 9111, 4110, 7126, 9999]
    frame = pl.DataFrame({"age": range(120), "isco08": [codes[row % 6] for row in range(120)]})
    assert any("20 of 120 cells are '9999'" in one for one in shoal.profile(frame).columns[1].questions)
    other = frame.with_columns(isco08=pl.col("isco08").replace({9111: 9901}))
    assert not any("9999" in one for one in shoal.profile(other).columns[1].questions)
