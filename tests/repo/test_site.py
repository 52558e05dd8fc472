"""The documentation as pages: they build without a warning, load nothing from elsewhere, and can be searched."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}
REMOTE = re.compile(r"^(?:https?:)?//")


class Loaded(HTMLParser):
    """What a page makes the browser load."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name == LOADS.get(tag)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, built as `make docs` builds them: a broken link or anchor is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 20
    for page in pages:
        addresses = Loaded(page).addresses
        assert [address for address in addresses if REMOTE.match(address)] == [], page.name
        missing = [one for one in addresses if not (page.parent / one.split("?")[0].split("#")[0]).exists()]
        assert missing == [], page.name
        assert 'class="mermaid"' not in page.read_text(encoding="utf-8"), "its script would come from elsewhere"
    for style in site.rglob("*.css"):
        assert re.findall(r"url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")) == [], style.name


def test_the_search_finds_what_is_on_the_pages(site: Path) -> None:
    text = (site / "search" / "search_index.js").read_text(encoding="utf-8")  # read by pages opened from a folder
    index = json.loads(text.removeprefix("var __index = "))
    told = {entry["location"]: entry["text"] for entry in index["docs"]}
    assert any("--max-suppressed" in entry for entry in told.values())
    assert {location.split("#")[0] for location in told if location} >= {
        str(page.relative_to(site)) for page in site.rglob("*.html") if page.name not in ("404.html", "index.html")
    }


def test_every_formula_is_set_while_the_pages_are_built(site: Path) -> None:
    pages = [page.read_text(encoding="utf-8") for page in site.rglob("*.html")]
    assert [page for page in pages if 'class="arithmatex"' in page] == []
    formulas = [formula for page in pages for formula in re.findall(r"<math.*?</math>", page, flags=re.DOTALL)]
    assert len(formulas) > 100
    assert [formula for formula in formulas if "\\" in formula] == [], "a command that was not understood"
