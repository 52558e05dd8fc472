"""Every kernel runs as plain Python too, and gives the answer of the compiled one: for debuggers and for coverage."""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import shoal.kernels
from tests.kernels.small_cases import CASES

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path for path in Path(shoal.kernels.__file__).parent.glob("[a-z]*.py"))
LEAST_COVERED = 0.97
"""Share of the lines of the kernels that run (98.5 % when this was written); most others need larger inputs."""


class Uncompiled(NamedTuple):
    answers: dict[str, Any]
    lines: dict[str, set[int]]
    functions: dict[str, set[str]]


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Uncompiled:
    target = tmp_path_factory.mktemp("uncompiled") / "answers"
    command = [sys.executable, "-m", "tests.kernels.run_uncompiled", str(target)]
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return Uncompiled(*pickle.loads(target.read_bytes()))


@pytest.mark.parametrize("name", CASES)
def test_a_kernel_gives_the_same_answer_uncompiled(name: str, uncompiled: Uncompiled) -> None:
    assert_equal(CASES[name](), uncompiled.answers[name])


def assert_equal(one: Any, other: Any) -> None:
    """Equal to the last bit, for values, arrays and sequences of them."""
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_equal(a, b)
    else:
        assert np.array_equal(one, other)


def test_every_compiled_function_runs_uncompiled(uncompiled: Uncompiled) -> None:
    missing = {
        f"{path.name}: {function.name}"
        for path in MODULES
        for function in kernels_of(path)
        if function.name not in uncompiled.functions.get(path.name, ())
    }
    assert not missing


def test_nearly_every_line_of_the_kernels_runs_uncompiled(uncompiled: Uncompiled) -> None:
    ran = missed = 0
    where = []
    for path in MODULES:
        lines = {line for function in kernels_of(path) for line in lines_of(path, function)}
        never = lines - uncompiled.lines.get(path.name, set())
        ran, missed = ran + len(lines - never), missed + len(never)
        where += [f"{path.name}:{line}" for line in sorted(never)]
    print(f"{ran} of {ran + missed} lines ran; not: {' '.join(where)}")
    assert ran / (ran + missed) >= LEAST_COVERED


def kernels_of(path: Path) -> list[ast.FunctionDef]:
    """The functions of a module that are compiled."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(by, ast.Name) and by.id in ("jit", "inner", "inlined") for by in node.decorator_list)
    ]


def lines_of(path: Path, function: ast.FunctionDef) -> set[int]:
    """The lines of a function that have code, as the interpreter counts them."""
    module = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    code = next(some for some in module.co_consts if hasattr(some, "co_name") and some.co_name == function.name)
    first = function.body[1 if ast.get_docstring(function) is not None else 0].lineno
    return {line for _, _, line in code.co_lines() if line is not None and line >= first}
