"""The lines of a preset among the findings on a released table."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from shoal.certify.findings import Failure, Findings
from shoal.certify.preset.check import check_preset
from shoal.certify.preset.result import LineFound, line_found
from shoal.certify.preset.tally import tally_of
from shoal.certify.reading import Released
from shoal.policy import Policy
from shoal.policy.preset import Preset
from shoal.tables import read_back


def with_lines(
    findings: Findings, opened: Released, rule: Preset, policy: Policy | None, drawn: Path | None = None
) -> Findings:
    """Return the findings with what was found on every line of a preset. Ages are counted in the present year.

    A table that cannot be read has no lines: that it cannot be read is a failure already. `drawn` is the file of
    synthetic rows beside the release, if there is one. They are made up, so what they show is for a person to judge.
    """
    if not opened.is_read:
        return replace(findings, preset=rule.title)
    parts = opened.scan() if opened.scan is not None else [opened.frame]
    tally, n_rows = tally_of(part for part in parts if part is not None)
    lines = check_preset(tally, n_rows, rule, policy, findings.form, date.today().year)
    if drawn is not None:
        made_up, n_drawn = tally_of([read_back(drawn)])
        more = check_preset(made_up, n_drawn, rule, None, "unknown", date.today().year)
        lines = [_with_drawn(line, other, drawn.name) for line, other in zip(lines, more, strict=True)]
    if rule.k is not None:
        lines.insert(0, _least(rule.k, findings, counted=policy is not None))
    return replace(findings, preset=rule.title, lines=tuple(lines), rows=findings.rows or n_rows)


def _with_drawn(line: LineFound, drawn: LineFound, name: str) -> LineFound:
    """Return a line with what synthetic rows show of it besides."""
    shown = [
        replace(one, column=f"{name}, {one.column}", verdict="judge") for one in drawn.found if one.verdict != "clear"
    ]
    return line_found(line.id, line.title, [*line.found, *shown], line.reason)


def _least(k: int, findings: Findings, *, counted: bool) -> LineFound:
    """Return the line on the fewest people of a group that a preset asks for."""
    title = f"At least {k} {findings.unit} in every group"
    if not counted:
        return LineFound("k", title, "judge", reason="no policy says which columns others know")
    reason = f"the smallest group has {findings.k} {findings.unit}"
    return LineFound("k", title, "clear" if findings.k >= k else "breach", reason=reason)


def breaches(findings: Findings) -> list[Failure]:
    """Return a failure for every line of the preset that something in the release breaks."""
    return [
        Failure(
            check="preset",
            message=f"{findings.preset} {line.id}: "
            + ("; ".join(one.sentence for one in line.found if one.verdict == "breach") or line.sentence),
            records=sum(one.cells for one in line.found if one.verdict == "breach"),
        )
        for line in findings.lines
        if line.verdict == "breach"
    ]
