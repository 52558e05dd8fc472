"""What is computed of a release on request: its dossier, and the risk of households."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shoal import api
from shoal.policy import Policy
from shoal.web.task_reports import TaskReports
from shoal.web.tasks.kept import table_of


def dossier(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Write the dossier of a release to `page`; the release is called as its table, not as the folder it is in."""
    with reports.step("dossier", None), TemporaryDirectory(dir=asked["folder"]) as beside:
        release, private = Path(beside) / asked["called"], Path(beside) / f"{asked['called']}.private"
        for folder, half in ((release, "format"), (private, "private")):
            shutil.copytree(Path(asked["folder"]) / asked[half], folder, copy_function=_linked)
        page = api.dossier(release, original=asked["path"])
    made = Path(asked["page"])
    made.touch(mode=0o600)
    made.write_text(page, encoding="utf-8")
    return {"page": asked["page"]}


def _linked(source: str, target: str) -> None:
    """Make a file appear at another place without copying it, where the system can."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def household(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Return the largest risk of a household and of a person of the original table; None where nothing is known."""
    policy = Policy.parse(asked["policy"])
    with reports.step("special uniques", None):
        found = api.population_risk(table_of(asked), policy, household=asked["column"], size=1).individual
    if found is None:
        return {"household": None, "person": None}
    return {"household": found.household_largest, "person": found.largest}
