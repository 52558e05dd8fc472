"""Asking about columns that are both sensitive and possibly known to others: a belief, a pregnancy, a conviction.

`sensitive` assumes that nobody knows the value yet, and publishes it as it is. Where others do know it, it is a
quasi-identifier as well, and then needs an l or t of its own (docs/how-to/roles.md). Only people can say which.
"""

from __future__ import annotations

import re

from shoal.roles.recognize import words

VISIBLE_SUBJECTS = ("belief or opinion", "sexual life", "offence")
_VISIBLE = re.compile(
    r"pregnan\w*|disab\w*|transmission|infections?|infected|exposure ?category|risk ?group|allerg\w*|blood ?type"
)


def questions(name: str, role: str, what: str | None) -> tuple[str, ...]:
    """Return the question about a column that was recognized as sensitive, if others may well know it."""
    if role != "sensitive" or (what not in VISIBLE_SUBJECTS and not _VISIBLE.search(words(name))):
        return ()
    return (
        'it is sensitive, and others may know it of a person. If so, write role = "quasi" with '
        'diversity = { l = 2 }: it is then generalized, and no group gives it away; role = "quasi" alone would not '
        "protect it. If nobody can know it, leave it sensitive.",
    )
