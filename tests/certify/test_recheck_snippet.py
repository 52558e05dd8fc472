"""The check for readers without Shoal, as the proof page prints it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl

from shoal.certify import verify
from tests.certify import releases

ROOT = Path(__file__).resolve().parents[2]
SNIPPET = ROOT / "docs" / "snippets" / "recheck_k.py"


def run(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SNIPPET), str(path), "age", "city"], capture_output=True, text=True, check=False
    )


def test_it_counts_what_verify_counts(tmp_path):
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    done, findings = run(path), verify(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"rows: {findings.rows}  groups: {findings.groups}  k: {findings.k}\n"


def test_it_sees_a_lone_null(tmp_path):
    frame = releases.release().with_columns(city=pl.when(pl.int_range(pl.len()) == 3).then(None).otherwise("city"))
    path = tmp_path / "release.csv"
    frame.write_csv(path)
    done = run(path)
    assert done.returncode == 4
    assert done.stdout.endswith("k: 1\n")


def test_the_page_prints_the_snippet_as_it_is():
    page = (ROOT / "docs" / "proofs" / "privacy.md").read_text(encoding="utf-8")
    assert SNIPPET.read_text(encoding="utf-8") in page


def test_every_theorem_that_a_requirement_names_has_its_heading():
    from shoal.requirements import KAnonymity, LDiversity, TCloseness

    page = (ROOT / "docs" / "proofs" / "privacy.md").read_text(encoding="utf-8")
    for requirement in (KAnonymity, LDiversity, TCloseness):
        assert f"\n## {requirement.theorem}: " in page
