"""The pages: one file, nothing from elsewhere, everything escaped, the same bytes for the same content."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from shoal._version import __version__
from shoal.report import notebook
from shoal.report.formatting import name
from shoal.report.html import render, render_comparison
from tests.report import samples

VOID = {"meta", "br", "hr", "img", "input", "link"}
PAGES = {
    "report": lambda: render(samples.content()),
    "hostile report": lambda: render(samples.hostile()),
    "bare report": lambda: render(samples.bare()),
    "comparison": lambda: render_comparison(samples.trials(), source=samples.HOSTILE, version="0.1.0"),
    "release cell": lambda: notebook.release_html(samples.hostile()),
    "bare cell": lambda: notebook.release_html(samples.bare()),
    "findings cell": lambda: notebook.findings_html(samples.hostile().findings),
    "comparison cell": lambda: notebook.comparison_html(
        [replace(t, method=samples.HOSTILE) for t in samples.trials()]
    ),
    "profile cell": lambda: notebook.profile_html(samples.hostile_profile()),
}


class Page(HTMLParser):
    """The elements of a page; fails where one is closed that is not open."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.elements if found == tag]


@pytest.fixture(params=PAGES, scope="module")
def html(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param]()


def test_every_element_that_opens_is_closed_in_order(html: str) -> None:
    assert Page(html).open == []


def test_nothing_is_loaded_from_elsewhere(html: str) -> None:
    assert not re.search(r"@import|url\(|javascript:", html)
    page = Page(html)
    for tag, attributes in page.elements:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        for key, value in attributes.items():
            assert not key.startswith("on")
            assert key not in {"src", "srcset", "xlink:href", "style", "action"}
            assert key != "href" or (value or "").startswith("#")


def test_names_from_the_table_stay_text(html: str) -> None:
    assert samples.HOSTILE not in html
    assert "<script" not in html
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", html)


@pytest.mark.parametrize(
    "page", [name for name in PAGES if "hostile" in name or ("cell" in name and "bare" not in name)]
)
def test_hostile_names_are_shown_as_written(page: str) -> None:
    assert name(samples.HOSTILE) in Page(PAGES[page]()).text


def test_every_drawing_has_a_label_and_its_numbers(html: str) -> None:
    page = Page(html)
    for drawing in page.all("svg"):
        assert drawing.get("aria-hidden") == "true" or (drawing.get("role") == "img" and drawing.get("aria-label"))
    figures = len(page.all("figure"))
    assert figures == len(page.all("figcaption")) == len(page.all("details"))
    assert figures or "verdict" in html or "singled out" in html


def test_inner_links_lead_somewhere() -> None:
    page = Page(render(samples.content()))
    targets = {attributes.get("id") for _, attributes in page.elements}
    links = [(attributes["href"] or "")[1:] for attributes in page.all("a")]
    assert len(links) == 11
    assert set(links) <= targets


def test_equal_content_gives_equal_bytes() -> None:
    assert render(samples.content()).encode() == render(samples.content()).encode()


def test_the_report_says_what_matters() -> None:
    text = " ".join(Page(render(samples.content())).text.split())
    for sentence in (
        "Every group has at least 5 people.",
        "Checked on the released file release.csv.",
        "At most 1.31 times the smallest possible generalization cost; the theorem alone guarantees 9.",
        "This report contains statistics of the original data.",
        "occupation costs most",
        "12 groups were merged to meet l = 2",
        "shoal verify out/release.csv out/policy.toml",
        "1,991",
        "Rows were counted, not people.",
    ):
        assert sentence in text


def test_a_failed_requirement_is_the_verdict() -> None:
    plain = samples.content()
    failed = replace(plain.findings[1], holds=False, found="1", touched=17)
    html = render(replace(plain, findings=(plain.findings[0], failed, plain.findings[2])))
    page = Page(html)
    assert "l-diversity of diagnosis does not hold, affecting 17 records. Do not publish this." in page.text
    assert 'class="verdict fails"' in html
    assert "Every group has at least 5 people." not in page.text


def test_a_page_forbids_scripts_and_network_to_itself() -> None:
    assert f"Made by Shoal {__version__}. Private" in render_comparison(samples.trials(), source="x")
    for page in (render(samples.content()), render_comparison(samples.trials(), source="x")):
        policies = [m for m in Page(page).all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
        assert policies == [
            {"http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"}
        ]


def test_a_table_of_ten_thousand_columns_gives_a_page_of_bearable_size() -> None:
    html = render(samples.wide(10_000))
    assert len(html) < 2_000_000
    assert "Of 10,000 quasi-identifiers, the 24 with the largest loss are shown." in " ".join(html.split())


@pytest.mark.parametrize("cell", [name for name in PAGES if name.endswith("cell")])
def test_a_notebook_that_is_not_trusted_shows_readable_text_without_styles_and_drawings(cell: str) -> None:
    """JupyterLab then removes styles and drawings, and keeps the texts inside: they must not run together."""
    html = PAGES[cell]()
    assert not re.search(r"</(?:text|title)>(?!\s)", html)
    assert all(part.count("<dd") == 1 for part in re.findall(r"<dt>.*?</div>", html, re.DOTALL))
