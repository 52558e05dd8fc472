"""Ways to lose less than a run did: why a column lost most, and changes that one click makes and runs again."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from shoal.effort import GENERALIZATION
from shoal.errors import ParameterError
from shoal.method_table import METHODS
from shoal.web.draft import Settings, checked, with_role
from shoal.web.open_table import OpenTable, Run
from shoal.web.texts import Texts

SIZES = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100)
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1)
MOST_WEIGHT = 16.0
MORE = 4.0  # how many times more effort is offered
STEPS = 20  # of the span of a column of numbers, when it is rounded first


@dataclass(frozen=True, slots=True)
class Way:
    """A change: what the button says, what it costs in privacy or in other columns, and the settings after it."""

    key: str
    label: str
    price: str
    settings: Settings


def worst_column(run: Run) -> tuple[str, float, float] | None:
    """Return the column that lost most, what it lost, and its share of the whole loss; None if nothing was lost."""
    lost = {name: float(column["ncp"]) for name, column in run.result["numbers"]["columns"].items()}
    total = sum(lost.values())
    if total <= 0:
        return None
    name = max(lost, key=lambda one: (lost[one], one))
    return name, lost[name], lost[name] / total


def why(table: OpenTable, run: Run, t: Texts) -> str:
    """Return in one sentence which column lost most, and why."""
    found = worst_column(run)
    if found is None:
        return ""
    name, lost, share = found
    column = next(one for one in table.columns if one["name"] == name)
    kind = run.result["numbers"]["columns"][name]["kind"]
    group = kind if kind in ("number", "date", "label", "ordered", "hierarchy") else "area"
    first = t("less.most", name=name, lost=t.percent(lost), share=t.percent(share))
    return f"{first} {t('less.why_' + group, n=column['distinct'])}"


def ways(table: OpenTable, run: Run, t: Texts) -> list[Way]:
    """Return the changes that may lose less, those of the column that lost most first."""
    asked = run.asked
    found = worst_column(run)
    offered: list[tuple[str, str, str, Settings | None]] = []
    if found is not None:
        offered += _of_column(table, run, found[0], t)
    k = asked["k"]
    smaller = max((size for size in SIZES if size < k), default=None)
    if smaller is not None:
        offered.append(("k", t("less.k", k=smaller), t("less.k_price", k=smaller), asked | {"k": smaller}))
    share = float(asked.get("max_suppressed", 0))
    more = next((one for one in SHARES if one > share), None)
    if more is not None:
        changed = asked | {"max_suppressed": more}
        offered.append(("suppress", t("less.suppress", share=t.percent(more)), t("less.suppress_price"), changed))
    ratio = run.result["numbers"]["ratio_seen"]
    effort = _effort(run)
    if (ratio is None or ratio > 1.05) and not asked.get("time_limit") and effort is not None:
        offered.append(("effort", t("less.effort"), t("less.effort_price"), asked | {"effort": effort * MORE}))
    kept = []
    for key, label, price, settings in offered:
        if settings is not None and _is_policy(settings):
            kept.append(Way(key, label, price, settings))
    return kept


def _effort(run: Run) -> float | None:
    """Return the effort of a run: the policy's, or the default of its method; None if the method uses none."""
    numbers = run.result["numbers"]
    method = METHODS.get(numbers["method"])
    default = GENERALIZATION if method is None else method.effort  # without a method: built for l-diversity
    if default is None:
        return None
    return float(run.asked.get("effort") or default.for_records(numbers["rows"]))


def chosen(table: OpenTable, run: Run, key: str, t: Texts) -> Settings:
    """Return the settings of one of the ways; raise ParameterError if there is none of this name."""
    for way in ways(table, run, t):
        if way.key == key:
            return deepcopy(way.settings)
    raise ParameterError("this change is not offered any more.", "choose one of those on the page.")


def _of_column(table: OpenTable, run: Run, name: str, t: Texts) -> list[tuple[str, str, str, Settings | None]]:
    """Return what can be done about one column: weight, recoding, leaving it out."""
    asked, found = run.asked, run.result["numbers"]["columns"][name]
    own = asked["columns"][name]
    column = next(one for one in table.columns if one["name"] == name)
    offered: list[tuple[str, str, str, Settings | None]] = []
    weight = float(own.get("weight", 1))
    if weight * 2 <= MOST_WEIGHT:
        changed = _with(asked, name, weight=weight * 2)
        offered.append(("weight", t("less.weight", name=name), t("less.weight_price"), changed))
    if found["kind"] == "date" and "round" not in own and "hierarchy" not in own:
        changed = _with(asked, name, round="month")
        offered.append(("round", t("less.months", name=name), t("less.round_price"), changed))
    step = _step(found["span"]) if found["kind"] == "number" and found["span"] else None
    if step is not None and "round" not in own and "hierarchy" not in own:
        changed = _with(asked, name, round=step)
        offered.append(("round", t("less.round", name=name, step=f"{step:g}"), t("less.round_price"), changed))
    if found["kind"] == "label" and column.get("n_rare") and own.get("publish_rare") != "merged":
        changed = _with(asked, name, publish_rare="merged")
        offered.append(("rare", t("less.rare", name=name), t("less.rare_price"), changed))
    if len([one for one in asked["columns"].values() if one["role"] == "quasi"]) > 1:
        out = with_role(asked, name, "identifier", {})
        offered.append(("out", t("less.out", name=name), t("less.out_price", name=name), out))
    return offered


def _with(settings: Settings, name: str, **changes: Any) -> Settings:
    changed = deepcopy(settings)
    changed["columns"][name] |= changes
    return changed


def _is_policy(settings: Settings) -> bool:
    try:
        checked(settings)
    except ParameterError:
        return False
    return True


def _step(span: float) -> float | None:
    """Return a round number of which about STEPS fit into the span; None if it would round nothing."""
    rough = span / STEPS
    if rough <= 0 or not math.isfinite(rough):
        return None
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
