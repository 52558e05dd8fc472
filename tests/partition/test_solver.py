"""HiGHS prints remarks past its options; none of them reaches standard output, and nothing else is lost there."""

from __future__ import annotations

import ctypes
import json
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from shoal.partition import microaggregate, solver

SRC = Path(__file__).resolve().parents[2] / "src"
LINE = b"HighsMipSolverData::transformNewIntegerFeasibleSolution tmpSolver.run();\n"


def test_lines_of_highs_are_taken_out_and_those_of_others_stay(capfd: pytest.CaptureFixture[str]) -> None:
    library = ctypes.CDLL(None)
    print("before")
    with solver.without_remarks():
        os.write(1, LINE)
        library.puts(LINE.rstrip())  # held back by the C library until it is flushed
        print("meanwhile")
        with solver.without_remarks():
            os.write(1, LINE)
    print("after")
    assert capfd.readouterr().out == "before\nmeanwhile\nafter\n"


def test_standard_output_comes_back_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError), solver.without_remarks():
        raise ZeroDivisionError
    print("here")
    assert capfd.readouterr().out == "here\n"


def test_what_a_script_prints_can_be_read_where_the_solver_prints_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def loud(function: Any, *args: Any, **options: Any) -> Any:
        asked.append(function.__name__)
        os.write(1, LINE)
        return function(*args, **options)

    for name in ("milp", "linprog"):
        monkeypatch.setattr(optimize, name, partial(loud, getattr(optimize, name)))
    found = microaggregate(np.random.default_rng(0).normal(size=(60, 2)), 3, effort=6000)
    print(json.dumps({"groups": found.n_groups}))
    assert set(asked) == {"milp", "linprog"}
    assert json.loads(capfd.readouterr().out) == {"groups": found.n_groups}


def test_programs_are_solved_here_alone() -> None:
    """Whoever calls the solver directly brings its lines back."""
    called = re.compile(r"\b(?:optimize|scipy\.optimize|highspy)\b.*\b(?:linprog|milp)\b|import highspy")
    found = [
        file.name
        for file in SRC.rglob("*.py")
        if file.name != "solver.py" and called.search(file.read_text(encoding="utf-8"))
    ]
    assert not found
