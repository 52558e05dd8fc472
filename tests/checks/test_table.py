"""The table of methods is whole: every record can be used, and every place that reads it or repeats it agrees."""

from __future__ import annotations

import re
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import get_args

import pytest

from shoal.certify.schema import FORMS
from shoal.method_table import METHODS, OBJECTIVES, Fact, Method, MethodRecord, Objective
from shoal.partition.methods.cost import loaded
from shoal.partition.microaggregation.microaggregate import ALL_METHODS
from shoal.report import cost_text
from tests.checks import methods as checked

ROOT = Path(__file__).resolve().parents[2]
EVERY = pytest.mark.parametrize("record", METHODS.values(), ids=lambda record: record.name)


def test_the_names_for_type_checkers_are_those_of_the_table() -> None:
    assert set(get_args(Method)) == {"auto", *METHODS}
    assert set(get_args(Objective)) == {"auto", *OBJECTIVES}


def test_the_methods_of_microaggregate_are_those_of_its_family() -> None:
    assert {one.name for one in METHODS.values() if one.family == "microaggregation"} == set(ALL_METHODS)


def test_every_method_that_a_policy_can_name_is_checked() -> None:
    assert {method.name for method in checked.METHODS} >= set(METHODS)


@EVERY
def test_the_function_of_a_record_is_there_and_takes_what_the_record_gives(record: MethodRecord) -> None:
    module = record.function.partition(":")[0]
    assert module.startswith(f"shoal.partition.{record.family}.")
    parameters = signature(loaded(record.function)).parameters
    assert {*record.takes, *record.options} <= set(parameters)
    assert set(record.takes.values()) <= set(get_args(Fact))
    assert record.effort is None or record.searched or "effort" in record.takes.values()


@EVERY
def test_what_a_record_names_is_known(record: MethodRecord) -> None:
    assert record.objective in OBJECTIVES
    assert set(record.objectives_reported) <= set(cost_text.OBJECTIVES)
    assert not record.polished or record.objective in ("sse", "generalization")  # the searches that there are


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=lambda objective: objective.name)
def test_one_method_stands_for_every_objective(objective) -> None:
    standing = [one for one in METHODS.values() if one.objective == objective.name and one.stands_for_objective]
    assert len(standing) == 1
    assert standing[0].only_k is None
    assert objective.usual_form in FORMS
    assert callable(loaded(objective.cost))


def test_the_table_on_the_page_is_the_one_that_the_script_writes() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/methods.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_module_has_a_list_of_methods_of_its_own() -> None:
    """Three names of methods in one line of code are a list; the table, and what repeats it for a reason, aside."""
    own = {"method_table.py", "microaggregate.py", "mst_printed.py", "precompile.py"}
    word = re.compile("[\"'](" + "|".join(map(re.escape, METHODS)) + ")[\"']")
    for file in (ROOT / "src").rglob("*.py"):
        lines = file.read_text(encoding="utf-8").splitlines() if file.name not in own else []
        found = [line for line in lines if len(set(word.findall(line))) >= 3]
        assert not found, f"{file.relative_to(ROOT)}: {found[0].strip()}"
