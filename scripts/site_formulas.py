"""Set the formulas of the pages as MathML while the site is built, so that readers load no script and no font.

A hook of MkDocs. Formulas are written `$...$` within a line and `$$...$$` on lines of their own; the extension
arithmatex finds them and leaves code alone.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def on_page_content(html: str, **_: Any) -> str:
    """The page with every formula as MathML."""
    html = DISPLAY.sub(lambda found: f'<div class="formula">{mathml(found[1], "block")}</div>', html)
    return INLINE.sub(lambda found: mathml(found[1], "inline"), html)


def mathml(latex: str, display: str) -> str:
    return convert(unescape(latex).strip(), display=display)
