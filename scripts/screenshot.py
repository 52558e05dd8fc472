"""The picture of the report in the documentation: its top, as a browser shows it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import shoal
from shoal.datasets import POLICY, hospital

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTH, HEIGHT = 1200, 1400
LARGEST = 300_000  # bytes: everybody who opens the README loads it


def main() -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no browser was found (tried {', '.join(BROWSERS)}).\nHint: install chromium and run this again.")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        hospital().write_csv(place / "hospital.csv")
        shoal.anonymize(place / "hospital.csv", shoal.Policy.loads(POLICY), seed=1).write(place / "demo")
        taken = place / "report.png"
        take(browser, place / "demo.private" / "report.html", taken, profile=place / "profile")
        if taken.stat().st_size > LARGEST:
            sys.exit(f"the picture has {taken.stat().st_size:,} bytes; {LARGEST:,} is the most.")
        PICTURE.parent.mkdir(exist_ok=True)
        shutil.copyfile(taken, PICTURE)
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")


def take(browser: str, page: Path, picture: Path, *, profile: Path) -> None:
    """The first HEIGHT pixels of `page` at a width of WIDTH."""
    options = ["--headless=new", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # chromium's sandbox refuses to run as root
        options.append("--no-sandbox")
    wanted = [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={picture}", page.as_uri()]
    done = subprocess.run([browser, *options, *wanted], capture_output=True, text=True, timeout=120, check=False)
    if not picture.exists():
        sys.exit(f"{browser} took no picture (exit code {done.returncode}).\n{done.stderr.strip()}")


if __name__ == "__main__":
    main()
