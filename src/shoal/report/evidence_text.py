"""Sentences, rows and points on the evidence for a release: what was tried, what came of it, and what it means."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from shoal.report.charts.questions import Asked
from shoal.report.formatting import count, name, percent, plural, significant
from shoal.report.question_text import KNOWN, SHORT, shown_answers

if TYPE_CHECKING:
    from shoal.measure.evidence import Evidence, Measured
    from shoal.measure.questions.result import Question, Questions
    from shoal.measure.utility.result import Utility
    from shoal.policy import Policy

TITLES = {
    "singling out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
}
NO_TRIAL = {
    "sequence": "A release that follows others has no trial release of half of the people, so there is no control.",
    "plan": "A release with the cells of a plan has no trial release of half of the people, so there is no control.",
    "refused": "Half of the people could not be released under this policy, so there is no control.",
    "centers": "Every row is about a group, so attacks and analyses that read rows as people do not apply.",
}
NO_CONTROL = (
    "Without people who were not in the table it cannot be said how much of this is due to having been in it."
)
LOWERS = {
    "singling out": "What lowers it: leave out, round or generalize columns that are published as they are; they "
    "make rows unlike all others.",
    "linkability": "What lowers it: a larger k, or fewer columns that are published as they are.",
    "inference": "What lowers it: l or t of the column, a larger k, or publishing the column more coarsely.",
}
LITTLE = 0.05  # a risk below this gets no advice
PROPENSITY = (
    (1.5, "as good as drawn from a right model of the table"),
    (3.0, "about as good as another sample of the same people would be"),
    (10.0, "somewhat different from the original rows"),
)
"""pMSE ratios up to which a release is so. A right model has 1, another sample of as many people 2."""
COARSE = "clearly unlike the original ones"
ANSWERS = ("question", "known", "this release", "95%", "naive", "not in the table", "being in it adds", "95%")
TRIAL_ANSWERS = (*ANSWERS[:5], "trial: in it", "trial: not in it", *ANSWERS[6:])
MEANS = ("mean of", "original", "95%", "release", "95%", "overlap")
MODELS = ("predicted column", "measure", "trained on the original", "trained on the release", "without any column")


def lead(found: Evidence) -> str:
    """Return one sentence on what being in the table adds; without a control, on how often attacks succeed."""
    asked = found.compared
    if asked is None or not any(one.risk is not None for one in asked.worst):
        alone = found.release.questions
        if alone is None:
            return NO_TRIAL["centers"]
        rates = [f"{_what(one)} {_rate(one)}" for one in alone.worst]
        return f"Attacks that succeed at worst: {'; '.join(rates)}."
    parts = [f"{_what(one)} {_risk(one)}" for one in asked.worst if one.risk is not None]
    return f"Being in the table makes attacks more successful by at most: {'; '.join(parts)}."


def control(found: Evidence) -> str:
    """Return who the people are that were not in the table, or why there are none."""
    asked = found.compared
    if asked is None:
        return f"{NO_TRIAL.get(found.no_trial, '')} {NO_CONTROL}".strip()
    if asked.held == "left out":
        return (
            "Attacks on this release are compared with the same attacks on "
            f"{plural(asked.n_control, 'person', 'people')} whom the sample left out of it."
        )
    drawn = asked.n_people + asked.n_control
    of = (
        f" Both were drawn from {count(found.n_people)} people, so that this takes no longer for a larger table; "
        "the numbers of a trial with all people would differ."
        if drawn < found.n_people
        else ""
    )
    return (
        f"To compare them with people who are not in a release, a trial release of {count(asked.n_people)} people "
        f"was made in the same way, and {count(asked.n_control)} people were held out of it.{of}"
    )


def questions(found: Evidence) -> list[tuple[str, str]]:
    """Return, for each of the three questions at worst: the answer, and what was tried, got, and what lowers it."""
    asked = found.compared or found.release.questions
    if asked is None:
        return []
    return [(_answer(one), _told(one, _same(one, found.release.questions))) for one in asked.worst]


def rows(found: Evidence) -> list[tuple[str, ...]]:
    """Return a row for each answer, as in `header`."""
    asked = found.compared or found.release.questions
    assert asked is not None
    own = asked is found.release.questions
    return [_row(one, _same(one, found.release.questions), own=own) for one in shown_answers(asked)]


def header(found: Evidence) -> tuple[str, ...]:
    """Return the header of `rows`: with a trial, its success as well."""
    return ANSWERS if (found.compared or found.release.questions) is found.release.questions else TRIAL_ANSWERS


def asked(found: Evidence) -> list[Asked]:
    """Return the answers to draw: each question by quasi-identifiers and by all columns, of inferences the worst."""
    whole = found.compared or found.release.questions
    assert whole is not None
    drawn: list[Question] = []
    for one in shown_answers(whole):
        if one.column is None or not any(other.column and other.known == one.known for other in drawn):
            drawn.append(one)
    drawn.sort(key=lambda one: list(TITLES).index(one.name))
    return [
        Asked(
            name=f"{one.name}, {SHORT[one.known]}",
            rate=one.success.rate,
            low=one.success.low,
            high=one.success.high,
            naive=one.naive,
            control=None if one.control is None else (one.control.rate, one.control.low, one.control.high),
        )
        for one in drawn
    ]


def drawn(found: Evidence) -> str:
    """Return which attacks the chart shows."""
    where = "on the trial release" if found.compared is found.trial and found.trial else "on this release"
    return (
        f"Attacks {where}, by quasi-identifiers or by all published columns; lines are intervals of 95%. Of the "
        "columns that are inferred, the one at the highest risk. Points that lie together mean that being "
        "in the table adds little."
    )


def useful(found: Measured) -> str:
    """Return one sentence on how much analyses of a published table agree with those of the original."""
    if found.utility is None:
        return NO_TRIAL["centers"]
    return (
        "Confidence intervals from the release overlap with those from the original table by "
        f"{percent(found.utility.overlap)} on average over means, tables and regressions. {propensity(found.utility)}"
    ).strip()


def propensity(found: Utility) -> str:
    """Return a sentence on how well released rows can be told from original ones."""
    if found.propensity is None:
        return ""
    ratio = found.propensity.ratio
    meaning = next((words for most, words in PROPENSITY if ratio <= most), COARSE)
    return (
        f"A model that tells released rows from original ones does {significant(ratio)} times as well as by chance "
        f"(pMSE ratio): the rows are {meaning}."
    )


def overlaps(found: Utility) -> list[tuple[str, float]]:
    """Return the analyses to draw, with the overlap of each."""
    shown = [(f"mean of {name(one.column)}", one.overlap) for one in found.means]
    for size, what in ((1, "tables of one column"), (2, "tables of two columns")):
        parts = [one.overlap for one in found.tables if len(one.columns) == size]
        shown += [(what, sum(parts) / len(parts))] if parts else []
    return [*shown, *((f"regression of {name(one.target)}", one.overlap) for one in found.regressions)]


def means(found: Utility, policy: Policy) -> list[tuple[str, ...]]:
    """Return a row as in `MEANS` for every column of numbers or dates."""

    def value(column: str, number: float) -> str:
        setting = policy.columns.get(column)
        try:
            dated = setting is not None and setting.kind == "date"
            return (date(1970, 1, 1) + timedelta(days=number)).isoformat() if dated else f"{number:,.4g}"
        except OverflowError:
            return f"{number:,.4g}"

    return [
        (
            name(one.column),
            value(one.column, one.original),
            f"{value(one.column, one.original_low)} to {value(one.column, one.original_high)}",
            value(one.column, one.release),
            f"{value(one.column, one.release_low)} to {value(one.column, one.release_high)}",
            percent(one.overlap),
        )
        for one in found.means
    ]


def models(found: Utility) -> list[tuple[str, ...]]:
    """Return a row as in `MODELS` for every model."""
    return [
        (
            name(one.target),
            "predicted right" if one.task == "classification" else "R²",
            percent(one.original),
            percent(one.release),
            percent(one.baseline),
        )
        for one in found.models
    ]


def synthetic(found: Evidence) -> str:
    """Return what was measured on the synthetic rows; empty if there are none."""
    made = found.synthetic
    if made is None or made.utility is None or made.questions is None:
        return ""
    rates = "; ".join(f"{_what(one)} {_rate(one)}" for one in made.questions.worst)
    return (
        f"Confidence intervals from the synthetic rows overlap with those from the original table by "
        f"{percent(made.utility.overlap)}. {propensity(made.utility)} Attacks on them that succeed at worst: {rates}."
    )


def _told(one: Question, here: Question | None) -> str:
    """Return what was tried, what an attacker got, what by chance or on the control, and what lowers it."""
    got = here if here is not None else one
    parts = [_tried(got), _got(got)]
    if one is not got and one.control is not None:
        parts.append(
            f"In the trial {percent(one.success.rate)} of the attacks on people in it succeeded, and "
            f"{percent(one.control.rate)} of those on people who are not in it."
        )
    elif one.control is not None:
        parts.append(f"Of the same attacks on people who are not in it {percent(one.control.rate)} succeeded.")
    if one.risk is not None and one.risk >= LITTLE and (one.risk_low or 0.0) > 0:
        parts.append(LOWERS[one.name])
    return " ".join(part for part in parts if part)


def _tried(one: Question) -> str:
    times = count(one.success.attempts)
    if one.name == "singling out":
        return (
            f"Tried: {times} descriptions, each made of {one.how} of the release ({KNOWN[one.known]}), and counted "
            "who of the table fits."
        )
    if one.name == "linkability":
        return f"Tried: two lists about {times} people ({name(one.how)}), each looked up in the release by itself."
    return (
        f"Tried: {name(one.column or '')} of {times} people, guessed from the released rows that are nearest to them "
        f"in {KNOWN[one.known]}."
    )


def _got(one: Question) -> str:
    got, naive = _rate(one), percent(one.naive)
    if one.name == "singling out":
        return f"On this release {got} fit exactly one person; with cells of different rows {naive} do."
    if one.name == "linkability":
        return f"On this release {got} led to the same row; the lists of two different people did in {naive}."
    return (
        f"On this release {got} of the guesses were right; always guessing what is most frequent is right in {naive}."
    )


def _answer(one: Question) -> str:
    """Return the answer in a few words, without a period."""
    what = TITLES[one.name] if one.column is None else f"{TITLES[one.name]} of {name(one.column)}"
    if one.risk is None:
        return f"{what}: {_rate(one)} of the attacks succeed"
    if not one.risk_low:
        return f"{what}: no sign that being in the table helps an attacker; it adds {percent(one.risk_high)} at most"
    return f"{what}: being in the table adds {_risk(one)}"


def _same(one: Question, among: Questions | None) -> Question | None:
    """Return the answer to the same question on the release itself."""
    wanted = (one.name, one.known, one.column)
    return next((a for a in (among.answers if among else ()) if (a.name, a.known, a.column) == wanted), None)


def _what(one: Question) -> str:
    return one.name if one.column is None else f"{one.name} of {name(one.column)}"


def _rate(one: Question) -> str:
    return f"{percent(one.success.rate)} ({percent(one.success.low)} to {percent(one.success.high)})"


def _risk(one: Question) -> str:
    return f"{percent(one.risk)} ({percent(one.risk_low)} to {percent(one.risk_high)})"


def _row(one: Question, here: Question | None, *, own: bool) -> tuple[str, ...]:
    got = here if here is not None else one
    between = "" if one.risk is None else f"{percent(one.risk_low)} to {percent(one.risk_high)}"
    return (
        _what(one),
        SHORT[one.known],
        percent(got.success.rate),
        f"{percent(got.success.low)} to {percent(got.success.high)}",
        percent(got.naive),
        *(() if own else (percent(one.success.rate),)),
        percent(None if one.control is None else one.control.rate),
        percent(one.risk),
        between,
    )
