"""The walk of docs/architecture.md is true: one `shoal anonymize`, from the command line to the folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
MOST = 17
"""Steps that a newcomer can take in one sitting."""
MAKES = "shoal.pipeline.run.make_release"
"""The function in which a reader sees the steps of every release."""
TRACED = """
import json, sys
import numpy  # so that the command runs in this process and not in a child
first, inside = {}, set()

def traced(frame, event, _argument):
    module = frame.f_globals.get("__name__", "")
    if event == "call" and module.startswith("shoal."):
        name = f"{module}.{frame.f_code.co_qualname}"
        first.setdefault(name, len(first))
        if frame.f_back is not None and frame.f_back.f_code.co_qualname == "make_release":
            inside.add(name)

trace, sys.argv = sys.argv[1], ["shoal", *sys.argv[2:]]
from shoal.cli.main import main
sys.setprofile(traced)
try:
    main()
finally:
    sys.setprofile(None)
    with open(trace, "w", encoding="utf-8") as file:
        json.dump({"first": list(first), "inside": sorted(inside)}, file)
"""


def walk() -> list[str]:
    """The numbered steps of the page, as `module.function`."""
    section = PAGE.read_text(encoding="utf-8").split("## One run, step by step")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([\w.]+)`", section, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Every function of shoal in the order of its first call, and those that `make_release` calls itself."""
    folder = tmp_path_factory.mktemp("walk")
    ages = "\n".join(f"{20 + row % 7},{'flu' if row % 3 else 'cold'}" for row in range(24))
    (folder / "people.csv").write_text(f"age,illness\n{ages}\n", encoding="utf-8")
    call = ["anonymize", "people.csv", "-o", "out", "--quasi", "age", "--sensitive", "illness", "--k", "3", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", TRACED, "trace.json", *call], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "out" / "certificate.json").exists()
    found: dict[str, list[str]] = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    return found


def test_the_walk_has_few_steps_that_exist() -> None:
    steps = walk()
    assert 10 <= len(steps) <= MOST
    for step in steps:
        module, _, name = step.rpartition(".")
        assert callable(getattr(import_module(module), name)), step


def test_one_run_takes_the_steps_in_the_order_of_the_page(trace: dict[str, list[str]]) -> None:
    steps = walk()
    assert [name for name in trace["first"] if name in steps] == steps


def test_the_page_names_every_step_that_a_release_is_made_by(trace: dict[str, list[str]]) -> None:
    """What `make_release` calls is a step, except what only names the source or stands around all steps."""
    around = {"name_of", "sha256_of_source", "reporting_compilation", "Clock.__init__"}
    around |= {"anonymize.<locals>.group_rows"}
    called = {name for name in trace["inside"] if not name.endswith(tuple(around))}
    assert len(called) >= 6
    assert called <= set(walk())
