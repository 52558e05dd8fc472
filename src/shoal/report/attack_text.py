"""Sentences and rows on attacks: how often each succeeds, and what is guaranteed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shoal.report.formatting import count, listed, name, percent, plural

if TYPE_CHECKING:
    from shoal.measure.attack_result import Attacks, OrderAttack

ATTACKS_HEADER = ("attack", "on", "succeeds", "at worst", "guaranteed", "holds")


class AttackRow(NamedTuple):
    """One attack: what it is, on which columns, how often it succeeds, and whether what is guaranteed holds."""

    what: str
    on: str
    rate: str
    worst: str
    promise: str
    holds: bool | None
    """None if nothing is guaranteed against it."""


def attack_verdict(found: Attacks) -> str:
    """Return whether an attack did better than is guaranteed."""
    if found.k == 1:  # rows that were made up, of which nothing is claimed
        return "The rows are made up: a match is chance and finds nobody, and nothing is guaranteed of it."
    if found.exceeds:
        return f"An attack succeeds more often than guaranteed: do not publish this (k = {found.k})."
    return f"No attack succeeds more often than guaranteed (k = {found.k})."


def attack_rows(found: Attacks) -> list[AttackRow]:
    """Return a row for every attack, as `ATTACKS_HEADER` has it."""
    rows = [
        AttackRow(
            what,
            name(attack.sensitive) if attack.sensitive is not None else listed([name(c) for c in attack.known], 4),
            percent(attack.rate),
            percent(attack.worst),
            percent(attack.promise),
            None if attack.promise is None else not attack.exceeds,
        )
        for what, attack in (
            ("nearest record", found.nearest),
            ("exact join, all known", found.full_join),
            ("exact join, worst set", found.worst_join),
            *(("group of one value", attack) for attack in found.homogeneity),
            *(("a value ruled out", attack) for attack in found.exclusion),
            *(("gain in belief", attack) for attack in found.skewness),
        )
    ]
    return rows + [
        AttackRow(
            "order of rows",
            f"{name(worst.sensitive)} by {name(worst.order)}",
            percent(worst.rate),
            "",
            f"chance {percent(worst.chance)}",
            not worst.exceeds,
        )
        for worst in _farthest(found)
    ]


def attacks_tried(found: Attacks) -> str:
    """Return a sentence on how much was tried, and on what counts as a success."""
    tried = f"{count(found.n_sampled)} of {plural(found.n_originals, 'record')} attacked, counted in {found.unit}"
    sets = f"{count(found.n_subsets)} of {count(found.n_subsets_possible)} sets of columns tried in joins"
    sure = (
        ""
        if found.evidence == "mapping"
        else " Every match counts as right, because it is not known which record is whose."
    )
    return f"{tried}; {sets}.{sure}"


def _farthest(found: Attacks) -> list[OrderAttack]:
    """Return, for each sensitive column, the order of rows that reveals most about it."""
    by_column: dict[str, OrderAttack] = {}
    for one in sorted(found.row_order, key=lambda tried: (tried.exceeds, tried.rate - tried.chance)):
        by_column[one.sensitive] = one
    return [by_column[one] for one in dict.fromkeys(tried.sensitive for tried in found.row_order)]
