"""The risk-utility frontier, point by point: a verified trial for every k, reported as soon as it is made."""

from __future__ import annotations

from typing import Any

from markupsafe import escape

from shoal import api
from shoal.errors import InfeasibleError
from shoal.policy import Policy
from shoal.report.charts import in_words_of
from shoal.report.html import environment
from shoal.web.task_reports import TaskReports
from shoal.web.tasks.kept import table_of
from shoal.web.texts import LANGUAGES
from shoal.web.texts.sentences import Sentences


def compare_settings(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Return how many trials were made; each was reported with the chart of all so far."""
    table, policy = table_of(asked), Policy.parse(asked["policy"])
    shared: dict[str, Any] = dict(environment().globals)
    charts, lists = shared["charts"], shared["lists"]
    trials: list[Any] = []
    for k in asked["k"]:
        try:
            trials += api.compare(table, policy, k=[k]).trials
        except InfeasibleError as failed:
            reports.point({"k": k, "error": failed.message, "hint": failed.hint or ""})
            continue
        trial = trials[-1]
        reports.point(
            {
                "k": trial.k,
                "loss": trial.loss,
                "groups": trial.n_groups,
                "suppressed": trial.suppressed_share,
                "highest_risk": trial.highest_risk,
                "mean_risk": trial.mean_risk,
                "ratio_seen": trial.ratio_seen,
                "chart": {language: _chart(charts, lists, trials, language) for language in LANGUAGES},
            }
        )
    return {"trials": len(trials)}


def _chart(charts: Any, lists: Any, trials: list[Any], language: str) -> str:
    """Return the curve of all trials so far as HTML, in a language."""
    with in_words_of(Sentences(language)):
        return str(escape(charts.frontier(lists.loss_lines(trials), x_label="k", y_label="information lost")))
