"""A result shows itself the same way whatever else was imported."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import shoal

SHOWN = """
import importlib, pickle, sys
for module in sys.argv[2:]:
    importlib.import_module(module)
with open(sys.argv[1], "rb") as file:
    results = pickle.load(file)
print(("shoal.api" in sys.modules) == ("shoal.api" in sys.argv))
for result in results:
    print(type(result).__name__, str(result), getattr(result, "_repr_html_", lambda: "no HTML")())
"""


def shown(file: Path, *modules: str) -> str:
    """What a process of its own shows of pickled results."""
    call = [sys.executable, "-c", SHOWN, str(file), *modules]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = pl.DataFrame({"age": [31, 32, 33, 44, 45, 46], "ill": ["flu", "flu", "cold", "gout", "flu", "cold"]})
    release = shoal.anonymize(table, quasi=["age"], sensitive=["ill"], k=2, publication="generalize")
    attacks = shoal.attack(table, release.table, release.policy)
    found = [release.certificate, release.findings, release.loss, release.risk, attacks, shoal.profile(table)]
    file = tmp_path_factory.mktemp("results") / "results.pickle"
    file.write_bytes(pickle.dumps(found))
    return file


def test_results_show_the_same_whether_or_not_the_api_was_imported(results: Path) -> None:
    alone, with_api = shown(results), shown(results, "shoal.api")
    assert alone.startswith("True\n")
    assert alone == with_api
    for part in ("Certificate", "Findings", "Loss", "Risk", "Attacks", "Profile", 'class="shoal cell"'):
        assert part in alone
