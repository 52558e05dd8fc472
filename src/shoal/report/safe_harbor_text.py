"""The eighteen identifiers of HIPAA Safe Harbor, line by line, beside what a release does with them.

45 CFR 164.514(b)(2)(i). Which column belongs to which line was found by the profile of the original table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shoal.report.formatting import listed_names

if TYPE_CHECKING:
    from shoal.policy import Column, Policy
    from shoal.roles.table_profile import Profile

IDENTIFIERS = {
    "A": "Names",
    "B": "Areas smaller than a state, but for the first three digits of a ZIP code that 20,000 people share",
    "C": "Dates of a person, but for the year; ages over 89",
    "D": "Telephone numbers",
    "E": "Fax numbers",
    "F": "E-mail addresses",
    "G": "Social security numbers",
    "H": "Medical record numbers",
    "I": "Health plan beneficiary numbers",
    "J": "Account numbers",
    "K": "Certificate and license numbers",
    "L": "Vehicle identifiers and license plates",
    "M": "Device identifiers and serial numbers",
    "N": "Web addresses",
    "O": "IP addresses",
    "P": "Biometric identifiers",
    "Q": "Full-face photographs",
    "R": "Any other unique number, characteristic or code",
}
ZIP_LEVEL = 2
"""The level of a five-digit ZIP code at which three digits are left."""


class HarborLine(NamedTuple):
    """One of the eighteen: its letter, its words, the columns that have it, and what the release does with them."""

    letter: str
    words: str
    columns: str
    done: str
    met: bool | None
    """None where a person must judge."""


def harbor_lines(policy: Policy, profile: Profile) -> list[HarborLine]:
    """Return the eighteen lines. Only what the policy makes sure of counts as met."""
    lines = []
    for letter, words in IDENTIFIERS.items():
        names = [c.name for c in profile.columns if c.safe_harbor == letter and c.name in policy.columns]
        published = [name for name in names if policy.columns[name].role != "identifier"]
        if not names:
            done, met = "no such column was found", None
        elif not published:
            done, met = "removed", True
        else:
            judged = [_judged(letter, name, policy.columns[name]) for name in published]
            done = "; ".join(words for words, _ in judged)
            verdicts = {one for _, one in judged}
            met = False if False in verdicts else None if None in verdicts else True
        lines.append(HarborLine(letter, words, listed_names(names) if names else "", done, met))
    return lines


def _judged(letter: str, name: str, column: Column) -> tuple[str, bool | None]:
    """Return what the release does with a column that it publishes, and whether that meets the rule."""
    if column.role == "person":
        return f"{name} is replaced by numbers within groups", True
    if column.role in ("other", "sensitive"):
        return f"{name} is published as it is", False
    if letter == "C" and column.round == "year":
        return f"{name} is published in years", None  # ages over 89 are still to be judged
    if letter == "B" and (column.least_level or 0) >= ZIP_LEVEL:
        return f"{name} is published from level {column.least_level} on", None  # so are places of few people
    return f"{name} is published in groups that may be finer than the rule", False
