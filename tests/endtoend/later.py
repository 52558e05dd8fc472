"""What was added to the generated cases later: recoding, workbooks, dates that go on.

It is drawn apart, so that a case found before keeps its table. Shares no code with Shoal.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.endtoend.cases import Case
from tests.endtoend.recoding import add_recoding


def with_later_parts(case: Case) -> Case:
    """The case, now and then from or to a workbook, recoded, or with dates that go on."""
    rng = Random(f"shoal end to end, later {case.number}")
    source = "xlsx" if rng.random() < 0.12 else case.source
    asked_format = "xlsx" if rng.random() < 0.12 else case.format
    case = replace(case, source=source, format=asked_format)
    if rng.random() < 0.35:
        add_recoding(rng, case)
    if rng.random() < 0.6:
        case = _going_on(rng, case)
    return case


def _going_on(rng: Random, case: Case) -> Case:
    """Days whose classes move with time; in the second table they are some months later."""
    if case.settings["publication"] != "generalize":
        return case
    second = case.second and list(case.second)
    for place, column in enumerate(case.columns):
        known = {"hierarchy", "round", "top", "bottom"} & set(column.settings)
        if column.kind not in ("date", "dt:us", "dt:ms") or column.role != "quasi" or known:
            continue
        column.settings["relative_to"] = rng.choice(["week", "month", "quarter", "year"])
        days = rng.choice([7, 31, 92, 365]) * (1 if column.kind == "date" else 86_400 * 10**9)
        if second:
            second[place] = [None if cell is None else cell + days for cell in column.cells]
    return replace(case, second=second)
