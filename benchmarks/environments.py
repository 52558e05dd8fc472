"""The peers, each in a Python environment of its own, made when first needed; nothing of them enters Shoal's."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from benchmarks.process import ROOT, RunError

FOLDER = ROOT / ".bench"
PEERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "anonypy": ("anonypy", ("anonypy", "pandas<3", "setuptools")),
    "anjana": ("anjana", ("anjana",)),
    "pycanon": ("pycanon", ("pycanon",)),
    "microagg1d": ("microagg1d", ("microagg1d",)),
    "fast_hdbscan": ("fast_hdbscan", ("fast_hdbscan",)),
    "mlpack": ("mlpack", ("mlpack",)),
    "k-means-constrained": ("k_means_constrained", ("k-means-constrained",)),
    "scikit-learn": ("sklearn", ("scikit-learn",)),
    "spopt": ("spopt", ("spopt", "networkx")),
    "anonymeter": ("anonymeter", ("anonymeter",)),
}
"""The module of each, and what pip installs for it."""
HERE = ("shoal", "reference")
"""What runs from this checkout: Shoal, and plain programs to compare it with."""
TOOLS = ("pytest-benchmark",)
"""Packages that time our own steps: kept beside the environment, so that tests run without them."""
INSTALL_LIMIT = 600


def install_all() -> None:
    """Every peer that is not there yet, two at a time; those that fail are named when their turn comes."""
    with ThreadPoolExecutor(2) as pool:
        for peer, failure in zip(PEERS, pool.map(_installed, PEERS), strict=True):
            if failure:
                print(f"{peer}: {failure}", file=sys.stderr, flush=True)


@cache
def _installed(peer: str) -> str:
    """Install a peer once; the reason where that is not possible."""
    folder, (module, wanted) = FOLDER / "environments" / peer, PEERS[peer]
    if (folder / ".ready").exists():
        return ""
    print(f"installing {peer} (once)", file=sys.stderr, flush=True)
    python = folder / "bin" / "python"
    pip = (python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted)
    # Some compile when they are first imported; that is no part of any time, and kept for later.
    steps = ((pip, "could not be installed"), ((python, "-c", f"import {module}"), "does not start"))
    failure = "no environment could be made for it"
    try:
        venv.create(folder, with_pip=True, clear=True)
        for command, reason in steps:
            failure = reason
            subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_LIMIT, env=_own_environment())
    except (subprocess.SubprocessError, OSError):
        return failure
    (folder / ".ready").touch()
    return ""


def _own_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def python_of(peer: str) -> Path:
    """The interpreter that has `peer`; Shoal's own for what is in this checkout."""
    if peer in HERE:
        return Path(sys.executable)
    failure = _installed(peer)
    if failure:
        raise RunError(failure)
    return FOLDER / "environments" / peer / "bin" / "python"


@cache
def version_of(peer: str) -> str:
    """As its own metadata has it; nothing where it has none, or is not installed."""
    if peer == "reference":
        return ""
    code = f"import importlib.metadata as m; print(m.version({peer!r}))"
    try:
        done = subprocess.run([python_of(peer), "-c", code], capture_output=True, text=True, check=False)
    except RunError:
        return ""
    return done.stdout.strip()


def tools() -> Path:
    """A folder with the packages of TOOLS, for the search path of one process."""
    folder = FOLDER / "tools"
    if not (folder / ".ready").exists():
        command = (sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps")
        wanted = (*TOOLS, "py-cpuinfo")
        subprocess.run(
            [*command, "--target", folder, *wanted], check=True, capture_output=True, timeout=INSTALL_LIMIT
        )
        (folder / ".ready").touch()
    return folder
