"""What a profile cannot decide stands before everything else: in the terminal, in a notebook, in the policy."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

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
