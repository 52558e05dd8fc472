"""A page as a PDF file, printed by a browser that is on this computer.

The page is printed from a private folder, with a new browser profile that cannot resolve any network address, so
nothing of it leaves the computer. Nothing is installed for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from shoal.errors import EngineError

COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "brave-browser",
)
PLACES = {
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
        r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
    ),
}
"""Where browsers are on systems that do not put them on the search path."""
OFFLINE = (
    "headless",
    "disable-gpu",
    "no-first-run",
    "no-default-browser-check",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "disable-extensions",
    "disable-dev-shm-usage",
    "host-resolver-rules=MAP * ~NOTFOUND",
    "no-pdf-header-footer",
)
SECONDS = 120


def pdf_browser() -> str | None:
    """Return the browser of this computer that can print a page to a file; None if none was found.

    The environment variable SHOAL_BROWSER names another one.
    """
    if named := os.environ.get("SHOAL_BROWSER"):
        return shutil.which(named)
    elsewhere = (place for place in PLACES.get(sys.platform, ()) if Path(place).is_file())
    return next(chain(filter(None, map(shutil.which, COMMANDS)), elsewhere), None)


def pdf_of(page: str) -> bytes:
    """Return an HTML page, which needs no other file, as PDF; raise an EngineError if no browser can print it."""
    browser = pdf_browser()
    if browser is None:
        raise EngineError(
            "no browser that can write PDF was found on this computer.",
            "install Chromium, Chrome or Edge, name one in SHOAL_BROWSER, or print the HTML file to PDF by hand.",
        )
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # the browser's own sandbox does not start for root
    with TemporaryDirectory(prefix="shoal-pdf-") as folder:  # only its owner can read it
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        flags = [
            *OFFLINE,
            f"user-data-dir={folder}/profile",
            f"print-to-pdf={target}",
            *(["no-sandbox"] if root else []),
        ]
        command = [browser, *(f"--{flag}" for flag in flags), source.as_uri()]
        try:
            subprocess.run(
                command,
                timeout=SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            return target.read_bytes()
        except (OSError, subprocess.TimeoutExpired):
            raise EngineError(
                f"{Path(browser).name} did not print the page to PDF.",
                "open the HTML file in a browser and print it to PDF, or name another browser in SHOAL_BROWSER.",
            ) from None
