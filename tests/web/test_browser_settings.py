"""Settings for the person who signs, in a real browser: by the keyboard, seen by axe, narrow, dark and in German."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browser import Visitor
from tests.web.conftest import SMALL

SLOW = 300_000  # milliseconds that a run may take here


@pytest.mark.deep
def test_evidence_key_sets_and_the_dossier_from_the_first_page_to_the_file(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    visitor = Visitor(browser, address)
    page = visitor.page
    page.goto(address)
    page.set_input_files("#file", {"name": "people.csv", "mimeType": "text/csv", "buffer": SMALL.encode()})
    page.wait_for_selector(".sheet", timeout=SLOW)
    at = page.url.rpartition("/")[0]

    # a policy is saved, loaded again and kept; a column is changed by chance
    page.goto(f"{at}/columns")
    page.get_by_text("Begin with a policy or a rule").click()
    with page.expect_download() as asked:
        page.get_by_role("link", name="Download the policy as it is now").click()
    policy = Path(asked.value.path()).read_text(encoding="utf-8").replace("k = 5", "k = 4", 1)
    loaded = {"name": "policy.toml", "mimeType": "", "buffer": policy.encode()}
    page.set_input_files("#policy-file", loaded | {"buffer": b"k = "})
    expect(page.locator("#start .bad")).to_contain_text("not valid TOML")
    visitor.errors.clear()  # the browser notes the refusal
    page.set_input_files("#policy-file", loaded)
    expect(page.locator("#undo")).to_be_enabled(timeout=SLOW)
    while page.locator(".asked li").count():
        left = page.locator(".asked li").count()
        page.locator(".asked li").first.get_by_role("button").last.click()
        expect(page.locator(".asked li")).to_have_count(left - 1)
    page.locator("#r3other").check(force=True)
    expect(page.locator("#c3.role-other")).to_be_visible()
    page.locator("#s3").click()
    page.locator("#d3").select_option("pram")
    expect(page.locator("#dkeep3")).to_have_value("0.8")
    page.get_by_text("Begin with a policy or a rule").click()
    visitor.check("columns-more")

    # everything that is folded on the page of the privacy
    page.goto(f"{at}/privacy")
    expect(page.locator("#k")).to_have_value("4")
    page.locator("#evidence").focus()
    page.keyboard.press("Space")
    expect(page.locator("#undo")).to_be_enabled()
    expect(page.locator("#evidence")).to_be_checked()
    for card in ("rows", "population-of", "made-up", "keys", "dossier", "metadata"):
        page.locator(f"#{card} > summary").click()
    page.locator("#population").fill("9 000")
    page.locator("#population").press("Tab")
    expect(page.locator("#population")).to_have_value("9000")
    expect(page.locator("#keys[open]")).to_be_visible()  # what was unfolded stays so
    page.locator("#sample").fill("200")
    page.locator("#sample").press("Tab")
    expect(page.locator("#body .problem")).to_be_in_viewport()
    page.locator("#kn0").fill("neighbor")
    page.locator("#kk0").fill("8")
    page.locator("#keys").get_by_label("sex").check()
    page.locator("#keys").get_by_role("button", name="Save").click()
    expect(page.locator("#keys legend").first).to_have_text("neighbor")
    page.locator("#dossier-purpose").fill("A study of illness")
    page.locator("#dossier").get_by_role("button", name="Save").click()
    expect(page.locator("#dossier-purpose")).to_have_value("A study of illness")
    page.locator("#metadata").get_by_label("Croissant").check()
    page.locator("#metadata").get_by_role("button", name="Save").click()
    expect(page.locator("#metadata").get_by_label("Croissant")).to_be_checked()
    page.locator("#synthetic").select_option("marginals")
    expect(page.locator("#synthetic")).to_have_value("marginals")
    visitor.check("privacy-more")

    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector(".verdict", timeout=SLOW)
    expect(page.locator("#attacks")).to_contain_text("Singling out")
    visitor.check("result-more")
    page.goto(f"{at}/risk")
    page.locator("#household-column").select_option("2")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("#household")).to_contain_text(re.compile(r"Largest risk of a household.*%"), timeout=SLOW)
    visitor.check("risk-more")
    page.goto(f"{at}/report")
    visitor.check("report-more")
    page.set_default_timeout(SLOW)
    with page.expect_download(timeout=SLOW) as asked:
        page.get_by_role("link", name="Download the dossier", exact=True).click()
    assert asked.value.suggested_filename == "PRIVATE-dossier-people.html"
    assert "A study of illness" in Path(asked.value.path()).read_text(encoding="utf-8")

    for width, scheme, language in ((390, "light", "en-US"), (1280, "dark", "de-DE")):
        other = Visitor(browser, address, width=width, scheme=scheme, locale=language)
        for step in ("columns#start", "privacy", "result", "risk", "report"):
            other.page.goto(f"{at}/{step}")
            other.check(f"{step.partition('#')[0]}-more-{language[:2]}", axe=width > 390)
        other.close()
    visitor.close()
