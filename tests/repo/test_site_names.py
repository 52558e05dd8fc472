"""What the hook of the site makes of names and docstrings on the pages of the API reference."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from shoal.partition import gather

ROOT = Path(__file__).resolve().parents[2]
PAGE = SimpleNamespace(file=SimpleNamespace(src_uri="reference/api/a.md", url="reference/api/a.html"))
FILES = SimpleNamespace(
    get_file_from_path=lambda path: SimpleNamespace(url="proofs/gather.html") if path == "proofs/gather.md" else None
)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import site_names

    yield site_names
    sys.modules.pop("site_names", None)


def test_a_public_name_is_followed_to_where_it_is_defined(names) -> None:
    followed = names.on_page_markdown("# API\n\n::: shoal.partition.gather\n")
    assert "[](){#shoal.partition.gather}" in followed
    assert f"\n::: {gather.__module__}.gather\n" in followed
    assert gather.__module__ != "shoal.partition"


def test_below_a_section_names_get_a_smaller_heading(names) -> None:
    assert "heading_level: 2" in names.on_page_markdown("# API\n\n::: shoal.verify\n")
    assert "heading_level: 3" in names.on_page_markdown("# API\n\n## Checking\n\n::: shoal.verify\n")


def test_a_page_named_in_a_docstring_is_a_link_and_must_be_there(names) -> None:
    shown = names.on_page_content("<p>See docs/proofs/gather.md.</p>", page=PAGE, files=FILES)
    assert shown == '<p>See <a href="../../proofs/gather.html">docs/proofs/gather.md</a>.</p>'
    with pytest.raises(ValueError, match=r"docs/proofs/none\.md, which is no page"):
        names.on_page_content("<p>See docs/proofs/none.md.</p>", page=PAGE, files=FILES)


def test_the_first_of_several_choices_is_not_shown_as_the_default(names) -> None:
    choices = "(<code>(&#39;a&#39;, &#39;b&#39;)</code>, default:\n  <code>&#34;a&#34;</code>\n)"
    number = "(<code>int</code>, default:\n <code>None</code>\n)"
    shown = names.on_page_content(choices + number, page=PAGE, files=FILES)
    assert shown == "(<code>&#39;a&#39;, &#39;b&#39;</code>)" + number


def test_names_without_a_place_of_their_own_stand_at_the_end(
    names, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    import shoal

    monkeypatch.setattr(names, "PAGES", tmp_path)
    (tmp_path / "results.md").write_text("".join(f"::: shoal.{name}\n" for name in shoal.__all__ if name != "Plan"))
    assert names.unnamed() == ["Plan"]
    assert "[](){#shoal.Plan}" in names.on_page_markdown("# API\n\n::: shoal.*\n")
