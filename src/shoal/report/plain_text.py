"""Results as plain text for `print` and logs: what the command line shows, without colors or drawn lines."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

from shoal.report import loss_text, terminal
from shoal.report.formatting import chance, count, name, percent, plural
from shoal.report.recoding_text import recoding_fact

if TYPE_CHECKING:
    from shoal.certify.certificate import Certificate
    from shoal.measure.attack_result import Attacks
    from shoal.measure.loss_result import Loss
    from shoal.measure.population.result import PopulationRisk
    from shoal.measure.risk_result import Risk
    from shoal.roles.table_profile import Profile


def release(certificate: Certificate, loss: Loss, risk: Risk) -> str:
    """Return the main results of a release: requirements, information loss, risk, and the next step."""
    points = certificate.form in ("aggregate", "centers")
    shares = {column.name: column.ncp if points else column.information for column in loss.columns}
    costliest = max(shares, key=lambda column: shares[column], default=None)
    most = f", most of {name(costliest)} ({percent(shares[costliest])})" if costliest and len(shares) > 1 else ""
    before, after = risk.before.prosecutor_max, risk.after.prosecutor_max
    return (
        f"{certificate}\n"
        f"information lost: {loss_text.lost(loss, certificate.form)[0]}{most}; NCP: {percent(loss.gcp)}\n"
        f"{_recoded(loss)}"
        f"cells still exact: {percent(loss.exact)} ({loss_text.exact(loss)})\n"
        f"{_items(loss)}"
        f"highest re-identification risk: {chance(after)}, before: {chance(before)}\n"
        f"unique in all published columns: {count(risk.singled.unique)} of {plural(risk.singled.rows, 'row')}\n"
        'next: release.write("out") writes release.table with its certificate'
    )


def _items(loss: Loss) -> str:
    """Return the line on the items of a column of sets; nothing if there is none."""
    return "".join(
        f"items still exact: {loss_text.items_kept(one)} ({loss_text.items_lost(one)})\n" for one in loss.sets
    )


def _recoded(loss: Loss) -> str:
    """Return the line on what recoding lost; nothing if no column was recoded."""
    return "".join(
        f"lost by recoding before that: {share} ({columns})\n" for _, share, columns in recoding_fact(loss)
    )


def profile(found: Profile) -> str:
    return _printed(terminal.profile(found, plain=True))


def comparison(found: terminal.Compared) -> str:
    return _printed(terminal.comparison(found, plain=True))


def attacks(found: Attacks) -> str:
    return _printed(terminal.attacks(found, plain=True))


def population_risk(found: PopulationRisk) -> str:
    return _printed(terminal.population_risk(found, plain=True))


def loss(found: Loss) -> str:
    return _printed(terminal.loss(found, plain=True))


def risk(found: Risk) -> str:
    return _printed(terminal.risk(found, plain=True))


def _printed(shown: RenderableType) -> str:
    """Return what a terminal of 80 columns would show, even in a notebook, where rich would otherwise display it."""
    out = StringIO()
    Console(file=out, width=80, color_system=None, force_terminal=False, force_jupyter=False).print(shown)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
