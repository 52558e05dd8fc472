"""Sentences and rows on the risk in the population that a table is a sample of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.report.formatting import count, name, percent, plural

if TYPE_CHECKING:
    from shoal.measure.population.result import IndividualRisk, PopulationRisk

HEADER = ("what", "in the table", "in the release", "assumption")
SMALL_SAMPLE = 0.1
"""Up to this share of the population in the table, Zayatz's estimate is far too high."""
ESTIMATES = {"pitman": "Pitman", "zayatz": "Zayatz", "slide-negative-binomial": "slide negative binomial"}


def verdict(found: PopulationRisk) -> str:
    """Return the main sentence: how many people are expected to be unique in the population."""
    one = "row" if found.unit == "rows" else "person"
    alone = f"{count(found.sample_uniques)} of {plural(found.n_people, one, found.unit)}"
    if found.unique is None:
        return (
            f"{alone} are unique in the table. How many are unique in the population cannot be estimated without its "
            "size: give population, a column of weights or a population table."
        )
    if found.presence is not None:
        return (
            f"{alone} are unique in the table, and {count(found.presence.population_uniques)} of them in the "
            f"population table of {count(found.presence.population)}."
        )
    # where a small sample leaves only Zayatz's estimate, that is an upper limit rather than a guess
    limit = found.unique.chosen == "zayatz" and found.unique.sampling_fraction <= SMALL_SAMPLE
    return (
        f"{alone} are unique in the table. In a population of {count(found.unique.population)}, "
        f"{'at most' if limit else 'about'} "
        f"{count(round(found.unique.people))} ({percent(found.unique.share)}) are expected to be unique."
    )


def change(found: PopulationRisk) -> str:
    """Return what the release changes: uniques in the population and the highest risk of a person, before and after.

    Empty if no release was measured, or nothing is known of the population.
    """
    after = found.released
    if found.unique is None or after is None or after.unique is None:
        return ""
    text = ""
    if found.presence is None:  # where the population itself was counted, estimates say less
        text = (
            f"By the columns as published, {_people(after.unique.people)} are expected to be unique in the "
            f"population; by the original ones {_people(found.unique.people)}."
        )
    if found.individual is not None and after.individual is not None:
        text += (
            f"{' ' if text else ''}The highest risk of a person is {percent(after.individual.largest)}; "
            f"before, it was {percent(found.individual.largest)}."
        )
    return text


def rows(found: PopulationRisk) -> list[tuple[str, str, str, str]]:
    """Return the estimates: what, before, after, and what is assumed."""
    lines: list[tuple[str, str, str, str]] = [("unique in it", count(found.sample_uniques), _after(found), "counted")]
    after = found.released
    if found.unique is not None:
        for key, words in (
            ("pitman", "classes follow Pitman's model"),
            ("zayatz", "classes of the population are as large as those of the table"),
            ("slide_negative_binomial", "sizes of classes are negative binomial"),
        ):
            chosen = " (chosen)" if found.unique.chosen.replace("-", "_") == key else ""
            lines.append(
                (
                    f"unique in the population, {ESTIMATES[key.replace('_', '-')]}{chosen}",
                    _people(getattr(found.unique, key)),
                    "" if after is None or after.unique is None else _people(getattr(after.unique, key)),
                    words,
                )
            )
    for model in found.log_linear:
        fitted = "pairs of columns are as in the table" if model.pairs else "columns are independent"
        lines.append(("unique in both, log-linear", _people(model.population_uniques), "", fitted))
        lines.append(("found by a match, log-linear", _people(model.correct_matches), "", fitted))
    if found.individual is not None:
        own, then = found.individual, None if after is None else after.individual
        what = ("largest risk of a person", "people found by a match", f"people above {percent(own.threshold)}")
        left = ("", "", "") if then is None else _individual(then)
        lines += [(*line, "weights are right") for line in zip(what, _individual(own), left, strict=True)]
        if own.household_largest is not None:
            lines.append(("largest risk of a household", percent(own.household_largest), "", "members independent"))
    if found.presence is not None:
        lines.append(("k-map", count(found.presence.k_map), "", "counted in the population table"))
        between = f"{percent(found.presence.delta_min)} to {percent(found.presence.delta_max)}"
        lines.append(("belief that somebody is in the table", between, "", "counted in the population table"))
    return lines


def residual(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return what is estimated before and after, of a risk as it is kept in a file: name, before, after."""
    own, then = found["unique"], found["released"]
    lines = []
    if own is not None and then is not None and then["unique"] is not None and found["presence"] is None:
        size = count(own["population"])
        lines.append(
            (f"Expected to be unique in a population of {size}", _people(own["people"]),
             _people(then["unique"]["people"]))
        )  # fmt: skip
    if found["individual"] is not None and then is not None and then["individual"] is not None:
        before, after = found["individual"], then["individual"]
        lines += [
            ("Highest risk of a person in the population", percent(before["largest"]), percent(after["largest"])),
            ("Found by a match with the population", _people(before["expected"]), _people(after["expected"])),
        ]
    if found["presence"] is not None:
        lines.append(("Fewest people of the population in a class (k-map)", count(found["presence"]["k_map"]), ""))
    return lines


def special(found: PopulationRisk) -> str:
    """Return how many people are unique by few columns, and which columns make them so."""
    if found.special is None or not sum(found.special.people):
        return f"Nobody is unique in a set of up to {found.special.size if found.special else 0} columns."
    by_size = ", ".join(
        f"{count(people)} by {plural(size, 'column')}"
        for size, people in enumerate(found.special.people, 1)
        if people
    )
    most = ", ".join(f"{name(one.name)} {percent(one.share)}" for one in found.special.columns[:4])
    return (
        f"Unique in the table by few columns: {by_size}. Columns by their part in it: {most}. These people are the "
        "most likely to be unique in the population as well."
    )


def _individual(risk: IndividualRisk) -> tuple[str, str, str]:
    return percent(risk.largest), _people(risk.expected), count(risk.above)


def _after(found: PopulationRisk) -> str:
    return "" if found.released is None else count(found.released.sample_uniques)


def _people(expected: float | None) -> str:
    """Return an expected number of people; below 10 with one decimal, as a tenth of a person is not nobody."""
    if expected is None:
        return "no estimate"
    return f"{expected:.1f}" if expected < 10 else count(round(expected))
