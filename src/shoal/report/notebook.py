"""Short HTML with which results show themselves in notebooks; the look of the report, kept to its own cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.certify.certificate import Certificate
from shoal.certify.findings import Findings
from shoal.report.content import Content, Finding, Trial, findings_of
from shoal.report.html import environment

if TYPE_CHECKING:
    from shoal.roles.table_profile import Profile


def release_html(content: Content) -> str:
    """What holds, the first numbers, the groups and what was lost."""
    return _cell("release", content)


def findings_html(
    findings: Findings | Certificate | Sequence[Finding], *, checked: str = "the released table"
) -> str:
    """The verdict and every requirement, of a certificate or of `verify`."""
    return _cell("findings_cell", findings_of(findings), checked)


def comparison_html(trials: Sequence[Trial]) -> str:
    """The frontier, drawn and as a table."""
    return _cell("comparison", trials)


def profile_html(profile: Profile) -> str:
    """The proposed roles, and what singles people out."""
    return _cell("profile", profile)


def _cell(macro: str, *parts: object) -> str:
    page = environment()
    style = page.get_template("style.css").render()
    body = getattr(page.get_template("cells.html").module, macro)(*parts)
    return f'<div class="shoal cell"><style>{style}</style>{body}</div>'
