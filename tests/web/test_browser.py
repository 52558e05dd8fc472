"""The whole flow in a real browser, as a steward goes through it."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page, expect

import shoal
from tests.corpus import hospitals_german  # noqa: F401 (its tables join the corpus)
from tests.corpus.registry import build
from tests.web.browser import Visitor, another, relayed

SLOW = 120_000  # milliseconds that a run may take here


def test_the_example_from_the_first_page_to_a_release_that_verifies(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    visitor = Visitor(browser, address)
    page = visitor.page
    page.goto(address)
    visitor.check("home")
    page.get_by_role("button", name="Open the example").click()
    page.wait_for_selector(".sheet", timeout=SLOW)
    visitor.check("data")

    # the grid: only a page of rows is there, and the last row is found by scrolling
    sheet = page.locator(".sheet")
    assert page.locator(".sheet tbody tr").count() == 40
    sheet.evaluate("grid => grid.scrollTop = grid.scrollHeight")
    expect(page.locator(".sheet tbody th", has_text=re.compile(r"^2,000$"))).to_be_visible()
    assert page.locator(".sheet tbody tr").count() <= 80
    at = page.url.rpartition("/")[0]

    # columns: by the keyboard, undone by the keyboard, and the question answered
    page.get_by_role("link", name="What each column is").click()
    visitor.check("columns")
    role = page.locator("#c3 input[value=quasi]")
    role.focus()
    role.press("ArrowRight")
    expect(page.locator("#c3.role-sensitive")).to_be_visible()
    expect(page.locator("#c3 input[value=sensitive]")).to_be_focused()
    page.locator("#s3").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#c3.role-quasi")).to_be_visible()
    page.locator("#c4 summary").click()
    page.locator("#w4").fill("2")
    page.locator("#w4").press("Tab")
    expect(page.locator("#c4 details[open] #w4")).to_have_value(re.compile("2"))
    visitor.check("column-unfolded")
    page.get_by_role("button", name=re.compile("Keep it")).click()
    expect(page.locator(".ask")).to_have_count(0)

    # privacy as it is proposed, and the release is made
    page.get_by_role("link", name=re.compile("How much privacy")).click()
    visitor.check("privacy")
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector(".verdict", timeout=SLOW)
    visitor.check("result")
    assert "Every group has at least 5 records" in page.locator(".verdict").inner_text()

    # one person, and everything to download
    page.goto(f"{at}/risk")
    page.get_by_role("button", name="Look in the release").click()
    expect(page.locator(".found .lead")).to_contain_text(re.compile(r"\d+ people in the release fit"), timeout=30_000)
    visitor.check("risk")
    page.goto(f"{at}/report")
    visitor.check("report")
    with page.expect_download(timeout=SLOW) as asked:
        page.get_by_role("link", name="Download for Excel").click()
    with zipfile.ZipFile(asked.value.path()) as archive:
        archive.extractall(tmp_path)
    assert shoal.verify(tmp_path / "release").k >= 5
    with page.expect_download() as asked:
        page.get_by_role("link", name="Download all").click()
    assert asked.value.suggested_filename.startswith("PRIVATE-")
    held = zipfile.ZipFile(io.BytesIO(Path(asked.value.path()).read_bytes()))
    measured = json.loads(held.read("release.private/measures.json"))["loss"]
    page.goto(f"{at}/result")
    groups = page.locator(".facts div", has_text="Groups").locator("dd strong").first.inner_text()
    assert int(groups.replace(",", "")) == measured["n_classes"]
    for scheme in ("light", "dark"):
        report = Visitor(browser, address, scheme=scheme)
        report.page.goto(f"{at}/runs/1/report.html")
        report.check("report-itself")
        report.close()

    # the same pages on a phone, in the dark and in German
    for width, scheme, language in ((390, "light", "en-US"), (1280, "dark", "de-DE"), (390, "dark", "de-DE")):
        other = Visitor(browser, address, width=width, scheme=scheme, locale=language)
        for step in ("", "data", "columns", "privacy", "result", "risk", "report"):
            other.page.goto(f"{at}/{step}" if step else address)
            other.check(f"{step or 'home'}-{language[:2]}", axe=width > 390)  # what axe sees is the same when narrow
        other.close()
    visitor.close()


def long_run(page: Page, address: str) -> str:
    """Begin a release of the example that takes long, and return where its table is."""
    page.goto(address)
    page.get_by_role("button", name="Open the example").click()
    page.wait_for_selector(".sheet", timeout=SLOW)
    at = page.url.rpartition("/")[0]
    page.goto(f"{at}/columns")
    page.get_by_role("button", name=re.compile("Keep it")).click()
    expect(page.locator(".ask")).to_have_count(0)
    page.goto(f"{at}/privacy")
    page.get_by_text("How it is done").click()
    page.locator("#effort").fill("9000")
    page.locator("#effort").press("Tab")
    expect(page.locator("#undo")).to_be_enabled()
    page.get_by_role("button", name="Make the release").click()
    expect(page.locator(".job-time")).to_contain_text(re.compile(r"\d s"), timeout=SLOW)
    return at


def test_a_run_goes_on_over_a_reload_and_cancel_ends_it(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.page
    at = long_run(page, address)
    page.reload()
    expect(page.locator(".job-time")).to_contain_text(re.compile(r"\d s"))
    visitor.check("running")
    answers = []
    for _ in range(5):  # the pages stay quick while the run goes on
        begun = time.perf_counter()
        assert page.request.get(f"{at}/rows?start=900&count=50").ok
        answers.append(time.perf_counter() - begun)
    assert min(answers) < 0.3
    begun = time.perf_counter()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_url("**/privacy")
    assert time.perf_counter() - begun < 5
    page.goto(f"{at}/result")
    assert "There is no release yet" in page.locator("main").inner_text()
    visitor.close()


def test_a_lost_connection_is_said_and_taken_up_again(browser: Browser, address: str) -> None:
    port = int(re.search(r":(\d+)/", address)[1])  # type: ignore[index]
    with relayed(port) as relay, another(browser, _by_way_of(port, relay.port)) as through:
        visitor = Visitor(through, address)
        page = visitor.page
        long_run(page, address)
        assert relay.connections > 0
        relay.cut()
        expect(page.locator(".job-lost")).to_be_visible(timeout=SLOW)
        shown = page.locator(".job-time").inner_text()
        relay.mend()
        expect(page.locator(".job-lost")).to_be_hidden(timeout=SLOW)
        expect(page.locator(".job-time")).not_to_have_text(shown, timeout=SLOW)  # the run went on meanwhile
        page.get_by_role("button", name="Cancel").click()
        page.wait_for_url("**/privacy")
        visitor.close()


def _by_way_of(port: int, relay: int) -> str:
    """The argument with which a browser takes another way to the server, at the same address."""
    return f"--host-resolver-rules=MAP 127.0.0.1:{port} 127.0.0.1:{relay}"


def test_a_broken_file_is_said_and_a_messy_german_export_is_released(browser: Browser, address: str) -> None:
    visitor = Visitor(browser, address)
    page = visitor.page
    page.goto(address)
    page.set_input_files("#file", {"name": "kaputt.xlsx", "mimeType": "", "buffer": b"PK\x03\x04 no workbook"})
    expect(page.locator(".problem")).to_contain_text("cannot be read", timeout=SLOW)
    visitor.check("broken")
    page.get_by_role("button", name="Choose another file").click()
    export = build("german_hospital").data()
    page.set_input_files("#file", {"name": "Entlassungen Köln.csv", "mimeType": "text/csv", "buffer": export})
    page.wait_for_selector(".sheet", timeout=SLOW)
    assert page.locator("h1").inner_text() == "Entlassungen Köln.csv"
    assert "Gynäkologie" in page.locator(".sheet").inner_text()
    at = page.url.rpartition("/")[0]
    page.goto(f"{at}/columns")
    visitor.check("columns-german")
    asked = page.locator(".asked li").count()
    while asked:
        page.locator(".asked li").first.get_by_role("button").last.click()
        expect(page.locator(".asked li")).to_have_count(asked - 1)
        asked -= 1

    # values are grouped by hand, and what each level leaves is shown
    ward = page.locator("form.column", has_text="Station")
    place = str(ward.get_attribute("id")).removeprefix("c")
    ward.locator("summary").click()
    ward.get_by_role("button", name="Group the values by hand").click()
    by_hand = page.locator(f"#h{place}")
    by_hand.locator("[data-one]").nth(0).check()
    by_hand.locator("[data-one]").nth(1).check()
    by_hand.get_by_label("Name of the group").fill("große")
    by_hand.get_by_role("button", name="Put the chosen into it").click()
    visitor.check("by-hand")
    by_hand.get_by_role("button", name="Use these groups").click()
    levels = by_hand.locator(".numbers tbody tr")
    expect(levels).to_have_count(2, timeout=30_000)
    assert [row.split()[1] for row in levels.all_inner_texts()] == ["5", "4"]
    visitor.check("levels")

    # turning k draws the frontier point by point, and a point of it is taken
    page.goto(f"{at}/privacy")
    page.get_by_text("How it is done").click()
    page.locator("#method").select_option("mondrian")
    expect(page.locator("#undo")).to_be_enabled()
    page.locator(".big .chip", has_text=re.compile("^10$")).click()
    expect(page.locator("#k-text")).to_contain_text("k = 10")
    expect(page.locator("#frontier svg circle")).to_have_count(6, timeout=SLOW)
    expect(page.locator("#try")).to_be_visible(timeout=SLOW)
    visitor.check("frontier")
    page.locator("#frontier svg circle").nth(2).click()
    expect(page.locator("#k-text")).to_contain_text("k = 5")
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector(".verdict", timeout=SLOW)
    assert "Every group has at least 5 records" in page.locator(".verdict").inner_text()
    released = page.locator(".pairs tbody").inner_text()
    assert "große" in released or "*" in released
    visitor.check("result-german")

    # all rows of a group show themselves together, and one click makes a release that loses less
    page.locator(".pairs tbody tr").nth(3).hover()
    group = page.locator(".pairs tbody tr").nth(3).get_attribute("data-group")
    assert page.locator(".pairs tr.same").count() == page.locator(f'.pairs tr[data-group="{group}"]').count() >= 5
    page.get_by_role("button", name="Lower k to 4").click()
    expect(page.locator(".compared")).to_contain_text("Compared with run 1", timeout=SLOW)
    assert "Every group has at least 4 records" in page.locator(".verdict").inner_text()
    visitor.close()


def test_another_page_cannot_reach_the_app(browser: Browser, address: str, tmp_path: Path) -> None:
    """A page of another origin posts a form, loads an image and fetches, even with the token in its hands."""
    (tmp_path / "evil.html").write_text(
        f"""<form method="post" action="{address}example"><button>win</button></form>
        <img src="{address}static/mark.svg">
        <script>fetch("{address}example", {{method: "POST", mode: "no-cors"}})</script>"""
    )
    visitor = Visitor(browser, address)
    visitor.page.goto(address)
    before = visitor.page.locator(".tables a").count()
    other = visitor.context.new_page()
    refused: list[int] = []
    other.on("response", lambda answer: refused.append(answer.status) if answer.url.startswith(address) else None)
    other.goto((tmp_path / "evil.html").as_uri())
    other.wait_for_timeout(300)
    other.get_by_role("button").click()
    other.wait_for_load_state()
    assert refused
    assert set(refused) == {403}
    visitor.page.reload()
    assert visitor.page.locator(".tables a").count() == before
    nobody = visitor.context.new_page()
    answer = nobody.goto(re.sub(r"/[^/]+/$", "/", address))
    assert answer is not None
    assert answer.status == 403
    visitor.close()


@pytest.mark.shared_data
def test_adult_is_ready_to_configure_and_released_as_the_api_does(
    browser: Browser, address: str, shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "adult" / "adult.csv"
    visitor = Visitor(browser, address)
    page = visitor.page
    page.goto(address)
    page.get_by_label("Path of the file").fill(str(source))
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_selector(".sheet", timeout=SLOW)
    at = page.url.rpartition("/")[0]
    n_rows = pl.scan_csv(source, separator=";").select(pl.len()).collect().item()
    assert f"{n_rows:,} rows" in page.locator("main").inner_text()
    page.goto(f"{at}/columns")
    if page.locator(".asked li").count():
        while asked := page.locator(".asked li").count():
            page.locator(".asked li").first.get_by_role("button").last.click()
            expect(page.locator(".asked li")).to_have_count(asked - 1)
    page.goto(f"{at}/privacy")
    page.get_by_text("How it is done").click()
    page.locator("#method").select_option("mondrian")
    expect(page.locator("#undo")).to_be_enabled()
    page.get_by_role("button", name="Make the release").click()
    page.wait_for_selector(".verdict", timeout=SLOW)
    visitor.check("result-adult")
    with page.context.expect_page():
        page.goto(f"{at}/report")
        page.get_by_role("link", name="Open the report").click()
    with page.expect_download() as asked_for:
        page.get_by_role("link", name="Download all").click()
    with zipfile.ZipFile(asked_for.value.path()) as archive:
        archive.extractall(tmp_path)
    private = tmp_path / "release.private"
    again = shoal.anonymize(source, private / "policy.toml", secret=private / "secret.key")
    page.goto(f"{at}/result")
    shown = page.locator(".facts").inner_text()
    assert f"{again.findings.groups:,}" in shown
    assert f"{again.loss.n_released:,}" in shown
    visitor.close()
