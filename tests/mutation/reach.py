"""Which tests run which lines of the mutated modules, and which lines a mutant has changed.

A mutant whose statement a test never runs cannot be noticed by that test. The lines are learned by one run of all
tests and kept in a file; a test is learned anew when its file has changed, or a mutated module that it ran lines of.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

KEPT = Path("reached.json")


class Lines:
    """Writes down the lines of some files that are run between `start` and `stop`."""

    def __init__(self, files: list[Path]) -> None:
        self._files = {str(file.resolve()): str(file) for file in files}
        self._seen: dict[str, set[int]] = {}

    def start(self) -> None:
        self._seen = {}
        threading.settrace(self._call)
        sys.settrace(self._call)

    def stop(self) -> dict[str, list[int]]:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        return {file: sorted(lines) for file, lines in self._seen.items()}

    def _call(self, frame: FrameType, _event: str, _value: object) -> Callable[..., Any] | None:
        file = self._files.get(frame.f_code.co_filename)
        if file is None:
            return None
        add = self._seen.setdefault(file, set()).add

        def line(inner: FrameType, _event: str, _value: object) -> Callable[..., Any]:
            add(inner.f_lineno)
            return line

        add(frame.f_lineno)
        return line


class Kept:
    """What was learned of each test, for as long as its file, the code it runs and what tests share are the same."""

    def __init__(self) -> None:
        shared = [file for file in Path("tests").rglob("*.py") if not file.name.startswith("test_")]
        shared = [file for file in shared if file.parent.name != "mutation"]
        code = list(Path("src").rglob("*.py"))
        mutated = [file for file in code if file.with_name(f"{file.name}.meta").exists()]
        self._state = _digest([*(set(code) - set(mutated)), *shared])
        self._files = {str(file): _digest([file]) for file in mutated}
        found = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
        known = found["tests"] if found.get("state") == self._state else {}
        same = {file for file, digest in found.get("files", {}).items() if self._files.get(file) == digest}
        self._tests: dict[str, Any] = {test: one for test, one in known.items() if one["lines"].keys() <= same}
        self._saved = time.monotonic()

    def get(self, file: Path, test: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._tests.get(test)
        return found if found and found["file"] == _digest_of(file) else None

    def put(self, file: Path, test: str, lines: dict[str, list[int]], seconds: float) -> None:
        self._tests[test] = {"file": _digest_of(file), "lines": lines, "seconds": seconds}
        if time.monotonic() - self._saved > 20:
            self.save()

    def save(self) -> None:
        kept = {"state": self._state, "files": self._files, "tests": self._tests}
        KEPT.write_text(json.dumps(kept), encoding="utf-8")
        self._saved = time.monotonic()


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def _digest_of(file: Path) -> str:
    return _digest([file])


@cache
def _functions(file: str) -> tuple[dict[str, ast.FunctionDef], list[str]]:
    """Every function of a module by its mangled name; a function that has mutants stands before its `_orig`."""
    text = Path(file).read_text(encoding="utf-8")
    found: dict[str, ast.FunctionDef] = {}
    for node in ast.walk(ast.parse(text)):
        for one in getattr(node, "body", []) if isinstance(node, ast.Module | ast.ClassDef) else []:
            if isinstance(one, ast.FunctionDef):
                owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                found[owner + one.name] = one
    return found, text.splitlines()


def lines_of(file: str, name: str) -> set[int]:
    """The lines of the statements that a mutant changes, as they stand in the function that is called.

    A change of the head of a function concerns all of it.
    """
    functions, text = _functions(file)
    own = name.rpartition(".")[2]
    plain = re.sub(r"__mutmut_\d+$", "", own)
    owner, _, called = plain[2:].rpartition("ǁ") if plain.startswith("xǁ") else ("", "", plain[2:])
    place = f"{owner}." if owner else ""
    function, original, mutant = (functions[place + one] for one in (called, f"{plain}__mutmut_orig", own))
    before, after = (text[one.lineno - 1 : one.end_lineno] for one in (original, mutant))
    steps = difflib.SequenceMatcher(None, before[1:], after[1:], autojunk=False).get_opcodes()
    found: set[int] = set()
    for kind, start, end, *_ in steps:
        if kind != "equal":
            for line in range(start, max(end, start + 1)):
                found |= _statement(function, function.lineno + 1 + line)
    return found or _whole(function)


def _statement(function: ast.FunctionDef, line: int) -> set[int]:
    inside = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node is not function and node.lineno <= line <= (node.end_lineno or 0)
    ]
    if not inside:
        return _whole(function)
    smallest = min(inside, key=lambda node: (node.end_lineno or 0) - node.lineno)
    body = getattr(smallest, "body", None)
    head = set(range(smallest.lineno, body[0].lineno if body else (smallest.end_lineno or 0) + 1))
    return (head | {smallest.lineno}) if line in head else set(range(smallest.lineno, (smallest.end_lineno or 0) + 1))


def _whole(function: ast.FunctionDef) -> set[int]:
    return set(range(function.lineno - len(function.decorator_list), (function.end_lineno or 0) + 1))
