"""No text of the report or of a notebook's cell is clipped or stands over another, with long names of columns too."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from shoal.policy import Policy
from shoal.report import html, notebook
from shoal.report.charts.text_width import fitted, width_of
from tests.report import samples
from tests.report.layout import Page, browser, faults, in_notebook

NARROW, WIDE, PRINTED = 390, 1200, 673
LONG = {
    name: f"{name}_OF_THE_PERSON_as_it_was_written_in_the_ADMISSION_FORM_{name}"[:60].ljust(60, "W")
    for name in ("age", "admitted", "sex", "postcode", "occupation", "diagnosis", "ward", "name")
}


def renamed(value: Any) -> Any:
    """Return contents of the report in which every name of a column has 60 characters."""
    if isinstance(value, str):
        return LONG.get(value, value)
    if isinstance(value, Policy):
        return value.model_copy(update={"columns": {LONG[name]: one for name, one in value.columns.items()}})
    if isinstance(value, tuple):
        return tuple(map(renamed, value)) if type(value) is tuple else value
    if is_dataclass(value) and not isinstance(value, type):
        changed = {one.name: renamed(getattr(value, one.name)) for one in fields(value) if one.init}
        return replace(value, **changed)
    return value


def shown(*, long: bool) -> dict[str, tuple[str, bool]]:
    """Return every page and cell by name, and whether it is a cell of a notebook."""
    name = renamed if long else (lambda value: value)
    content = name(samples.content())
    return {
        "report": (html.render(content), False),
        "comparison": (html.render_comparison(name(samples.trials()), source="visits.csv"), False),
        "release in a notebook": (notebook.release_html(content), True),
        "findings in a notebook": (notebook.findings_html(content.findings), True),
        "comparison in a notebook": (notebook.comparison_html(name(samples.trials())), True),
        "profile in a notebook": (notebook.profile_html(name(samples.profile())), True),
        "loss in a notebook": (notebook.loss_html(content.loss), True),
        "risk in a notebook": (notebook.risk_html(content.risk), True),
        "attacks in a notebook": (notebook.attacks_html(name(samples.attacks())), True),
    }


@pytest.mark.skipif(browser() is None, reason="no browser is installed: `make browser` installs one")
def test_no_text_is_clipped_or_stands_over_another_at_any_width(tmp_path: Path) -> None:
    pages = {
        (what, long, width): Page(in_notebook(page) if is_cell else page, width)
        for long in (False, True)
        for what, (page, is_cell) in shown(long=long).items()
        for width in (NARROW, PRINTED, WIDE)
    }
    measured = dict(zip(pages, faults(list(pages.values()), tmp_path), strict=True))
    assert {page: found for page, found in measured.items() if found} == {}


@pytest.mark.skipif(browser() is None, reason="no browser is installed: `make browser` installs one")
def test_what_is_wrong_with_a_layout_is_found(tmp_path: Path) -> None:
    """The measurement itself: texts over each other, one outside of its chart, and a page wider than its window."""
    over = '<p style="margin: 0">first</p><p style="margin: -1.2em 0 0">second</p>'
    outside = '<svg viewBox="0 0 400 40" width="300"><text x="-30" y="20">clipped name</text></svg>'
    wide = f"<p>{'W' * 80}</p>"
    found = faults([Page(f"<!doctype html><body>{part}</body>", NARROW) for part in (over, outside, wide)], tmp_path)
    assert [one[0].split(":")[0] for one in found[:2]] == ["over each other", "outside of its chart"]
    assert found[2][0].startswith("the page is ")


@pytest.mark.parametrize("text", ["W" * 60, "age", "", "i" * 60, "Größe_der_Person", "住所の都道府県" * 6])
def test_a_name_is_shortened_to_its_place_and_keeps_both_ends(text: str) -> None:
    shown = fitted(text, 120)
    assert width_of(shown) <= 120
    assert shown == text or (shown[0], shown[-1]) == (text[0], text[-1])
    assert fitted(text, width_of(text)) == text
