"""Run the quick tests in new environments: every Python that Shoal supports, oldest and newest dependencies.

`python scripts/matrix.py` runs all of them that this machine can run, one after the other, and names those that it
cannot run; `--python 3.12` and `--dependencies oldest` choose. Arguments after `--` replace the usual ones of pytest.

*oldest*: every package that Shoal declares for its users, at the lower bound in pyproject.toml; what these packages
bring themselves is as new as they allow. *newest*: everything as new as the package index has it, whatever
constraints.txt says.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ("Linux", "Darwin", "Windows")
KINDS = ("oldest", "newest")
TESTS = ("-q", "-n", "2", "--dist", "worksteal", "-m", "not deep and not pinned")
FOR_DEVELOPERS = ("dev", "docs", "fuzz", "trust")
"""Extras with tools: their lower bounds are not promised to users, so they are not tested."""


def project() -> dict[str, object]:
    """The table `project` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def supported() -> list[str]:
    """The Python versions in the classifiers, such as `3.11`."""
    named = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text) for text in project()["classifiers"])
    return [match[1] for match in named if match]


def promised() -> list[str]:
    """Every requirement that users get, extras included, as it stands in pyproject.toml."""
    about = project()
    extras = {name: needs for name, needs in about["optional-dependencies"].items() if name not in FOR_DEVELOPERS}
    return [*about["dependencies"], *(need for needs in extras.values() for need in needs if "shoal[" not in need)]


def lowest() -> list[str]:
    """A pin at the lower bound for every requirement that users get."""
    pins = []
    for need in promised():
        match = re.fullmatch(r"([\w.-]+)>=([\w.]+)(\s*;.*)?", need)
        if match is None:
            sys.exit(
                f"pyproject.toml: {need!r} is not of the form name>=version, so its oldest version is not known."
            )
        pins.append(f"{match[1]}=={match[2]}{match[3] or ''}")
    return pins


def places(version: str) -> Iterator[list[str]]:
    """Commands that may be the wanted Python, in the order in which they are tried."""
    yield [sys.executable]
    yield [f"python{version}"]
    if os.name == "nt":
        yield ["py", f"-{version}"]
    if uv := shutil.which("uv"):
        found = subprocess.run(
            [uv, "python", "find", "--no-python-downloads", version], capture_output=True, text=True, check=False
        )
        if found.returncode == 0:
            yield [found.stdout.strip()]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from ([str(python)] for python in sorted(pyenv.glob(f"versions/{version}.*/bin/python"), reverse=True))


def find(version: str) -> list[str] | None:
    """A command that starts the wanted Python, or None if there is none on this machine."""
    ask = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    for command in places(version):
        try:
            said = subprocess.run([*command, "-c", ask], capture_output=True, text=True, check=False, timeout=60)
        except OSError:
            continue
        if said.stdout.strip() == version:
            return command
    return None


def environment(python: list[str], kind: str, place: Path) -> Path:
    """A new environment at `place` with Shoal, its extras and the tools for its tests: the interpreter in it."""
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([*python, "-m", "venv", place], check=True)
    inside = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
    install += ["--no-binary", "pyspark"]  # Python and Java archives: its index has no wheel
    if kind == "oldest":
        pins = place / "oldest.txt"
        pins.write_text("\n".join(lowest()) + "\n", encoding="utf-8")
        install += ["-c", pins]
    subprocess.run([*install, "--upgrade", "-e", f"{ROOT}[dev]"], check=True)
    return inside


def run(version: str, kind: str, place: Path, tests: list[str]) -> str:
    """What became of one environment: `passed`, or what went wrong."""
    python = find(version)
    if python is None:
        return "NOT RUN: no such Python on this machine"
    print(f"\n=== Python {version}, {kind} dependencies: {place}", flush=True)
    try:
        inside = environment(python, kind, place)
    except (OSError, subprocess.CalledProcessError):
        return "FAILED: the packages cannot be installed"
    settings = {**os.environ, "SHOAL_CACHE_DIR": str(place / "kernels")}
    settings.pop("PYTHONPATH", None)  # the environment has Shoal; another copy must not stand before it
    # anyio's plugin, which no test uses, warns in old versions beside a new pytest, and warnings are errors
    done = subprocess.run([inside, "-m", "pytest", "-p", "no:anyio", *tests], cwd=ROOT, env=settings, check=False)
    return "passed" if done.returncode == 0 else "FAILED"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--python", action="append", choices=[*supported(), "this"], help="only this version; may be repeated"
    )
    parser.add_argument("--dependencies", action="append", choices=KINDS, help="only these; may be repeated")
    parser.add_argument("--into", type=Path, default=ROOT / ".matrix", help="where the environments are made")
    parser.add_argument("tests", nargs="*", default=TESTS, help="arguments of pytest, after --")
    asked = parser.parse_args()
    this = "{}.{}".format(*sys.version_info)
    versions = [this if one == "this" else one for one in asked.python or supported()]
    fates = {
        (version, kind): run(version, kind, asked.into.resolve() / f"{version}-{kind}", list(asked.tests))
        for version in versions
        for kind in asked.dependencies or KINDS
    }
    print("\n=== the matrix")
    for (version, kind), fate in fates.items():
        print(f"{platform.system()}, Python {version}, {kind} dependencies: {fate}")
    for system in SYSTEMS:
        if system != platform.system():
            print(f"{system}: NOT RUN: this machine is {platform.system()}")
    if any(fate.startswith("FAILED") for fate in fates.values()) or "passed" not in fates.values():
        sys.exit(1)


if __name__ == "__main__":
    main()
