"""What the hook of the site makes of formulas and of the prose of proofs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def formulas(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import site_formulas

    yield site_formulas
    sys.modules.pop("site_formulas", None)


@pytest.mark.parametrize(
    ("typed", "set_as"),
    [
        ("x_i &lt;= d_c", "x<sub>i</sub> ≤ d<sub>c</sub>"),
        ("alpha_j - d_last", "α<sub>j</sub> - d<sub>last</sub>"),
        ("x_{e-m+1} and 2^-53", "x<sub>e-m+1</sub> and 2<sup>−53</sup>"),
        ("R** &gt;= R*", "R<sup>**</sup> ≥ R<sup>*</sup>"),
        ("sum_i min(m, C_i)", "Σ<sub>i</sub> min(m, C<sub>i</sub>)"),
        ("max_suppressed, an alphabet and docs/x_y.md", "max_suppressed, an alphabet and docs/x<sub>y</sub>.md"),
    ],
)
def test_prose_gets_its_indices_exponents_and_signs(formulas, typed: str, set_as: str) -> None:
    assert formulas.prose(typed) == set_as


def test_code_and_other_pages_are_left_alone(formulas) -> None:
    text = '<p>x_i</p><pre><code>a_i &lt;= 2^k</code></pre><code>x_i</code><a title="x_i">y_i</a>'
    proof = formulas.on_page_content(text, page=SimpleNamespace(file=SimpleNamespace(src_uri="proofs/a.md")))
    other = formulas.on_page_content(text, page=SimpleNamespace(file=SimpleNamespace(src_uri="how-to/a.md")))
    assert other == text
    assert proof == text.replace("<p>x_i", "<p>x<sub>i</sub>").replace("y_i", "y<sub>i</sub>")


def test_bars_stay_as_high_as_what_they_stand_around(formulas) -> None:
    assert formulas.mathml(r"\lvert S \rvert", "inline").count('<mo stretchy="false"') == 2
