"""What was added to the generated cases later: recoding, workbooks, dates that go on, limits on single values.

It is drawn apart, so that a case found before keeps its table. Shares no code with Shoal.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.endtoend.cases import Case
from tests.endtoend.recoding import add_recoding
from tests.endtoend.values import DAYS, NUMBERS


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
    if rng.random() < 0.25:
        _limit_shares(rng, case)
    _add_synthetic_rows(Random(f"shoal end to end, synthetic {case.number}"), case)
    _perturb(Random(f"shoal end to end, perturbed {case.number}"), case)
    return case


def _perturb(rng: Random, case: Case) -> None:
    """Perturbation of columns that are published as they are; now and then one that is refused."""
    if rng.random() < 0.7:
        return
    for column in case.named("sensitive", "other"):
        asked = {"diversity", "closeness", "disclosure", "bins"} & set(column.settings)
        if column.name == "mark" or (asked and rng.random() < 0.97):
            continue
        ordered = column.kind in NUMBERS + DAYS or "order" in column.settings
        recoded = {"order", "hierarchy", "format", "top", "bottom", "round", "merge"} & set(column.settings)
        methods = [
            "pram",
            *(["rank-swap"] if ordered else []),
            *(["noise"] * 2 if column.kind in NUMBERS and case.n_rows > 24 else []),
        ]
        method = rng.choice(methods if rng.random() < 0.95 else ["pram", "rank-swap", "noise"])
        if method == "pram":
            column.settings["perturb"] = {"method": "pram", "keep": rng.choice([0.2, 0.5, 0.9])}
            others = [one.name for one in case.named("quasi", "other") if one.name not in (column.name, "mark")]
            if others and rng.random() < 0.15:
                column.settings["perturb"]["within"] = rng.choice(others)
        elif method == "rank-swap":
            column.settings["perturb"] = {"method": "rank-swap", "window": rng.choice([0.3, 0.5, 0.5])}
        elif not recoded or rng.random() < 0.1:
            column.settings["perturb"] = {"method": "noise", "spread": rng.choice([0.1, 0.5, 2.0])}
            if rng.random() < 0.4:
                column.settings["perturb"]["group"] = "together"
                column.settings["perturb"]["spread"] = 0.5
            if rng.random() < 0.3:
                column.settings["perturb"]["decimals"] = rng.choice([0, 2])


def _add_synthetic_rows(rng: Random, case: Case) -> None:
    """Synthetic rows beside the release; in some cases where its form has none, to be refused."""
    if rng.random() < 0.3 and (case.settings["publication"] in ("generalize", "suppress") or rng.random() < 0.15):
        case.settings["synthetic"] = rng.choice(["marginals", "copula"])


def _limit_shares(rng: Random, case: Case) -> None:
    """alpha, beta or delta of one sensitive column, or two of them."""
    columns = case.named("sensitive")
    if not columns:
        return
    column = rng.choice(columns)
    asked: dict[str, object] = {}
    for kind in rng.sample(["alpha", "beta", "delta"], rng.choice([1, 1, 2])):
        if kind == "alpha":
            asked["alpha"] = rng.choice([0.5, 0.7, 0.9])
            texts = [cell for cell in column.cells if isinstance(cell, str) and len(cell.strip()) > 1]
            if texts and not {"bins", "merge", "format", "number"} & set(column.settings) and rng.random() < 0.5:
                asked["values"] = sorted(set(rng.sample(texts, min(len(texts), 2))))
        elif kind == "beta":
            asked |= {"beta": rng.choice([0.5, 1.0, 3.0]), "kind": rng.choice(["basic", "enhanced"])}
        else:
            asked["delta"] = rng.choice([1.0, 2.0, 4.0])
    column.settings["disclosure"] = asked


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
