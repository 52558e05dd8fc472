"""Set the formulas of the pages while the site is built, so that readers load no script.

A hook of MkDocs. Formulas are written `$...$` within a line and `$$...$$` on lines of their own; the extension
arithmatex finds them, and they become MathML. The prose of the proofs can be read as plain text; there `x_i <= 2^k`
gets its index, its sign and its exponent. Code is left alone, and ids of theorems in tables are kept on one line.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)
BAR = re.compile(r"<mo>(&#x02016;|&#x0007C;)</mo>")
THEOREM = re.compile(r"<td>((?:<a [^>]*>)?[A-Z]+-\d+(?:</a>)?)</td>")
NOT_PROSE = re.compile(r"(<(?:pre|code|math)\b.*?</(?:pre|code|math)>|<[^>]+>)", re.DOTALL)
GREEK = {"alpha": "α", "beta": "β", "delta": "δ", "epsilon": "ε", "kappa": "κ", "lambda": "λ", "rho": "ρ"}
LETTERS = re.compile(rf"\b(?:{'|'.join(GREEK)})(?=\b|_)")
SIGNS = {"&lt;=": "≤", "&gt;=": "≥", "-&gt;": "→"}
INDEX = re.compile(r"(?<![\w.])([A-Za-zα-ω]|top|sum)_(?:\{([^}]+)\}|([A-Za-z0-9]{1,4})\b)")
EXPONENT = re.compile(r"(?<=[\w)])\^(?:\{([^}]+)\}|(-?\d+|\w)\b)")
STARS = re.compile(r"\b([Rd])(\*{1,2})")


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """The page with every formula as MathML."""
    html = DISPLAY.sub(lambda found: f'<div class="formula">{mathml(found[1], "block")}</div>', html)
    html = INLINE.sub(lambda found: mathml(found[1], "inline"), html)
    if page.file.src_uri.startswith("proofs/"):
        parts = NOT_PROSE.split(html)
        html = "".join(part if at % 2 else prose(part) for at, part in enumerate(parts))
    return THEOREM.sub(r'<td class="theorem">\1</td>', html)


def mathml(latex: str, display: str) -> str:
    """A formula; bars around an absolute value or a norm stay as high as what they stand around."""
    formula = convert(unescape(latex).strip(), display=display)
    return BAR.sub(r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', formula)


def prose(text: str) -> str:
    """Indices, exponents and signs of a sentence as they are written by hand."""
    for typed, sign in SIGNS.items():
        text = text.replace(typed, sign)
    text = LETTERS.sub(lambda found: GREEK[found[0]], text)
    text = INDEX.sub(lambda found: f"{found[1].replace('sum', 'Σ')}<sub>{found[2] or found[3]}</sub>", text)
    text = EXPONENT.sub(lambda found: f"<sup>{(found[1] or found[2]).replace('-', '−')}</sup>", text)
    return STARS.sub(r"\1<sup>\2</sup>", text)
