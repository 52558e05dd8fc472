"""A pytest plugin that tries mutants one after another in one process: a start of pytest for each would take hours.

mutmut has written every mutant of a function beside the function, behind a switch (`MUTANT_UNDER_TEST`). All tests
run once as they are, to learn which of them reach which function and how long each takes. Then, for each mutant, the
tests that reach it run until one fails. A mutant that leaves something broken behind would make all later ones look
killed: after every kill the test that failed runs again with no mutant, and where it still fails the process ends, to
be started afresh by scripts/mutants.py. Exit codes go to mutmut's own .meta files. Where `MUTANTS_SECONDS` is set, a
mutant is tried by tests of about so many seconds; what others would have killed then counts as a survivor.
"""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

KILLED, SURVIVED, TIMEOUT, NOT_REACHED = 1, 0, 36, 33
BROKEN = 86
"""The exit code of a process that a mutant has spoiled."""


class Endless(BaseException):
    """A test takes many times as long as it does without a mutant."""


def _stop(_number: int, _frame: object) -> None:
    raise Endless


class Results:
    """The fate of every mutant, as mutmut keeps it."""

    def __init__(self, packages: list[str]) -> None:
        files = [file for package in packages for file in sorted(Path("src/shoal", package).glob("*.meta"))]
        self.metas = {file: json.loads(file.read_text(encoding="utf-8")) for file in files}
        self.file = {name: file for file, meta in self.metas.items() for name in meta["exit_code_by_key"]}
        self.changed: set[Path] = set()
        self.saved = time.monotonic()

    def code(self, name: str) -> int | None:
        found: int | None = self.metas[self.file[name]]["exit_code_by_key"][name]
        return found

    def put(self, name: str, code: int) -> None:
        self.metas[self.file[name]]["exit_code_by_key"][name] = code
        self.changed.add(self.file[name])
        if time.monotonic() - self.saved > 5:
            self.save()

    def save(self) -> None:
        for file in self.changed:
            file.write_text(json.dumps(self.metas[file], indent=4), encoding="utf-8")
        self.changed.clear()
        self.saved = time.monotonic()


def passes(item: pytest.Item, limit: float) -> int:
    """0 where a test passes, else how it ended."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        reports = runtestprotocol(item, log=False, nextitem=None)
    except Endless:
        return TIMEOUT
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if not any(report.failed for report in reports):
        return SURVIVED
    return TIMEOUT if any("Endless" in str(report.longrepr) for report in reports if report.failed) else KILLED


def in_turn(items: list[pytest.Item], seconds: dict[pytest.Item, float]) -> list[pytest.Item]:
    """Quick tests first, and one case of every test before the second case of any."""
    cases: dict[str, int] = defaultdict(int)
    place: dict[pytest.Item, tuple[int, float]] = {}
    for item in sorted(items, key=seconds.__getitem__):
        test = item.nodeid.partition("[")[0]
        place[item] = (cases[test] if seconds[item] < 0.3 else 1000, seconds[item])
        cases[test] += 1
    return sorted(items, key=place.__getitem__)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    results = Results(os.environ["MUTANTS_PACKAGES"].split())
    wanted = re.compile(os.environ.get("MUTANTS_ONLY", ""))
    budget = float(os.environ.get("MUTANTS_SECONDS", "inf"))
    reached: dict[str, list[pytest.Item]] = defaultdict(list)
    seconds: dict[pytest.Item, float] = {}
    set_mutant_under_test("stats")
    for item in session.items:
        state()._stats.clear()
        begun = time.monotonic()
        if passes(item, 300) != SURVIVED:
            sys.exit(f"{item.nodeid} fails without a mutant.")
        seconds[item] = time.monotonic() - begun
        for function in state()._stats:
            reached[function].append(item)
    done = (KILLED, TIMEOUT)
    work = [name for name in results.file if wanted.search(name) and results.code(name) not in done]
    for function, items in reached.items():
        reached[function] = in_turn(items, seconds)
    gc.freeze()
    print(f"{len(work)} mutants to try by {len(session.items)} tests", flush=True)
    for number, name in enumerate(work):
        if number % 100 == 0:
            print(f"{number} of {len(work)}", flush=True)
        tests = reached[mangled_name_from_mutant_name(name)]
        code, last = (SURVIVED if tests else NOT_REACHED), None
        set_mutant_under_test(name)
        spent = 0.0
        for item in list(tests):
            if spent > budget:
                break
            spent += seconds[item]
            code, last = passes(item, 5 + 10 * seconds[item]), item
            if code != SURVIVED:
                tests.remove(item)
                tests.insert(0, item)  # it may well kill the next mutant of this function
                break
        results.put(name, code)
        set_mutant_under_test("")
        if last is not None and code != SURVIVED and passes(last, 300) != SURVIVED:
            results.save()
            print(f"begun afresh after {name}", flush=True)
            os._exit(BROKEN)
    results.save()
    return True
