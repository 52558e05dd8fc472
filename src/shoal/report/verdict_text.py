"""Sentences on which requirements a release meets."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.content import Finding
from shoal.report.formatting import name, plural


def all_hold(findings: Sequence[Finding]) -> bool:
    return all(finding.holds for finding in findings)


def verdict(findings: Sequence[Finding]) -> str:
    """Return the verdict on a release: the first requirement if all hold, otherwise what fails."""
    failed = [finding for finding in findings if not finding.holds]
    if not findings:
        return "There are no requirements, so nothing was checked."
    if not failed:
        return f"{name(findings[0].sentence)}."
    wrong = [_wrong(finding) for finding in failed[:3]]
    if len(failed) > 3:
        wrong.append(f"{len(failed) - 3} more")
    return f"{'; '.join(wrong)}. Do not publish this."


def _wrong(finding: Finding) -> str:
    if finding.failure:
        return name(finding.failure)
    touched = f", affecting {plural(finding.touched, 'record')}" if finding.touched else ""
    return f"{name(finding.criterion)} does not hold{touched}"


def also_held(findings: Sequence[Finding]) -> str:
    """Return the other requirements that hold, after the verdict."""
    return " ".join(f"{name(finding.sentence)}." for finding in findings[1:] if finding.holds)
