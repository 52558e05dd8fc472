"""Sentences and rows on the three questions of the European guidance (`shoal.measure.questions`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.formatting import count, name, percent, plural

if TYPE_CHECKING:
    from shoal.measure.questions.result import Question, Questions

TITLE = "Three questions of the European guidance (WP216)"
HEADER = ("question", "known", "succeeds", "naive", "control", "risk", "95%")
KNOWN = {"quasi": "quasi-identifiers", "published": "all published columns"}
SHORT = {"quasi": "quasi", "published": "all"}
OF_SUCCESS = "95% is the interval of what succeeds."
MOST_COLUMNS = 4  # the inferred columns that are shown for each knowledge, those with the highest risk


def questions_note(found: Questions) -> str:
    """Return what the numbers are, and which people are the control."""
    if found.held == "none":
        return (
            f"{tried(found)} {OF_SUCCESS} Without a control it cannot be said how much of this is due to having been "
            "in the table: give people who were not released as control; or no released file but a share of the "
            "people, who are then left out of a trial release."
        )
    control = f"The control are {plural(found.n_control, 'person', 'people')}"
    whose = (
        f"{control} whom the sample left out of the release."
        if found.held == "left out"
        else f"{control} who were split off at random before a trial "
        f"release of the other {count(found.n_people)}; the release of all would differ a little."
        if found.held == "split"
        else f"{control} who were given as not released."
    )
    risk = "Risk is (success - control) / (1 - control), with its interval: what being in the table adds."
    less = (
        " The control has fewer people than the table, so how often it is singled out is estimated."
        if found.extrapolated
        else ""
    )
    return f"{tried(found)} {whose} {risk}{less}"


def tried(found: Questions) -> str:
    """Return what attackers know, and how many attacks were tried."""
    return f"Known: quasi-identifiers, or all published columns. Up to {count(_most(found))} attacks for each line."


def question_rows(found: Questions) -> list[tuple[str, str, str, str, str, str, str]]:
    """Return a row as in `HEADER` for each question; of inferred columns only those with the highest risk."""
    return [_row(one) for one in shown_answers(found)]


def shown_answers(found: Questions) -> list[Question]:
    """Return the answers that are shown; of inferred columns only those with the highest risk, the highest first."""
    shown = []
    for known in dict.fromkeys(one.known for one in found.answers):
        here = [one for one in found.answers if one.known == known]
        inferred = sorted((one for one in here if one.column is not None), key=_order)[:MOST_COLUMNS]
        shown += [one for one in here if one.column is None] + inferred
    return shown


def exposed(found: Questions) -> str:
    """Return one sentence on the highest risks; without a control, on the rates."""
    parts = [f"{_what(one)} {_risk(one)}" for one in found.worst]
    return f"At worst: {'; '.join(parts)}."


def answer(one: Question) -> str:
    """Return one sentence on a question for people who decide."""
    beside = f"{percent(one.success.rate)} of the attacks succeed, {percent(one.naive)} of naive ones"
    if one.control is None:
        return f"{_tried(one)}: {beside}; no control was given, so this is not yet a risk."
    return (
        f"{_tried(one)}: {beside}, and {percent(one.control.rate)} of those on people who are not in the table: "
        f"{_risk(one)}."
    )


def _tried(one: Question) -> str:
    inferred = "" if one.column is None else f", inferring {name(one.column)}"
    return f"Attacks by {KNOWN[one.known]}{inferred}"


def _order(one: Question) -> tuple[bool, float]:
    """Return the key by which the columns that are inferred are shown: what beats a naive guess, by risk."""
    return (one.success.rate <= one.naive, -(one.risk if one.risk is not None else one.success.rate - one.naive))


def _what(one: Question) -> str:
    return one.name if one.column is None else f"{one.name} of {name(one.column)}"


def _risk(one: Question) -> str:
    if one.risk is None:
        return f"{percent(one.success.rate)} succeed"
    return f"risk {percent(one.risk)} ({percent(one.risk_low)} to {percent(one.risk_high)})"


def _row(one: Question) -> tuple[str, str, str, str, str, str, str]:
    low, high = (one.success.low, one.success.high) if one.risk is None else (one.risk_low, one.risk_high)
    return (
        _what(one),
        SHORT[one.known],
        percent(one.success.rate),
        percent(one.naive),
        percent(None if one.control is None else one.control.rate),
        percent(one.risk),
        f"{percent(low)} to {percent(high)}",
    )


def _most(found: Questions) -> int:
    return max((one.success.attempts for one in found.answers), default=0)
