"""Check what Shoal depends on: the licenses of all packages it brings, and advisories on the pinned versions.

`python scripts/audit.py licenses` needs no network. `python scripts/audit.py` asks pip-audit besides; where
advisories cannot be had for a package, that is a failure too: nothing is called safe that was not looked up.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PERMISSIVE = re.compile(
    r"apache|\bmit\b|bsd|isc\b|python software foundation|\bpsf|unlicense|zlib|cc0|mpl|mozilla|0bsd|hpnd|mit-cmu",
    re.I,
)
"""MPL-2.0 asks for changes to its own files only, which we do not make (certifi, hypothesis, pathspec)."""
COPYLEFT = re.compile(r"\b(?:a|l)?gpl", re.IGNORECASE)
EXTRAS = ("", "pandas", "sklearn", "geo", "files", "sign", "postgres", "duckdb", "spark", "stores", "web")
"""What users install; the tools of those who develop Shoal are not part of it."""


def brought() -> list[str]:
    """Every package that comes with Shoal and the extras that users install, as far as it is installed here."""
    found: dict[str, None] = {}
    queue = [("shoal", extra) for extra in EXTRAS]
    seen = set()
    while queue:
        name, extra = queue.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        if name != "shoal":
            found[name] = None
        for need in needs:
            other, _, condition = need.partition(";")
            wanted = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", condition)
            if (wanted is None or wanted[1] == extra) and (package := re.match(r"[\w.-]+", other.strip())):
                queue.append((package[0], ""))
    return sorted(found, key=str.lower)


def license(name: str) -> str:
    """What a package says of its license, in the first of the three places that says something short."""
    about = distribution(name).metadata
    classifiers = [text.rpartition(" :: ")[2] for text in about.get_all("Classifier", []) if "License ::" in text]
    stated = about.get("License-Expression") or "; ".join(classifiers) or about.get("License") or ""
    return stated.strip().splitlines()[0][:80] if stated.strip() else "not stated"


def licenses() -> list[str]:
    """Packages whose license is not one that lets anyone use Shoal for anything."""
    wrong = []
    for name in brought():
        stated = license(name)
        good = bool(PERMISSIVE.search(stated)) and not COPYLEFT.search(stated)
        print(f"{'' if good else '!! '}{name}: {stated}")
        if not good:
            wrong.append(name)
    return wrong


def advisories() -> bool:
    """Whether pip-audit could look up every pinned version and knows of no fault."""
    command = ("-m", "pip_audit", "--strict", "--disable-pip", "--no-deps", "--progress-spinner", "off")
    done = subprocess.run(
        [sys.executable, *command, "-r", str(ROOT / "constraints.txt")], capture_output=True, text=True, check=False
    )
    said = (done.stdout + done.stderr).strip().splitlines()
    print("\n".join(said[-20:]))
    return done.returncode == 0


def main() -> None:
    wrong = licenses()
    if wrong:
        sys.exit(f"licenses to look at: {', '.join(wrong)}.")
    if sys.argv[1:] != ["licenses"] and not advisories():
        sys.exit("advisories: a fault is known, or a package could not be looked up; see above.")


if __name__ == "__main__":
    main()
