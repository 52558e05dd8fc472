"""What must be true of the repository itself."""

from __future__ import annotations

import re
import subprocess
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_address_of_a_registry_and_no_path_of_a_machine_is_in_the_tree() -> None:
    slip = re.compile(r"index-url|files\.pythonhosted|pypi\.org/simple|(?<![\w.])/(?:root|home|work)/\w")
    for file in tracked():
        if file.suffix in {".png", ".parquet", ".arrow"} or file == Path(__file__):
            continue
        text = file.read_text(encoding="utf-8", errors="ignore")
        found = [m for m in slip.findall(text) if "no-emit-index-url" not in text]
        assert not found, f"{file.relative_to(ROOT)}: {found[:3]}"


def test_every_dependency_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"].values()
    for wanted in [*project["dependencies"], *(one for extra in extras for one in extra)]:
        lines = [line for line in text.splitlines() if f'"{wanted}"' in line]
        assert any("#" in line for line in lines) or wanted.startswith("shoal["), f"{wanted} has no reason"


def test_constraints_pin_every_dependency() -> None:
    pinned = {line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for wanted in [*project["dependencies"], *(w for e in project["optional-dependencies"].values() for w in e)]:
        name = re.split(r"[<>=\[]", wanted)[0].lower()
        assert name in pinned or name == "shoal", f"{name} is not in constraints.txt; run make constraints"


def test_every_guarantee_has_its_theorem_on_a_proof_page() -> None:
    """Registered ratio, docstring and page agree: the page has a heading `## THEOREM-ID` and states the ratio."""
    from shoal.partition import guarantees

    pages = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "proofs").glob("*.md")}
    assert len(guarantees()) >= 3
    for proved in guarantees():
        homes = [name for name, text in pages.items() if re.search(rf"^#+ .*\b{proved.theorem}\b", text, re.M)]
        assert homes, f"{proved.theorem} has no heading on a page of docs/proofs"
        assert all("paper" in pages[name].lower() or "reference" in pages[name].lower() for name in homes)
        assert proved.ratio is None or proved.ratio_for(3) >= Fraction(1)


def test_modules_stay_small() -> None:
    for file in (ROOT / "src").rglob("*.py"):
        n_lines = len(file.read_text(encoding="utf-8").splitlines())
        assert n_lines <= 500, f"{file.relative_to(ROOT)} has {n_lines} lines; does it have one subject?"


def test_enough_tests_are_collected(request: pytest.FixtureRequest) -> None:
    """A lost folder of tests must not pass unseen."""
    if len({item.path for item in request.session.items}) > 20:
        assert len(request.session.items) >= 400
