"""Measuring pages in a browser: which texts are clipped, stand over others, or make a page wider than its window."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NOTEBOOK = """
.jp-RenderedHTMLCommon { font-size: 14px; line-height: 1.6; }
.jp-RenderedHTMLCommon h3 { line-height: 1; font-weight: 500; margin: 1.2em 0 0.8em 0; font-size: 17px; }
.jp-RenderedHTMLCommon ul:not(.list-inline) { padding-left: 2em; }
.jp-OutputArea-output dl, .jp-OutputArea-output dt, .jp-OutputArea-output dd { display: block; }
.jp-OutputArea-output dl { width: 100%; overflow: hidden; padding: 0; margin: 0; }
.jp-OutputArea-output dt { font-weight: bold; float: left; width: 20%; padding: 0; margin: 0; }
.jp-OutputArea-output dd { float: left; width: 80%; padding: 0; margin: 0; }
.jp-RenderedHTMLCommon table { border: none; font-size: 13px; table-layout: fixed; margin: 0 auto 1em; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr {
  vertical-align: middle; padding: 0.5em; line-height: normal; white-space: normal; max-width: none; border: none; }
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td, :not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon th,
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon tr { text-align: right; }
.jp-RenderedHTMLCommon tbody tr:nth-child(even) { background: #f5f5f5; }
.jp-RenderedHTMLCommon p { text-align: left; margin: 0; margin-bottom: 1em; }
"""
"""What JupyterLab 4 and nbconvert 7 do to lists and tables of an output."""
MEASURE = """
function measured(frame) {
  const page = frame.contentDocument, root = page.documentElement, found = [];
  const note = (what, part) => found.push(`${what} is ${part.scrollWidth} wide, its place ${part.clientWidth}`);
  if (root.scrollWidth > root.clientWidth) note("the page", root);
  for (const part of page.querySelectorAll(".scroll:not(.sample .scroll)"))
    if (part.clientWidth && part.scrollWidth > part.clientWidth + 1 && part.querySelectorAll("thead th").length < 4)
      note(`a table (${part.innerText.slice(0, 40)})`, part);
  const lines = [];
  const walk = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode()); ) {
    const owner = node.parentElement;
    if (!node.data.trim() || owner.closest("style, title, script, .sample")) continue;
    if (owner.closest("details:not([open])") && !owner.closest("summary")) continue;
    const range = page.createRange();
    range.selectNodeContents(node);
    const svg = owner.closest("svg"), box = svg && svg.getBoundingClientRect();
    for (const line of range.getClientRects()) {
      if (line.width < 1) continue;
      if (box && (line.left < box.left - 1 || line.right > box.right + 1 || line.bottom > box.bottom + 1))
        found.push(`outside of its chart: ${node.data.trim()}`);
      lines.push([line, node]);
    }
  }
  lines.forEach(([one, node], place) => {
    for (const [other, beside] of lines.slice(place + 1)) {
      if (node === beside) continue;
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide > 2 && high > 5) found.push(`over each other: ${node.data.trim()} | ${beside.data.trim()}`);
    }
  });
  return found;
}
addEventListener("load", () => {
  const found = [...document.querySelectorAll("iframe")].map((frame) => measured(frame));
  document.body.innerHTML = "<pre id=found></pre>";
  document.getElementById("found").textContent = JSON.stringify(found);
});
"""


@dataclass(frozen=True)
class Page:
    """A page of HTML in a window of some width."""

    html: str
    width: int


def browser() -> str | None:
    """Return the path of a browser; None if none is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def in_notebook(cell: str) -> str:
    """Return a page that shows a result as the output of a notebook's cell does."""
    output = '<div class="jp-OutputArea-output jp-RenderedHTMLCommon">'
    return f'<!doctype html><style>{NOTEBOOK}</style><body style="margin: 8px">{output}{cell}</div></body>'


def faults(pages: list[Page], folder: Path) -> list[list[str]]:
    """Return what is wrong with the layout of each page, as sentences."""
    frames = "".join(
        f'<iframe width="{page.width}" height="900" style="border: 0" srcdoc="{escape(_open(page.html))}"></iframe>'
        for page in pages
    )
    harness = folder / "measured.html"
    harness.write_text(f"<!doctype html><meta charset=utf-8><script>{MEASURE}</script><body>{frames}</body>", "utf-8")
    program = browser()
    assert program is not None
    options = ["--headless=new", "--disable-gpu", f"--user-data-dir={folder / 'browser'}", "--dump-dom"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # chromium's sandbox refuses to run as root
        options.append("--no-sandbox")
    done = subprocess.run(
        [program, *options, harness.as_uri()],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr
    measured: list[list[str]] = json.loads(unescape(found[1]))
    assert len(measured) == len(pages)
    return measured


def _open(html: str) -> str:
    """Return a page that may be measured from outside: without the policy that forbids anything from elsewhere."""
    return re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
