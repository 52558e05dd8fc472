"""The peers, each in a Python environment of its own, made when first needed; nothing of them enters Shoal's."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.process import RunError

FOLDER = Path(__file__).resolve().parents[1] / ".bench"
PEERS: dict[str, tuple[str, ...]] = {
    "anonypy": ("anonypy", "pandas<3", "setuptools"),
    "anjana": ("anjana",),
    "pycanon": ("pycanon",),
    "microagg1d": ("microagg1d",),
    "fast_hdbscan": ("fast_hdbscan",),
    "k-means-constrained": ("k-means-constrained",),
    "spopt": ("spopt", "networkx"),
}
"""What pip installs for each."""


def python_of(peer: str) -> Path:
    """The interpreter that has `peer`; Shoal's own for "shoal"."""
    if peer == "shoal":
        return Path(sys.executable)
    folder = FOLDER / "environments" / peer
    python = folder / "bin" / "python"
    ready = folder / ".ready"
    if not ready.exists():
        print(f"installing {peer} (once)", file=sys.stderr, flush=True)
        venv.create(folder, with_pip=True, clear=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PEERS[peer]],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RunError(f"{peer} could not be installed")
        ready.touch()
    return python


def version_of(peer: str) -> str:
    """As its own metadata has it."""
    code = f"import importlib.metadata as m; print(m.version({peer!r}))"
    done = subprocess.run([python_of(peer), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()
