"""Sentences and rows on what follows about a column from the others (`shoal.measure.inference`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.formatting import count, listed, name, percent, plural

if TYPE_CHECKING:
    from shoal.measure import Attacks, Risk

MOST_ROWS = 6


def follows(found: Risk | Attacks) -> str:
    """Return for which columns a value follows with certainty from others, and what to do about it."""
    if not found.inference:
        return "This is not measured for means and centers, which cover no values; l and t hold in every group."
    open_ = sorted((one for one in found.inference if one.certain), key=lambda one: -one.certain)
    if not open_:
        return (
            "From no set of quasi-identifiers that was tried does the value of another column follow with certainty."
        )
    worst = next((one for one in open_ if one.role == "sensitive"), open_[0])
    known = listed([name(column) for column in worst.known], 4) if worst.known else "nothing but the release"
    shares = f"{count(worst.certain)} of {plural(worst.attempts, 'person', 'people')} tried"
    summary = (
        f"The value of {name(worst.column)} is certain for {shares} ({percent(worst.certain / worst.attempts)}), for "
        f"{count(worst.certain_by_known)} of them from {known}."
    )
    bare = [one.column for one in open_ if one.promise is None]
    if not bare:
        return summary
    return (
        f"{summary} Not protected: {listed([name(column) for column in bare], 6)}. If one of them is sensitive, "
        "require l of it; that is also possible for a quasi-identifier."
    )


def inferred(found: Risk | Attacks) -> list[tuple[str, str, str, str, str]]:
    """Return a row per column as in `INFERRED`, the column with the most certain and likely values first."""
    ranked = sorted(found.inference, key=lambda one: (-(one.certain + one.likely), one.role != "sensitive"))
    return [
        (
            name(one.column),
            f"{count(one.certain)} of {count(one.attempts)}",
            listed([name(column) for column in one.known], 3) if one.certain else "",
            count(one.likely),
            "not protected" if one.promise is None else "exceeded" if one.exceeds else "holds",
        )
        for one in ranked[:MOST_ROWS]
    ]


INFERRED = ("column", "certain for", "from", "likelier than l allows", "guaranteed")
