"""The layout is kept by a test: a step imports only earlier steps, and what is light stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

SOURCE = Path(shoal.__file__).parent
BASE = {"errors", "progress", "policy", "_brief", "_shown", "_problem", "_toml", "_version", "clock", "secret"}
# What each part may import besides itself and BASE.
ALLOWED: dict[str, set[str]] = {
    "kernels": set(),
    "tables": set(),
    "roles": {"tables"},
    "space": {"kernels", "tables"},
    "requirements": {"kernels", "space"},
    "partition": {"kernels", "space", "requirements"},
    "publish": {"tables", "space", "partition"},
    "plans": {"tables", "space", "partition", "publish", "_version"},
    "sequence": {"tables", "space", "requirements"},
    "following": {"tables", "partition", "requirements", "sequence", "task", "secret"},
    "certify": {"tables"},
    "measure": {"tables", "roles", "space", "requirements", "publish", "certify"},
    "report": {"measure", "roles", "space", "partition", "certify", "_version"},
    "bench": {"kernels", "partition"},
    "cli": {"api", "certify", "report"},
}


def imports(file: Path) -> set[str]:
    """The parts of shoal that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "shoal":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shoal."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("shoal.")}
    return found


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_a_step_imports_only_earlier_steps(part: str) -> None:
    for file in (SOURCE / part).rglob("*.py"):
        breach = imports(file) - ALLOWED[part] - BASE - {part}
        assert not breach, f"{file.relative_to(SOURCE)} imports {sorted(breach)}"


def test_kernels_import_nothing_of_ours() -> None:
    for file in (SOURCE / "kernels").rglob("*.py"):
        assert imports(file) <= {"kernels"}, file.name


def test_the_verifier_shares_no_code_with_what_it_verifies() -> None:
    """Not even through others: loading certify loads no partition, publication, requirement, space or measure."""
    code = (
        "import sys, shoal.certify; "
        "print([m for m in sys.modules if m.startswith(('shoal.partition', 'shoal.publish', 'shoal.requirements', "
        "'shoal.space', 'shoal.measure', 'shoal.kernels'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("code", ["import shoal", "from shoal.cli import main"])
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str) -> None:
    heavy = ["numba", "polars", "numpy", "scipy", "pydantic", "pyarrow", "pandas", "jinja2"]
    checked = f"import sys; {code}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", checked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_exactly_those_listed_and_all_load() -> None:
    assert sorted(shoal.__all__) == shoal.__all__
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = shoal.nothing_like_this
