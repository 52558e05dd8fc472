"""The report as one self-contained HTML file: no network, no script, no font.

A content security policy in the page forbids scripts and anything from elsewhere, so that even a column named like a
script is only text. Equal content gives equal bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shoal._version import __version__
from shoal.report import (
    attack_text,
    charts,
    cost_text,
    dossier_sources,
    dossier_text,
    evidence_text,
    inference_text,
    limits_text,
    loss_text,
    perturbation_text,
    population_text,
    preset_text,
    profile_text,
    question_text,
    recoding_text,
    risk_text,
    summary_text,
    usefulness,
    utility_text,
    verdict_text,
)
from shoal.report import formatting as numbers
from shoal.report import table_rows as lists
from shoal.report.content import Content, Trial
from shoal.report.dossier_content import DossierContent


@cache
def environment() -> Environment:
    """Return the template environment, which escapes everything and replaces control characters in foreign text."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: numbers.name(value) if type(value) is str else value,
    )
    made.filters["verbatim"] = numbers.verbatim
    made.globals.update(charts=charts, lists=lists, show=numbers, _=str)
    texts = (
        attack_text,
        cost_text,
        dossier_sources,
        dossier_text,
        evidence_text,
        inference_text,
        limits_text,
        loss_text,
        perturbation_text,
        preset_text,
        population_text,
        profile_text,
        question_text,
        recoding_text,
        risk_text,
        summary_text,
        usefulness,
        utility_text,
        verdict_text,
    )
    made.globals.update({text.__name__.rpartition(".")[2]: text for text in texts})
    return made


def render(content: Content) -> str:
    """Return the report as an HTML page."""
    return environment().get_template("report.html").render(content=content)


def render_dossier(content: DossierContent) -> str:
    """Return the dossier of a release as an HTML page."""
    return environment().get_template("dossier.html").render(content=content)


def render_comparison(trials: Sequence[Trial], *, source: str, version: str = __version__) -> str:
    """Return the HTML page of a comparison."""
    page = environment().get_template("comparison.html")
    return page.render(trials=trials, source=source, version=version)
