"""A page as PDF: printed by the browser that is here, without its path, and refused in a sentence without one."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from shoal.errors import EngineError
from shoal.report.pdf import pdf_browser, pdf_of

PAGE = "<!doctype html><title>A report</title><style>p{break-after:page}</style><p>one</p><p>two</p><p>three</p>"


def test_a_page_is_printed_whole() -> None:
    if pdf_browser() is None:
        pytest.skip("no browser is installed")
    printed = pdf_of(PAGE)
    assert printed.startswith(b"%PDF-")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") in (3, 4)
    assert b"shoal-pdf-" not in printed  # neither the address nor the time of printing in its margins


def test_without_a_browser_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOAL_BROWSER", "no-such-browser")
    assert pdf_browser() is None
    with pytest.raises(EngineError, match=r"no browser that can write PDF.*\n.*SHOAL_BROWSER"):
        pdf_of(PAGE)


def test_a_browser_that_prints_nothing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken-browser"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("SHOAL_BROWSER", str(broken))
    with pytest.raises(EngineError, match="broken-browser did not print the page to PDF"):
        pdf_of(PAGE)
