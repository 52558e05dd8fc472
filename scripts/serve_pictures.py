"""The pictures of the web app in the documentation and the README: the example, from its table to its release."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SIZE: Any = {"width": 1280, "height": 860}
LARGEST = 300_000  # bytes: everybody who opens the README loads one of them
PATIENCE = 300_000  # milliseconds


def main() -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no browser was found (tried {', '.join(BROWSERS)}).\nHint: install chromium and run this again.")
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "shoal", "serve", "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": folder},
        )
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        try:
            take(browser, found[0])
        finally:
            server.terminate()
            server.wait(30)


def take(browser: str, address: str) -> None:
    """Go through the example and take a picture of every step."""
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page(viewport=SIZE)

        def keep(step: str) -> None:
            picture = IMAGES / f"serve-{step}.png"
            page.screenshot(path=picture)
            if picture.stat().st_size > LARGEST:
                sys.exit(f"{picture.name} has {picture.stat().st_size:,} bytes; {LARGEST:,} is the most.")
            print(f"{picture.name}: {picture.stat().st_size:,} bytes")

        page.goto(address)
        page.get_by_role("button", name="Open the example").click()
        page.wait_for_selector(".sheet", timeout=PATIENCE)
        keep("data")
        at = page.url.rpartition("/")[0]
        page.goto(f"{at}/columns")
        page.locator("#questions").scroll_into_view_if_needed()
        page.evaluate("document.querySelector('#questions').scrollIntoView(); window.scrollBy(0, -70)")
        keep("columns")
        page.get_by_role("button", name=re.compile("Keep it")).click()
        page.wait_for_selector(".ask", state="detached")
        page.goto(f"{at}/privacy")
        page.get_by_role("button", name="Try them").click()
        page.wait_for_selector("text=Try them again", timeout=PATIENCE)
        keep("privacy")
        page.get_by_role("button", name="Make the release").click()
        page.wait_for_selector(".verdict", timeout=PATIENCE)
        keep("result")
        page.goto(f"{at}/risk")
        page.get_by_role("button", name="Look in the release").click()
        page.wait_for_selector(".found", timeout=PATIENCE)
        page.evaluate("document.querySelector('.person').parentElement.scrollIntoView(); window.scrollBy(0, -70)")
        keep("risk")
        page.goto(f"{at}/report")
        keep("report")
        opened.close()


if __name__ == "__main__":
    main()
