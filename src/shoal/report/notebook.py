"""Short HTML representations of results for notebooks, in the style of the report, limited to their own cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.report.content import Content, Finding, Trial, findings_of
from shoal.report.html import environment

if TYPE_CHECKING:
    from shoal.certify.certificate import Certificate
    from shoal.certify.findings import Findings
    from shoal.measure.attack_result import Attacks
    from shoal.measure.loss_result import Loss
    from shoal.measure.risk_result import Risk
    from shoal.roles.table_profile import Profile


def release_html(content: Content) -> str:
    """Return the HTML of a release: which requirements hold, the main numbers, the groups and the loss."""
    return _cell("release", content)


def findings_html(
    findings: Findings | Certificate | Sequence[Finding], *, checked: str = "the released table"
) -> str:
    """Return the HTML of a certificate or of what `verify` found: the verdict and every requirement."""
    return _cell("findings_cell", findings_of(findings), checked)


def comparison_html(trials: Sequence[Trial]) -> str:
    """Return the HTML of a comparison: charts and a table."""
    return _cell("comparison", trials)


def attacks_html(attacks: Attacks) -> str:
    """Return the HTML of attacks: whether one did better than is guaranteed, and how often each succeeds."""
    return _cell("attacks", attacks)


def loss_html(loss: Loss) -> str:
    """Return the HTML of the information loss: over all columns, and of each."""
    return _cell("loss", loss)


def risk_html(risk: Risk) -> str:
    """Return the HTML of the risk: before and after, and what the groups say about sensitive columns."""
    return _cell("risk", risk)


def profile_html(profile: Profile) -> str:
    """Return the HTML of a profile: the suggested roles, and which columns single people out."""
    return _cell("profile", profile)


def _cell(macro: str, *parts: object) -> str:
    page = environment()
    style = page.get_template("style.css").render()
    body = getattr(page.get_template("cells.html").module, macro)(*parts)
    return f'<div class="shoal cell"><style>{style}</style>{body}</div>'
