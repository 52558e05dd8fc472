"""What a release did to every column, in a few words, as a dossier states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.measure.loss_result import RecodingLoss
from shoal.policy import Column, Policy
from shoal.report.perturbation_text import how as perturbed
from shoal.report.recoding_text import how as recoded

QUASI = {
    "generalize": "generalized in groups",
    "aggregate": "the mean, median or most frequent value of its group",
    "centers": "the center of its group",
    "suppress": "hidden where a group differs",
}
"""What becomes of a quasi-identifier, by the form of the release."""


def published(policy: Policy, form: str, loss: Mapping[str, Any]) -> dict[str, str]:
    """Return what became of every column of a policy, by its name.

    `form` is that of the release, `loss` what was measured: it has the recoding that was really done.
    """
    changed = {one["name"]: recoded(RecodingLoss(**one)) for one in loss["recoded"]}
    return {name: _published(column, form, changed.get(name, "")) for name, column in policy.columns.items()}


def _published(column: Column, form: str, recoding: str) -> str:
    steps = [part for part in (recoding, _rare(column)) if part]
    if column.role == "identifier":
        return "removed"
    if column.role == "person":
        return _person(column, form)
    if column.role == "quasi":
        done = "items generalized or left out" if column.is_set else QUASI[form]
        return f"{', '.join(steps)}; then {done}" if steps else done
    if column.perturb is not None:
        steps.append(f"changed by chance, so not true values ({perturbed(column.perturb)})")
    if form == "centers":
        steps.append("its values counted in every group")
    return ", ".join(steps) if steps else "published as it is"


def _rare(column: Column) -> str:
    return "rare labels merged" if column.publish_rare == "merged" else ""


def _person(column: Column, form: str) -> str:
    if form == "centers":
        return "not published; the people of every group are counted"
    if column.pseudonym:
        return "replaced by a pseudonym"
    return "replaced by one number per person" if column.consistent else "replaced by a number within its group"
