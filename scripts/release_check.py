"""Check everything that must hold before a version is released: `make release-check`.

Every step runs, whatever became of the ones before it, and the last line says which failed. RELEASING.md says what to
do before and after. Advisories on dependencies need the network and are asked for by `make audit`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]


class NotReadyError(Exception):
    """One sentence that says what stands in the way of a release."""


def run(*command: str | Path, **settings: str) -> str:
    """What a command printed; `settings` are added to its environment variables."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotReadyError(
            f"{' '.join(map(str, command[:4]))} ... failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


def version(root: Path = ROOT) -> str:
    """The version in the code, which is the one that counts."""
    found = re.search(r'__version__ = "([^"]+)"', (root / "src/shoal/_version.py").read_text(encoding="utf-8"))
    if found is None:
        raise NotReadyError("src/shoal/_version.py has no line __version__ = ...")
    return found[1]


def check_version(root: Path = ROOT) -> None:
    """The code, CITATION.cff and the newest entry of CHANGELOG.md name the same version."""
    code = version(root)
    cited = str(yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["version"])
    entries = re.findall(r"^## (\S+)", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if cited != code:
        raise NotReadyError(f"CITATION.cff says {cited}, the code {code}.")
    if not entries or entries[0] != code:
        raise NotReadyError(
            f"the newest entry of CHANGELOG.md is {entries[0] if entries else 'missing'}, the code is {code}."
        )
    if entries.count(code) > 1:
        raise NotReadyError(f"CHANGELOG.md has {entries.count(code)} entries for {code}.")


def fragments(root: Path = ROOT) -> list[Path]:
    """Files in changes/ that tell of a change."""
    return sorted(file for file in (root / "changes").iterdir() if file.name not in {"README.md", "template.md"})


def check_fragments(root: Path = ROOT) -> None:
    """No file in changes/ waits to be put into the changelog."""
    if waiting := [file.name for file in fragments(root)]:
        raise NotReadyError(f"changes/ has {len(waiting)} that CHANGELOG.md lacks: {', '.join(waiting)}.")


def check_committed() -> None:
    """Everything is committed, so that what is checked is what is tagged."""
    if changed := run("git", "status", "--porcelain").strip():
        raise NotReadyError(f"not committed:\n{changed}")


def check_packages() -> None:
    """Wheel and source distribution carry the version, and the source distribution builds the same wheel."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
        run(*build, place, "--wheel", "--sdist", ROOT)
        wheel, source = next(place.glob("*.whl")), next(place.glob("*.tar.gz"))
        for package in (wheel, source):
            if not package.name.startswith(f"shoal-{version()}"):
                raise NotReadyError(f"{package.name} is not version {version()}.")
        with tarfile.open(source) as packed:
            packed.extractall(place / "unpacked", filter="data")
        run(*build, place / "again", "--wheel", next((place / "unpacked").iterdir()))
        again = next((place / "again").glob("*.whl"))
        if contents(wheel) != contents(again):
            differ = sorted(set(contents(wheel).items()) ^ set(contents(again).items()))
            raise NotReadyError(
                f"the wheel of the source distribution differs in {sorted({name for name, _ in differ})[:5]}."
            )


def contents(wheel: Path) -> dict[str, int]:
    """Every file of a wheel with the checksum of its bytes."""
    with zipfile.ZipFile(wheel) as packed:
        return {entry.filename: entry.CRC for entry in packed.infolist()}


def check_installed() -> None:
    """The wheel installs into a clean environment, runs its demo and verifies it."""
    run(sys.executable, ROOT / "scripts" / "check_wheel.py")


def check_docs() -> None:
    """The pages build without a warning."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder, NO_MKDOCS_2_WARNING="1")


def check_licenses() -> None:
    """Everything that comes with Shoal may be used by anyone for anything."""
    run(sys.executable, ROOT / "scripts" / "audit.py", "licenses")


STEPS: dict[str, Callable[[], None]] = {
    "version": check_version,
    "changelog": check_fragments,
    "committed": check_committed,
    "wheel and source distribution": check_packages,
    "installed wheel": check_installed,
    "documentation": check_docs,
    "licenses": check_licenses,
}


def main() -> None:
    failed = []
    for name, step in STEPS.items():
        try:
            step()
        except NotReadyError as reason:
            failed.append(name)
            print(f"NOT READY, {name}: {reason}", flush=True)
        else:
            print(f"ready, {name}: {(step.__doc__ or '').splitlines()[0]}", flush=True)
    if failed:
        sys.exit(f"{version()} cannot be released: {', '.join(failed)}.")
    print(f"{version()} can be released; RELEASING.md says how.")


if __name__ == "__main__":
    main()
